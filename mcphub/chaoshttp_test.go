package mcphub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// chaosLimit is for how long a bad server that never answers is heard; then it is
// given up.
const chaosLimit = 300 * time.Millisecond

const (
	callEcho = `{"name":"echo","arguments":{"text":"hi"}}`
	callWait = `{"name":"wait","arguments":{}}`
)

func useTool(ctx context.Context, s servers.Caller, params string) error {
	_, err := s.Call(ctx, "tools/call", json.RawMessage(params), nil)
	return err
}

// wild answers a call in a way that no well-behaved handler can: with the bytes of
// the connection.
func wild(do func(conn net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		do(conn)
	}
}

// forever writes the same again and again until nobody takes it any more, with a
// pause in between.
func forever(ctx context.Context, w io.Writer, text string, pause time.Duration) {
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// streaming answers with a body of this type that never ends.
func streaming(kind, first, each string, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, first)
		forever(r.Context(), w, each, pause)
	}
}

// withCalls is a good server but for its answers to tools/call.
func withCalls(peer *mcphubtest.Peer, bad http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost && bytes.Contains(body, []byte(`"tools/call"`)) {
			bad.ServeHTTP(w, r)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		peer.ServeHTTP(w, r)
	})
}

func webRecord(id, url string) servers.Record {
	return servers.Record{ID: id, Kind: client.TransportHTTP, Connection: json.RawMessage(`{"url":"` + url + `"}`)}
}

// chaosAnswers are ways not to answer a request.
func chaosAnswers() map[string]chaosAnswer {
	const sse, js = "text/event-stream", "application/json"
	const transport, timeout, protocol = client.ConnTransport, client.ConnTimeout, client.ConnProtocol
	return map[string]chaosAnswer{
		"hangs":                  {wild(func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }), timeout, context.DeadlineExceeded},
		"half-open stream":       {streaming(sse, "", ":\n\n", time.Hour), timeout, nil},
		"dribbling stream":       {streaming(sse, "data: ", "x", time.Millisecond), timeout, nil},
		"stream of comments":     {streaming(sse, "", ": still here\n\n", 0), timeout, nil},
		"stream of empty events": {streaming(sse, "", "id: 1\n\n", 0), timeout, nil},
		"endless event":          {streaming(sse, "data: ", strings.Repeat("x", 64<<10), 0), protocol, client.ErrTooLarge},
		"endless lines":          {streaming(sse, "", "data: "+strings.Repeat("x", 8<<10)+"\n", 0), protocol, client.ErrTooLarge},
		"dribbling body":         {streaming(js, `{"jsonrpc":`, " ", time.Millisecond), timeout, nil},
		"endless body":           {streaming(js, `{"jsonrpc":"2.0","id":2,"result":{"a":"`, strings.Repeat("x", 64<<10), 0), protocol, client.ErrTooLarge},
		"endless headers": {wild(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			forever(context.Background(), c, "X-More: "+strings.Repeat("y", 4<<10)+"\r\n", 0)
		}), protocol, client.ErrTooLarge},
		"dribbling headers": {wild(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-More: ")
			forever(context.Background(), c, "y", time.Millisecond)
		}), timeout, nil},
		"no HTTP": {wild(func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n") }), transport, nil},
		"closes":  {wild(func(net.Conn) {}), transport, nil},
		"closes within the body": {wild(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
		}), transport, nil},
		"claims to be large": {wild(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n{")
		}), protocol, client.ErrTooLarge},
		"promises for ever":       {wild(func(c net.Conn) { forever(context.Background(), c, "HTTP/1.1 103 Early Hints\r\n\r\n", 0) }), protocol, client.ErrTooLarge},
		"closes within an event":  {streamOnce("data: {\"jsonrpc\""), transport, nil},
		"another's answer":        {streamOnce(`data: {"jsonrpc":"2.0","id":99,"result":{}}` + "\n\n"), transport, nil},
		"an answer of another id": {answerOnce(js, `{"jsonrpc":"2.0","id":"2","result":{}}`), protocol, client.ErrProtocol},
		"a batch of nothing":      {answerOnce(js, `[]`), protocol, client.ErrProtocol},
		"text":                    {answerOnce("text/plain", `{}`), protocol, client.ErrProtocol},
		"HTML":                    {answerOnce("text/html; charset=utf-8", `<html>`), protocol, client.ErrProtocol},
		"garbage":                 {answerOnce(js, `}{`), protocol, client.ErrProtocol},
		"garbage in a stream":     {streamOnce("data: }{\n\n"), protocol, client.ErrProtocol},
		"401":                     {statusOnce(401, "WWW-Authenticate", `Bearer scope="a"`), client.ConnAuth, client.ErrAuthorizationRequired},
		"403":                     {statusOnce(403), client.ConnAuth, client.ErrForbidden},
		"429":                     {statusOnce(429, "Retry-After", "7"), client.ConnBusy, client.ErrBusy},
		"503":                     {statusOnce(503, "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), client.ConnBusy, client.ErrBusy},
		"500":                     {statusOnce(500), client.ConnServer, nil},
		"502":                     {statusOnce(502), client.ConnServer, nil},
	}
}

type chaosAnswer struct {
	call  http.Handler
	class client.ConnClass // of the error that a call ends in
	is    error            // nil: none in particular
}

// TestChaosHTTP meets servers on real sockets that misbehave within a call: it
// ends in an error of the right class, the connection is in the right state, a
// good server beside it answers all the while, and nothing is left.
func TestChaosHTTP(t *testing.T) {
	hubtest.NothingOpen(t) // all at once: files and processes have no test
	for name, tt := range chaosAnswers() {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				leak.Check(t)
				// The time is up some time after the call has arrived, so that it has.
				limited := hubtest.Timed{Context: context.Background(), Up: make(chan struct{})}
				var arrived sync.Once
				bad := httptest.NewServer(withCalls(hubtest.GoodPeer(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					arrived.Do(func() { time.AfterFunc(chaosLimit, func() { close(limited.Up) }) })
					tt.call.ServeHTTP(w, r)
				})))
				good := httptest.NewServer(hubtest.GoodPeer())
				c, err := servers.New(memory.New(), &servers.Options{CallTimeout: hubtest.Patience, Dial: client.DialOptions{Versions: []string{version}}})
				require.NoError(t, err)
				for _, r := range []servers.Record{webRecord("bad", bad.URL), webRecord("good", good.URL)} {
					_, err := c.Save(t.Context(), r)
					require.NoError(t, err)
				}
				require.NoError(t, c.ConnectAll(t.Context()))

				var over atomic.Bool
				done := make(chan error, 1)
				go func() {
					ctx := context.Background()
					if tt.class == client.ConnTimeout {
						ctx = limited
					}
					_, err := c.Call(ctx, "bad", "tools/call", json.RawMessage(hubtest.CallX), nil)
					over.Store(true)
					done <- err
				}()
				// As many as fit in while the bad one is at it: none waits for it.
				for calls := 0; calls < 5 || tt.class == client.ConnTimeout && !over.Load(); calls++ {
					_, err := c.Call(t.Context(), "good", "tools/call", json.RawMessage(hubtest.CallX), nil)
					require.NoError(t, err)
				}
				failed := hubtest.Classed(t, <-done, tt.class)
				assert.True(t, failed.Sent)
				if tt.is != nil {
					require.ErrorIs(t, failed, tt.is)
				}
				want := servers.StateConnected
				if tt.is == client.ErrAuthorizationRequired {
					want = servers.StateAwaitingAuthorization
				}
				assert.Equal(t, want, hubtest.StateOf(t, c, "bad"))
				assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "good"))
				if want == servers.StateConnected { // it still answers what it does answer
					require.NoError(t, c.Ping(t.Context(), "bad"))
				}
				require.NoError(t, c.Close())
				bad.Close()
				good.Close()
			})
		}
	}
}

