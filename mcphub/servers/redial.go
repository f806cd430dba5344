package servers

import "time"

// redial decides when a server without a session is retried.
type redial struct {
	wanted   bool // to be reconnected automatically if the session is lost
	breaker  breaker
	crashes  []time.Time // times at which a program crashed
	attempts int         // consecutive failures to connect
	timer    *time.Timer // nil if nothing is planned
}

// Restarts of a program that ends by itself.
const (
	maxRestarts   = 5
	restartWindow = 10 * time.Minute
)

// allow reports whether the server may be tried now, and whether the try is a probe of
// the breaker. If it may not, until is when to ask again.
func (r *redial) allow(now time.Time) (ok, probe bool, until time.Time) {
	for len(r.crashes) > 0 && now.Sub(r.crashes[0]) >= restartWindow {
		r.crashes = r.crashes[1:]
	}
	if len(r.crashes) > maxRestarts {
		return false, false, r.crashes[len(r.crashes)-1-maxRestarts].Add(restartWindow)
	}
	return r.breaker.allow(now)
}

func (r *redial) cancelTimer() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
}

// redialAt reconnects automatically at that time, if the server is wanted.
func (u *upstream) redialAt(at time.Time) {
	if !u.redial.wanted || u.closed || u.gone || u.redial.timer != nil {
		return
	}
	u.link.retryAt = at
	var timer *time.Timer
	timer = time.AfterFunc(max(at.Sub(u.c.clock.Now()), time.Millisecond), func() {
		u.mu.Lock()
		due := u.redial.timer == timer && u.link.live == nil && u.link.opening == nil
		if u.redial.timer == timer {
			u.redial.timer, u.link.retryAt = nil, time.Time{}
		}
		u.mu.Unlock()
		if due {
			u.reconnect()
		}
	})
	u.redial.timer = timer
}

// connectFirst connects in the background to a server that was never connected before.
// The lock must not be held.
func (u *upstream) connectFirst() {
	u.mu.Lock()
	first := u.link.generation == 0 && !u.redial.wanted && !u.settings.record.Disabled && u.settings.err == nil && !u.gone && !u.closed
	if first {
		u.redial.wanted = true
	}
	u.mu.Unlock()
	if first {
		u.reconnect()
	}
}

// reconnect opens a session in the background.
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
