package servers

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

// Server is a server that [Connections] know. It is comparable, and stays the same
// while its record is changed; a record that is saved under the id of one that was
// deleted belongs to another Server. The zero value is no server.
type Server struct{ u *upstream }

// Server returns the server of an id, or ErrServerNotFound.
func (c *Connections) Server(id string) (Server, error) {
	u, err := c.server(id)
	return Server{u}, err
}

// ID is the id of its record.
func (s Server) ID() string { return s.u.id }

// Record is its record.
func (s Server) Record() Record { return s.u.recordCopy() }

// Offered is what the server offers now: what it said last. nil when it was never
// asked, is disabled, or could not be asked for longer than
// Options.StaleFor.
func (s Server) Offered() *Snapshot {
	offered, _, _ := s.u.offered()
	return offered
}

// Timeout is what its record says of the time that a call may take; 0 when it says
// nothing.
func (s Server) Timeout() time.Duration { return s.u.ownTimeout() }

// Mask masks the secrets of the latest session with it. Before the first session it
// masks nothing.
func (s Server) Mask() client.Mask { return s.u.mask() }

// Info is what the session in use agreed on; nil without one.
func (s Server) Info() *client.SessionInfo {
	s.u.mu.Lock()
	defer s.u.mu.Unlock()
	if s.u.link.live == nil {
		return nil
	}
	return s.u.link.live.session.Info()
}

// CheckTool returns an ErrLeftOut for a tool that its record's Selection leaves out,
// and nil for all others, whether the server has them or not.
func (s Server) CheckTool(name string) error { return s.u.takes(name) }

// Current leases the session in use. It opens none: without one it returns nil.
func (s Server) Current() *Lease {
	c := s.u.c
	if !c.calls.enter() {
		return nil
	}
	l := s.u.acquireCurrent()
	if l == nil {
		c.calls.leave()
		return nil
	}
	return c.leaseOf(l)
}

// Lease keeps a session open for its holder. It must be released.
type Lease struct {
	live    *liveSession
	release func()
}

// Lease returns the session with a server to a caller that needs more than Call, and
// opens one when there is none: it stays open until Release is called, however long
// nothing happens. What is sent over it is not checked against the record's Selection.
func (c *Connections) Lease(ctx context.Context, id string) (*Lease, error) {
	l, _, err := c.leaseLive(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.leaseOf(l), nil
}

func (c *Connections) leaseOf(l *liveSession) *Lease {
	return &Lease{live: l, release: sync.OnceFunc(func() {
		l.u.release(l)
		c.calls.leave()
	})}
}

// Server is whose session it is.
func (l *Lease) Server() Server { return Server{l.live.u} }

// Session is the session.
func (l *Lease) Session() client.Session { return l.live.session }

// Context ends when the session is taken out of use: it was lost or stopped, its
// record leads elsewhere, or the Connections close. What lasts longer than a call
// should end then and release the lease: the session is closed once all leases of it
// are released.
func (l *Lease) Context() context.Context { return l.live.inUse }

// Snapshot returns what the server offers by what it said over this very session,
// and asks it when it has not said so yet or gave notice of a change since.
func (l *Lease) Snapshot(ctx context.Context) (*Snapshot, error) {
	return l.live.u.confirmedSnapshot(ctx, l.live)
}

// Release gives the session back. It may be called more than once.
func (l *Lease) Release() { l.release() }
