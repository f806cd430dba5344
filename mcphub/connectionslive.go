package mcphub

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Restarts of a program that ends by itself.
const (
	maxRestarts   = 5
	restartWindow = 10 * time.Minute
)

// upstream is one server: its record, and the session with it when there is one.
type upstream struct {
	c        *Connections
	id       string
	snapshot atomic.Pointer[Snapshot]
	slots    chan struct{} // calls that run
	waiting  atomic.Int32  // calls that wait for a slot
	syncing  chan struct{} // one place: who synchronizes
	noticed  atomic.Bool   // something changed since the last synchronization began

	mu         sync.Mutex // guards what follows
	record     *ServerRecord
	transport  Transport
	badRecord  error // why there is no transport
	gone       bool  // deleted
	closed     bool  // the Connections close
	wanted     bool  // to be connected again when the session is lost
	generation uint64
	live       *liveSession
	opening    *opening
	retired    map[*liveSession]struct{} // not used any more, and not closed yet
	dialling   breaker
	calling    breaker
	crashes    []time.Time
	attempts   int // failures to connect in a row
	retry      *time.Timer
	retryAt    time.Time

	state      ServerState
	since      time.Time
	err        error
	syncStatus SyncStatus
	syncErr    error
	staleSince time.Time
	staleTimer *time.Timer
}

// opening is the making of a session. However many want it, there is one.
type opening struct {
	generation uint64
	cancel     context.CancelFunc
	notice     chan struct{} // one place: a list changed
	done       chan struct{} // closed when it has ended
	// Guarded by the upstream's lock until done is closed.
	ended   bool
	waiters int
	live    *liveSession
	err     error
}

// liveSession is a session in use. A generation numbers it: what an older one
// learns late changes nothing.
type liveSession struct {
	u          *upstream
	generation uint64
	session    Session
	notice     chan struct{}
	ctx        context.Context // ends when it is retired and closed
	cancel     context.CancelFunc
	gone       chan struct{} // closed once it is closed
	loops      sync.WaitGroup

	// Guarded by the upstream's lock.
	refs    int // calls under way
	began   time.Time
	used    time.Time
	closing bool
}

func (c *Connections) newUpstream(r *ServerRecord) *upstream {
	u := &upstream{c: c, id: r.ID, slots: make(chan struct{}, c.opts.MaxCalls), syncing: make(chan struct{}, 1),
		retired: map[*liveSession]struct{}{}, since: c.clock.Now()}
	u.use(r)
	u.state, u.err = u.rest()
	return u
}

// use takes a record. u.mu must be held, or u not be known to others yet.
func (u *upstream) use(r *ServerRecord) {
	u.record = r
	u.transport, u.badRecord = u.c.opts.Kinds.Transport(r.Kind, r.Connection)
	if u.badRecord != nil {
		u.transport, u.badRecord = nil, fmt.Errorf("mcphub: server %q: %w", u.id, u.badRecord)
	}
}

// rest is the state of a server that nobody connects to. u.mu must be held.
func (u *upstream) rest() (ServerState, error) {
	if u.badRecord != nil {
		return StateError, u.badRecord
	}
	return StateIdle, nil
}

func (u *upstream) recordCopy() ServerRecord {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.record.clone()
}

// setRecord takes a newer record.
func (u *upstream) setRecord(r *ServerRecord) {
	u.mu.Lock()
	if u.gone || r.Version <= u.record.Version {
		u.mu.Unlock()
		return
	}
	before := u.record
	if before.definition() == r.definition() && before.Disabled == r.Disabled {
		u.record = r
		u.publish(EventStatus)
		u.mu.Unlock()
		return
	}
	again := (u.live != nil || u.opening != nil) && !r.Disabled
	elsewhere := before.definition() != r.definition()
	u.disconnect(fmt.Errorf("mcphub: server %q: the way to it changed meanwhile: call again", u.id))
	if elsewhere {
		u.dialling, u.calling, u.crashes = breaker{}, breaker{}, nil
		u.snapshot.Store(nil) // learnt from another server
		u.fresh()
		u.syncStatus, u.syncErr = NeverSynced, nil
	}
	u.use(r)
	u.to(u.rest())
	u.mu.Unlock()
	u.c.changed.notify()
	if again {
		u.reconnect()
	}
}

