package servers

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

// offer is what a server offers, and how reliable that knowledge is. snapshot, noticed
// and syncing may be used without the lock of the upstream.
type offer struct {
	snapshot atomic.Pointer[Snapshot] // the last known offer
	noticed  atomic.Bool              // something changed since the last synchronization started
	syncing  chan struct{}            // capacity 1: held by the running synchronization

	status     SyncStatus
	err        error         // why the last synchronization failed
	told       chan struct{} // closed once the watchers have received the snapshot; nil before the first snapshot
	staleSince time.Time     // since when it could not be confirmed; zero if it is confirmed
	staleTimer *time.Timer
}

// forget drops what was learnt from another server.
func (o *offer) forget() {
	o.snapshot.Store(nil)
	o.confirmed()
	o.status, o.err = NeverSynced, nil
}

// unconfirmed records since when the server's offer cannot be confirmed.
func (u *upstream) unconfirmed(now time.Time) {
	if o := &u.offer; o.staleSince.IsZero() && !u.closed && !u.gone {
		o.staleSince = now
		o.staleTimer = time.AfterFunc(u.c.opts.StaleFor, u.c.changed.Notify)
	}
}

// confirmed reverses unconfirmed. It returns since when there was no confirmation.
func (o *offer) confirmed() (since time.Time) {
	if o.staleTimer != nil {
		o.staleTimer.Stop()
		o.staleTimer = nil
	}
	since, o.staleSince = o.staleSince, time.Time{}
	return since
}

// tooStale reports whether an offer that has been unconfirmed since then no longer
// counts.
func (c *Connections) tooStale(since time.Time) bool {
	return !since.IsZero() && c.clock.Now().Sub(since) >= c.opts.StaleFor
}

// offered returns the callable offer of the server: nothing if the server has failed for
// too long.
func (u *upstream) offered() (s *Snapshot, state State, problem error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s, state, problem = u.offer.snapshot.Load(), u.link.state, u.link.err
	if problem == nil {
		problem = u.offer.err
	}
	if u.gone || u.settings.record.Disabled {
		return nil, StateIdle, nil
	}
	if u.c.tooStale(u.offer.staleSince) {
		s = nil
	}
	return s, state, problem
}

// confirmedSnapshot returns a snapshot that this very session delivered after the last
// change notification.
func (u *upstream) confirmedSnapshot(ctx context.Context, l *liveSession) (*Snapshot, error) {
	if s := u.offer.of(l); s != nil {
		return s, nil
	}
	select {
	case u.offer.syncing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-u.offer.syncing }()
	if s := u.offer.of(l); s != nil {
		return s, nil // another caller was faster
	}
	if err := u.synchronize(ctx, l); err != nil {
		return nil, err
	}
	s := u.offer.snapshot.Load()
	if s == nil || s.generation != l.generation {
		return nil, fmt.Errorf("servers: server %q: its session was replaced: %w", u.id, client.ErrSessionClosed)
	}
	return s, nil
}

// of returns the snapshot that a session delivered after the last change notification;
// nil if there is none.
func (o *offer) of(l *liveSession) *Snapshot {
	if s := o.snapshot.Load(); s != nil && s.generation == l.generation && !o.noticed.Load() {
		return s
	}
	return nil
}

// awaitTold waits until the watchers have received the current snapshot.
func (u *upstream) awaitTold(ctx context.Context) error {
	u.mu.Lock()
	told := u.offer.told
	u.mu.Unlock()
	if told == nil {
		return nil
	}
	select {
	case <-told:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// syncSoon requests a synchronization, if there is a session.
func (u *upstream) syncSoon() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.link.live != nil {
		select {
		case u.link.live.notice <- struct{}{}:
		default:
		}
	}
}
