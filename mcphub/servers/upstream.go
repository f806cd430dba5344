package servers

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

// upstream is one server: its record, and the session with it when there is one.
type upstream struct {
	c        *Connections
	id       string
	snapshot atomic.Pointer[Snapshot]
	slots    chan struct{} // calls that run
	waiting  atomic.Int32  // calls that wait for a slot
	syncing  chan struct{} // one place: held by the synchronization that runs
	noticed  atomic.Bool   // something changed since the last synchronization began
	redactor atomic.Pointer[client.Mask]

	mu         sync.Mutex // guards what follows
	record     *Record
	transport  client.Transport
	badRecord  error // why there is no transport
	gone       bool  // deleted
	closed     bool  // the Connections close
	wanted     bool  // to be connected again when the session is lost
	generation uint64
	live       *liveSession
	took       time.Duration // to make it
	opening    *opening
	retired    map[*liveSession]struct{} // not used any more, and not closed yet
	dialling   breaker
	calling    breaker
	crashes    []time.Time
	attempts   int // failures to connect in a row
	retry      *time.Timer
	retryAt    time.Time

	state      State
	since      time.Time
	err        error
	syncStatus SyncStatus
	syncErr    error
	telling    chan struct{} // closed once the watchers have received the snapshot; nil before the first
	staleSince time.Time
	staleTimer *time.Timer
}

// opening is an attempt to open a session. There is one for all callers.
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
	session    client.Session
	notice     chan struct{}
	ctx        context.Context // ends when it is retired and closed
	cancel     context.CancelFunc
	inUse      context.Context // ends when it is retired
	outOfUse   context.CancelFunc
	gone       chan struct{} // closed once it is closed
	loops      sync.WaitGroup
	verbose    atomic.Bool // its log level was raised

	// Guarded by the upstream's lock.
	refs    int // calls under way
	began   time.Time
	used    time.Time
	closing bool
}

func (c *Connections) newUpstream(r *Record) *upstream {
	u := &upstream{c: c, id: r.ID, slots: make(chan struct{}, c.opts.MaxCalls), syncing: make(chan struct{}, 1),
		retired: map[*liveSession]struct{}{}, since: c.clock.Now()}
	u.use(r)
	u.state, u.err = u.rest()
	return u
}

// use takes a record. u.mu must be held, or u not be known to others yet.
func (u *upstream) use(r *Record) {
	u.record = r
	if u.badRecord = r.errClosed(); u.badRecord == nil {
		u.transport, u.badRecord = u.c.opts.Kinds.Transport(r.Kind, r.Connection)
	}
	if u.badRecord != nil {
		u.transport, u.badRecord = nil, fmt.Errorf("servers: server %q: %w", u.id, u.badRecord)
	}
}

// rest is the state of a server without a session and without an attempt to
// open one. u.mu must be held.
func (u *upstream) rest() (State, error) {
	if u.badRecord != nil {
		return StateError, u.badRecord
	}
	return StateIdle, nil
}

func (u *upstream) recordCopy() Record {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.record.Clone()
}

// setRecord takes a newer record.
func (u *upstream) setRecord(r *Record) {
	u.mu.Lock()
	if u.gone || r.Version <= u.record.Version {
		u.mu.Unlock()
		return
	}
	before := u.record
	if before.Definition() == r.Definition() && before.Disabled == r.Disabled && sameRelay(before.Relay, r.Relay) {
		u.record = r
		u.publish(EventStatus)
		u.mu.Unlock()
		if !before.Selection.same(r.Selection) || before.Prefix != r.Prefix {
			u.c.changed.Notify()
		}
		return
	}
	again := (u.live != nil || u.opening != nil) && !r.Disabled
	elsewhere := before.Definition() != r.Definition()
	u.disconnect(fmt.Errorf("servers: server %q: the way to it changed meanwhile: call again", u.id))
	if elsewhere {
		u.dialling, u.calling, u.crashes = breaker{}, breaker{}, nil
		u.snapshot.Store(nil) // learnt from another server
		u.fresh()
		u.syncStatus, u.syncErr = NeverSynced, nil
	}
	u.use(r)
	u.to(u.rest())
	u.mu.Unlock()
	u.c.changed.Notify()
	if again {
		u.reconnect()
	}
}

func sameRelay(a, b *RelayPolicy) bool { return a == b || a != nil && b != nil && *a == *b }

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
	l.outOfUse()
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
		go finish() // no caller waits any more: the end came first
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

// refuse rejects all new work.
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

// closeAll closes every session, even those in use.
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
// back with release. A caller whose context ends does not stop the attempt for
// the others.
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

func ended(s client.Session) bool {
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

// stale notes since when what the server offered cannot be confirmed. u.mu must
// be held.
func (u *upstream) stale(now time.Time) {
	if u.staleSince.IsZero() && !u.closed && !u.gone {
		u.staleSince = now
		u.staleTimer = time.AfterFunc(u.c.opts.StaleFor, u.c.changed.Notify)
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
func (u *upstream) offered() (s *Snapshot, state State, problem error) {
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