// disconnect ends what there is of a session: one that is being made is given
// up, calls under way finish. u.mu must be held.
func (u *upstream) disconnect(why error) {
	if u.retry != nil {
		u.retry.Stop()
	}
	u.retry, u.retryAt, u.attempts, u.wanted = nil, time.Time{}, 0, false
	if o := u.opening; o != nil {
		o.cancel()
		u.endOpening(o, nil, why)
	}
	if u.live != nil {
		u.retire(u.live)
	}
}

// retire takes a session out of use, and closes it once no call needs it. u.mu
// must be held.
func (u *upstream) retire(l *liveSession) {
	if u.live == l {
		u.live = nil
	}
	u.retired[l] = struct{}{}
	if l.refs == 0 {
		u.close(l)
	}
}

// close closes a session in the background. u.mu must be held.
func (u *upstream) close(l *liveSession) {
	if l.closing {
		return
	}
	l.closing = true
	finish := func() {
		l.cancel()
		_ = l.session.Close()
		l.loops.Wait()
		u.mu.Lock()
		delete(u.retired, l)
		u.mu.Unlock()
		close(l.gone)
	}
	if !u.c.spawn(finish) {
		go finish() // nobody waits any more: the end came first
	}
}

func (u *upstream) remove() {
	u.mu.Lock()
	u.gone = true
	u.disconnect(notFound(u.id))
	u.fresh()
	u.state, u.err = StateIdle, nil
	u.publish(EventRemoved)
	u.mu.Unlock()
}

// refuse lets nobody begin anything.
func (u *upstream) refuse() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	u.fresh()
	if u.retry != nil {
		u.retry.Stop()
	}
	if o := u.opening; o != nil {
		o.cancel()
		u.endOpening(o, nil, errConnectionsClosed())
	}
}

// closeAll closes every session, whoever needs it.
func (u *upstream) closeAll() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.live != nil {
		u.retire(u.live)
	}
	for l := range u.retired {
		u.close(l)
	}
	u.state, u.err, u.retryAt = StateIdle, nil, time.Time{}
}

// acquire returns the session, made first when there is none. It is to be given
// back with release. A caller whose context ends leaves the making to the others.
func (u *upstream) acquire(ctx context.Context) (*liveSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	u.mu.Lock()
	if l := u.live; l != nil {
		if !ended(l.session) {
			l.refs++
			l.used = u.c.clock.Now()
			u.mu.Unlock()
			return l, nil
		}
		u.lost(l)
	}
	o := u.opening
	if o == nil {
		var err error
		if o, err = u.open(); err != nil {
			u.mu.Unlock()
			return nil, err
		}
	}
	o.waiters++
	u.mu.Unlock()
	select {
	case <-o.done:
		return o.live, o.err
	case <-ctx.Done():
	}
	u.mu.Lock()
	if !o.ended {
		o.waiters--
		u.mu.Unlock()
		return nil, ctx.Err()
	}
	u.mu.Unlock()
	if o.err == nil { // it came at the same time
		u.release(o.live)
	}
	return nil, ctx.Err()
}

func ended(s Session) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

func (u *upstream) release(l *liveSession) {
	u.mu.Lock()
	defer u.mu.Unlock()
	l.refs--
	l.used = u.c.clock.Now()
	if _, retired := u.retired[l]; retired && l.refs == 0 {
		u.close(l)
	}
}

// open begins to make a session, unless there is a reason not to. u.mu must be
// held.
func (u *upstream) open() (*opening, error) {
	switch {
	case u.closed:
		return nil, errConnectionsClosed()
	case u.gone:
		return nil, notFound(u.id)
	case u.record.Disabled:
		return nil, fmt.Errorf("%w: %q: enable its record first", ErrServerDisabled, u.id)
	case u.badRecord != nil:
		return nil, u.badRecord
	}
	now := u.c.clock.Now()
	for len(u.crashes) > 0 && now.Sub(u.crashes[0]) >= restartWindow {
		u.crashes = u.crashes[1:]
	}
	if len(u.crashes) > maxRestarts {
		return nil, u.leaveAlone(u.crashes[len(u.crashes)-1-maxRestarts].Add(restartWindow))
	}
	ok, probe, retryAt := u.dialling.allow(now)
	if !ok {
		return nil, u.leaveAlone(retryAt)
	}
	if u.retry != nil {
		u.retry.Stop()
	}
	u.retry, u.retryAt, u.wanted = nil, time.Time{}, true
	u.generation++
	o := &opening{generation: u.generation, notice: make(chan struct{}, 1), done: make(chan struct{})}
	var ctx context.Context
	ctx, o.cancel = context.WithCancel(u.c.kill)
	transport, record := u.transport, u.record.clone()
	u.opening = o
	u.to(StateConnecting, nil)
	if !u.c.spawn(func() { u.dial(ctx, o, transport, record, probe) }) {
		o.cancel()
		u.endOpening(o, nil, errConnectionsClosed())
	}
	return o, nil
}

