package servers

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

// upstream is one server: its record, the connection to it, and what it offers.
//
// Its parts share one lock, because each change of a part is published with the status of
// all parts. Methods of the parts expect the lock to be held.
type upstream struct {
	c        *Connections
	id       string
	queue    *callQueue
	rate     rateLimit
	redactor atomic.Pointer[client.Mask] // of the latest session

	mu       sync.Mutex // guards the fields below
	gone     bool       // the server was deleted
	closed   bool       // the Connections are closing
	settings settings
	link     link
	redial   redial
	offer    offer
}

// settings are the settings with which a server is reached.
type settings struct {
	record    *Record
	transport client.Transport
	err       error // why there is no transport
}

func (c *Connections) newUpstream(r *Record) *upstream {
	u := &upstream{c: c, id: r.ID, queue: newCallQueue(c, r.ID), settings: c.settingsOf(r)}
	u.link.retired, u.link.since = map[*liveSession]struct{}{}, c.clock.Now()
	u.link.state, u.link.err = u.restState()
	u.offer.syncing = make(chan struct{}, 1)
	return u
}

func (c *Connections) settingsOf(r *Record) settings {
	s := settings{record: r}
	if s.err = r.errClosed(); s.err == nil {
		s.transport, s.err = c.Transport(*r)
	}
	if s.err != nil {
		s.transport, s.err = nil, fmt.Errorf("servers: server %q: %w", r.ID, s.err)
	}
	return s
}

func (u *upstream) recordCopy() Record {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.settings.record.Clone()
}

// ownTimeout returns the time limit in the record; 0 if it sets none.
func (u *upstream) ownTimeout() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	return time.Duration(u.settings.record.TimeoutMS) * time.Millisecond
}

// mask returns the mask for the secrets of the latest session with a server.
func (u *upstream) mask() client.Mask {
	if m := u.redactor.Load(); m != nil {
		return *m
	}
	return client.Mask{}
}

// setRecord puts a newer record into force.
func (u *upstream) setRecord(r *Record) {
	u.mu.Lock()
	before := u.settings.record
	if u.gone || r.Version <= before.Version {
		u.mu.Unlock()
		return
	}
	elsewhere := before.Definition() != r.Definition()
	if !elsewhere && before.Disabled == r.Disabled && sameRelay(before.Relay, r.Relay) {
		u.settings.record = r
		u.publish(EventStatus)
		u.mu.Unlock()
		if !before.Selection.same(r.Selection) || before.Prefix != r.Prefix {
			u.c.changed.Notify()
		}
		return
	}
	again := (u.link.live != nil || u.link.opening != nil) && !r.Disabled
	u.disconnect(fmt.Errorf("servers: server %q: the way to it changed meanwhile: call again", u.id))
	if elsewhere {
		u.link.calling, u.redial = breaker{}, redial{}
		u.offer.forget()
	}
	u.settings = u.c.settingsOf(r)
	u.toState(u.restState())
	u.mu.Unlock()
	u.c.changed.Notify()
	if again {
		u.reconnect()
	}
}

func sameRelay(a, b *RelayPolicy) bool { return a == b || a != nil && b != nil && *a == *b }

// deleted ends the use of a server whose record was deleted.
func (u *upstream) deleted() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.gone = true
	u.disconnect(notFound(u.id))
	u.offer.confirmed()
	u.link.state, u.link.err = StateIdle, nil
	u.publish(EventRemoved)
}

// refuseWork rejects all new work: the Connections are closing.
func (u *upstream) refuseWork() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	u.offer.confirmed()
	u.redial.cancelTimer()
	if o := u.link.opening; o != nil {
		o.cancel()
		u.endOpening(o, nil, errConnectionsClosed())
	}
}

// closeSessions closes every session, even those in use.
func (u *upstream) closeSessions() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.link.live != nil {
		u.retire(u.link.live)
	}
	for l := range u.link.retired {
		u.closeSession(l)
	}
	u.link.state, u.link.err, u.link.retryAt = StateIdle, nil, time.Time{}
}
