package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// endpointWait is the default of HTTPOptions.EndpointTimeout.
const endpointWait = 30 * time.Second

// dialSSE opens a session over HTTP with SSE: the answers come on one stream, whose first
// event names the endpoint for messages.
func (t *httpTransport) dialSSE(ctx context.Context, client *httpClient, opts *DialOptions, mask *secret.Redactor) (*session, error) {
	s := newSession(t.Describe(), opts, mask, &t.remember)
	s.mask.moving = movingMask(t.opts.Credentials)
	t.enter()
	streaming, stop := context.WithCancel(context.Background())
	l := &sseLink{httpClient: client, s: s, stop: stop}
	s.link = l
	wait, cancel := context.WithTimeout(ctx, cmp.Or(max(t.opts.EndpointTimeout, 0), endpointWait))
	defer cancel()
	dialled := context.AfterFunc(wait, stop)
	err := l.open(streaming)
	if !dialled() { // the time was up
		err = wait.Err()
	}
	if err != nil {
		err = s.failure("dial", false, err)
		_ = s.Close()
		return nil, err
	}
	l.loop.Go(l.read)
	if err := s.negotiate(ctx, false); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// sseLink is the link over HTTP with SSE.
type sseLink struct {
	*httpClient
	s      *session
	target *url.URL // the endpoint for messages
	body   io.Closer
	events *eventReader
	stop   context.CancelFunc // ends the stream
	loop   sync.WaitGroup
}

// open opens the stream and reads the endpoint for messages.
func (l *sseLink) open(ctx context.Context) error {
	header := maps.Clone(l.configured)
	header["Accept"] = rpc.TypeSSE
	resp, err := l.do(ctx, l.s, http.MethodGet, l.url, header, nil)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return l.refusal(resp)
	}
	if kind := kindOf(resp); kind != "text/event-stream" {
		_ = resp.Body.Close()
		return fmt.Errorf("%w: the server answers GET with %q, not with an event stream", ErrProtocol, kind)
	}
	l.body, l.events = resp.Body, newEventReader(resp.Body, l.limit)
	for {
		ev, err := l.events.next()
		if err != nil {
			return err
		}
		if ev.name != "endpoint" {
			continue
		}
		target, err := l.url.Parse(strings.TrimSpace(string(ev.data)))
		if err != nil || !sameOrigin(l.url, target) {
			return fmt.Errorf("%w: the server sends messages to another origin", ErrProtocol)
		}
		target.User, target.Fragment = nil, ""
		l.target = target
		return nil
	}
}

// read reads the messages from the stream until it ends, which also ends the session.
func (l *sseLink) read() {
	for {
		ev, err := l.events.next()
		if err == nil && len(ev.data) > 0 && (ev.name == "" || ev.name == "message") {
			err = l.s.readMessage(ev.data, nil)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server ended the event stream")
			}
			l.s.lose(err)
			return
		}
	}
}

// send posts one message.
func (l *sseLink) send(ctx context.Context, frame []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.s.ctx, cancel)()
	header := maps.Clone(l.configured)
	header["Content-Type"] = rpc.TypeJSON
	resp, err := l.do(ctx, l.s, http.MethodPost, l.target, header, frame)
	if err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		no := l.refusal(resp)
		if no.status == http.StatusNotFound {
			no.err = fmt.Errorf("%w: the server does not know it any more", ErrSessionLost)
			l.s.fail(l.s.failure(opSession, true, no))
		}
		return no
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	return resp.Body.Close()
}

func (l *sseLink) request(ctx context.Context, rq *request) (*rpc.Message, error) {
	rq.sent.Store(true)
	// Some servers delay the response to the POST until the answer has been sent on the
	// stream: the first of the two counts. The POST is then left to end by itself: if a
	// request is aborted at the last moment, net/http may close its connection although
	// another request already uses it.
	posting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	posted := make(chan error, 1)
	if !l.s.run(func(context.Context) {
		posted <- l.send(posting, rq.frame)
		cancel()
	}) {
		cancel()
		return nil, l.s.Err()
	}
	for {
		select {
		case m := <-rq.wait.answer:
			time.AfterFunc(rpc.Courtesy, cancel)
			return m, nil
		case err := <-posted:
			if err == nil {
				posted = nil // the answer comes on the stream
				continue
			}
			select {
			case m := <-rq.wait.answer:
				return m, nil
			default:
			}
			var not errNotSent
			rq.sent.Store(!errors.As(err, &not))
			return nil, err
		case <-ctx.Done(): // the server is notified with a message
			time.AfterFunc(rpc.Courtesy, cancel)
			return nil, ctx.Err()
		case <-l.s.done:
			cancel()
			return nil, l.s.Err()
		}
	}
}

func (l *sseLink) post(ctx context.Context, _ string, frame []byte) error { return l.send(ctx, frame) }

// listen does nothing: the stream is already open.
func (l *sseLink) listen(ctx context.Context, ready func()) error {
	ready()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-l.s.done:
		return l.s.Err()
	}
}

func (l *sseLink) agreed(string) {}

func (l *sseLink) label() string {
	if l.target == nil {
		return ""
	}
	return labelOf(l.target.RequestURI())
}

func (l *sseLink) detail() string { return "" }

func (l *sseLink) close(bool) {
	l.stop()
	if l.body != nil {
		_ = l.body.Close()
	}
	l.loop.Wait()
	l.t.sessionClosed()
}
