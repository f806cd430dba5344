package servers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Restarts of a program that ends by itself.
const (
	maxRestarts   = 5
	restartWindow = 10 * time.Minute
)

// open begins to make a session, unless there is a reason not to. u.mu must be
// held.
func (u *upstream) open() (*opening, error) {
	switch {
	case u.closed:
		return nil, errConnectionsClosed()
	case u.gone:
		return nil, notFound(u.id)
	case u.record.Disabled:
		return nil, fmt.Errorf("%w: %q: enable its record first", ErrDisabled, u.id)
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
	transport, record := u.transport, u.record.Clone()
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

// endOpening passes the outcome of the opening of a session to all waiting
// callers. u.mu must be held.
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
func (u *upstream) dial(ctx context.Context, o *opening, t client.Transport, r Record, probe bool) {
	defer o.cancel()
	began := time.Now()
	session, err := u.c.dial(ctx, t, r, infixLive, func(n client.Notification) {
		u.c.observed(u.id, n)
		if !listChange(n.Method) {
			return
		}
		u.noticed.Store(true)
		select {
		case o.notice <- struct{}{}:
		default:
		}
	})
	took := time.Since(began)
	if !u.install(o, session, err, probe, took) && session != nil {
		_ = session.Close() // it was given up: a late result is discarded
	}
}

// install puts a new session into use, or notes why there is none. It reports
// whether a caller still waited for it.
func (u *upstream) install(o *opening, session client.Session, err error, probe bool, took time.Duration) bool {
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
	l.inUse, l.outOfUse = context.WithCancel(l.ctx)
	u.live, u.took = l, took
	mask := client.MaskOf(session)
	u.redactor.Store(&mask)
	if u.calling.isOpen() {
		u.calling = breaker{} // that was another session
	}
	l.loops.Go(l.tend)
	u.to(StateConnected, nil)
	u.endOpening(o, l, nil)
	return true
}

// The separator between the name of this program and the id of the server in
// the client name that it sends.
const (
	infixLive  = " - "
	infixTrial = " - test - "
)

// listChange reports whether a notification says that a list changed.
func listChange(method string) bool {
	switch method {
	case "notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed":
		return true
	}
	return false
}

// dial connects once, with the options that hold for a server.
func (c *Connections) dial(ctx context.Context, t client.Transport, r Record, infix string, heard func(client.Notification), wires ...func(client.WireMessage)) (s client.Session, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.tel.Log().Error("servers: a transport panicked", "server", r.ID, "panic", v, "stack", string(debug.Stack()))
			s, err = nil, fmt.Errorf("servers: server %q: its transport failed unexpectedly", r.ID)
		}
	}()
	opts := c.opts.Dial
	for _, wire := range wires {
		opts.Wire = rpc.Both(opts.Wire, wire)
	}
	opts.Client.Name += infix + r.ID
	if len(r.Versions) > 0 {
		opts.Versions = r.Versions
	}
	for _, customize := range c.opts.Customize {
		if err := customize(r.Clone(), &opts); err != nil {
			return nil, fmt.Errorf("servers: server %q: %w", r.ID, err)
		}
	}
	policy := c.opts.Relay
	if r.Relay != nil {
		policy = *r.Relay
	}
	own := opts.Capabilities
	opts.Capabilities = policy.declare(own)
	if answer := opts.Handler.Request; answer != nil { // it answers what it declared, and no more
		opts.Handler.Request = func(ctx context.Context, q client.ServerRequest) (json.RawMessage, error) {
			if no := own.Refuses(&q); no != nil {
				return nil, no
			}
			return answer(ctx, q)
		}
	}
	if infix == infixLive {
		observer := c.observer.Load()
		observer.adjust(r.ID, &opts)
		defer func() {
			if err != nil {
				observer.dialFailed(r.ID, err)
			}
		}()
	}
	tell := opts.Handler.Notification
	opts.Handler.Notification = func(ctx context.Context, n client.Notification) {
		heard(n)
		switch n.Method {
		case rpc.MethodUpdated:
			c.resourceUpdated(r.ID, n.Params)
		case rpc.MethodPageDone:
			c.pages.done(r.ID, n.Params)
		}
		if tell != nil {
			tell(ctx, n)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, opts.DialTimeout())
	defer cancel()
	return t.Dial(ctx, &opts)
}

// failed notes that there is no session because of err, and when to try again.
// u.mu must be held.
func (u *upstream) failed(err error) {
	now := u.c.clock.Now()
	u.attempts++
	u.stale(now)
	var conn *client.ConnError
	var missing *client.MissingConfigError
	again := false
	switch {
	case errors.As(err, &missing):
		u.to(StateMissingConfig, err)
		return
	case errors.Is(err, client.ErrAuthorizationRequired):
		u.to(StateAwaitingAuthorization, err)
		return
	case errors.As(err, &conn):
		switch conn.Class {
		case client.ConnTransport, client.ConnTimeout, client.ConnServer, client.ConnBusy, client.ConnSessionLost:
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
	u.leave(l)
	u.failed(cmp.Or(err, client.ErrSessionLost))
}

// drop takes a session out of use that the server does not know any more, or
// whose credentials it does not accept any more. One of an older generation is
// out of use already.
func (u *upstream) drop(l *liveSession, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.live == l {
		u.leave(l)
		u.failed(err)
	}
}

// leave takes a session out of use that no longer works. A program whose
// session has ended has crashed, no matter which side noticed first. u.mu must
// be held.
func (u *upstream) leave(l *liveSession) {
	u.retire(l)
	if l.session.Info().Endpoint.Kind == client.TransportStdio && ended(l.session) {
		u.crashes = append(u.crashes, u.c.clock.Now())
	}
	if u.c.clock.Now().Sub(l.began) >= steady {
		u.attempts = 0
	}
}
