package mcphub_test

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
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestKinds(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	hub := mcphubtest.NewHub(t)
	creds := &token{}
	kinds := mcphub.NewKinds(&mcphub.KindsOptions{
		Lookup: secret.Map(map[string]string{"HOST": "peer.example"}), RoundTripper: mcphubtest.RoundTripper(peer), InProcess: hub.InProcess(nil),
		Prepare: func(*exec.Cmd) error { return errors.New("prepared") },
		Credentials: func(e mcphub.Endpoint, oauth json.RawMessage) (mcphub.Credentials, error) {
			if string(oauth) == `{"bad":1}` {
				return nil, errors.New("no such issuer")
			}
			return creds, nil
		},
	})
	assert.Equal(t, []mcphub.TransportKind{"http", "inprocess", "sse", "stdio"}, kinds.Names())
	for _, tt := range []struct {
		kind       mcphub.TransportKind
		connection string
		want       mcphub.Endpoint
	}{
		{"http", `{"url":"http://${HOST}/x","headers":{"A":"b"},"extra":1}`, mcphub.Endpoint{Kind: "http", Address: "http://${HOST}/x", Auth: "none", Required: []string{"HOST"}}},
		{"STREAMABLE_HTTP", `{"url":"http://a.example"}`, mcphub.Endpoint{Kind: "http", Address: "http://a.example/mcp", Auth: "none"}},
		{"streamableHttp", `{"url":"http://a.example/"}`, mcphub.Endpoint{Kind: "http", Address: "http://a.example/", Auth: "none"}},
		{"streamable-http", `{"url":"http://a.example","endpoint":"/v2"}`, mcphub.Endpoint{Kind: "http", Address: "http://a.example/v2", Auth: "none"}},
		{"", `{"url":"http://a.example/m","oauth":{"clientId":"x"}}`, mcphub.Endpoint{Kind: "http", Address: "http://a.example/m", Auth: "oauth"}},
		{"SSE", `{"url":"http://a.example"}`, mcphub.Endpoint{Kind: "sse", Address: "http://a.example/sse", Auth: "none"}},
		{"sse", `{"url":"http://a.example","sse-endpoint":"/events"}`, mcphub.Endpoint{Kind: "sse", Address: "http://a.example/events", Auth: "none"}},
		{"http-sse", `{"url":"http://a.example/x?token=1"}`, mcphub.Endpoint{Kind: "sse", Address: "http://a.example/x", Auth: "api-key"}},
		{"STDIO", `{"command":"run","args":["--key","${K}"]}`, mcphub.Endpoint{Kind: "stdio", Address: "run", Auth: "process", Required: []string{"K"}}},
		{"", `{"command":"run"}`, mcphub.Endpoint{Kind: "stdio", Address: "run", Auth: "process"}},
		{"in-process", ``, mcphub.Endpoint{Kind: "inprocess", Address: "localpass-built-in-mcp", Auth: "in-process"}},
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
		_, err := kinds.Transport(mcphub.TransportKind(tt[0]), json.RawMessage(tt[1]))
		require.Error(t, err, tt)
	}
	_, err := mcphub.NewKinds(nil).Transport("inprocess", nil)
	require.ErrorContains(t, err, "no hub")

	tr, err := kinds.Transport("http", json.RawMessage(`{"url":"http://${HOST}/mcp","oauth":{"clientId":"x"}}`))
	require.NoError(t, err)
	connect(t, tr, nil)
	assert.Equal(t, "Bearer t", peer.Seen()[0].Header.Get("Authorization"))
	tr, err = kinds.Transport("stdio", json.RawMessage(`{"command":"run"}`))
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	require.ErrorContains(t, err, "prepared")

	for _, bad := range []mcphub.TransportKind{"", "http", "Web", "a b", "streamable-http"} {
		require.Error(t, kinds.Register(bad, func(json.RawMessage) (mcphub.Transport, error) { return nil, nil }), bad)
	}
	require.Error(t, kinds.Register("new", nil))
}

