package inspector

import (
	"context"
	"sync"
	"time"
)

// pausingClock ends a context when its time is up, and is stopped while a
// question to a person is open.
type pausingClock struct {
	end context.CancelCauseFunc

	mu     sync.Mutex
	left   time.Duration
	since  time.Time // it runs since then
	paused int
	timer  *time.Timer
}

// newPausingClock starts one. stop must be called.
func newPausingClock(ctx context.Context, limit time.Duration) (_ context.Context, c *pausingClock, stop func()) {
	c = &pausingClock{left: limit, since: time.Now()}
	ctx, c.end = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(limit, c.up)
	return ctx, c, func() {
		c.mu.Lock()
		c.timer.Stop()
		c.mu.Unlock()
		c.end(context.Canceled)
	}
}

func (c *pausingClock) up() {
	c.mu.Lock()
	running := c.paused == 0
	c.mu.Unlock()
	if running {
		c.end(context.DeadlineExceeded)
	}
}

// pause stops the clock until the function that it returns is called.
func (c *pausingClock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused == 1 {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.paused--; c.paused == 0 {
			c.since = time.Now()
			c.timer.Reset(max(c.left, time.Millisecond))
		}
	})
}

// timedOut reports whether ctx ended because the clock did.
func timedOut(ctx context.Context) bool {
	return ctx.Err() != nil && context.Cause(ctx) == context.DeadlineExceeded //nolint:errorlint // the very value
}
