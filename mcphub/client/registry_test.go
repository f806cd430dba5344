package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestKinds(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	hub := mcphubtest.NewHub(t)
	creds := &hubtest.ChangingToken{}
	kinds := client.NewRegistry(&client.RegistryOptions{
		Lookup: secret.Map(map[string]string{"HOST": "peer.example"}), RoundTripper: mcphubtest.RoundTripper(peer), InProcess: hub.InProcess(nil),
		Prepare: func(*exec.Cmd) error { return errors.New("prepared") },
		Credentials: func(e client.Endpoint, oauth json.RawMessage) (client.Credentials, error) {
			if string(oauth) == `{"bad":1}` {
				return nil, errors.New("no such issuer")
			}
			return creds, nil
		},
	})
	assert.Equal(t, []client.TransportKind{"http", "inprocess", "sse", "stdio"}, kinds.Names())
	for _, tt := range []struct {
		kind       client.TransportKind
		connection string
		want       client.Endpoint
	}{
		{"http", `{"url":"http://${HOST}/x","headers":{"A":"b"},"extra":1}`, client.Endpoint{Kind: "http", Address: "http://${HOST}/x", Auth: "none", Required: []string{"HOST"}}},
		{"STREAMABLE_HTTP", `{"url":"http://a.example"}`, client.Endpoint{Kind: "http", Address: "http://a.example/mcp", Auth: "none"}},
		{"streamableHttp", `{"url":"http://a.example/"}`, client.Endpoint{Kind: "http", Address: "http://a.example/", Auth: "none"}},
		{"streamable-http", `{"url":"http://a.example","endpoint":"/v2"}`, client.Endpoint{Kind: "http", Address: "http://a.example/v2", Auth: "none"}},
		{"", `{"url":"http://a.example/m","oauth":{"clientId":"x"}}`, client.Endpoint{Kind: "http", Address: "http://a.example/m", Auth: "oauth"}},
		{"SSE", `{"url":"http://a.example"}`, client.Endpoint{Kind: "sse", Address: "http://a.example/sse", Auth: "none"}},
		{"sse", `{"url":"http://a.example","sse-endpoint":"/events"}`, client.Endpoint{Kind: "sse", Address: "http://a.example/events", Auth: "none"}},
		{"http-sse", `{"url":"http://a.example/x?token=1"}`, client.Endpoint{Kind: "sse", Address: "http://a.example/x", Auth: "api-key"}},
		{"STDIO", `{"command":"run","args":["--key","${K}"]}`, client.Endpoint{Kind: "stdio", Address: "run", Auth: "process", Required: []string{"K"}}},
		{"", `{"command":"run"}`, client.Endpoint{Kind: "stdio", Address: "run", Auth: "process"}},
		{"in-process", ``, client.Endpoint{Kind: "inprocess", Address: "localpass-built-in-mcp", Auth: "in-process"}},
	} {
		tr, err := kinds.Transport(tt.kind, json.RawMessage(tt.connection))
		require.NoError(t, err, tt.connection)
		e := tr.Describe()
		if len(e.Required) == 0 {
			e.Required = nil
		}
		assert.Equal(t, tt.want, e, tt.connection)
	}
	for _, tt := range [][2]string{
		{"carrier-pigeon", `{}`}, {"http", `[]`}, {"http", `{`}, {"", `{}`}, {"", `{"url":7}`}, {"http", `{"url":7}`}, {"http", `{}`}, {"stdio", `{"command":7}`},
		{"stdio", `{}`}, {"http", `{"url":"http://a.example","oauth":{"bad":1}}`},
	} {
		_, err := kinds.Transport(client.TransportKind(tt[0]), json.RawMessage(tt[1]))
		require.Error(t, err, tt)
	}
	_, err := client.NewRegistry(nil).Transport("inprocess", nil)
	require.ErrorContains(t, err, "no hub")

	tr, err := kinds.Transport("http", json.RawMessage(`{"url":"http://${HOST}/mcp","oauth":{"clientId":"x"}}`))
	require.NoError(t, err)
	hubtest.Connect(t, tr, nil)
	assert.Equal(t, "Bearer t", peer.Seen()[0].Header.Get("Authorization"))
	tr, err = kinds.Transport("stdio", json.RawMessage(`{"command":"run"}`))
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	require.ErrorContains(t, err, "prepared")

	for _, bad := range []client.TransportKind{"", "http", "Web", "a b", "streamable-http"} {
		require.Error(t, kinds.Register(bad, func(json.RawMessage) (client.Transport, error) { return nil, nil }), bad)
	}
	require.Error(t, kinds.Register("new", nil))
}

