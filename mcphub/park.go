package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/localpass/localpass/internal/canon"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/mark3labs/mcp-go/mcp"
)

// Since 2026-07-28 a server asks by ending the request with its questions, and
// the client calls again with the answers. A tool that runs here asks in the
// middle of its work and waits. So the call is parked: its request is answered
// with the questions while the call continues, and the next request that brings
// its state is the way to the client from then on.

// parkable is the running of a call that can be parked.
type parkable struct {
	hub   *Hub
	peer  *peer
	bound binding
	ctx   context.Context // of the call: it outlives the request
	stop  context.CancelFunc
	early map[string]json.RawMessage // answers that came with the first request

	news chan struct{} // one place: there is a question to put
	done chan struct{} // closed once there is an outcome
	// end writes the response for the request that waits then.
	end ending

	mu    sync.Mutex  // guards what follows
	open  []*query    // without an answer, in the order in which they were asked
	made  int         // keys that were generated
	timer *time.Timer // ends a call that is parked for too long
}

// ending writes the response to the request that waits at the end of a call.
type ending func(x *exchange) ([]byte, *rpc.Error)

// binding is what a request must have in common with the one before to bring the
// state of a parked call.
type binding struct {
	who, connection any // the principal; for a pipe, the connection itself
	method, name    string
	arguments       string // their digest
	of              any    // what is called, as it was when it began
}

// bind says what a request calls. of is what is served under the name now.
func (x *exchange) bind(name string, arguments []byte, of any) binding {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	return binding{who: x.principal, connection: x.life, method: x.msg.Method, name: name, arguments: canon.DigestJSON(arguments), of: of}
}

// askable serves a request by do, which may ask the client in the middle of its
// work by x.peer. When the client is one of 2026-07-28 and can be asked, do runs
// on a goroutine of its own and can be parked; otherwise do runs here. A request
// that brings the state of a parked call continues that one.
//
// name, arguments and of say what is called, see [exchange.bind].
func (h *Hub) askable(ctx context.Context, x *exchange, name string, arguments []byte, of any, do func(ctx context.Context) ending) ([]byte, *rpc.Error) {
	if x.modern && x.msg.State != nil {
		if state, _ := rpc.Text(x.msg.State); h.states == nil || isParkState(state) {
			return h.resumeParked(ctx, x, state, x.bind(name, arguments, of))
		}
	}
	x.peer.hub, x.peer.x = h, x
	if !x.modern || !x.caps.Any() {
		end := do(ctx)
		x.peer.die()
		return end(x)
	}
	k := &parkable{hub: h, peer: &x.peer, bound: x.bind(name, arguments, of), early: rpc.Object(x.msg.Answers),
		news: make(chan struct{}, 1), done: make(chan struct{})}
	k.ctx, k.stop = context.WithCancel(context.WithoutCancel(ctx))
	x.peer.park = k
	go k.run(x, do)
	return k.attend(ctx, x)
}

// run runs the call to its end.
func (k *parkable) run(x *exchange, do func(ctx context.Context) ending) {
	defer close(k.done)
	defer k.stop()
	if x.life != nil { // no client can call again when the connection is gone
		defer context.AfterFunc(x.life, k.stop)()
	}
	defer func() {
		k.peer.die()
		if v := recover(); v != nil {
			k.hub.tel.Log().Error("mcphub: request failed", "method", x.msg.Method, "panic", v, "stack", string(debug.Stack()))
			k.end = func(*exchange) ([]byte, *rpc.Error) {
				return nil, &rpc.Error{Code: mcp.INTERNAL_ERROR, Message: "the server failed to answer"}
			}
		}
	}()
	k.end = do(k.ctx)
}

// attend waits for what the request is to be answered with: the end of the call,
// or questions. A client that disconnects meanwhile has cancelled the call.
func (k *parkable) attend(ctx context.Context, x *exchange) ([]byte, *rpc.Error) {
	for {
		select {
		case <-k.done:
			return k.end(x)
		default:
		}
		select {
		case <-k.done:
		case <-k.news:
			if response := k.park(x); response != nil {
				return response, nil
			}
		case <-ctx.Done():
			k.stop()
			<-k.done
		}
	}
}

var errUnanswered = errors.New("mcphub: the client was asked, and did not answer in time")

