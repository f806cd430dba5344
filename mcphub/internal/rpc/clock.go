package rpc

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/internal/fair"
)

// CallClock is a context with a deadline that is suspended while a person is asked: that
// wait does not count as time of the call. When the time is up, its Err is
// context.DeadlineExceeded, as for any context with a deadline.
//
// Clocks nest: stopping one also stops the enclosing clocks.
type CallClock struct {
	context.Context // from package context, so that derived contexts need no goroutine

	end    expiry
	cancel context.CancelFunc
	unlink func() bool // detaches the clock from its parent
	outer  *CallClock  // the next enclosing clock; nil if there is none
	slot   *Slot       // released while the clock is stopped; may be nil

	mu     sync.Mutex // guards the fields below
	over   bool
	paused int       // how often it is stopped
	until  time.Time // when the time is up, while the clock runs
	left   time.Duration
	timer  *time.Timer
}

// clockKey is the key of a clock in a context.
type clockKey struct{}

// ClockOf returns the innermost clock that ctx is derived from; nil if there is none.
func ClockOf(ctx context.Context) *CallClock {
	c, _ := ctx.Value(clockKey{}).(*CallClock)
	return c
}

// NewCallClock returns a context that ends with its parent, when the time is up, or when
// stop is called, which must be done. in is the slot of the call, if the call may release
// it while it waits for an answer.
func NewCallClock(parent context.Context, limit time.Duration, in *Slot) (_ *CallClock, stop context.CancelFunc) {
	c := &CallClock{end: expiry{Context: parent, done: make(chan struct{})}, slot: in, until: time.Now().Add(limit)}
	c.outer = ClockOf(parent)
	c.Context, c.cancel = context.WithCancel(&c.end)
	if err := parent.Err(); err != nil {
		c.end.come(err)
	}
	c.mu.Lock() // until the timer is set
	c.timer = time.AfterFunc(limit, c.late)
	c.mu.Unlock()
	c.unlink = context.AfterFunc(parent, func() { c.end.come(parent.Err()) })
	return c, c.stop
}

func (c *CallClock) stop() {
	c.mu.Lock()
	c.over = true
	c.timer.Stop()
	c.mu.Unlock()
	c.unlink()
	c.cancel()
}

// late is called by the timer. A timer that fired while the clock was being stopped does
// not count.
func (c *CallClock) late() {
	c.mu.Lock()
	up := c.paused == 0 && !c.over && !time.Now().Before(c.until)
	c.mu.Unlock()
	if up {
		c.end.come(context.DeadlineExceeded)
	}
}

// expiry is the parent of the clock's context: it ends with the error that it is given.
type expiry struct {
	context.Context // the parent, for its values
	done            chan struct{}

	mu   sync.Mutex // guards the fields below
	err  error
	then func() // ends the single context that is derived from it
}

// come ends the context; the first reason counts.
func (e *expiry) come(err error) {
	e.mu.Lock()
	if e.err != nil {
		e.mu.Unlock()
		return
	}
	e.err = err
	then := e.then
	close(e.done)
	e.mu.Unlock()
	if then != nil {
		then()
	}
}

func (e *expiry) Done() <-chan struct{} { return e.done }

func (e *expiry) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Deadline reports no deadline: the clock handles it.
func (e *expiry) Deadline() (time.Time, bool) { return time.Time{}, false }

// AfterFunc is how package context attaches a derived context to this one.
func (e *expiry) AfterFunc(f func()) (stop func() bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		go f()
		return func() bool { return false }
	}
	e.then = f
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		waiting := e.err == nil && e.then != nil
		e.then = nil
		return waiting
	}
}

// Pause stops the clock and its enclosing clocks until resume is called, which waits
// until the call has its slot again. Both may be called concurrently; the clock runs
// while no pause is active.
func (c *CallClock) Pause() (resume func()) {
	if c == nil {
		return func() {}
	}
	outer := c.outer.Pause()
	c.mu.Lock()
	if c.paused++; c.paused == 1 {
		c.timer.Stop()
		c.left = max(time.Until(c.until), 0)
		c.slot.Leave()
	}
	c.mu.Unlock()
	return func() {
		outer()
		c.mu.Lock()
		c.paused--
		again := c.paused == 0 && !c.over
		if again {
			c.until = time.Now().Add(c.left)
			c.timer.Reset(c.left)
		}
		c.mu.Unlock()
		if again { // waiting for a slot counts as time of the call again
			c.slot.Enter(c)
		}
	}
}

// Deadline returns the deadline, assuming no further pauses. It is slightly early, so
// that a caller that sets the same limit again with its own context still depends on this
// one, which can be stopped.
func (c *CallClock) Deadline() (time.Time, bool) {
	c.mu.Lock()
	until := c.until
	if c.paused > 0 {
		until = time.Now().Add(c.left)
	}
	c.mu.Unlock()
	until = until.Add(-time.Nanosecond)
	if outer, ok := c.end.Context.Deadline(); ok && outer.Before(until) {
		return outer, true
	}
	return until, true
}

func (c *CallClock) Value(key any) any {
	if key == (clockKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Slot is the place that a call occupies among the running calls. It is released while
// the call waits for an answer, and at the end of the call. A nil slot sets no limit.
type Slot struct {
	sem   chan struct{} // or, if principals share the slots:
	queue *fair.Queue

	mu     sync.Mutex // guards the fields below
	ticket fair.Ticket
	held   bool
	over   bool
}

// NewSlot returns a slot of a queue that is not held yet.
func NewSlot(queue *fair.Queue) *Slot { return &Slot{queue: queue} }

// HeldSlot returns the slot of a call that has already sent to sem.
func HeldSlot(sem chan struct{}) *Slot { return &Slot{sem: sem, held: true} }

// Enter waits for a place, or for the end of ctx, and reports whether the call has a
// place. A call that continues without one does so only briefly, because its context has
// ended.
func (s *Slot) Enter(ctx context.Context) bool {
	if s == nil {
		return true
	}
	ticket, ok := s.wait(ctx)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.held { // the call ended in the meantime, or was faster
		s.free(ticket)
		return !s.over
	}
	s.held, s.ticket = true, ticket
	return true
}

// wait waits for a slot, or for the end of ctx.
func (s *Slot) wait(ctx context.Context) (ticket fair.Ticket, ok bool) {
	if s.queue == nil {
		select {
		case s.sem <- struct{}{}:
			return ticket, true
		default:
		}
		select {
		case s.sem <- struct{}{}:
			return ticket, true
		case <-ctx.Done():
			return ticket, false
		}
	}
	ticket, err := s.queue.Join(fair.From(ctx))
	if err != nil {
		return ticket, false
	}
	if ready := ticket.Ready(); ready != nil {
		select {
		case <-ready:
		case <-ctx.Done():
			s.queue.Leave(ticket)
			return ticket, false
		}
	}
	return ticket, true
}

// free releases a slot.
func (s *Slot) free(ticket fair.Ticket) {
	if s.queue != nil {
		s.queue.Leave(ticket)
		return
	}
	<-s.sem
}

// Leave releases the place, if there is one.
func (s *Slot) Leave() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held {
		s.held = false
		s.free(s.ticket)
	}
}

// Close releases the place permanently.
func (s *Slot) Close() {
	if s == nil {
		return
	}
	s.Leave()
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
}
