package mcphub_test

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
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

func TestSSEPeer(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: true}).On("tools/call", mcphubtest.Echo())
	for _, kind := range []mcphub.TransportKind{mcphub.TransportSSE, mcphub.TransportHTTP} { // the latter falls back
		tr := peer.Transport(kind)
		s := connect(t, tr, nil)
		info := s.Info()
		assert.Equal(t, mcphub.EraSession, info.Era)
		assert.Equal(t, "2025-11-25", info.Version)
		assert.Len(t, info.Label, 12)
		raw, err := callTool(s)
		require.NoError(t, err)
		assert.JSONEq(t, callX, string(raw))
		ctx, cancel := context.WithCancel(t.Context())
		require.ErrorIs(t, s.Listen(ctx, &mcphub.Subscription{Ready: cancel}), context.Canceled)
		require.NoError(t, s.Close())

		before := len(peer.Seen())
		again := connect(t, tr, nil)
		require.NoError(t, mcphub.Ping(t.Context(), again))
		assert.Equal(t, http.MethodGet, peer.Seen()[before].HTTP, "what was learnt is remembered")
	}
	tr, err := mcphub.NewHTTP(mcphub.HTTPConfig{URL: "http://peer.example/mcp"}, &mcphub.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), NoFallback: true})
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	assert.Equal(t, 405, classed(t, err, mcphub.ConnServer).Status)
	_, err = peer.Transport(mcphub.TransportHTTP).Dial(t.Context(), &mcphub.DialOptions{Versions: versions[:1]})
	require.ErrorIs(t, err, mcphub.ErrUnsupportedProtocol)

	// A server that has learnt streamable HTTP since.
	modern := mcphubtest.NewPeer(nil)
	current := http.Handler(peer)
	tr, err = mcphub.NewHTTP(mcphub.HTTPConfig{URL: "http://peer.example/mcp"}, &mcphub.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.ServeHTTP(w, r) }))})
	require.NoError(t, err)
	assert.Equal(t, mcphub.EraSession, connect(t, tr, nil).Info().Era)
	current = modern
	assert.Equal(t, mcphub.EraStateless, connect(t, tr, nil).Info().Era)
}

func TestSSEBad(t *testing.T) {
	for name, tt := range map[string]struct {
		listen mcphubtest.Reaction
		class  mcphub.ConnClass
		say    string
	}{
		"another origin": {mcphubtest.HalfOpen("event: endpoint\ndata: http://evil.example/messages\n\n"), mcphub.ConnProtocol, "another origin"},
		"another scheme": {mcphubtest.HalfOpen("event: endpoint\ndata: https://peer.example/messages\n\n"), mcphub.ConnProtocol, "another origin"},
		"no address":     {mcphubtest.HalfOpen("event: endpoint\ndata: http://[::1\n\n"), mcphub.ConnProtocol, "another origin"},
		"silent":         {mcphubtest.HalfOpen(": hello\n\n"), mcphub.ConnTimeout, "deadline"},
		"ends":           {mcphubtest.Broken("data: {}\n\n"), mcphub.ConnTransport, "EOF"},
		"401":            {mcphubtest.Unauthorized("Bearer"), mcphub.ConnAuth, "authorization"},
		"no stream":      {mcphubtest.Status(200, "{}", "Content-Type", "application/json"), mcphub.ConnProtocol, "not with an event stream"},
		"no messages":    {mcphubtest.HalfOpen("event: endpoint\ndata: /messages?stream=none\n\n"), mcphub.ConnSessionLost, "HTTP 404"},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: true}).OnListen(tt.listen)
			opts := &mcphub.DialOptions{Timeout: patience}
			if tt.class == mcphub.ConnTimeout {
				opts.Timeout = 200 * time.Millisecond
			}
			_, err := peer.Transport(mcphub.TransportSSE).Dial(t.Context(), opts)
			classed(t, err, tt.class)
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
	tr, err := mcphub.NewSSE(mcphub.HTTPConfig{URL: "http://peer.example/sse"}, &mcphub.HTTPOptions{RoundTripper: c})
	require.NoError(t, err)
	s := connect(t, tr, nil)
	failed := make(chan error, 1)
	go func() {
		_, err := callTool(s)
		failed <- err
	}()
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(peer.Methods(), " "), "tools/call") }, patience, time.Millisecond)
	require.NoError(t, (<-c.cut).Close())
	err = <-failed
	require.ErrorIs(t, err, mcphub.ErrSessionLost)
	<-s.Done()
	require.ErrorIs(t, s.Err(), mcphub.ErrSessionLost)
	_, err = callTool(s)
	require.ErrorIs(t, err, mcphub.ErrSessionLost)
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
			s := connect(t, peer.Transport(mcphub.TransportHTTP), old)
			raw, err := callTool(s)
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
	c := mcphub.StreamConn(stream, 20)
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
	_, err = mcphub.StreamConn(&buffer{Reader: strings.NewReader(strings.Repeat("x", 21) + "\n")}, 20).Read()
	require.ErrorIs(t, err, mcphub.ErrTooLarge)
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
		s, err := peer.Transport(mcphub.TransportHTTP).Dial(context.Background(), &mcphub.DialOptions{MaxMessage: 2000})
		require.NoError(t, err)
		defer s.Close()
		_, err = callTool(s)
		var conn *mcphub.ConnError
		var refused *mcphub.RPCError
		var need *mcphub.InputRequired
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
		s, err := peer.Transport(mcphub.TransportStdio).Dial(context.Background(), &mcphub.DialOptions{MaxMessage: 2000, Capabilities: mcphub.ClientCapabilities{Roots: true},
			Handler: mcphub.Handler{Request: handle, Notification: func(context.Context, mcphub.Notification) {}}})
		require.NoError(t, err)
		defer s.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err = s.Call(ctx, "tools/call", nil, nil)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	})
}
