package mcphub_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

// pipeListener is a listener without a network, whose connections say that they arrived
// on a loopback address: in a bubble its time is the bubble's.
type pipeListener struct {
	arrive chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{arrive: make(chan net.Conn), closed: make(chan struct{})}
}

var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}

type localConn struct{ net.Conn }

func (localConn) LocalAddr() net.Addr { return loopback }

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.arrive:
		return localConn{c}, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipeListener) Addr() net.Addr { return loopback }

func (p *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.arrive <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// onPipes serves a hub in a bubble. stop ends it and waits.
func onPipes(t *testing.T, h *mcphub.Hub) (l *pipeListener, c *httpClient, stop func()) {
	l = newPipeListener()
	served := make(chan error, 1)
	go func() { served <- h.Serve(t.Context(), l) }()
	web := &http.Transport{DialContext: l.dial}
	return l, &httpClient{t: t, url: "http://localhost" + mcphub.Path, http: &http.Client{Transport: web}}, func() {
		web.CloseIdleConnections()
		require.NoError(t, h.Close())
		require.NoError(t, <-served)
	}
}

// TestHubUnderSlowClients: clients that take their time over a request are given
// up, and others do not wait for them.
func TestHubUnderSlowClients(t *testing.T) {
	const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	const foreign = head + "Origin: http://evil.example\r\n"
	for name, tt := range map[string]struct {
		first, each string
		most        time.Duration
	}{
		"silent":        {"", "", 11 * time.Second},
		"slow headers":  {head, "X-Filler: y\r\n", 11 * time.Second},
		"slow body":     {head + "Content-Length: 1000\r\n\r\n", " ", 31 * time.Second},
		"slow big body": {head + "Content-Length: 1000000\r\n\r\n", " ", 31 * time.Second},
		"slow chunks":   {head + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", 31 * time.Second},
		"no body":       {head + "Content-Length: 5\r\n\r\n", "", 31 * time.Second},
		"refused body":  {foreign + "Content-Length: 1000\r\n\r\n", " ", 31 * time.Second},
		"body on GET":   {"GET /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", " ", 31 * time.Second},
		"no JSON":       {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", " ", 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, err := mcphub.New(nil)
				require.NoError(t, err)
				require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
				l, c, stop := onPipes(t, h)
				began := time.Now()
				var slow sync.WaitGroup
				for range 100 {
					conn, err := l.dial(t.Context(), "", "")
					require.NoError(t, err)
					slow.Go(func() { _, _ = io.Copy(io.Discard, conn); _ = conn.Close() })
					slow.Go(func() {
						for _, err := io.WriteString(conn, tt.first); err == nil; _, err = io.WriteString(conn, tt.each) {
							<-time.After(time.Second)
							if tt.each == "" {
								return // the other goroutine waits for the end
							}
						}
					})
				}
				<-time.After(5 * time.Second)
				s := c.open("2025-11-25", `{}`)
				assert.Equal(t, "hello", firstText(t, s.post(call("1", "echo", `{"text":"hello"}`)).body))
				assert.Equal(t, "hello", firstText(t, c.modern("1", "tools/call", "echo", `"name":"echo","arguments":{"text":"hello"}`, "").body))
				assert.Equal(t, 5*time.Second, time.Since(began), "nobody waited")
				slow.Wait()
				assert.LessOrEqual(t, time.Since(began), tt.most)
				stop()
			})
		})
	}
}

func firstText(t *testing.T, response string) string {
	t.Helper()
	return result(t, response)["content"].([]any)[0].(map[string]any)["text"].(string)
}

// TestHubUnderDeafClients: who opens a stream and takes nothing from it is given
// up, and the others are told of each change meanwhile.
func TestHubUnderDeafClients(t *testing.T) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, err := mcphub.New(&mcphub.Options{SessionIdle: 10 * time.Minute})
				require.NoError(t, err)
				l, c, stop := onPipes(t, h)
				listen := func(c *httpClient) *http.Request {
					if era == "2026-07-28" {
						return c.modernRequest("1", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "")
					}
					return c.open(era, `{}`).request(http.MethodGet, "")
				}
				var deaf []net.Conn
				for range 50 {
					req := listen(c)
					conn, err := l.dial(t.Context(), "", "")
					require.NoError(t, err)
					require.NoError(t, req.Write(conn))
					resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), req)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, resp.StatusCode)
					deaf = append(deaf, conn)
				}
				messages, hangUp := c.stream(listen(c))
				if era == "2026-07-28" {
					assert.Contains(t, <-messages, "acknowledged")
				}
				began := time.Now()
				require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
				assert.Contains(t, <-messages, "list_changed")
				assert.Zero(t, time.Since(began), "nobody waited for the others")
				<-time.After(time.Minute)
				for _, conn := range deaf {
					_, err := io.Copy(io.Discard, conn) // comes to an end: the hub has closed it
					require.False(t, err != nil && !errors.Is(err, io.ErrClosedPipe), "%v", err)
					_ = conn.Close()
				}
				assert.Equal(t, time.Minute, time.Since(began))
				require.NoError(t, h.Add(hubtest.EchoTool(t, "more")))
				assert.Contains(t, <-messages, "list_changed", "who listens is told for as long as they do")
				hangUp()
				stop()
			})
		})
	}
}

