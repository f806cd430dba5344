package mcphub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	// directBody is how large a request may be to be sent directly. One that the
	// buffers of a socket hold cannot get stuck against an answer that comes early.
	directBody = 32 << 10
	// directIdle is how long a connection waits for the next request, and
	// directKept how many of them do for one host: as with net/http's.
	directIdle = 90 * time.Second
	directKept = 64
	// directEarly is how many responses before the real one (1xx) are skipped.
	directEarly = 8
)

// directTransport sends small requests without encryption over connections that
// the caller's goroutine writes and reads by itself. net/http hands each request
// to two goroutines of the connection and back, which costs a hop as much as all
// the rest of a call; and a connection that waits for its next request has no
// goroutine here. What is encrypted, large, a GET, or goes by way of a proxy is
// left to net/http.
type directTransport struct {
	next *http.Transport

	mu      sync.Mutex
	idle    map[string][]*directConn // by address, the last used last
	closing bool                     // idle connections are not wanted until the next request
	sweeper *time.Timer              // nil when nothing is idle
}

// CloseIdleConnections closes the connections that wait.
func (t *directTransport) CloseIdleConnections() {
	t.mu.Lock()
	idle := t.idle
	t.idle, t.closing = nil, true
	if t.sweeper != nil {
		t.sweeper.Stop()
		t.sweeper = nil
	}
	t.mu.Unlock()
	for _, list := range idle {
		for _, c := range list {
			c.close()
		}
	}
	t.next.CloseIdleConnections()
}

func (t *directTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !canDirect || req.Method != http.MethodPost || req.URL.Scheme != "http" || t.next.Proxy != nil ||
		req.ContentLength <= 0 || req.ContentLength > directBody || !plainHeader(req.Header) {
		return t.next.RoundTrip(req)
	}
	ctx := req.Context()
	address := req.URL.Host
	if req.URL.Port() == "" {
		address = net.JoinHostPort(req.URL.Hostname(), "80")
	}
	for {
		c := t.take(address)
		reused := c != nil
		if !reused {
			conn, err := t.next.DialContext(ctx, "tcp", address)
			if err != nil {
				_ = req.Body.Close()
				return nil, err
			}
			c = newDirectConn(t, address, conn)
		}
		resp, err := c.exchange(ctx, req)
		if err == nil {
			return resp, nil
		}
		// The server had closed it, and has seen nothing of this request.
		if again := reused && c.wrote == 0 && ctx.Err() == nil && req.GetBody != nil; !again {
			return nil, err
		}
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
}

// take takes a connection that waits and is good, or nil.
func (t *directTransport) take(address string) *directConn {
	for {
		t.mu.Lock()
		t.closing = false
		list := t.idle[address]
		if len(list) == 0 {
			t.mu.Unlock()
			return nil
		}
		c := list[len(list)-1]
		list[len(list)-1] = nil
		t.idle[address] = list[:len(list)-1]
		t.mu.Unlock()
		if c.quiet() {
			return c
		}
		c.close()
	}
}

// keep lets a connection wait for its next request.
func (t *directTransport) keep(c *directConn) {
	t.mu.Lock()
	if t.closing || len(t.idle[c.address]) >= directKept {
		t.mu.Unlock()
		c.close()
		return
	}
	if t.idle == nil {
		t.idle = map[string][]*directConn{}
	}
	c.since = time.Now()
	t.idle[c.address] = append(t.idle[c.address], c)
	if t.sweeper == nil {
		t.sweeper = time.AfterFunc(directIdle, t.sweep)
	}
	t.mu.Unlock()
}

// sweep closes the connections that have waited for too long.
func (t *directTransport) sweep() {
	now := time.Now()
	next := time.Duration(math.MaxInt64)
	var old []*directConn
	t.mu.Lock()
	for address, list := range t.idle {
		n := 0 // the longest waits stand first
		for n < len(list) && now.Sub(list[n].since) >= directIdle {
			n++
		}
		old = append(old, list[:n]...)
		if list = append([]*directConn(nil), list[n:]...); len(list) == 0 {
			delete(t.idle, address)
			continue
		}
		t.idle[address] = list
		next = min(next, directIdle-now.Sub(list[0].since))
	}
	switch {
	case t.sweeper == nil: // CloseIdleConnections was faster
	case len(t.idle) == 0:
		t.sweeper = nil
	default:
		t.sweeper.Reset(next)
	}
	t.mu.Unlock()
	for _, c := range old {
		c.close()
	}
}

// directConn is one connection. One request at a time uses it.
type directConn struct {
	t       *directTransport
	address string
	conn    net.Conn
	raw     syscall.RawConn // nil when the connection has none
	r       *bufio.Reader
	w       *bufio.Writer
	left    int64 // bytes that may be read: headers have a limit
	wrote   int64 // bytes of the request that the connection took
	since   time.Time
}

func newDirectConn(t *directTransport, address string, conn net.Conn) *directConn {
	c := &directConn{t: t, address: address, conn: conn}
	if s, ok := conn.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn() // without it the connection is used once
	}
	c.r, c.w = bufio.NewReaderSize(c, 4<<10), bufio.NewWriterSize(directWriter{c}, 4<<10)
	return c
}

