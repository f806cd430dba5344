package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Session is a connection with one server on which a protocol version is agreed.
// It hides how the versions differ where they say the same thing, and hands
// arguments and results on as they are written. [Connect] makes one on top of
// any [Conn].
//
// All methods are safe for concurrent use. A Session must be closed.
type Session interface {
	// Info tells what was agreed on.
	Info() *SessionInfo
	// Call sends a request and returns the result, raw. params is a JSON object
	// or nil. An [*RPCError] is the server's refusal, an [*InputRequired] its
	// question, a [*ConnError] any other failure. When ctx ends, the server is
	// told, and the error satisfies errors.Is with the context's.
	Call(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error)
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Listen receives what the server tells beside the calls, until ctx ends or
	// nothing more can come. The notifications go to Handler.Notification. See
	// [Subscription].
	Listen(ctx context.Context, sub *Subscription) error
	// Done is closed when the session has ended.
	Done() <-chan struct{}
	// Err is nil as long as the session lives, then [ErrSessionClosed] after
	// Close, or a [*ConnError] that says why it ended.
	Err() error
	// Close ends the session: calls under way fail, a process that was started
	// ends. It waits for that, some seconds at most. It may be called twice.
	Close() error
}

// CallOptions are the options of one call. The zero value works.
type CallOptions struct {
	// Progress is told how far the call has come, in order and before the call
	// returns. nil asks for no progress.
	Progress func(toolspec.Progress)
	// Meta are members of the request's _meta beside those of the protocol, such
	// as a trace context. They win over those in params.
	Meta map[string]json.RawMessage
	// Rounds is how many times questions of the server (2026-07-28) are answered
	// by Handler.Request before the call gives up. With 0 they are handed out as
	// [*InputRequired].
	Rounds int
	// Request answers what the server asks because of this call, in place of
	// Handler.Request and as far as [DialOptions.Capabilities] allow. Which call a
	// question belongs to is certain since 2026-07-28 and over HTTP, where it
	// comes within the call. Elsewhere it is the oldest call under way, as long as
	// it is the only one; otherwise the question goes to Handler.Request. So it
	// does with nil.
	Request func(ctx context.Context, r ServerRequest) (json.RawMessage, error)
	// Log is told what the server logs because of this call, before the call
	// returns, by the same rule. nil leaves it to Handler.Notification.
	Log func(toolspec.LogMessage)
	// LogLevel asks a server of 2026-07-28 for log messages, such as "info" and
	// above. Empty asks for none; a server of the versions before logs as it likes.
	LogLevel string

	caller any // whose call it is, where that is known: several of one caller count as one
	// Task makes a tools/call as a task where the server is one of 2025-11-25 that
	// has them: what a tool wants whose [UpstreamTool].Task is required. Since
	// 2026-07-28 the server decides. Either way Call returns the result: it asks
	// how the task stands as often as the server likes, and cancels it when ctx
	// ends, or after one hour when ctx has no deadline.
	Task bool
}

// link carries the messages of a session.
type link interface {
	// request sends a request and waits for its response. What else arrives
	// meanwhile goes to clientSession.receive.
	request(ctx context.Context, rq *clientRequest) (*message, error)
	// post sends what wants no response.
	post(ctx context.Context, method string, frame []byte) error
	// listen carries what belongs to no request until ctx ends; ready is called
	// when it does.
	listen(ctx context.Context, ready func()) error
	// agreed is told the version once it is known.
	agreed(version string)
	// label names the session in logs.
	label() string
	// detail is what the server said beside the protocol.
	detail() string
	// close ends the link. Nothing is read from it afterwards.
	close(lost bool)
}

// clientRequest is one request on its way.
type clientRequest struct {
	id     int64
	method string
	name   string // what Mcp-Name says
	params json.RawMessage
	frame  []byte
	sent   atomic.Bool // it may have reached the server
	wait   *waiter
}

// requestFunc answers a request of the server.
type requestFunc = func(ctx context.Context, r ServerRequest) (json.RawMessage, error)