// leaveAlone says that the server must not be tried now. u.mu must be held.
func (u *upstream) leaveAlone(until time.Time) error {
	err := &CircuitOpenError{Server: u.id, RetryAt: until}
	if u.state != StateCircuitOpen || !u.retryAt.Equal(until) {
		cause := u.err
		u.retryAt = until
		u.to(StateCircuitOpen, cause)
	}
	u.tryAt(until)
	return err
}

// tryAt connects again by itself at that time, if the server is wanted. u.mu must
// be held.
func (u *upstream) tryAt(at time.Time) {
	if !u.wanted || u.closed || u.gone || u.retry != nil {
		return
	}
	u.retryAt = at
	var timer *time.Timer
	timer = time.AfterFunc(max(at.Sub(u.c.clock.Now()), time.Millisecond), func() {
		u.mu.Lock()
		due := u.retry == timer && u.live == nil && u.opening == nil
		if u.retry == timer {
			u.retry, u.retryAt = nil, time.Time{}
		}
		u.mu.Unlock()
		if due {
			u.reconnect()
		}
	})
	u.retry = timer
}

// reconnect makes a session in the background.
func (u *upstream) reconnect() {
	u.c.spawn(func() {
		if !u.c.calls.enter() {
			return
		}
		defer u.c.calls.leave()
		if l, err := u.acquire(u.c.kill); err == nil {
			u.release(l)
		}
	})
}

// endOpening tells everybody who waits how the making of a session ended. u.mu
// must be held.
func (u *upstream) endOpening(o *opening, live *liveSession, err error) {
	if u.opening == o {
		u.opening = nil
	}
	if o.ended {
		return
	}
	o.ended, o.live, o.err = true, live, err
	close(o.done)
}

// dial makes a session. Its time is its own: a caller that gives up does not
// spoil it for the others.
func (u *upstream) dial(ctx context.Context, o *opening, t Transport, r ServerRecord, probe bool) {
	defer o.cancel()
	session, err := u.c.dial(ctx, t, r, " - ", func() {
		u.noticed.Store(true)
		select {
		case o.notice <- struct{}{}:
		default:
		}
	})
	if !u.install(o, session, err, probe) && session != nil {
		_ = session.Close() // it was given up: what came of it late counts for nothing
	}
}

// install puts a session that was made into use, or notes why there is none. It
// reports whether somebody still wanted to know.
func (u *upstream) install(o *opening, session Session, err error, probe bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.c.clock.Now()
	if o.ended {
		u.dialling.report(now, probe, outcomeNeither)
		return false
	}
	u.dialling.report(now, probe, outcomeOf(err, false))
	if err != nil {
		u.failed(err)
		u.endOpening(o, nil, err)
		return true
	}
	l := &liveSession{u: u, generation: o.generation, session: session, notice: o.notice, gone: make(chan struct{}),
		refs: o.waiters, began: now, used: now}
	l.ctx, l.cancel = context.WithCancel(u.c.kill)
	u.live = l
	if u.calling.isOpen() {
		u.calling = breaker{} // that was another session
	}
	l.loops.Go(l.tend)
	u.to(StateConnected, nil)
	u.endOpening(o, l, nil)
	return true
}

// dial connects once, with the options that hold for a server.
func (c *Connections) dial(ctx context.Context, t Transport, r ServerRecord, infix string, changed func()) (s Session, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.tel.Log().Error("mcphub: a transport panicked", "server", r.ID, "panic", v, "stack", string(debug.Stack()))
			s, err = nil, fmt.Errorf("mcphub: server %q: its transport failed unexpectedly", r.ID)
		}
	}()
	opts := c.opts.Dial
	opts.Client.Name += infix + r.ID
	for _, customize := range c.opts.Customize {
		if err := customize(r.clone(), &opts); err != nil {
			return nil, fmt.Errorf("mcphub: server %q: %w", r.ID, err)
		}
	}
	tell := opts.Handler.Notification
	opts.Handler.Notification = func(ctx context.Context, n Notification) {
		switch n.Method {
		case "notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed":
			changed()
		}
		if tell != nil {
			tell(ctx, n)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, opts.withDefaults().Timeout)
	defer cancel()
	return t.Dial(ctx, &opts)
}

