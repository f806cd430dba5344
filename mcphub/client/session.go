package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// Session is a connection with one server on which a protocol version has been
// negotiated. It hides differences between versions that have no meaning, and passes
// arguments and results on unchanged. [Connect] makes one on top of any [Conn].
//
// All methods are safe for concurrent use. A Session must be closed.
type Session interface {
	// Info returns what was negotiated.
	Info() *SessionInfo
	// Call sends a request and returns the result, raw. params is a JSON object or nil.
	// The error is an [*RPCError] if the server refused, an [*InputRequired] if it asks
	// for input, and a [*ConnError] for any other failure. When ctx ends, the server is
	// notified, and the error matches the context's error.
	Call(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error)
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Listen receives what the server sends outside of calls, until ctx ends or nothing
	// more can arrive. The notifications go to Handler.Notification. See [Subscription].
	Listen(ctx context.Context, sub *Subscription) error
	// Done is closed when the session has ended.
	Done() <-chan struct{}
	// Err returns nil while the session is open, then [ErrSessionClosed] after Close, or
	// a [*ConnError] that says why it ended.
	Err() error
	// Close ends the session: running calls fail, and a started process ends. It waits
	// for that, for a few seconds at most. It may be called again.
	Close() error
}

// link transports the messages of a session.
type link interface {
	// request sends a request and waits for its response. Other messages that arrive in
	// the meantime go to session.receive.
	request(ctx context.Context, rq *request) (*rpc.Message, error)
	// post sends a message that needs no response.
	post(ctx context.Context, method string, frame []byte) error
	// listen receives the messages that belong to no request until ctx ends; ready is
	// called when it has started.
	listen(ctx context.Context, ready func()) error
	// agreed is called with the negotiated version.
	agreed(version string)
	// label returns a name for the session in logs.
	label() string
	// detail returns what the server wrote outside of the protocol.
	detail() string
	// close ends the link. Nothing is read from it afterwards.
	close(lost bool)
}

// session is the Session of this package.
type session struct {
	opts     *DialOptions
	endpoint Endpoint
	mask     Mask
	link     link
	remember *Remembered

	// Fixed once the session is returned.
	info   SessionInfo
	modern bool
	meta   []byte // the protocol's members of each request's _meta

	lastID  atomic.Int64
	replies atomic.Int64 // in progress
	taps    atomic.Int32 // requests in progress whose messages are observed
	done    chan struct{}
	ctx     context.Context // ends with the session
	stop    context.CancelFunc

	mu       sync.Mutex // guards the fields below
	err      error
	ended    bool
	waiting  map[int64]*waiter
	cut      []int64                       // requests left without a response by the end of the session
	asked    map[string]context.CancelFunc // requests of the server, by id
	oldTasks map[*oldTask]struct{}
	tasks    sync.WaitGroup // goroutines of the session; Add is called only until ended is set

	closing sync.Once
}

var _ Session = (*session)(nil)

func newSession(e Endpoint, opts *DialOptions, mask *secret.Redactor, remember *Remembered) *session {
	s := &session{opts: opts, endpoint: e, mask: Mask{fixed: mask}, remember: remember, done: make(chan struct{}),
		waiting: make(map[int64]*waiter)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

func (s *session) Info() *SessionInfo {
	info := s.info
	info.Capabilities.Extensions = maps.Clone(info.Capabilities.Extensions)
	info.Capabilities.Experimental = maps.Clone(info.Capabilities.Experimental)
	return &info
}

func (s *session) Done() <-chan struct{} { return s.done }

func (s *session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// run starts a goroutine that Close waits for, unless the session has ended. It
// reports whether it did.
func (s *session) run(do func(ctx context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.tasks.Go(func() { do(s.ctx) })
	}
	return !s.ended
}

// fail ends the session; the first reason counts.
func (s *session) fail(err error) {
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

// opSession is the operation in the error of a session that ends by itself.
const opSession = "session"

// lose ends the session because the link has ended.
func (s *session) lose(cause error) {
	if !errors.Is(cause, ErrProtocol) && !errors.Is(cause, ErrTooLarge) {
		cause = fmt.Errorf("%w: %w", ErrSessionLost, cause)
	}
	s.fail(s.failure(opSession, false, cause))
}

func (s *session) Close() error {
	lost := s.Err() != nil
	s.fail(ErrSessionClosed)
	s.closing.Do(func() {
		s.link.close(lost)
		s.tasks.Wait()
	})
	return nil
}
