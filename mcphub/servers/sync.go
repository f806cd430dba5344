package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/toolspec/secret"
)

// When a server is synchronized.
const (
	syncDebounce = 250 * time.Millisecond // after a notification, to wait for more
	syncGap      = 2 * time.Second        // minimum time between two synchronizations
	syncAgain    = 30 * time.Second       // after a failed synchronization
	syncLimit    = 2 * time.Minute        // for one synchronization
	storeLimit   = 5 * time.Second        // for writing its snapshot to the store
)

// Sync asks a server now what it offers, and connects first if there is no session. If it
// fails, the previous snapshot stays.
func (c *Connections) Sync(ctx context.Context, id string) error {
	return c.withSession(ctx, id, func(u *upstream, l *liveSession) error {
		select {
		case u.offer.syncing <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-u.offer.syncing }()
		return u.synchronize(ctx, l)
	})
}

// synchronize takes a snapshot over this session. u.offer.syncing must be held.
func (u *upstream) synchronize(ctx context.Context, l *liveSession) error {
	u.mu.Lock()
	if u.link.live != l {
		u.mu.Unlock()
		return fmt.Errorf("servers: server %q: its session was replaced: %w", u.id, client.ErrSessionClosed)
	}
	u.offer.status = Syncing
	u.publish(EventStatus)
	u.mu.Unlock()
	u.offer.noticed.Store(false) // a notification from now on requests another synchronization

	within, cancel := context.WithTimeout(ctx, syncLimit)
	defer cancel()
	s, err := takeSnapshot(within, u.id, l.session.Info(), u.c.clock.Now, func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		// Over this session only, because pages of two sessions do not make one list.
		return u.withRetries(ctx, CallRules{Reads: true}, func(ctx context.Context) (json.RawMessage, error) {
			if ended(l.session) {
				return nil, fmt.Errorf("servers: server %q: %w", u.id, client.ErrSessionLost)
			}
			return l.call(ctx, method, params, nil, 0, nil)
		})
	})
	if err != nil {
		u.offer.noticed.Store(true)
		u.syncFailed(l, err)
		return fmt.Errorf("servers: server %q: synchronize: %w", u.id, err)
	}
	s.generation = l.generation
	u.adoptSnapshot(ctx, l, s)
	return nil
}

func (u *upstream) syncFailed(l *liveSession, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.link.live != l && u.link.live != nil {
		return // another session has taken over
	}
	u.offer.status, u.offer.err = SyncFailed, err
	if !errors.Is(err, context.Canceled) {
		u.unconfirmed(u.c.clock.Now())
	}
	u.publish(EventStatus)
}

// adoptSnapshot replaces the previous snapshot, unless the session that delivered it was
// replaced.
func (u *upstream) adoptSnapshot(ctx context.Context, l *liveSession, s *Snapshot) {
	u.mu.Lock()
	if u.link.live != l {
		u.mu.Unlock()
		return
	}
	before := u.offer.snapshot.Load()
	diff := s.diffTo(before)
	s.Change = 1
	differs := before == nil
	if before != nil {
		s.Change = before.Change
		if differs = !diff.Empty() || s.Info.Server.Name != before.Info.Server.Name; differs {
			s.Change++
		}
	}
	u.offer.snapshot.Store(s)
	u.offer.status, u.offer.err = Synced, nil
	back := u.c.tooStale(u.offer.confirmed())
	definition := u.settings.record.Definition()
	u.publishEvent(Event{Kind: EventCapabilities, Diff: diff})
	told := make(chan struct{})
	u.offer.told = told
	u.mu.Unlock()
	if differs || before.Restored || back || !s.Expires.Equal(before.Expires) {
		u.c.changed.Notify()
	}
	close(told)
	if differs || before.Restored {
		u.storeSnapshot(ctx, s, definition)
	}
}

// storeSnapshot writes a snapshot to the store, so that the next run of a program knows
// the tools before it is connected. A snapshot that the server declares private is stored
// for the principal that received it: see [upstream.ownerDigest]. The end of the session
// does not stop the write, because Connect may have returned as soon as the snapshot was
// in memory.
func (u *upstream) storeSnapshot(ctx context.Context, s *Snapshot, definition string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	u.mu.Lock()
	owner := ""
	if s.private {
		owner = u.ownerDigest()
	}
	u.mu.Unlock()
	data, err := s.stored(definition, owner)
	if err == nil {
		_, err = u.c.store.Put(ctx, cacheCollection, u.id, localpass.Document{Version: localpass.AnyVersion, Data: data})
	}
	u.mu.Lock()
	gone := u.gone
	u.mu.Unlock()
	if gone && err == nil { // deleted in the meantime
		err = u.c.store.Delete(ctx, cacheCollection, u.id)
	}
	if err != nil && !errors.Is(err, localpass.ErrNotFound) {
		u.c.tel.Log().Warn("servers: what a server offers could not be kept", "server", u.id, "error", err)
	}
}

