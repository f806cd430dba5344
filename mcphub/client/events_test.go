package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

func TestSSEPeer(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: true}).On("tools/call", mcphubtest.Echo())
	for _, kind := range []client.TransportKind{client.TransportSSE, client.TransportHTTP} { // the latter falls back
		tr := peer.Transport(kind)
		s := hubtest.Connect(t, tr, nil)
		info := s.Info()
		assert.Equal(t, client.EraSession, info.Era)
		assert.Equal(t, "2025-11-25", info.Version)
		assert.Len(t, info.Label, 12)
		raw, err := hubtest.CallTool(s)
		require.NoError(t, err)
		assert.JSONEq(t, hubtest.CallX, string(raw))
		ctx, cancel := context.WithCancel(t.Context())
		require.ErrorIs(t, s.Listen(ctx, &client.Subscription{Ready: cancel}), context.Canceled)
		require.NoError(t, s.Close())

		before := len(peer.Seen())
		again := hubtest.Connect(t, tr, nil)
		require.NoError(t, client.Ping(t.Context(), again))
		assert.Equal(t, http.MethodGet, peer.Seen()[before].HTTP, "what was learnt is remembered")
	}
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), NoFallback: true})
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	assert.Equal(t, 405, hubtest.Classed(t, err, client.ConnServer).Status)
	_, err = peer.Transport(client.TransportHTTP).Dial(t.Context(), &client.DialOptions{Versions: versions[:1]})
	require.ErrorIs(t, err, client.ErrUnsupportedProtocol)

	// A server that has learnt streamable HTTP since.
	modern := mcphubtest.NewPeer(nil)
	current := http.Handler(peer)
	tr, err = client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.ServeHTTP(w, r) }))})
	require.NoError(t, err)
	assert.Equal(t, client.EraSession, hubtest.Connect(t, tr, nil).Info().Era)
	current = modern
	assert.Equal(t, client.EraStateless, hubtest.Connect(t, tr, nil).Info().Era)
}

func TestSSEBad(t *testing.T) {
	for name, tt := range map[string]struct {
		listen mcphubtest.Reaction
		class  client.ConnClass
		say    string
	}{
		"another origin": {mcphubtest.HalfOpen("event: endpoint\ndata: http://evil.example/messages\n\n"), client.ConnProtocol, "another origin"},
		"another scheme": {mcphubtest.HalfOpen("event: endpoint\ndata: https://peer.example/messages\n\n"), client.ConnProtocol, "another origin"},
		"no address":     {mcphubtest.HalfOpen("event: endpoint\ndata: http://[::1\n\n"), client.ConnProtocol, "another origin"},
		"silent":         {mcphubtest.HalfOpen(": hello\n\n"), client.ConnTimeout, "deadline"},
		"ends":           {mcphubtest.Broken("data: {}\n\n"), client.ConnTransport, "EOF"},
		"401":            {mcphubtest.Unauthorized("Bearer"), client.ConnAuth, "authorization"},
		"no stream":      {mcphubtest.Status(200, "{}", "Content-Type", "application/json"), client.ConnProtocol, "not with an event stream"},
		"no messages":    {mcphubtest.HalfOpen("event: endpoint\ndata: /messages?stream=none\n\n"), client.ConnSessionLost, "HTTP 404"},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: true}).OnListen(tt.listen)
			opts := &client.DialOptions{Timeout: hubtest.Patience}
			if tt.class == client.ConnTimeout {
				opts.Timeout = 200 * time.Millisecond
			}
			_, err := peer.Transport(client.TransportSSE).Dial(t.Context(), opts)
			hubtest.Classed(t, err, tt.class)
			assert.Contains(t, err.Error(), tt.say)
		})
	}
}

// cutting is a RoundTripper whose streams a test can end.
type cutting struct {
	next http.RoundTripper
	cut  chan io.Closer
}

func (c cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet {
		c.cut <- resp.Body
	}
	return resp, err
}

func TestSSELost(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: true}).On("tools/call", mcphubtest.Hang())
	c := cutting{mcphubtest.RoundTripper(peer), make(chan io.Closer, 1)}
	tr, err := client.NewSSE(client.HTTPConfig{URL: "http://peer.example/sse"}, &client.HTTPOptions{RoundTripper: c})
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, nil)
	failed := make(chan error, 1)
	go func() {
		_, err := hubtest.CallTool(s)
		failed <- err
	}()
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(peer.Methods(), " "), "tools/call") }, hubtest.Patience, time.Millisecond)
	require.NoError(t, (<-c.cut).Close())
	err = <-failed
	require.ErrorIs(t, err, client.ErrSessionLost)
	<-s.Done()
	require.ErrorIs(t, s.Err(), client.ErrSessionLost)
	_, err = hubtest.CallTool(s)
	require.ErrorIs(t, err, client.ErrSessionLost)
}