// Read is what the buffer reads from.
func (c *directConn) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, errHeaderTooLarge
	}
	if int64(len(b)) > c.left {
		b = b[:c.left]
	}
	n, err := c.conn.Read(b)
	c.left -= int64(n)
	return n, err
}

var errHeaderTooLarge = fmt.Errorf("%w: the headers of the answer have more than %d bytes", ErrTooLarge, maxHeaderBytes)

// directWriter counts what goes out.
type directWriter struct{ c *directConn }

func (w directWriter) Write(b []byte) (int, error) {
	n, err := w.c.conn.Write(b)
	w.c.wrote += int64(n)
	return n, err
}

func (c *directConn) close() { _ = c.conn.Close() } // there is nobody left to tell

// exchange sends the request and reads the head of the response. The body hands
// the connection back at its end.
func (c *directConn) exchange(ctx context.Context, req *http.Request) (*http.Response, error) {
	stop := context.AfterFunc(ctx, c.close)
	resp, err := c.ask(req)
	if err != nil {
		stop()
		c.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	body := &directBodyReader{c: c, ctx: ctx, body: resp.Body, stop: stop, last: resp.Close}
	if resp.Body == http.NoBody {
		body.end(true)
		return resp, nil
	}
	resp.Body = body
	return resp, nil
}

func (c *directConn) ask(req *http.Request) (*http.Response, error) {
	c.left, c.wrote = maxHeaderBytes, 0
	err := c.write(req)
	if err != nil && c.wrote == 0 {
		return nil, err
	}
	// One that took only a part may have said why.
	for range directEarly {
		resp, failed := http.ReadResponse(c.r, req)
		switch {
		case failed != nil && err != nil:
			return nil, err
		case failed == io.ErrUnexpectedEOF || failed == io.EOF:
			return nil, errors.New("the server closed the connection without an answer")
		case failed != nil:
			return nil, failed
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, fmt.Errorf("%w: the server answers with another protocol", ErrProtocol)
		case resp.StatusCode >= http.StatusOK:
			resp.Close = resp.Close || err != nil
			c.left = math.MaxInt64
			return resp, nil
		}
	}
	return nil, fmt.Errorf("%w: the server promises an answer again and again", ErrProtocol)
}

// write sends the request.
func (c *directConn) write(req *http.Request) error {
	defer req.Body.Close()
	head := append(c.w.AvailableBuffer(), "POST "...)
	head = append(head, req.URL.RequestURI()...)
	head = append(head, " HTTP/1.1\r\nHost: "...)
	head = append(head, req.Host...)
	for name, values := range req.Header {
		for _, value := range values {
			head = append(append(append(append(head, "\r\n"...), name...), ": "...), value...)
		}
	}
	head = append(head, "\r\nContent-Length: "...)
	head = append(strconv.AppendInt(head, req.ContentLength, 10), "\r\n\r\n"...)
	if _, err := c.w.Write(head); err != nil {
		return err
	}
	n, err := io.Copy(c.w, req.Body)
	if err == nil && n != req.ContentLength {
		err = fmt.Errorf("the request has %d bytes, and %d were announced", n, req.ContentLength)
	}
	if err == nil {
		err = c.w.Flush()
	}
	return err
}

// plainHeader reports whether headers can be written as they are. What is not
// known to be harmless is left to net/http, which refuses it or does it right.
func plainHeader(header http.Header) bool {
	for name, values := range header {
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer", "Connection", "Expect":
			return false
		}
		if !isToken(name) {
			return false
		}
		for _, value := range values {
			if !isHeaderValue(value) {
				return false
			}
		}
	}
	return true
}

// directBodyReader is the body of a response.
type directBodyReader struct {
	c    *directConn
	ctx  context.Context // that of the request
	body io.ReadCloser
	stop func() bool
	last bool // the connection is of no use afterwards
	over bool
}

func (b *directBodyReader) Read(p []byte) (int, error) {
	if b.over {
		return 0, io.EOF
	}
	n, err := b.body.Read(p)
	if err != nil {
		b.end(errors.Is(err, io.EOF))
		if err != io.EOF && b.ctx.Err() != nil {
			err = b.ctx.Err()
		}
	}
	return n, err
}

// Close gives up what was not read, and the connection with it.
func (b *directBodyReader) Close() error {
	b.end(false)
	return nil
}

func (b *directBodyReader) end(whole bool) {
	if b.over {
		return
	}
	b.over = true
	// What stopped it in time was not the context; what stands in the buffer
	// belongs to no request.
	if alive := b.stop(); alive && whole && !b.last && b.c.r.Buffered() == 0 && b.c.raw != nil {
		b.c.t.keep(b.c)
		return
	}
	b.c.close()
}