// failed notes that there is no session because of err, and when to try again.
// u.mu must be held.
func (u *upstream) failed(err error) {
	now := u.c.clock.Now()
	u.attempts++
	u.stale(now)
	var conn *ConnError
	var missing *MissingConfigError
	again := false
	switch {
	case errors.As(err, &missing):
		u.to(StateMissingConfig, err)
		return
	case errors.Is(err, ErrAuthorizationRequired):
		u.to(StateAwaitingAuthorization, err)
		return
	case errors.As(err, &conn):
		switch conn.Class {
		case ConnTransport, ConnTimeout, ConnServer, ConnBusy, ConnSessionLost:
			again = true
		}
	}
	if until := u.dialling.until; u.dialling.isOpen() && now.Before(until) {
		u.retryAt = until
		u.tryAt(until)
		u.to(StateCircuitOpen, err)
		return
	}
	if again && u.wanted {
		wait := backoff(u.attempts, u.c.rand)
		if conn.RetryAfter > 0 {
			wait = min(conn.RetryAfter, busyCap)
		}
		u.tryAt(now.Add(wait))
	}
	u.to(StateError, err)
}

// steady is how long a session must have lived for its loss to be a new failure,
// and not one more in a row.
const steady = time.Minute

// lost notes that a session has ended by itself. u.mu must be held.
func (u *upstream) lost(l *liveSession) {
	if u.live != l {
		return
	}
	err := l.session.Err()
	u.retire(l)
	if u.c.clock.Now().Sub(l.began) >= steady {
		u.attempts = 0
	}
	if l.session.Info().Endpoint.Kind == TransportStdio {
		u.crashes = append(u.crashes, u.c.clock.Now())
	}
	u.failed(or(err, ErrSessionLost))
}

// drop takes a session out of use that the server does not know any more, or
// whose credentials it does not take any more. One of an older generation is out
// of use already.
func (u *upstream) drop(l *liveSession, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.live == l {
		u.retire(l)
		u.failed(err)
	}
}

// stale notes since when what the server offered cannot be confirmed. u.mu must
// be held.
func (u *upstream) stale(now time.Time) {
	if u.staleSince.IsZero() && !u.closed && !u.gone {
		u.staleSince = now
		u.staleTimer = time.AfterFunc(u.c.opts.StaleFor, u.c.changed.notify)
	}
}

// fresh undoes stale. It reports whether it was too long. u.mu must be held.
func (u *upstream) fresh() (late bool) {
	if u.staleTimer != nil {
		u.staleTimer.Stop()
		u.staleTimer = nil
	}
	late = !u.staleSince.IsZero() && u.c.clock.Now().Sub(u.staleSince) >= u.c.opts.StaleFor
	u.staleSince = time.Time{}
	return late
}

// offered returns what the server offers to be called: nothing when it failed
// for too long.
func (u *upstream) offered() (s *Snapshot, state ServerState, problem error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s, state, problem = u.snapshot.Load(), u.state, u.err
	if problem == nil {
		problem = u.syncErr
	}
	if u.gone || u.record.Disabled {
		return nil, StateIdle, nil
	}
	if !u.staleSince.IsZero() && u.c.clock.Now().Sub(u.staleSince) >= u.c.opts.StaleFor {
		s = nil
	}
	return s, state, problem
}

// dirty asks for a synchronization soon, if there is a session.
func (u *upstream) dirty() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.live != nil {
		select {
		case u.live.notice <- struct{}{}:
		default:
		}
	}
}

// wake connects for the first time, in the background, to a server that was never
// connected to.
func (u *upstream) wake() {
	u.mu.Lock()
	first := u.generation == 0 && !u.wanted && !u.record.Disabled && u.badRecord == nil && !u.gone && !u.closed
	if first {
		u.wanted = true
	}
	u.mu.Unlock()
	if first {
		u.reconnect()
	}
}
