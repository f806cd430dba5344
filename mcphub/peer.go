package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// outlet is where the messages of one request go: the event stream that answers a POST,
// or the single output of stdio.
type outlet interface {
	// send writes one message. After it has returned, the message precedes everything
	// sent later, including the answer.
	send(message []byte) error
	// alive writes a keep-alive that is not a message, so that a proxy does not take an
	// idle connection for a dead one.
	alive() error
}

// peer is the connection back to the client that made one call.
type peer struct {
	hub  *Hub
	park *parkable // how a call of 2026-07-28 is answered with questions; nil if that is not possible

	mu       sync.Mutex     // guards the fields below
	x        *exchange      // the request that the client waits for, or last waited for
	clock    *rpc.CallClock // stopped while the client is asked; may be nil
	held     heldMessages
	asking   peerAsking
	progress peerProgress
	gate     gatePhase
	dead     bool // nothing more is sent
}

// heldMessages are the messages kept for the next request of a client that has to call
// again.
type heldMessages struct {
	on   bool // no request waits
	list []func(x *exchange) []byte
}

// peerAsking are the questions of one call in progress.
type peerAsking struct {
	ctx    context.Context // of the questions; nil before the first one
	cancel context.CancelFunc
	open   sync.WaitGroup // Add is called only until over is set
	over   bool           // no more questions are asked
}

// peerProgress is the progress that was sent last.
type peerProgress struct {
	sent bool // at least one was sent
	done float64
}

var (
	_ toolspec.Peer  = (*peer)(nil)
	_ toolspec.Asker = (*peer)(nil)
)

// maxHeld is the maximum number of messages kept for a client that has to call again.
const maxHeld = 64

// close closes the peer with its call: open questions are withdrawn first.
func (p *peer) close() {
	p.mu.Lock()
	p.asking.over = true
	cancel := p.asking.cancel
	p.mu.Unlock()
	if cancel != nil {
		cancel()
		p.asking.open.Wait()
	}
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
}

// beginAsking starts a question under a context that ends with the call. end must be
// called. It returns nil if the call has ended.
func (p *peer) beginAsking() (_ context.Context, end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asking.over {
		return nil, nil
	}
	if p.asking.ctx == nil {
		p.asking.ctx, p.asking.cancel = context.WithCancel(context.Background())
	}
	p.asking.open.Add(1)
	return p.asking.ctx, p.asking.open.Done
}

// send writes one message of the call. It holds the lock during the write, so that no
// message of a call can follow its end.
func (p *peer) send(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(func(*exchange) []byte { return message })
}

// write sends the result of message for the request that the client waits for. If there
// is no such request, it is kept for the next one. mu must be held.
func (p *peer) write(message func(x *exchange) []byte) error {
	switch {
	case p.dead:
		return fmt.Errorf("mcphub: a message after the call returned: %w", toolspec.ErrClosed)
	case p.held.on && len(p.held.list) == maxHeld:
		return fmt.Errorf("mcphub: the client has yet to call again, and %d messages wait for it", maxHeld)
	case p.held.on:
		p.held.list = append(p.held.list, message)
		return nil
	case p.x.out == nil:
		return p.lacks("messages before an answer: it accepts no event stream")
	}
	return p.x.out.send(message(p.x))
}

// detach disconnects the client until attach connects another request.
func (p *peer) detach() {
	p.mu.Lock()
	p.held.on = true
	p.mu.Unlock()
}

// attach makes a request the connection to the client, and sends the messages that were
// kept for it, also those of a call that ended meanwhile: the request is not answered yet.
func (p *peer) attach(x *exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := p.held.list
	p.x, p.held = x, heldMessages{}
	for _, message := range held {
		if b := message(x); b != nil && x.out != nil {
			_ = x.out.send(b) // a client that is gone does not need it
		}
	}
}

// waitingRequest returns the request that the client waits for, or last waited for.
func (p *peer) waitingRequest() *exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x
}

// setClock sets the clock that is stopped while the client is asked.
func (p *peer) setClock(clock *rpc.CallClock) {
	p.mu.Lock()
	p.clock = clock
	p.mu.Unlock()
}

