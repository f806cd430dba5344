package mcphub

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
)

// rawServer is a server that writes to its connections what it is told to.
type rawServer struct {
	t     *testing.T
	l     net.Listener
	conns atomic.Int64
	own   *directTransport
	all   sync.WaitGroup
}

// rawServe serves each connection with do until it returns.
func rawServe(t *testing.T, do func(n int64, conn net.Conn, r *bufio.Reader)) *rawServer {
	t.Helper()
	if !canDirect {
		t.Skip("requests are not sent directly here")
	}
	leak.Check(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &rawServer{t: t, l: l, own: &directTransport{next: &http.Transport{DialContext: (&net.Dialer{}).DialContext}}}
	s.all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			n := s.conns.Add(1)
			s.all.Go(func() {
				defer conn.Close()
				do(n, conn, bufio.NewReader(conn))
			})
		}
	})
	t.Cleanup(func() {
		s.own.CloseIdleConnections()
		_ = l.Close()
		s.all.Wait()
	})
	return s
}

// answering answers every request of a connection with the same.
func answering(response string) func(int64, net.Conn, *bufio.Reader) {
	return func(_ int64, conn net.Conn, r *bufio.Reader) {
		for readRequest(r) == nil {
			_, _ = io.WriteString(conn, response)
		}
	}
}

func readRequest(r *bufio.Reader) error {
	req, err := http.ReadRequest(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err
}

const saidOK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func (s *rawServer) post(ctx context.Context, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.l.Addr().String()+"/mcp?a=b", strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("X-One", "two three")
	resp, err := s.own.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func (s *rawServer) idleCount() (n int) {
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	for _, list := range s.own.idle {
		n += len(list)
	}
	return n
}

func TestDirectReuse(t *testing.T) {
	for name, tt := range map[string]struct {
		response, want string
		conns          int64 // for three requests
	}{
		"length":           {saidOK, "ok", 1},
		"chunks":           {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", "ok", 1},
		"nothing":          {"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "", 1},
		"no body":          {"HTTP/1.1 204 No Content\r\n\r\n", "", 1},
		"after early ones": {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + saidOK, "ok", 1},
		"close":            {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "ok", 3},
		"until the end":    {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", 3},
		"more than asked":  {saidOK + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged", "ok", 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := rawServe(t, answering(tt.response))
			for range 3 {
				got, err := s.post(t.Context(), "{}")
				require.NoError(t, err)
				assert.Equal(t, tt.want, got)
			}
			assert.Equal(t, tt.conns, s.conns.Load())
		})
	}
}

// TestDirectRequest: what arrives is what net/http would have sent.
func TestDirectRequest(t *testing.T) {
	seen := make(chan *http.Request, 1)
	s := rawServe(t, func(_ int64, conn net.Conn, r *bufio.Reader) {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(strings.NewReader(string(body)))
		seen <- req
		_, _ = io.WriteString(conn, saidOK)
	})
	_, err := s.post(t.Context(), `{"a":1}`)
	require.NoError(t, err)
	req := <-seen
	body, _ := io.ReadAll(req.Body)
	assert.Equal(t, []string{"POST", "/mcp?a=b", s.l.Addr().String(), "two three", `{"a":1}`},
		[]string{req.Method, req.RequestURI, req.Host, req.Header.Get("X-One"), string(body)})
	assert.Equal(t, int64(7), req.ContentLength)
}

// TestDirectStale: a connection that the server closed while it waited, or on
// which it spoke without being asked, is not used again.
func TestDirectStale(t *testing.T) {
	for name, last := range map[string]string{"closed": "", "spoke": saidOK} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{}, 10)
			s := rawServe(t, func(n int64, conn net.Conn, r *bufio.Reader) {
				if readRequest(r) != nil {
					return
				}
				_, _ = io.WriteString(conn, saidOK)
				if n > 1 {
					_ = readRequest(r) // its end
					return
				}
				_, _ = io.WriteString(conn, last)
				if last == "" {
					_ = conn.Close()
				}
				over <- struct{}{}
				_ = readRequest(r)
			})
			_, err := s.post(t.Context(), "{}")
			require.NoError(t, err)
			<-over
			got, err := s.post(t.Context(), "{}")
			require.NoError(t, err)
			assert.Equal(t, "ok", got)
			assert.Equal(t, int64(2), s.conns.Load())
		})
	}
}

