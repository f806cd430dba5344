package servers

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

// link is the connection with one server, a state machine. Its transitions are the
// methods of upstream in this file; [State] says what the states mean.
//
//	from                        to                          by
//	any                         idle, or error              disconnect and toState(restState()),
//	                                                        when the record is no good
//	all but connected           connecting                  connecting
//	connecting                  connected                   connected
//	connecting, connected       missing config, awaiting    failed
//	                            authorization, error,
//	                            circuit open
//	all but connected           circuit open                refusedUntil
//	connected                   circuit open, and back      callsJudged: the session stays
//	connected                   idle                        unneeded
//	all without a session       awaiting authorization      Connections.AwaitAuthorization
type link struct {
	state   State
	since   time.Time // when it came into this state
	err     error     // why it is in this state
	retryAt time.Time // when the server is tried again; zero when it is not

	generation uint64       // of sessions: those that were begun
	opening    *opening     // while a session is being made
	live       *liveSession // the session in use
	dialTime   time.Duration
	calling    breaker                   // of calls over the session in use
	retired    map[*liveSession]struct{} // not used any more, and not closed yet
}

// toState changes the state, and publishes that. All changes but those at the end of
// the server are made by it.
func (u *upstream) toState(state State, err error) {
	before := u.link.state
	u.link.state, u.link.err = state, err
	if state != before {
		u.link.since = u.c.clock.Now()
	}
	u.publishEvent(Event{Kind: EventConnection, Previous: before})
}

// restState is the state of a server without a session and without an attempt to
// open one.
func (u *upstream) restState() (State, error) {
	if u.settings.err != nil {
		return StateError, u.settings.err
	}
	return StateIdle, nil
}

// connecting begins an attempt to open a session.
func (u *upstream) connecting(o *opening) {
	u.redial.cancelTimer()
	u.redial.wanted = true
	u.link.retryAt = time.Time{}
	u.link.opening = o
	u.toState(StateConnecting, nil)
}

// connected puts a new session into use.
func (u *upstream) connected(l *liveSession, dialTime time.Duration) {
	u.link.live, u.link.dialTime = l, dialTime
	mask := client.MaskOf(l.session)
	u.redactor.Store(&mask)
	if u.link.calling.isOpen() {
		u.link.calling = breaker{} // that was another session
	}
	l.loops.Go(l.maintain)
	u.toState(StateConnected, nil)
}

// failed notes that there is no session because of err, and when to try again.
func (u *upstream) failed(err error) {
	now := u.c.clock.Now()
	u.redial.attempts++
	u.unconfirmed(now)
	var conn *client.ConnError
	var missing *client.MissingConfigError
	again := false
	switch {
	case errors.As(err, &missing):
		u.toState(StateMissingConfig, err)
		return
	case errors.Is(err, client.ErrAuthorizationRequired):
		u.toState(StateAwaitingAuthorization, err)
		return
	case errors.As(err, &conn):
		switch conn.Class {
		case client.ConnTransport, client.ConnTimeout, client.ConnServer, client.ConnBusy, client.ConnSessionLost:
			again = true
		}
	}
	if until := u.redial.breaker.until; u.redial.breaker.isOpen() && now.Before(until) {
		u.link.retryAt = until
		u.redialAt(until)
		u.toState(StateCircuitOpen, err)
		return
	}
	if again && u.redial.wanted {
		wait := backoff(u.redial.attempts, u.c.rand)
		if conn.RetryAfter > 0 {
			wait = min(conn.RetryAfter, busyCap)
		}
		u.redialAt(now.Add(wait))
	}
	u.toState(StateError, err)
}

// refusedUntil notes that the server must not be tried before that time, and returns
// the error that says so.
func (u *upstream) refusedUntil(until time.Time) error {
	if u.link.state != StateCircuitOpen || !u.link.retryAt.Equal(until) {
		cause := u.link.err
		u.link.retryAt = until
		u.toState(StateCircuitOpen, cause)
	}
	u.redialAt(until)
	return &CircuitOpenError{Server: u.id, RetryAt: until}
}

// callsJudged follows the breaker of calls, which opened because of err or closed.
func (u *upstream) callsJudged(err error) {
	if u.link.calling.isOpen() {
		u.link.retryAt = u.link.calling.until
		u.toState(StateCircuitOpen, err)
	} else {
		u.link.retryAt = time.Time{}
		u.toState(StateConnected, nil)
	}
}

// sessionLost notes that a session has ended by itself.
func (u *upstream) sessionLost(l *liveSession) {
	if u.link.live == l {
		err := l.session.Err()
		u.retireBroken(l)
		u.failed(cmp.Or(err, client.ErrSessionLost))
	}
}

// sessionRefused takes a session out of use that the server does not know any more, or
// whose credentials it does not accept any more. One of an older generation is
// out of use already. The lock must not be held.
func (u *upstream) sessionRefused(l *liveSession, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.link.live == l {
		u.retireBroken(l)
		u.failed(err)
	}
}

// steady is how long a session must have lived for its loss to be a new failure,
// and not one more in a row.
const steady = time.Minute

// retireBroken takes a session out of use that no longer works. A program whose
// session has ended has crashed, no matter which side noticed first.
func (u *upstream) retireBroken(l *liveSession) {
	u.retire(l)
	now := u.c.clock.Now()
	if l.session.Info().Endpoint.Kind == client.TransportStdio && ended(l.session) {
		u.redial.crashes = append(u.redial.crashes, now)
	}
	if now.Sub(l.began) >= steady {
		u.redial.attempts = 0
	}
}

// unneeded closes a session that was unused for long.
func (u *upstream) unneeded(l *liveSession) {
	u.redial.wanted, u.redial.attempts = false, 0
	u.retire(l)
	u.toState(StateIdle, nil)
}

// disconnect ends what there is of a session: one that is being made is given
// up, calls under way finish. The state is up to the caller.
func (u *upstream) disconnect(why error) {
	u.redial.cancelTimer()
	u.redial.attempts, u.redial.wanted = 0, false
	u.link.retryAt = time.Time{}
	if o := u.link.opening; o != nil {
		o.cancel()
		u.endOpening(o, nil, why)
	}
	if u.link.live != nil {
		u.retire(u.link.live)
	}
}

// stop ends what there is of a session, and closes all that are out of use, whether
// calls need them or not. It returns them. The lock must not be held.
func (u *upstream) stop() (closing []*liveSession) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.disconnect(fmt.Errorf("servers: server %q: it was stopped: %w", u.id, client.ErrSessionClosed))
	for l := range u.link.retired {
		u.closeSession(l)
		closing = append(closing, l)
	}
	u.toState(u.restState())
	return closing
}