// TestInProcessIdentity: a caller in process is who the hub's side says, and its
// calls pass the hub's gate and records like every other.
func TestInProcessIdentity(t *testing.T) {
	seen := make(chan toolspec.Principal, 2)
	who := doing(t, "who", func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		seen <- call.Principal
		return toolspec.TextResult("ok"), nil
	})
	hub := newHub(t, nil, who)
	ask := func(tr mcphub.Transport) {
		for _, o := range []*mcphub.DialOptions{nil, old} {
			s := connect(t, tr, o)
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
	hub := newHub(t, nil, doing(t, "ask", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		_ = call.Peer.Log(ctx, toolspec.LogMessage{Level: "info", Data: json.RawMessage(`"hi"`)})
		a, err := call.Peer.Elicit(ctx, &toolspec.ElicitRequest{Message: "Who?"})
		if err != nil {
			return nil, err
		}
		return toolspec.TextResult(string(a.Action)), nil
	}))
	notes := make(chan string, 10)
	opts := &mcphub.DialOptions{Versions: old.Versions, Capabilities: mcphub.ClientCapabilities{Form: true}, Handler: mcphub.Handler{Request: handle,
		Notification: func(_ context.Context, n mcphub.Notification) { notes <- n.Method }}}
	tr := hub.InProcess(nil)
	s := connect(t, tr, opts)
	raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"ask","arguments":{}}`), nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"text":"accept"`)
	assert.Equal(t, "notifications/message", <-notes)
	for _, o := range []*mcphub.DialOptions{opts, {Handler: opts.Handler}} {
		s := connect(t, tr, o)
		ctx, cancel := context.WithCancel(t.Context())
		ready, done := make(chan struct{}), make(chan error, 1)
		go func() { done <- s.Listen(ctx, &mcphub.Subscription{Tools: true, Ready: func() { close(ready) }}) }()
		<-ready
		if o.Versions == nil {
			assert.Equal(t, "notifications/subscriptions/acknowledged", <-notes)
		}
		require.NoError(t, hub.Add(echoTool(t, "new"+fmt.Sprint(len(o.Versions)))))
		assert.Equal(t, "notifications/tools/list_changed", <-notes)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}
	require.NoError(t, hub.Close())
	<-s.Done()
	require.ErrorIs(t, s.Err(), mcphub.ErrSessionLost)
	_, err = tr.Dial(t.Context(), nil)
	require.ErrorIs(t, err, mcphub.ErrSessionLost)
}

func TestConnWords(t *testing.T) {
	for c := mcphub.ConnUnknown; c <= mcphub.ConnClosed; c++ {
		text, err := c.MarshalText()
		require.NoError(t, err)
		var back mcphub.ConnClass
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, c, back)
	}
	var c mcphub.ConnClass
	require.Error(t, c.UnmarshalText([]byte("odd")))
	assert.Equal(t, "unknown", mcphub.ConnClass(99).String())
	for e := mcphub.EraUnknown; e <= mcphub.EraStateless; e++ {
		text, err := e.MarshalText()
		require.NoError(t, err)
		var back mcphub.Era
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, e, back)
	}
	var e mcphub.Era
	require.Error(t, e.UnmarshalText([]byte("odd")))
	assert.Equal(t, "unknown", mcphub.Era(99).String())
}

// socket is a transport of one's own: messages over a TCP connection, one a line.
type socket struct {
	address  string
	remember mcphub.Remembered
}

func (s *socket) Describe() mcphub.Endpoint {
	return mcphub.Endpoint{Kind: "socket", Address: s.address, Auth: mcphub.AuthNone}
}

func (s *socket) Dial(ctx context.Context, opts *mcphub.DialOptions) (mcphub.Session, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	return mcphub.Connect(ctx, mcphub.StreamConn(conn, 0), s.Describe(), opts, &mcphub.ConnectOptions{Remember: &s.remember})
}

// A kind of one's own is registered like the built-in ones. A WebSocket would
// supply a mcphub.Conn whose Read and Write carry its messages.
func ExampleKinds_Register() {
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

	kinds := mcphub.NewKinds(nil)
	err = kinds.Register("socket", func(connection json.RawMessage) (mcphub.Transport, error) {
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