func (p *peer) lacks(what string) error {
	return fmt.Errorf("mcphub: the client takes no %s: %w", what, errors.ErrUnsupported)
}

func (p *peer) Progress(ctx context.Context, progress toolspec.Progress) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if rpc.IsInfOrNaN(progress.Done) || rpc.IsInfOrNaN(progress.Total) {
		return fmt.Errorf("mcphub: progress %v of %v is no number", progress.Done, progress.Total)
	}
	// The lock prevents two goroutines of a tool from overtaking each other between the
	// check and the write.
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.x.msg.ProgressToken == nil:
		return p.lacks("progress: it sent no progress token")
	case p.progress.sent && progress.Done <= p.progress.done:
		return fmt.Errorf("mcphub: progress must grow: %v comes after %v", progress.Done, p.progress.done)
	}
	if err := p.write(func(x *exchange) []byte { return progressFrame(x, &progress) }); err != nil {
		return err
	}
	p.progress = peerProgress{sent: true, done: progress.Done}
	return nil
}

// progressFrame returns nil for a request that did not ask for progress.
func progressFrame(x *exchange, progress *toolspec.Progress) []byte {
	if x.msg.ProgressToken == nil {
		return nil
	}
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), x.msg.ProgressToken...)
	b = rpc.AppendNumber(append(b, `,"progress":`...), progress.Done)
	if progress.Total > 0 {
		b = rpc.AppendNumber(append(b, `,"total":`...), progress.Total)
	}
	return append(rpc.AppendField(b, "message", progress.Message), "}}"...)
}

func (p *peer) Log(ctx context.Context, m toolspec.LogMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	level, wanted := rpc.ParseLevel(m.Level), p.waitingRequest().level
	switch {
	case level == rpc.LogNone:
		return fmt.Errorf("mcphub: %q is no log level: use debug, info, notice, warning, error, critical, alert or emergency", m.Level)
	case len(m.Data) > 0 && !rpc.ValidJSON(m.Data):
		return errors.New("mcphub: the data of a log message must be JSON")
	case wanted == rpc.LogNone:
		return p.lacks("log messages: it asked for none")
	case level < wanted:
		return nil
	}
	b := rpc.AppendString([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":`), m.Level)
	b = append(rpc.AppendField(b, "logger", m.Logger), `,"data":`...)
	if len(m.Data) == 0 {
		b = append(b, "null"...)
	}
	return p.send(append(rpc.AppendRaw(b, m.Data), "}}"...))
}

var _ rpc.RawPeer = (*peer)(nil)

// AskRaw passes a question of another server on to the client unchanged.
func (p *peer) AskRaw(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	q := &query{method: method, need: needOf(rpc.KindOfQuestion(method, params)), params: params}
	p.askAll(ctx, q)
	return q.result, q.err
}

// needOf returns what a client must have declared to be asked a question of this kind.
func needOf(k rpc.QuestionKind) need {
	switch k {
	case rpc.FormQuestion:
		return needForm
	case rpc.URLQuestion:
		return needURL
	case rpc.ModelQuestion:
		return needSampling
	case rpc.ModelToolsQuestion:
		return needTools
	case rpc.RootsQuestion:
		return needRoots
	}
	return need{what: "such questions", able: func(*rpc.Capabilities) bool { return false }}
}

// SendRaw sends a message of the call unchanged.
func (p *peer) SendRaw(message []byte) error { return p.send(message) }

// Client describes the client that waits for the call. Calls that came over the same
// session or the same pipe have the same identity; independent requests have none.
func (p *peer) Client() rpc.PeerClient {
	x := p.waitingRequest()
	c := rpc.PeerClient{Identity: p, Session: x.session != nil, OpensURLs: x.caps.URL, WantsProgress: x.msg.ProgressToken != nil, Level: x.level}
	switch {
	case x.session != nil:
		c.Identity = x.session
	case x.pipe != nil:
		c.Identity = x.pipe
	}
	if x.pipe != nil && x.out != nil { // the pipe outlives the call
		c.SendLater = x.out.send
	}
	return c
}