// TestChaosHTTPDial meets the same servers before there is a session: none comes
// to be, soon, and nothing is left.
func TestChaosHTTPDial(t *testing.T) {
	t.Parallel()
	for name, tt := range chaosAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leak.Check(t)
			bad := httptest.NewServer(tt.call)
			tr, err := client.NewHTTP(client.HTTPConfig{URL: bad.URL}, nil)
			require.NoError(t, err)
			opts := &client.DialOptions{Timeout: hubtest.Patience}
			if tt.class == client.ConnTimeout {
				opts.Timeout, opts.ProbeTimeout = chaosLimit, chaosLimit/3
			}
			began := time.Now()
			_, err = tr.Dial(t.Context(), opts)
			var failed *client.ConnError
			require.ErrorAs(t, err, &failed)
			if tt.class == client.ConnTimeout || tt.class == client.ConnAuth || tt.class == client.ConnBusy {
				assert.Equal(t, tt.class, failed.Class, "%v", err)
			}
			assert.Less(t, time.Since(began), hubtest.Patience)
			bad.Close() // waits for its connections: this side has none any more
		})
	}
}

// streamOnce answers with an event stream that ends.
func streamOnce(text string) http.HandlerFunc { return answerOnce("text/event-stream", text) }

func answerOnce(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text)
	}
}

func statusOnce(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}
}

// TestChaosRedirect: whoever redirects to another place gets nothing sent there,
// neither the message nor what proves who sends it.
func TestChaosRedirect(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			leak.Check(t)
			var reached atomic.Int64
			elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
			defer elsewhere.Close()
			bad := httptest.NewServer(withCalls(hubtest.GoodPeer(), statusOnce(status, "Location", elsewhere.URL+"/mcp")))
			defer bad.Close()
			tr, err := client.NewHTTP(client.HTTPConfig{URL: bad.URL, Headers: map[string]string{"Authorization": "Bearer tok-123456"}}, nil)
			require.NoError(t, err)
			s := hubtest.Connect(t, tr, nil)
			_, err = hubtest.CallTool(s)
			e := hubtest.Classed(t, err, client.ConnServer)
			assert.Equal(t, status, e.Status)
			assert.Zero(t, reached.Load())
			assert.NotContains(t, err.Error(), "tok-123456")
		})
	}
}
