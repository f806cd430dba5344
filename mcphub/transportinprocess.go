package mcphub

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// InProcessOptions are the options of [Hub.InProcess]. The zero value works.
type InProcessOptions struct {
	// Principal is whose calls they are. Default: "local" by way of
	// "in-process".
	Principal toolspec.Principal
}

// InProcess returns a transport that leads into this hub without a socket. Its
// sessions are those of the principal given here: nothing that a client says
// about itself, here or over another transport, makes it that principal.
func (h *Hub) InProcess(opts *InProcessOptions) Transport {
	if opts == nil {
		opts = &InProcessOptions{}
	}
	who := opts.Principal
	who.Subject, who.Via = cmp.Or(who.Subject, "local"), cmp.Or(who.Via, "in-process")
	return &inProcess{hub: h, who: who}
}

type inProcess struct {
	hub      *Hub
	who      toolspec.Principal
	remember Remembered
}

func (t *inProcess) Describe() Endpoint {
	return Endpoint{Kind: TransportInProcess, Address: t.hub.opts.Name, Auth: AuthInProcess}
}

func (t *inProcess) Dial(ctx context.Context, dial *DialOptions) (Session, error) {
	opts := dial.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	s := newClientSession(t.Describe(), opts, nil, &t.remember)
	l := &inLink{hub: t.hub, s: s, who: t.who, session: newSession(t.hub.clock.ID(), t.who)}
	s.link = l
	l.unwatch = context.AfterFunc(t.hub.kill, func() { s.lose(errors.New("the hub closed")) })
	if err := s.negotiate(ctx, true); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// inLink is the link into a hub of this process: a request is answered on the
// goroutine of whoever asks.
type inLink struct {
	hub     *Hub
	s       *clientSession
	who     toolspec.Principal
	session *session
	unwatch func() bool
}

// answer serves one message as the hub does those of a connection.
func (l *inLink) answer(ctx context.Context, frame []byte, rq *clientRequest) ([]byte, error) {
	select {
	case <-l.hub.closing:
		return nil, fmt.Errorf("%w: the hub is closed", ErrSessionLost)
	default:
	}
	x := &exchange{principal: l.who, out: inOutlet{l, rq}, life: l.s.ctx}
	if bad := x.msg.Parse(frame); bad != nil {
		return rpc.AppendError(nil, x.msg.ID, bad), nil
	}
	switch {
	case x.msg.IsNotification():
		l.session.notified(&x.msg)
		return nil, nil
	case x.msg.Method == "":
		l.session.deliver(&x.msg)
		return nil, nil
	case mcp.IsModernProtocol(x.msg.Version):
		x.modern = true
		x.statesItself()
		response, _ := l.hub.answer(ctx, x)
		return response, nil
	case x.msg.Method == rpc.MethodInitialize:
		response, _ := l.hub.begin(ctx, x, l.session)
		return response, nil
	}
	x.knows(l.session)
	answer, _ := l.hub.cancellable(ctx, l.session, x)
	response, _ := answer()
	return response, nil
}

func (l *inLink) request(ctx context.Context, rq *clientRequest) (*rpc.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !l.s.onWake(rq, cancel) {
		return nil, l.s.Err()
	}
	rq.sent.Store(true)
	response, err := l.answer(ctx, rq.frame, rq)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // what is answered then is that it was cancelled
	}
	var m rpc.Message
	if bad := m.Parse(response); bad != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, bad)
	}
	l.s.took(&m, response, rq)
	return &m, nil
}

func (l *inLink) post(ctx context.Context, _ string, frame []byte) error {
	_, err := l.answer(ctx, frame, nil)
	return err
}

func (l *inLink) listen(ctx context.Context, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.s.ctx, cancel)()
	ready()
	l.hub.follow(ctx, inOutlet{l, nil}, l.session.following(&l.hub.subscriptions))
	return ctx.Err()
}

func (l *inLink) agreed(string) {}

func (l *inLink) label() string { return l.session.label }

func (l *inLink) detail() string { return "" }

func (l *inLink) close(bool) {
	if l.unwatch != nil {
		l.unwatch()
	}
	l.session.end()
}

// inOutlet hands what the hub sends before an answer to the session.
type inOutlet struct {
	l  *inLink
	rq *clientRequest // before whose answer; nil outside of any
}

func (o inOutlet) send(message []byte) error { return o.l.s.take(message, o.rq) }

func (o inOutlet) alive() error { return nil }
