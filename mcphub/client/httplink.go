package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/mark3labs/mcp-go/mcp"
)

// httpLink is the link over streamable HTTP. Each request is a POST, sent and read by the
// caller's goroutine: an idle session has no goroutine and no connection of its own.
type httpLink struct {
	*httpClient
	s *session

	mu      sync.Mutex // guards the fields below
	session string
	version string
	onPost  http.Header // for each POST; never changed, only replaced
	onGet   http.Header // for each GET
}

// lastEventID is the header name as net/http writes it.
const lastEventID = "Last-Event-Id"

var bothKinds = []string{"application/json, text/event-stream"}

// agreed sets the protocol version that requests state.
func (l *httpLink) agreed(version string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = version
	if version == "" {
		l.session = ""
	}
	l.setHeaders()
}

// setHeaders computes the headers that all requests share. mu must be held.
func (l *httpLink) setHeaders() {
	l.onGet = maps.Clone(l.configured)
	if l.version >= mcp.ProtocolVersion20250618 { // earlier versions have no such header
		l.onGet[mcp.HeaderProtocolVersion] = []string{l.version}
	}
	if l.session != "" {
		l.onGet[mcp.HeaderSessionID] = []string{l.session}
	}
	l.onPost = maps.Clone(l.onGet)
	l.onGet["Accept"] = rpc.TypeSSE
	l.onPost["Accept"], l.onPost["Content-Type"] = bothKinds, rpc.TypeJSON
}

func (l *httpLink) headers() (post, get http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.onPost, l.onGet
}

func (l *httpLink) sessionID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

func (l *httpLink) label() string { return labelOf(l.sessionID()) }

func (l *httpLink) detail() string { return "" }

// began stores the session id of the answer to initialize.
func (l *httpLink) began(resp *http.Response) error {
	id := resp.Header.Get(mcp.HeaderSessionID)
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' || len(id) > sessionIDMax {
			return fmt.Errorf("%w: the session id is not visible ASCII", ErrProtocol)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = id
	l.setHeaders()
	return nil
}

// requestHeader returns the headers of one POST: since 2026-07-28 they repeat parts of
// the body.
func (l *httpLink) requestHeader(rq *request) http.Header {
	header, _ := l.headers()
	if !l.s.modern {
		return header
	}
	header = maps.Clone(header)
	header[mcp.HeaderMethod] = []string{rq.method}
	if mcp.MethodRequiresNameHeader(mcp.MCPMethod(rq.method)) || rpc.IsTasksMethod(rq.method) {
		if name, ok := mcp.EncodeHeaderValue(rq.name); ok {
			header[mcp.HeaderName] = []string{name}
		}
	}
	if rq.method == rpc.MethodToolsCall {
		if tool := l.s.remember.tool(rq.name); tool != nil {
			for name, value := range mcp.GenerateParamHeaders(tool, rq.params) {
				header.Set(name, value)
			}
		}
	}
	return header
}

func (l *httpLink) request(ctx context.Context, rq *request) (*rpc.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	if !l.s.onWake(rq, cancel) {
		cancel()
		return nil, l.s.Err()
	}
	m, draining, err := l.exchange(ctx, rq, cancel)
	if !draining {
		cancel()
	}
	if err != nil {
		select {
		case m = <-rq.wait.answer: // it came on another stream, which ended this one
			return m, nil
		default:
		}
	}
	return m, err
}

// exchange sends a request and reads its response. draining reports that the end of the
// response is still being read, and that cancel is called afterwards.
func (l *httpLink) exchange(ctx context.Context, rq *request, cancel context.CancelFunc) (m *rpc.Message, draining bool, err error) {
	rq.sent.Store(true)
	resp, err := l.do(ctx, l.s, http.MethodPost, l.url, l.requestHeader(rq), rq.frame)
	if err != nil {
		var not errNotSent
		rq.sent.Store(!errors.As(err, &not))
		return nil, false, err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		err := l.refused(resp, rq)
		select {
		case m := <-rq.wait.answer:
			return m, false, nil
		default:
		}
		return nil, false, err
	}
	if rq.method == rpc.MethodInitialize {
		if err := l.began(resp); err != nil {
			_ = resp.Body.Close()
			return nil, false, err
		}
	}
	switch kind := kindOf(resp); kind {
	case "application/json":
		data, err := l.body(resp)
		if err == nil {
			err = l.s.readMessage(data, rq)
		}
		if err != nil {
			return nil, false, err
		}
		select {
		case m := <-rq.wait.answer:
			return m, false, nil
		default:
			return nil, false, fmt.Errorf("%w: the answer is to something else", ErrProtocol)
		}
	case "text/event-stream":
		return l.events(ctx, resp, rq, cancel)
	default:
		_ = resp.Body.Close()
		return nil, false, fmt.Errorf("%w: the server answers HTTP %d with %q, not with JSON or an event stream", ErrProtocol, resp.StatusCode, kind)
	}
}

// refused returns an error for an error response. If the response contains a JSON-RPC
// error, that error is delivered to the request instead.
func (l *httpLink) refused(resp *http.Response, rq *request) error {
	no := l.refusal(resp)
	if no.status == http.StatusNotFound && l.sessionID() != "" {
		no.err = fmt.Errorf("%w: the server does not know it any more", ErrSessionLost)
		l.s.fail(l.s.failure(opSession, true, no))
		return no
	}
	if no.err == nil && rq != nil {
		if fault := faultOf([]byte(no.body)); fault != nil {
			l.s.took(&rpc.Message{ID: idOf(rq.id)}, []byte(no.body), rq)
			l.s.receive(&rpc.Message{ID: idOf(rq.id), Error: fault}, rq)
		}
	}
	return no
}