// TestEventForms reads streams in every way of writing them.
func TestEventForms(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":2,"result":{"ok":true}}`
	for name, stream := range map[string]string{
		"line feeds":  "data: " + answer + "\n\n",
		"both":        "data: " + answer + "\r\n\r\n",
		"returns":     "data: " + answer + "\r\r",
		"mixed":       ": note\r\n\r\nevent: message\rid: 1\ndata: " + answer + "\r\n\n",
		"mark":        "\uFEFFdata: " + answer + "\n\n",
		"no space":    "data:" + answer + "\n\n",
		"split":       "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":2,\ndata\ndata: \"result\":{\"ok\":true}}\n\n",
		"other":       "event: other\ndata: x\n\ndata: " + answer + "\n\n",
		"empty":       "data\n\nid\n\nretry: 5\n\nretry: soon\n\nunknown: field\n\n\n\ndata: " + answer + "\n\n",
		"zero in id":  "id: a\x00b\ndata: " + answer + "\n\n",
		"long":        ": " + strings.Repeat("x", 10_000) + "\n\ndata: " + strings.Replace(answer, "true", `"`+strings.Repeat("y", 10_000)+`"`, 1) + "\n\n",
		"more after":  "data: " + answer + "\n\ndata: {garbage\n\n",
		"name empty":  "event:\ndata: " + answer + "\n\n",
		"batch":       "data: [" + answer + "]\n\n",
		"with spaces": "data:    " + answer + "  \n\n",
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Broken(stream))
			s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), hubtest.Sessions2025)
			raw, err := hubtest.CallTool(s)
			require.NoError(t, err)
			assert.Contains(t, string(raw), `"ok"`)
		})
	}
}

// buffer is a stream that has been written already.
type buffer struct {
	io.Reader
	written bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) { return b.written.Write(p) }
func (b *buffer) Close() error                { return nil }

func TestStreamConn(t *testing.T) {
	stream := &buffer{Reader: iotest.OneByteReader(strings.NewReader("one\r\n\n  \n" + strings.Repeat("x", 20) + "\nunfinished"))}
	c := client.StreamConn(stream, 20)
	for _, want := range []string{"one", strings.Repeat("x", 20)} {
		got, err := c.Read()
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	_, err := c.Read()
	require.ErrorIs(t, err, io.EOF, "a line without an end was cut off")
	message := []byte("message and more")
	require.NoError(t, c.Write(message[:7]))
	assert.Equal(t, "message\n", stream.written.String())
	assert.Equal(t, "message and more", string(message))
	require.NoError(t, c.Close())
	_, err = client.StreamConn(&buffer{Reader: strings.NewReader(strings.Repeat("x", 21) + "\n")}, 20).Read()
	require.ErrorIs(t, err, client.ErrTooLarge)
}

// FuzzEvents: whatever a stream holds, a call ends, in the answer or in an error
// that names the server.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n", "\uFEFF:\r\r\n", "id: 1\nretry: 1\ndata\n\n", "data: [\n\n", "event: endpoint\ndata: x\n\n", strings.Repeat("data: x\n", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		// Since 2026-07-28 nothing is resumed, so the call does not wait.
		peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Broken(stream))
		s, err := peer.Transport(client.TransportHTTP).Dial(context.Background(), &client.DialOptions{MaxMessage: 2000})
		require.NoError(t, err)
		defer s.Close()
		_, err = hubtest.CallTool(s)
		var conn *client.ConnError
		var refused *client.RPCError
		var need *client.InputRequired
		if err != nil && !errors.As(err, &conn) && !errors.As(err, &refused) && !errors.As(err, &need) {
			t.Fatalf("the call ends in %T: %v", err, err)
		}
	})
}

// FuzzFrames: whatever a server says on its stream, the session answers or ends.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{"{}", "[]", `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":"x"}}`, `{"jsonrpc":"2.0","id":"a","method":"roots/list"}`,
		`[{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":"x"}}]`, `{"jsonrpc":"2.0","id":null,"error":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":[]}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		peer := mcphubtest.NewPeer(nil).On("tools/call", func(x *mcphubtest.Exchange) {
			x.Raw(line)
			x.Raw(`{"jsonrpc":"2.0","id":` + string(x.ID) + `,"result":{}}`)
		})
		s, err := peer.Transport(client.TransportStdio).Dial(context.Background(), &client.DialOptions{MaxMessage: 2000, Capabilities: client.ClientCapabilities{Roots: true},
			Handler: client.Handler{Request: hubtest.Answer, Notification: func(context.Context, client.Notification) {}}})
		require.NoError(t, err)
		defer s.Close()
		ctx, cancel := context.WithTimeout(context.Background(), hubtest.Patience)
		defer cancel()
		_, err = s.Call(ctx, "tools/call", nil, nil)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	})
}
