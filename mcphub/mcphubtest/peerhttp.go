package mcphubtest

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// ServeHTTP serves a client over streamable HTTP or HTTP with SSE, at any path.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // as much of it as can be read
	m := parseMessage(body)
	m.HTTP, m.Header = r.Method, r.Header.Clone()
	id := r.Header.Get("Mcp-Session-Id")
	p.mu.Lock() // for both: a message that was seen before EndSessions is answered in its session
	p.seen = append(p.seen, m)
	lost, listen := p.ended[id], p.listen
	p.mu.Unlock()
	x := &Exchange{Message: m, peer: p, ctx: r.Context(), w: w}
	if p.opts.SSE {
		p.serveSSE(x, r.URL.Query().Get("stream"))
		return
	}
	x.write = func(message []byte) { x.Bytes("event: message\ndata: " + string(message) + "\n\n") }
	switch {
	case lost:
		x.Status(http.StatusNotFound, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`, "Content-Type", "application/json")
	case r.Method == http.MethodGet && listen != nil:
		listen(x)
	case r.Method == http.MethodGet:
		x.Status(http.StatusMethodNotAllowed, "", "Allow", "POST, DELETE")
	case p.delivered(m):
		x.accepted()
	default:
		if m.Method == "initialize" && !p.opts.Stateless {
			p.mu.Lock()
			p.sessions++
			w.Header().Set("Mcp-Session-Id", sessionID(p.sessions))
			p.mu.Unlock()
		}
		react := p.reaction(m)
		if r.Method == http.MethodDelete {
			p.mu.Lock()
			p.ended[id] = true
			set := len(p.reactions[http.MethodDelete]) > 0
			p.mu.Unlock()
			if !set {
				react = Status(http.StatusNoContent, "")
			}
		}
		react(x)
	}
}

// sseStream is the stream of one client over HTTP with SSE.
type sseStream struct {
	mu  sync.Mutex
	w   http.ResponseWriter
	ctx context.Context // ends with the stream
}

func (s *sseStream) send(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.w.Write([]byte("event: " + name + "\ndata: " + string(data) + "\n\n")) // a client that is gone does not need it
	flush(s.w)
}

// serveSSE serves the GET that opens a stream, or the POST of a message to a stream.
func (p *Peer) serveSSE(x *Exchange, name string) {
	p.mu.Lock()
	stream, listen := p.streams[name], p.listen
	p.mu.Unlock()
	switch {
	case x.HTTP == http.MethodGet && listen != nil:
		listen(x)
	case x.HTTP == http.MethodGet:
		p.mu.Lock()
		p.sessions++
		name = sessionID(p.sessions)
		stream = &sseStream{w: x.w, ctx: x.ctx}
		p.streams[name] = stream
		p.mu.Unlock()
		x.Stream()
		stream.send("endpoint", []byte("/messages?stream="+name))
		<-x.ctx.Done()
	case x.HTTP != http.MethodPost || name == "":
		x.Status(http.StatusMethodNotAllowed, "", "Allow", "GET")
	case stream == nil || stream.ctx.Err() != nil:
		x.Status(http.StatusNotFound, "")
	case p.delivered(x.Message):
		x.accepted()
	default:
		react := p.reaction(x.Message)
		x.accepted()
		answer := *x
		answer.w, answer.ctx, answer.write = nil, stream.ctx, func(message []byte) { stream.send("message", message) }
		go react(&answer)
	}
}

// RoundTripper returns an http.RoundTripper that calls a handler instead of using the
// network. What the handler writes can be read at once. It ignores the address.
func RoundTripper(handler http.Handler) http.RoundTripper { return memory{handler} }

type memory struct{ handler http.Handler }

func (m memory) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	r := req.Clone(ctx)
	r.RequestURI, r.RemoteAddr = req.URL.RequestURI(), "192.0.2.1:1234"
	if r.Body == nil {
		r.Body = http.NoBody
	}
	read, write := io.Pipe()
	w := &memoryWriter{header: http.Header{}, body: write, started: make(chan struct{})}
	go func() {
		m.handler.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		_ = write.Close()
	}()
	stop := context.AfterFunc(ctx, func() { _ = write.CloseWithError(context.Cause(ctx)) })
	select {
	case <-w.started:
	case <-ctx.Done():
		stop()
		cancel()
		return nil, ctx.Err()
	}
	length, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64)
	if err != nil {
		length = -1
	}
	return &http.Response{StatusCode: w.status, Status: http.StatusText(w.status), Header: w.sent, Request: req, ContentLength: length,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: memoryBody{read, cancel}}, nil
}

type memoryBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close closes the connection: the handler's context ends.
func (b memoryBody) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}

type memoryWriter struct {
	header  http.Header
	body    io.Writer
	once    sync.Once
	started chan struct{}
	status  int
	sent    http.Header
}

func (w *memoryWriter) Header() http.Header { return w.header }

func (w *memoryWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.started)
	})
}

func (w *memoryWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush does nothing, because writes take effect immediately.
func (w *memoryWriter) Flush() {}