func TestDirectFails(t *testing.T) {
	for name, tt := range map[string]struct {
		response, say string
		is            error
	}{
		"no answer":       {"", "without an answer", nil},
		"half an answer":  {"HTTP/1.1 200 OK\r\nConte", "missing colon", nil},
		"half a body":     {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", "unexpected EOF", io.ErrUnexpectedEOF},
		"no HTTP":         {"220 mail.example ESMTP\r\n", "malformed HTTP", nil},
		"another":         {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "another protocol", ErrProtocol},
		"promises":        {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 50), "again and again", ErrProtocol},
		"endless headers": {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 70), "headers", ErrTooLarge},
		"an endless one":  {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 70<<10), "headers", ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			s := rawServe(t, func(_ int64, conn net.Conn, r *bufio.Reader) {
				if readRequest(r) == nil {
					_, _ = io.WriteString(conn, tt.response)
				}
			})
			_, err := s.post(t.Context(), "{}")
			require.ErrorContains(t, err, tt.say)
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
			assert.Zero(t, s.idleCount())
		})
	}
	s := rawServe(t, answering(saidOK))
	require.NoError(t, s.l.Close())
	_, err := s.post(t.Context(), "{}")
	require.Error(t, err)
	assert.True(t, notSent(err))
}

// TestDirectCancel: the end of the context is the end of the connection, whatever
// it is at.
func TestDirectCancel(t *testing.T) {
	for name, first := range map[string]string{"head": "", "body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"} {
		t.Run(name, func(t *testing.T) {
			reached, gone := make(chan struct{}), make(chan struct{})
			s := rawServe(t, func(_ int64, conn net.Conn, r *bufio.Reader) {
				_ = readRequest(r)
				_, _ = io.WriteString(conn, first)
				close(reached)
				_, _ = r.ReadByte()
				close(gone)
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-reached; cancel() }()
			_, err := s.post(ctx, "{}")
			require.ErrorIs(t, err, context.Canceled)
			<-gone
		})
	}
}

// TestDirectLeaves: what is not small, plain and in the clear is net/http's.
func TestDirectLeaves(t *testing.T) {
	s := rawServe(t, answering(saidOK))
	left := atomic.Int64{}
	s.own.next.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		left.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	got, err := s.post(t.Context(), strings.Repeat(" ", directBody+1))
	require.NoError(t, err)
	assert.Equal(t, "ok", got)
	assert.Zero(t, s.idleCount())
	for name, value := range map[string]string{"X-Break": "a\r\nb", "X Space": "a", "Trailer": "X"} {
		assert.False(t, plainHeader(http.Header{name: {value}}), name)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.l.Addr().String(), strings.NewReader("{}"))
	require.NoError(t, err)
	req.Header["X-Break"] = []string{"a\r\nInjected: b"}
	_, err = s.own.RoundTrip(req)
	require.ErrorContains(t, err, "invalid header")
	assert.EqualValues(t, 1, left.Load())
}

// TestDirectSweep: a connection that waits for too long is closed, and no more
// than so many wait.
func TestDirectSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &directTransport{next: &http.Transport{}}
		var closed atomic.Int64
		put := func(n int) {
			for range n {
				own.keep(&directConn{t: own, address: "a", conn: closing{func() { closed.Add(1) }}})
			}
		}
		put(2)
		time.Sleep(directIdle / 2)
		put(directKept)
		assert.EqualValues(t, 2, closed.Load(), "those that were too many")
		time.Sleep(directIdle/2 + time.Second)
		synctest.Wait()
		assert.EqualValues(t, 4, closed.Load())
		time.Sleep(directIdle)
		synctest.Wait()
		assert.EqualValues(t, 2+directKept, closed.Load())
		assert.Nil(t, own.sweeper)
		put(1)
		own.CloseIdleConnections()
		assert.EqualValues(t, 3+directKept, closed.Load())
		put(1) // one that comes back late
		assert.EqualValues(t, 4+directKept, closed.Load(), fmt.Sprint(own.idle))
	})
}

// closing is a connection that tells of its end.
type closing struct{ tell func() }

func (c closing) Close() error                     { c.tell(); return nil }
func (closing) Read([]byte) (int, error)           { return 0, io.EOF }
func (closing) Write(b []byte) (int, error)        { return len(b), nil }
func (closing) LocalAddr() net.Addr                { return nil }
func (closing) RemoteAddr() net.Addr               { return nil }
func (closing) SetDeadline(time.Time) error        { return nil }
func (closing) SetReadDeadline(time.Time) error    { return nil }
func (closing) SetWriteDeadline(t time.Time) error { return nil }