// ask puts questions to the client and waits for all answers.
func (k *parkable) ask(ctx context.Context, queries []*query) {
	k.mu.Lock()
	for _, q := range queries {
		q.answer = make(chan reply, 1)
		if q.key != "" {
			k.add(q)
		}
	}
	for _, q := range queries { // those that care for no name take what is left
		if q.key == "" {
			for q.key == "" || k.find(q.key) != nil {
				k.made++
				q.key = "q" + strconv.Itoa(k.made)
			}
			k.add(q)
		}
	}
	put := len(k.open) > 0
	k.mu.Unlock()
	if put {
		k.tell()
	}
	for _, q := range queries {
		select {
		case r := <-q.answer:
			q.result, q.err = r.result, r.err
		case <-ctx.Done():
			k.withdraw(q)
			select {
			case r := <-q.answer: // it came first
				q.result, q.err = r.result, r.err
			default:
				q.err = fmt.Errorf("mcphub: the client did not answer %s: %w", q.method, ctx.Err())
			}
		}
	}
}

// add opens a question, unless there is an answer already. mu must be held.
func (k *parkable) add(q *query) {
	answer, early := k.early[q.key]
	switch {
	case q.key == approvalKey, k.find(q.key) != nil:
		q.answer <- reply{err: fmt.Errorf("mcphub: another question of this call has the key %q already: choose another one", q.key)}
	case early && q.anticipated && rpc.IsObject(answer):
		delete(k.early, q.key)
		q.answer <- reply{result: answer}
	default:
		k.open = append(k.open, q)
	}
}

// find returns the open question of this key, or nil. mu must be held.
func (k *parkable) find(key string) *query {
	for _, q := range k.open {
		if q.key == key {
			return q
		}
	}
	return nil
}

// tell wakes the waiting request, which is then answered with the questions.
func (k *parkable) tell() {
	select {
	case k.news <- struct{}{}:
	default: // it will find this one too
	}
}

// withdraw takes a question back: its asker does not wait any more.
func (k *parkable) withdraw(q *query) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, other := range k.open {
		if other == q {
			k.open = append(k.open[:i:i], k.open[i+1:]...)
			return
		}
	}
}

// fail ends all open questions. mu must be held.
func (k *parkable) fail(err error) {
	for _, q := range k.open {
		q.answer <- reply{err: err}
	}
	k.open = nil
}

// park writes the response with all open questions and lets the client go; nil
// when there are none, or there is no room for one more parked call.
func (k *parkable) park(x *exchange) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.open) == 0 {
		return nil
	}
	k.peer.detach()
	state, err := k.hub.suspended.add(k, k.hub.opts.MaxParked)
	if err != nil {
		k.peer.attach(x)
		k.fail(err)
		return nil
	}
	k.timer = time.AfterFunc(k.hub.opts.QuestionTimeout, func() { k.expire(state) })
	for _, q := range k.open {
		q.puts++
	}
	return appendQuestions(x.msg.ID, k.open, state, k.hub.info)
}

// expire ends a call whose client did not come back.
func (k *parkable) expire(state string) {
	if !k.hub.suspended.drop(state) {
		return // it just came
	}
	k.mu.Lock()
	k.fail(errUnanswered)
	k.mu.Unlock()
	k.stop()
}

// resumeParked continues a parked call with the answers that a request brings.
func (h *Hub) resumeParked(ctx context.Context, x *exchange, state string, b binding) ([]byte, *rpc.Error) {
	k := h.suspended.take(state, b)
	if k == nil { // do not reveal the reason to a client that cannot know it already
		return nil, rpc.BadParams(`"requestState" is not valid, or not any more: call again without it`)
	}
	k.peer.attach(x)
	k.answered(rpc.Object(x.msg.Answers))
	return k.attend(ctx, x)
}

// answered takes answers. Answers without a question are ignored; what is
// missing is asked again, twice at most.
func (k *parkable) answered(answers map[string]json.RawMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer.Stop()
	var left []*query
	for _, q := range k.open {
		switch answer := answers[q.key]; {
		case q.puts > 0 && rpc.IsObject(answer):
			q.answer <- reply{result: answer}
		case q.puts > mostRestarts:
			q.answer <- reply{err: fmt.Errorf("mcphub: the client was asked %d times, and gave no valid answer", q.puts)}
		default:
			left = append(left, q)
		}
	}
	if k.open = left; len(left) > 0 {
		k.tell()
	}
}

// appendQuestions writes the response to a request that is answered with
// questions.
func appendQuestions(id []byte, open []*query, state string, serverInfo []byte) []byte {
	dst := append(rpc.AppendHead(make([]byte, 0, 1024), id), `,"result":{"resultType":"`+string(mcp.ResultTypeInputRequired)+`","inputRequests":{`...)
	for i, q := range open {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rpc.AppendString(append(rpc.AppendString(dst, q.key), `:{"method":`...), q.method)
		dst = append(dst, `,"params":`...)
		if q.params == nil {
			dst = append(dst, "{}"...)
		}
		dst = append(rpc.AppendRaw(dst, q.params), '}')
	}
	dst = rpc.AppendString(append(dst, `},"requestState":`...), state)
	return append(rpc.AppendMeta(dst, nil, serverInfo), "}}"...)
}