// TestInProcessIdentity: a caller in process is who the hub's side says, and its
// calls pass the hub's gate and records like every other.
func TestInProcessIdentity(t *testing.T) {
	seen := make(chan toolspec.Principal, 2)
	who := hubtest.ToolDoing(t, "who", func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		seen <- call.Principal
		return toolspec.TextResult("ok"), nil
	})
	hub := hubtest.NewHub(t, nil, who)
	ask := func(tr client.Transport) {
		for _, o := range []*client.DialOptions{nil, hubtest.Sessions2025} {
			s := hubtest.Connect(t, tr, o)
			_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"who","arguments":{}}`), nil)
			require.NoError(t, err)
		}
	}
	ask(hub.InProcess(nil))
	assert.Equal(t, toolspec.Principal{Subject: "local", Via: "in-process"}, <-seen)
	<-seen
	ask(hub.InProcess(&mcphub.InProcessOptions{Principal: toolspec.Principal{Subject: "ada", Issuer: "test"}}))
	assert.Equal(t, toolspec.Principal{Subject: "ada", Issuer: "test", Via: "in-process"}, <-seen)
}

// TestInProcess: a tool asks within its call, changes are told, and the session
// ends with the hub.
func TestInProcess(t *testing.T) {
	hub := hubtest.NewHub(t, nil, hubtest.ToolDoing(t, "ask", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		_ = call.Peer.Log(ctx, toolspec.LogMessage{Level: "info", Data: json.RawMessage(`"hi"`)})
		a, err := call.Peer.Elicit(ctx, &toolspec.ElicitRequest{Message: "Who?"})
		if err != nil {
			return nil, err
		}
		return toolspec.TextResult(string(a.Action)), nil
	}))
	notes := make(chan string, 10)
	opts := &client.DialOptions{Versions: hubtest.Sessions2025.Versions, Capabilities: client.ClientCapabilities{Form: true}, Handler: client.Handler{Request: hubtest.Answer,
		Notification: func(_ context.Context, n client.Notification) { notes <- n.Method }}}
	tr := hub.InProcess(nil)
	s := hubtest.Connect(t, tr, opts)
	raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"ask","arguments":{}}`), nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"text":"accept"`)
	assert.Equal(t, "notifications/message", <-notes)
	for _, o := range []*client.DialOptions{opts, {Handler: opts.Handler}} {
		s := hubtest.Connect(t, tr, o)
		ctx, cancel := context.WithCancel(t.Context())
		ready, done := make(chan struct{}), make(chan error, 1)
		go func() { done <- s.Listen(ctx, &client.Subscription{Tools: true, Ready: func() { close(ready) }}) }()
		<-ready
		if o.Versions == nil {
			assert.Equal(t, "notifications/subscriptions/acknowledged", <-notes)
		}
		require.NoError(t, hub.Add(hubtest.EchoTool(t, "new"+fmt.Sprint(len(o.Versions)))))
		assert.Equal(t, "notifications/tools/list_changed", <-notes)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}
	require.NoError(t, hub.Close())
	<-s.Done()
	require.ErrorIs(t, s.Err(), client.ErrSessionLost)
	_, err = tr.Dial(t.Context(), nil)
	require.ErrorIs(t, err, client.ErrSessionLost)
}

func TestConnWords(t *testing.T) {
	for c := client.ConnUnknown; c <= client.ConnClosed; c++ {
		text, err := c.MarshalText()
		require.NoError(t, err)
		var back client.ConnClass
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, c, back)
	}
	var c client.ConnClass
	require.Error(t, c.UnmarshalText([]byte("odd")))
	assert.Equal(t, "unknown", client.ConnClass(99).String())
	for e := client.EraUnknown; e <= client.EraStateless; e++ {
		text, err := e.MarshalText()
		require.NoError(t, err)
		var back client.Era
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, e, back)
	}
	var e client.Era
	require.Error(t, e.UnmarshalText([]byte("odd")))
	assert.Equal(t, "unknown", client.Era(99).String())
}

// socket is a transport of one's own: messages over a TCP connection, one a line.
type socket struct {
	address  string
	remember client.Remembered
}

func (s *socket) Describe() client.Endpoint {
	return client.Endpoint{Kind: "socket", Address: s.address, Auth: client.AuthNone}
}

func (s *socket) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, client.StreamConn(conn, 0), s.Describe(), opts, &client.ConnectOptions{Remember: &s.remember})
}

// A kind of one's own is registered like the built-in ones. A WebSocket would
// supply a mcphub.Conn whose Read and Write carry its messages.
func ExampleRegistry_Register() {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	go func() {
		if conn, err := server.Accept(); err == nil {
			mcphubtest.NewPeer(nil).On("tools/list", mcphubtest.Reply(`{"tools":[]}`)).ServeStream(conn)
		}
	}()

	kinds := client.NewRegistry(nil)
	err = kinds.Register("socket", func(connection json.RawMessage) (client.Transport, error) {
		var def struct{ Address string }
		if err := json.Unmarshal(connection, &def); err != nil {
			return nil, err
		}
		return &socket{address: def.Address}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	transport, err := kinds.Transport("socket", json.RawMessage(`{"address":"`+server.Addr().String()+`"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := transport.Dial(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	tools, err := session.Call(context.Background(), "tools/list", nil, nil)
	fmt.Println(session.Info().Server.Name, session.Info().Version, string(tools), err)
	// Output: peer 2026-07-28 {"tools":[]} <nil>
}
