package mcphub

import (
	"context"
	"sync"
	"time"
)

// callClock is a context with a deadline that stands still while somebody is
// asked: that wait is none of the call's time. When the time is up its Err is
// context.DeadlineExceeded, like that of any context with a deadline.
//
// Clocks nest: to stop one stops those around it too.
type callClock struct {
	context.Context // the parent, for its values

	done   chan struct{}
	unlink func() bool // takes it off its parent
	outer  *callClock  // the next one around it; nil when there is none
	room   *room       // given back while the clock stands; may be nil

	mu     sync.Mutex // guards what follows
	err    error      // why it ended
	paused int        // how many have stopped it
	until  time.Time  // when the time is up, while it runs
	left   time.Duration
	timer  *time.Timer
	after  map[*func()]struct{}
}

// clockKey is how a clock is found in a context.
type clockKey struct{}

// newCallClock returns a context that ends when the parent does, when the time
// is up, and with stop, which must be called. in is the room that the call takes
// up, if it may give it back while it waits for somebody.
func newCallClock(parent context.Context, limit time.Duration, in *room) (_ *callClock, stop context.CancelFunc) {
	c := &callClock{Context: parent, done: make(chan struct{}), room: in, until: time.Now().Add(limit)}
	c.outer, _ = parent.Value(clockKey{}).(*callClock)
	c.mu.Lock() // until all is set
	c.timer = time.AfterFunc(limit, c.late)
	c.unlink = context.AfterFunc(parent, func() { c.end(parent.Err()) })
	c.mu.Unlock()
	return c, func() { c.end(context.Canceled) }
}

// end ends it; the first reason counts.
func (c *callClock) end(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	c.timer.Stop()
	after, unlink := c.after, c.unlink
	c.after = nil
	close(c.done)
	c.mu.Unlock()
	unlink()
	for f := range after {
		go (*f)()
	}
}

// late is called by the timer. One that fired while the clock was being stopped
// does not count.
func (c *callClock) late() {
	c.mu.Lock()
	up := c.paused == 0 && !time.Now().Before(c.until)
	c.mu.Unlock()
	if up {
		c.end(context.DeadlineExceeded)
	}
}

// pause stops the clock, and those around it, until resume is called, which
// waits until the call has its room again. Both may be called by several at once;
// the clock runs when nobody holds it.
func (c *callClock) pause() (resume func()) {
	if c == nil {
		return func() {}
	}
	outer := c.outer.pause()
	c.mu.Lock()
	if c.paused++; c.paused == 1 {
		c.timer.Stop()
		c.left = max(time.Until(c.until), 0)
		c.room.leave()
	}
	c.mu.Unlock()
	return func() {
		outer()
		c.mu.Lock()
		c.paused--
		again := c.paused == 0 && c.err == nil
		if again {
			c.until = time.Now().Add(c.left)
			c.timer.Reset(c.left)
		}
		c.mu.Unlock()
		if again { // to wait for room is the call's time again
			c.room.enter(c)
		}
	}
}

// Deadline is when the time is up if nobody stops the clock any more. It is a
// trifle early: whoever sets the same limit once more, by a context of its own,
// is thereby left to this one, which can be stopped.
func (c *callClock) Deadline() (time.Time, bool) {
	c.mu.Lock()
	until := c.until
	if c.paused > 0 {
		until = time.Now().Add(c.left)
	}
	c.mu.Unlock()
	until = until.Add(-time.Nanosecond)
	if outer, ok := c.Context.Deadline(); ok && outer.Before(until) {
		return outer, true
	}
	return until, true
}

func (c *callClock) Done() <-chan struct{} { return c.done }

func (c *callClock) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *callClock) Value(key any) any {
	if key == (clockKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// AfterFunc lets package context hang contexts on this one without a goroutine
// for each.
func (c *callClock) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.after == nil {
		c.after = map[*func()]struct{}{}
	}
	key := &f
	c.after[key] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waiting := c.after[key]
		delete(c.after, key)
		return waiting
	}
}

// room is the place that a call takes up among those that run. It is given back
// while the call waits for somebody, and at its end. A nil room is no limit.
type room struct {
	places chan struct{}

	mu   sync.Mutex // guards what follows
	held bool
	over bool
}

// enter waits for a place, or for the end of ctx, and reports whether there is
// one. A call that goes on without one does so for the little time it has: its
// context has ended.
func (r *room) enter(ctx context.Context) bool {
	if r == nil {
		return true
	}
	select {
	case r.places <- struct{}{}:
	default:
		select {
		case r.places <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.held { // the call ended meanwhile, or was faster
		<-r.places
		return !r.over
	}
	r.held = true
	return true
}

// leave gives the place back, if there is one.
func (r *room) leave() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held {
		r.held = false
		<-r.places
	}
}

// end gives the place back for good.
func (r *room) end() {
	if r == nil {
		return
	}
	r.leave()
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
}