// TestServeHandlerUnderSlowClients: a handler beside the hub's that does not look
// at the body has no clients that send it for ever either.
func TestServeHandlerUnderSlowClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(nil)
		require.NoError(t, err)
		l := newPipeListener()
		served := make(chan error, 1)
		go func() {
			served <- h.ServeHandler(t.Context(), l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
		}()
		conn, err := l.dial(t.Context(), "", "")
		require.NoError(t, err)
		began := time.Now()
		var slow sync.WaitGroup
		slow.Go(func() {
			for _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"); err == nil; _, err = io.WriteString(conn, " ") {
				<-time.After(time.Second)
			}
		})
		answer, _ := io.ReadAll(conn)
		assert.Contains(t, string(answer), "hello")
		assert.LessOrEqual(t, time.Since(began), 41*time.Second)
		_ = conn.Close()
		slow.Wait()
		require.NoError(t, h.Close())
		require.NoError(t, <-served)
	})
}

// TestHubUnderFlood: sessions up to the limit, then each new one ends the idlest;
// forged ids find nothing; sessions that are left alone end.
func TestHubUnderFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(nil)
		require.NoError(t, err)
		defer h.Close()
		require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
		c := &recorder{h: h.Handler()}
		begin := func() answer { return c.post("", initialize("2025-11-25", `{}`)) }
		var ids []string
		for i := range 10_000 {
			if i == 100 {
				<-time.After(time.Second) // those before are the idlest
			}
			a := begin()
			require.Equal(t, http.StatusOK, a.status)
			ids = append(ids, a.header.Get("Mcp-Session-Id"))
		}
		for range 100 {
			require.Equal(t, http.StatusOK, begin().status)
		}
		for _, id := range ids[:100] {
			require.Equal(t, http.StatusNotFound, c.post(id, call("1", "echo", `{"text":"x"}`)).status)
		}
		for i := range 1_000 {
			require.Equal(t, http.StatusNotFound, c.post(fmt.Sprintf("%032x", i), call("1", "echo", `{"text":"x"}`)).status)
		}
		<-time.After(20 * time.Minute)
		require.Equal(t, http.StatusOK, c.post(ids[100], call("1", "echo", `{"text":"x"}`)).status)
		require.Equal(t, http.StatusNoContent, c.do(deleteOf(ids[101])).status)
		require.Equal(t, http.StatusOK, begin().status)
		require.Equal(t, http.StatusOK, c.post(ids[102], call("1", "echo", `{"text":"x"}`)).status, "there was room for that one")

		<-time.After(11 * time.Minute) // the others have been silent for too long
		require.Equal(t, http.StatusNotFound, c.post(ids[103], call("1", "echo", `{"text":"x"}`)).status)
		require.Equal(t, http.StatusOK, c.post(ids[100], call("1", "echo", `{"text":"x"}`)).status)
	})
}

func deleteOf(session string) *http.Request {
	req := httptest.NewRequest(http.MethodDelete, "http://localhost/mcp", nil)
	req.Header.Set("Mcp-Session-Id", session)
	return req
}

// TestHubUnderCancels: clients that call and leave at once, in each way that
// there is, take no slot with them.
func TestHubUnderCancels(t *testing.T) {
	leak.Check(t)
	var running atomic.Int64
	began := make(chan struct{}, 1)
	wait := hubtest.ToolDoing(t, "wait", func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		running.Add(1)
		defer running.Add(-1)
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	c := serve(t, hubtest.NewHub(t, &mcphub.Options{MaxCalls: 4}, wait, hubtest.EchoTool(t, "echo")))
	s := c.open("2025-11-25", `{}`)
	for i := range 200 {
		req := c.modernRequest("1", "tools/call", "wait", `"name":"wait"`, "")
		if i%2 == 0 {
			req = s.request(http.MethodPost, call(fmt.Sprint(i), "wait", `{}`))
		}
		ctx, leave := context.WithCancel(t.Context())
		var left sync.WaitGroup
		left.Go(func() {
			if resp, err := c.http.Do(req.WithContext(ctx)); err == nil {
				_ = resp.Body.Close()
			}
		})
		<-began
		if i%2 == 0 { // a client with a session says so, to others' ids too
			for _, id := range []string{fmt.Sprint(i), `"` + fmt.Sprint(i) + `"`, "-1", "null", strings.Repeat("9", 400)} {
				require.Equal(t, http.StatusAccepted, s.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`).status)
			}
		}
		leave()
		left.Wait()
	}
	require.Eventually(t, func() bool { return running.Load() == 0 }, hubtest.Patience, time.Millisecond)
	for range 4 {
		assert.Equal(t, "x", firstText(t, s.post(call("1", "echo", `{"text":"x"}`)).body))
	}
}
