package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// CallOptions are the options of one call. The zero value works.
type CallOptions struct {
	// Progress is called with the progress of the call, in order and before the
	// call returns. nil asks for no progress.
	Progress func(toolspec.Progress)
	// Meta are additional members of the request's _meta, such as a trace context. They
	// override those in params.
	Meta map[string]json.RawMessage
	// Rounds is how many times Handler.Request answers questions of the server
	// (2026-07-28) before the call gives up. With 0 the questions are returned as
	// [*InputRequired].
	Rounds int
	// Request answers the server's questions that belong to this call, instead of
	// Handler.Request and as far as [DialOptions.Capabilities] allow. Since 2026-07-28
	// and over HTTP, a question arrives within its call. Otherwise it belongs to the
	// running call if there is only one; if there are several, the question goes to
	// Handler.Request. nil: all questions go to Handler.Request.
	Request func(ctx context.Context, r ServerRequest) (json.RawMessage, error)
	// Wire is called with the messages of this call, like DialOptions.Wire with all
	// messages: the request, its response, progress, and any other message that certainly
	// belongs to it.
	Wire func(WireMessage)
	// Log is called, before the call returns, with the server's log messages that belong
	// to this call by the rule of Request. nil leaves them to Handler.Notification.
	Log func(toolspec.LogMessage)
	// LogLevel requests log messages of this level and above, such as "info", from a
	// server of 2026-07-28. Empty requests none; a server of an earlier version decides
	// itself what it logs.
	LogLevel string
	// Task requests a task for a tools/call if the server uses 2025-11-25 and supports
	// tasks; tools whose [servers.OfferedTool].Task is required need it. Since 2026-07-28
	// the server decides. In both cases Call returns the result: it polls the status of
	// the task at the interval that the server asks for, and cancels it when ctx ends, or
	// after one hour if ctx has no deadline.
	Task bool

	// Caller identifies the caller, if known: a question of the server can be assigned to
	// a caller if all running calls are from that caller. Values are compared with ==;
	// nil counts as a separate caller.
	Caller any
	// Logged is called with the server's log messages that belong to this call, in
	// addition to Log or the handler.
	Logged func(Notification)
	// Timing bounds the parts of a tools/call that may become a task. nil: the
	// context bounds the whole.
	Timing *CallTiming
}

// request is one request to the server.
type request struct {
	id     int64
	method string
	name   string // the value of Mcp-Name
	params json.RawMessage
	frame  []byte
	sent   atomic.Bool // it may have reached the server
	wait   *waiter
}

// requestFunc answers a request of the server.
type requestFunc = func(ctx context.Context, r ServerRequest) (json.RawMessage, error)

// waiter is the receiver of the response to a request.
type waiter struct {
	answer   chan *rpc.Message // capacity 1
	progress func(toolspec.Progress)
	request  requestFunc // answers the server's questions about the request; nil for the handler
	log      func(toolspec.LogMessage)
	heard    func(Notification)   // receives log messages, in addition to log or the handler; may be nil
	works    bool                 // the request may cause questions and log messages
	caller   any                  // the caller of the call; nil for a caller of its own
	ready    func()               // called when a subscription has started; may be nil
	first    func(m *rpc.Message) // gets the response before the next message is read; may be nil
	wire     wireFunc             // called with the messages of the request; may be nil
	wake     context.CancelFunc   // ends the reading of a stream; may be nil
}

// add registers a request, so that its response can be delivered.
func (s *session) add(rq *request, w *waiter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return s.err
	}
	rq.wait = w
	s.waiting[rq.id] = w
	return nil
}

// onWake sets the function that ends the wait when the response arrives on another
// stream. It reports whether the session is alive.
func (s *session) onWake(rq *request, wake context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	rq.wait.wake = wake
	return !s.ended
}

func (s *session) remove(rq *request) {
	s.mu.Lock()
	delete(s.waiting, rq.id)
	s.mu.Unlock()
}

// whyNot returns why a request has no response after the session or a context has ended.
func (s *session) whyNot(ctx context.Context, err error) error {
	if ended := s.Err(); ended != nil {
		return ended
	}
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	return err
}