// events reads the response to a request from an event stream. A broken stream is resumed
// if the session's server gives its events ids.
func (l *httpLink) events(ctx context.Context, resp *http.Response, rq *request, cancel context.CancelFunc) (*rpc.Message, bool, error) {
	place := streamPlace{pause: listenPause}
	for tries := 0; ; {
		before := place.last
		m, err := l.follow(resp, rq, &place)
		if m != nil {
			return m, l.drain(resp, cancel), nil
		}
		_ = resp.Body.Close()
		if place.last != before {
			tries = 0
		}
		if ctx.Err() != nil || l.s.modern || place.last == "" || errors.Is(err, ErrProtocol) || errors.Is(err, ErrTooLarge) {
			return nil, false, err
		}
		for {
			if tries++; tries > listenTries {
				return nil, false, err
			}
			if failed := l.s.pause(ctx, place.pause<<(tries-1)); failed != nil {
				return nil, false, failed
			}
			var failed error
			if resp, failed = l.open(ctx, place.last); failed == nil {
				break
			}
			if lasting(failed) {
				return nil, false, failed
			}
			err = failed
		}
	}
}

// streamPlace is how far a stream has been read.
type streamPlace struct {
	last  string        // the id of the last event
	pause time.Duration // before the stream is reopened
}

// follow reads a stream until the response to rq has arrived, if rq is given, or until
// the stream ends.
func (l *httpLink) follow(resp *http.Response, rq *request, place *streamPlace) (*rpc.Message, error) {
	events := newEventReader(resp.Body, l.limit)
	for {
		ev, err := events.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errStreamBroke
			}
			return nil, err
		}
		if ev.hasID && len(ev.id) <= sessionIDMax && isHeaderValue(ev.id) {
			place.last = ev.id
		}
		if ev.retry > 0 {
			place.pause = min(ev.retry, listenCap)
		}
		if len(ev.data) == 0 || ev.name != "" && ev.name != "message" {
			continue
		}
		if err := l.s.readMessage(ev.data, rq); err != nil {
			return nil, err
		}
		if rq != nil {
			select {
			case m := <-rq.wait.answer:
				return m, nil
			default:
			}
		}
	}
}

// drain reads the rest of a stream in a new goroutine, so that the connection can be
// reused and the caller need not wait. It reports whether it does so.
func (l *httpLink) drain(resp *http.Response, cancel context.CancelFunc) bool {
	begun := l.s.run(func(ctx context.Context) {
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		stop := time.AfterFunc(time.Second, cancel)
		defer stop.Stop()
		_, _ = io.CopyN(io.Discard, resp.Body, 16<<10)
		_ = resp.Body.Close()
	})
	if !begun {
		_ = resp.Body.Close()
	}
	return begun
}

// open opens a stream with a GET: a new stream, or the rest of one.
func (l *httpLink) open(ctx context.Context, last string) (*http.Response, error) {
	_, header := l.headers()
	if last != "" {
		header = maps.Clone(header)
		header[lastEventID] = []string{last}
	}
	resp, err := l.do(ctx, l.s, http.MethodGet, l.url, header, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, l.refused(resp, nil)
	}
	if kind := kindOf(resp); kind != "text/event-stream" {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%w: the server answers GET with %q, not with an event stream", ErrProtocol, kind)
	}
	return resp, nil
}

// lasting reports whether a retry would not help.
func lasting(err error) bool {
	var no *httpRefusal
	if errors.As(err, &no) {
		return no.status < 500 && no.status != http.StatusTooManyRequests
	}
	return errors.Is(err, ErrProtocol)
}

// listen keeps the listening stream of a session open.
func (l *httpLink) listen(ctx context.Context, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.s.ctx, cancel)()
	place := streamPlace{pause: listenPause}
	for tries := 0; ; {
		resp, err := l.open(ctx, place.last)
		if err == nil {
			tries = 0
			ready()
			_, err = l.follow(resp, nil, &place)
			_ = resp.Body.Close()
		} else if place.last != "" && lasting(err) && l.s.Err() == nil {
			place.last = "" // the missed events are lost
			err = nil
		}
		var no *httpRefusal
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &no) && no.status == http.StatusMethodNotAllowed:
			return fmt.Errorf("the server has no listening stream: %w", errors.ErrUnsupported)
		case err != nil && (lasting(err) || errors.Is(err, ErrTooLarge)):
			return err
		}
		if tries++; tries > listenTries {
			return err
		}
		wait := place.pause << (tries - 1)
		if no != nil {
			wait = max(wait, no.retryAfter)
		}
		if err := l.s.pause(ctx, wait); err != nil {
			return err
		}
	}
}

func (l *httpLink) post(ctx context.Context, method string, frame []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.s.ctx, cancel)()
	resp, err := l.do(ctx, l.s, http.MethodPost, l.url, l.requestHeader(&request{method: method}), frame)
	if err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return l.refused(resp, nil)
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	return resp.Body.Close()
}

// close also ends the session at the server, if there is one and the server still knows
// it.
func (l *httpLink) close(lost bool) {
	if l.sessionID() != "" && !lost {
		ctx, cancel := context.WithTimeout(context.Background(), rpc.Courtesy)
		defer cancel()
		_, header := l.headers()
		if resp, err := l.do(ctx, l.s, http.MethodDelete, l.url, header, nil); err == nil {
			_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
			_ = resp.Body.Close()
		}
	}
	l.t.sessionClosed()
}
