package servers

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

// Server is a server of [Connections]. It is comparable, and stays the same when its
// record changes; if a record is deleted and another is saved under its id, that is
// another Server. The zero value is no server.
type Server struct{ u *upstream }

// Server returns the server with an id, or ErrNotFound.
func (c *Connections) Server(id string) (Server, error) {
	u, err := c.server(id)
	return Server{u}, err
}

// ID returns the id of its record.
func (s Server) ID() string { return s.u.id }

// Record returns its record.
func (s Server) Record() Record { return s.u.recordCopy() }

// Offered returns what the server last said that it offers. nil if it was never asked, is
// disabled, or could not be asked for longer than Options.StaleFor.
func (s Server) Offered() *Snapshot {
	offered, _, _ := s.u.offered()
	return offered
}

// Endpoint describes how it is reached; the zero value if its record cannot be used.
func (s Server) Endpoint() client.Endpoint { return s.u.status().Endpoint }

// Timeout returns the time limit of a call in its record; 0 if there is none.
func (s Server) Timeout() time.Duration { return s.u.ownTimeout() }

// Mask returns the mask for the secrets of the latest session. Before the first session
// it masks nothing.
func (s Server) Mask() client.Mask { return s.u.mask() }

// Info returns what the current session negotiated; nil without a session.
func (s Server) Info() *client.SessionInfo {
	s.u.mu.Lock()
	defer s.u.mu.Unlock()
	if s.u.link.live == nil {
		return nil
	}
	return s.u.link.live.session.Info()
}

// CheckTool returns an error that matches ErrLeftOut for a tool that the record's
// Selection leaves out, and nil for all others, whether the server has them or not.
func (s Server) CheckTool(name string) error { return s.u.takes(name) }

// Current leases the current session. It never opens one, and returns nil if there is
// none.
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

// Lease leases the session with a server to a caller that needs more than Call, and opens
// one if there is none. The session stays open until Release is called, even if it is
// idle. Requests over it are not checked against the record's Selection.
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

// Server returns the server of the session.
func (l *Lease) Server() Server { return Server{l.live.u} }

// Session returns the leased session.
func (l *Lease) Session() client.Session { return l.live.session }

// Context returns a context that ends when the session goes out of use: it was lost or
// stopped, its record has another endpoint, or the Connections close. Work that lasts
// longer than a call should then end and release the lease: the session is closed once
// all its leases are released.
func (l *Lease) Context() context.Context { return l.live.inUse }

// Snapshot returns what the server offers over this session. It asks the server if it has
// not been asked over this session or has reported a change since.
func (l *Lease) Snapshot(ctx context.Context) (*Snapshot, error) {
	return l.live.u.confirmedSnapshot(ctx, l.live)
}

// Release ends the lease. It may be called more than once.
func (l *Lease) Release() { l.release() }