// waiter is where the response to a request goes.
type waiter struct {
	answer   chan *message // one place
	progress func(toolspec.Progress)
	request  requestFunc // answers the server's questions about it; nil: the handler
	log      func(toolspec.LogMessage)
	works    bool               // it may cause questions and log messages
	caller   any                // whose call it is; nil: a caller of its own
	ready    func()             // a subscription has begun; may be nil
	first    func(m *message)   // sees the response before the next message is read; may be nil
	wake     context.CancelFunc // ends the reading of a stream; may be nil
}

// clientSession is the Session of this package.
type clientSession struct {
	opts     *DialOptions
	endpoint Endpoint
	mask     *secret.Redactor
	link     link
	remember *Remembered

	// Fixed once the session is handed out.
	info   SessionInfo
	modern bool
	meta   []byte // the protocol's members of each request's _meta

	lastID  atomic.Int64
	replies atomic.Int64 // under way
	done    chan struct{}
	ctx     context.Context // ends with the session
	stop    context.CancelFunc

	mu       sync.Mutex // guards what follows
	err      error
	ended    bool
	waiting  map[int64]*waiter
	cut      []int64                       // requests that the end of the session left without a response
	asked    map[string]context.CancelFunc // requests of the server, by id
	oldTasks map[*oldTask]struct{}
	tasks    sync.WaitGroup // goroutines of the session; Add only while not ended

	closing sync.Once
}

var _ Session = (*clientSession)(nil)

func newClientSession(e Endpoint, opts *DialOptions, mask *secret.Redactor, remember *Remembered) *clientSession {
	s := &clientSession{opts: opts, endpoint: e, mask: mask, remember: remember, done: make(chan struct{}),
		waiting: make(map[int64]*waiter)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

func (s *clientSession) Info() *SessionInfo {
	info := s.info
	info.Capabilities.Extensions = maps.Clone(info.Capabilities.Extensions)
	info.Capabilities.Experimental = maps.Clone(info.Capabilities.Experimental)
	return &info
}

func (s *clientSession) Done() <-chan struct{} { return s.done }

func (s *clientSession) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// run starts a goroutine that Close waits for, unless the session has ended. It
// reports whether it did.
func (s *clientSession) run(do func(ctx context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.tasks.Go(func() { do(s.ctx) })
	}
	return !s.ended
}

// fail ends the session; the first reason counts.
func (s *clientSession) fail(err error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended, s.err = true, err
	var wake []context.CancelFunc
	for id, w := range s.waiting {
		s.cut = append(s.cut, id)
		if w.wake != nil {
			wake = append(wake, w.wake)
		}
	}
	s.waiting = nil
	s.mu.Unlock()
	s.stop()
	close(s.done)
	for _, stop := range wake {
		stop()
	}
}

// opSession is what failed when a session ends by itself.
const opSession = "session"

// lose ends the session because the link did.
func (s *clientSession) lose(cause error) {
	if !errors.Is(cause, ErrProtocol) && !errors.Is(cause, ErrTooLarge) {
		cause = fmt.Errorf("%w: %w", ErrSessionLost, cause)
	}
	s.fail(s.failure(opSession, false, cause))
}

func (s *clientSession) Close() error {
	lost := s.Err() != nil
	s.fail(ErrSessionClosed)
	s.closing.Do(func() {
		s.link.close(lost)
		s.tasks.Wait()
	})
	return nil
}

// failure makes a ConnError, masked, of what went wrong.
func (s *clientSession) failure(op string, sent bool, err error) error {
	var conn *ConnError
	if errors.As(err, &conn) {
		if conn.Op == opSession && op != opSession { // why the session ended, told of one request
			own := *conn
			own.Op, own.Sent = op, sent
			return &own
		}
		return err
	}
	var no *httpRefusal
	e := &ConnError{Class: classOf(err), Op: op, Endpoint: s.endpoint, Sent: sent, Err: s.masked(err)}
	if errors.As(err, &no) {
		e.Status, e.RetryAfter, e.Challenges, e.Detail = no.status, no.retryAfter, no.challenges, no.body
		if e.Class == ConnTransport {
			e.Class = ConnServer
		}
	} else if e.Class != ConnClosed && e.Class != ConnCancelled {
		e.Detail = s.link.detail()
	}
	e.Detail = tailOf(s.mask.String(e.Detail))
	return e
}

// masked hides the secrets of the connection in the text of an error and keeps
// what errors.Is finds in it.
func (s *clientSession) masked(err error) error {
	plain := err.Error()
	if hidden := s.mask.String(plain); hidden != plain {
		return &maskedError{hidden, err}
	}
	return err
}

type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

// Is looks into the cause without handing it out.
func (e *maskedError) Is(target error) bool { return errors.Is(e.err, target) }

// add registers a request, so that its response finds it.
func (s *clientSession) add(rq *clientRequest, w *waiter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return s.err
	}
	rq.wait = w
	s.waiting[rq.id] = w
	return nil
}

// onWake sets what ends the waiting for a response that comes on another way.
// It reports whether the session is alive.
func (s *clientSession) onWake(rq *clientRequest, wake context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	rq.wait.wake = wake
	return !s.ended
}

func (s *clientSession) remove(rq *clientRequest) {
	s.mu.Lock()
	delete(s.waiting, rq.id)
	s.mu.Unlock()
}

// whyNot is the reason why a request has no response when the session has ended
// or a context has.
func (s *clientSession) whyNot(ctx context.Context, err error) error {
	if ended := s.Err(); ended != nil {
		return ended
	}
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	return err
}

func (s *clientSession) Call(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error) {
	return s.callPatiently(ctx, method, params, opts, &patience{})
}

// callOnce is a call without what may become of it.
func (s *clientSession) callOnce(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error) {
	result, err := s.call(ctx, method, params, opts, nil)
	if err != nil && method == methodToolsCall && s.learnHeaders(ctx, params, err) {
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

// works reports whether a server may ask and log because of such a request.
func works(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet, mcp.MethodResourcesRead:
		return true
	}
	return false
}

// courtesy is how long a message that nobody waits for may take.
const courtesy = 5 * time.Second

// call sends one request. extra are members of params that a retry adds.
func (s *clientSession) call(ctx context.Context, method string, params json.RawMessage, opts *CallOptions, extra []rawMember) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, s.failure(method, false, err)
	}
	rq := &clientRequest{id: s.lastID.Add(1), method: method}
	if err := s.frame(rq, params, opts, extra); err != nil {
		return nil, err
	}
	m, err := s.exchange(ctx, rq, &waiter{answer: make(chan *message, 1), progress: opts.Progress, request: opts.Request,
		log: opts.Log, works: works(method), caller: opts.caller})
	if err != nil {
		return nil, err
	}
	if m.fault != nil {
		return nil, s.refusal(m.fault)
	}
	return m.result, nil
}

