package client

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// LocalServer serves one session of a server in this process, with whole messages and
// without a connection. [NewLocal] makes a transport to such servers.
type LocalServer interface {
	// Answer handles a message and returns its response, or nil if there is none. It
	// calls send for messages before the response, such as progress and questions. An
	// error means that the session is lost.
	Answer(ctx context.Context, message []byte, send func([]byte) error) ([]byte, error)
	// Listen calls send for messages that belong to no answer, until ctx ends.
	Listen(ctx context.Context, send func([]byte) error) error
	// Label names the session in logs.
	Label() string
	// Close ends the session.
	Close() error
}

// NewLocal returns a transport to a server in this process. open starts a session: its
// context ends with the session, and the server calls lost to end the session when it is
// gone.
func NewLocal(e Endpoint, open func(ctx context.Context, lost func(cause error)) (LocalServer, error)) Transport {
	return &localTransport{endpoint: e, open: open}
}

type localTransport struct {
	endpoint Endpoint
	open     func(ctx context.Context, lost func(cause error)) (LocalServer, error)
	remember Remembered
}

func (t *localTransport) Describe() Endpoint { return t.endpoint }

func (t *localTransport) Dial(ctx context.Context, dial *DialOptions) (Session, error) {
	opts := dial.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	s := newSession(t.Describe(), opts, nil, &t.remember)
	link := &localLink{s: s}
	s.link = link
	var err error
	if link.server, err = t.open(s.ctx, s.lose); err != nil { // open may call lose at once
		s.stop()
		return nil, fmt.Errorf("client: %s: %w", t.endpoint, err)
	}
	if err := s.negotiate(ctx, true); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// localLink is the link to a [LocalServer]: the caller's goroutine answers a request.
type localLink struct {
	s      *session
	server LocalServer
}

// sender returns the function with which the server sends messages to the session before
// the answer to rq; rq is nil outside of a request.
func (l *localLink) sender(rq *request) func([]byte) error {
	return func(message []byte) error { return l.s.readMessage(message, rq) }
}

func (l *localLink) request(ctx context.Context, rq *request) (*rpc.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !l.s.onWake(rq, cancel) {
		return nil, l.s.Err()
	}
	rq.sent.Store(true)
	response, err := l.server.Answer(ctx, rq.frame, l.sender(rq))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSessionLost, err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // the answer would only say that the request was cancelled
	}
	var m rpc.Message
	if bad := m.Parse(response); bad != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, bad)
	}
	l.s.took(&m, response, rq)
	return &m, nil
}

func (l *localLink) post(ctx context.Context, _ string, frame []byte) error {
	if _, err := l.server.Answer(ctx, frame, l.sender(nil)); err != nil {
		return fmt.Errorf("%w: %w", ErrSessionLost, err)
	}
	return nil
}

func (l *localLink) listen(ctx context.Context, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.s.ctx, cancel)()
	ready()
	if err := l.server.Listen(ctx, l.sender(nil)); err != nil {
		return err
	}
	return ctx.Err()
}

func (l *localLink) agreed(string) {}

func (l *localLink) label() string { return l.server.Label() }

func (l *localLink) detail() string { return "" }

func (l *localLink) close(bool) { _ = l.server.Close() } // the session has ended either way