func (s *session) Call(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error) {
	if opts == nil {
		opts = &CallOptions{}
	}
	timing := cmp.Or(opts.Timing, &CallTiming{})
	if opts.Task && !s.modern && s.info.Capabilities.TaskCalls && method == rpc.MethodToolsCall {
		return s.callAsTask(ctx, params, opts, timing)
	}
	within, cancel := timing.start(ctx)
	result, err := s.callOnce(within, method, params, opts)
	cancel()
	if err != nil {
		return nil, err
	}
	return s.followed(ctx, method, opts, result, timing)
}

// callOnce makes a call without following up on its result.
func (s *session) callOnce(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error) {
	result, err := s.call(ctx, method, params, opts, nil)
	if err != nil && method == rpc.MethodToolsCall && s.learnHeaders(ctx, params, err) {
		result, err = s.call(ctx, method, params, opts, nil)
	}
	if err != nil {
		return nil, err
	}
	if s.modern {
		return s.checked(ctx, method, params, opts, result)
	}
	return result, nil
}

// works reports whether a server may ask questions and send log messages because of a
// request with this method.
func works(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet, mcp.MethodResourcesRead:
		return true
	}
	return false
}

// call sends one request. extra are additional members of params for a retry.
func (s *session) call(ctx context.Context, method string, params json.RawMessage, opts *CallOptions, extra []rawMember) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, s.failure(method, false, err)
	}
	rq := &request{id: s.lastID.Add(1), method: method}
	if err := s.frame(rq, params, opts, extra); err != nil {
		return nil, err
	}
	m, err := s.exchange(ctx, rq, &waiter{answer: make(chan *rpc.Message, 1), progress: opts.Progress, request: opts.Request,
		log: opts.Log, heard: opts.Logged, works: works(method), caller: opts.Caller, wire: opts.Wire})
	if err != nil {
		return nil, err
	}
	if m.Error != nil {
		return nil, s.refusal(m.Error)
	}
	return m.Result, nil
}

// exchange sends a prepared request and waits for its response.
func (s *session) exchange(ctx context.Context, rq *request, w *waiter) (*rpc.Message, error) {
	if err := s.add(rq, w); err != nil {
		return nil, s.failure(rq.method, false, err)
	}
	if w.wire != nil {
		s.taps.Add(1)
		defer s.taps.Add(-1)
	}
	s.sends(rq.method, rq.id, rq.frame, rq)
	m, err := s.link.request(ctx, rq)
	s.remove(rq)
	if err == nil {
		return m, nil
	}
	err = s.whyNot(ctx, err)
	if ctx.Err() != nil && rq.sent.Load() {
		s.takeBack(rq)
	}
	return nil, s.failure(rq.method, rq.sent.Load(), err)
}

// takeBack notifies the server that a request is cancelled. On HTTP since 2026-07-28,
// closing the connection has that meaning, and initialize must not be cancelled.
func (s *session) takeBack(rq *request) {
	if rq.method == rpc.MethodInitialize || rq.method == rpc.MethodDiscover {
		return
	}
	if _, http := s.link.(*httpLink); http && s.modern {
		return
	}
	frame := cancelledFrame(rq.id, s.modern, s.meta)
	s.sends(rpc.MethodCancelled, 0, frame, rq)
	if d, ok := s.link.(*duplex); ok && d.enqueue(frame) {
		return
	}
	s.run(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, rpc.Courtesy)
		defer cancel()
		_ = s.link.post(ctx, rpc.MethodCancelled, frame) // best effort: the call has ended either way
	})
}

func (s *session) Notify(ctx context.Context, method string, params json.RawMessage) error {
	rq := &request{method: method}
	if err := s.frame(rq, params, &CallOptions{}, nil); err != nil {
		return err
	}
	if err := s.Err(); err != nil {
		return s.failure(method, false, err)
	}
	s.sends(method, 0, rq.frame, nil)
	if err := s.link.post(ctx, method, rq.frame); err != nil {
		return s.failure(method, true, s.whyNot(ctx, err))
	}
	return nil
}