// exchange sends a request that is ready and waits for its response.
func (s *clientSession) exchange(ctx context.Context, rq *clientRequest, w *waiter) (*message, error) {
	if err := s.add(rq, w); err != nil {
		return nil, s.failure(rq.method, false, err)
	}
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

// takeBack tells the server that a request need not be answered any more. On
// HTTP since 2026-07-28 the end of the connection says so, and initialize must
// not be taken back.
func (s *clientSession) takeBack(rq *clientRequest) {
	if rq.method == methodInitialize || rq.method == methodDiscover {
		return
	}
	if _, http := s.link.(*httpLink); http && s.modern {
		return
	}
	frame := cancelledFrame(rq.id, s.modern, s.meta)
	if d, ok := s.link.(*duplex); ok && d.leave(frame) {
		return
	}
	s.run(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, courtesy)
		defer cancel()
		_ = s.link.post(ctx, methodCancelled, frame) // a courtesy: the call is over either way
	})
}

func (s *clientSession) Notify(ctx context.Context, method string, params json.RawMessage) error {
	rq := &clientRequest{method: method}
	if err := s.frame(rq, params, &CallOptions{}, nil); err != nil {
		return err
	}
	if err := s.Err(); err != nil {
		return s.failure(method, false, err)
	}
	if err := s.link.post(ctx, method, rq.frame); err != nil {
		return s.failure(method, true, s.whyNot(ctx, err))
	}
	return nil
}