// ownerDigest returns the digest of this program's principal at the server: its
// definition, with the values of its placeholders. The user who signs in with OAuth is
// not part of it, because each session takes a new snapshot. u.mu must be held, or u must
// be new.
func (u *upstream) ownerDigest() string {
	parts := [][]byte{[]byte("mcp-owner"), []byte(u.settings.record.Definition())}
	for _, name := range secret.Names(string(u.settings.record.Connection)) {
		value, set := u.c.opts.Kinds.Lookup(name)
		parts = append(parts, []byte(name), []byte(strconv.FormatBool(set)), []byte(value))
	}
	return canon.Digest(parts...)
}

// restoreOffer loads the snapshot from the store.
func (u *upstream) restoreOffer(ctx context.Context) {
	doc, err := u.c.store.Get(ctx, cacheCollection, u.id)
	if errors.Is(err, localpass.ErrNotFound) {
		return
	}
	var s *Snapshot
	if err == nil {
		s, err = restoreSnapshot(u.id, u.settings.record.Definition(), u.ownerDigest(), doc.Data)
	}
	if err != nil {
		u.c.tel.Log().Warn("servers: what was kept of a server is not readable; it is asked anew", "server", u.id, "error", err)
		return
	}
	if s != nil {
		u.offer.snapshot.Store(s)
		u.offer.status = Synced // at the time of the snapshot
	}
}

// maintain manages a session during its life: it synchronizes when there is a reason to,
// closes the session when it is not needed, and records its loss.
func (l *liveSession) maintain() {
	u := l.u
	l.listenForChanges()
	next := u.c.clock.Now() // time of the next synchronization
	last := time.Time{}
	scheduled, told := false, false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-l.session.Done():
			u.mu.Lock()
			u.sessionLost(l)
			u.mu.Unlock()
			return
		case <-l.ctx.Done():
			return
		case <-l.notice:
			told = true // the known offer may be outdated
			soon := u.c.clock.Now().Add(syncDebounce)
			if earliest := last.Add(syncGap); earliest.After(soon) {
				soon = earliest
			}
			if soon.Before(next) {
				next, scheduled = soon, false
			}
		case <-timer.C:
		}
		if now := u.c.clock.Now(); !now.Before(next) {
			ran, err := l.syncInTurn(last.IsZero() && !told, scheduled)
			now = u.c.clock.Now()
			scheduled = ran
			switch {
			case !ran:
				next = now.Add(syncDebounce) // another synchronization is running, which may have started too early
			case err != nil:
				next = now.Add(min(syncAgain, u.c.opts.SyncEvery))
			default:
				next = now.Add(time.Duration((0.8 + 0.4*u.c.rand()) * float64(u.c.opts.SyncEvery)))
			}
			if ran {
				last, told = now, false
			}
		}
		idle, closed := l.closeIfIdle()
		if closed {
			return
		}
		timer.Reset(max(min(next.Sub(u.c.clock.Now()), idle), time.Millisecond))
	}
}

// syncTurn is how long a scheduled synchronization waits for those of other servers. It
// does not wait longer, because one of them may hang.
const syncTurn = 5 * time.Second

// syncInTurn synchronizes, unless another caller already does. The first synchronization
// is skipped if it was already done; scheduled ones take turns with other servers.
func (l *liveSession) syncInTurn(first, scheduled bool) (ran bool, err error) {
	u := l.u
	if scheduled {
		turn := time.NewTimer(syncTurn)
		defer turn.Stop()
		select {
		case u.c.syncs <- struct{}{}:
			defer func() { <-u.c.syncs }()
		case <-turn.C:
		case <-l.ctx.Done():
			return true, l.ctx.Err()
		case <-l.session.Done():
			return true, l.session.Err()
		}
	}
	select {
	case u.offer.syncing <- struct{}{}:
	default:
		return false, nil
	}
	defer func() { <-u.offer.syncing }()
	if first && u.offer.of(l) != nil {
		return true, nil
	}
	return true, u.synchronize(l.ctx, l)
}

// listenForChanges asks the server to send a notification when a list changes, if it
// supports that. The scheduled synchronization finds the changes that it does not report.
func (l *liveSession) listenForChanges() {
	info := l.session.Info()
	can := &info.Capabilities
	sub := &client.Subscription{Tools: can.ToolsChanged, Prompts: can.PromptsChanged, Resources: can.ResourcesChanged}
	if !sub.Tools && !sub.Prompts && !sub.Resources {
		return
	}
	// If listening needs its own stream, the first synchronization does not wait for it:
	// another synchronization finds what changed in between.
	late := info.Era == client.EraStateless || info.Endpoint.Kind == client.TransportHTTP || info.Endpoint.Kind == client.TransportSSE
	sub.Ready = func() {
		if late {
			l.u.syncSoon()
		}
		late = true // the stream broke, so a notification may have been missed
	}
	l.loops.Go(func() {
		if err := l.session.Listen(l.ctx, sub); err != nil && l.ctx.Err() == nil && !ended(l.session) && !errors.Is(err, errors.ErrUnsupported) {
			l.u.c.tel.Log().Debug("servers: a server tells of no changes; it is asked by schedule", "server", l.u.id, "error", err)
		}
	})
}
