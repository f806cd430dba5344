package mcphub

import (
	"context"
	"sync"
	"time"
)

// watcher is somebody who is told when the served set changed.
type watcher struct {
	mu      sync.Mutex // held while changed runs, so that stop can wait for it
	changed func()
	stopped bool
}

// Watch calls changed after each change of what is served, until stop is
// called; stop waits for a call under way, so it must not be called from within
// changed. changed must not block.
func (h *Hub) Watch(changed func()) (stop func()) {
	w := &watcher{changed: changed}
	h.watchMu.Lock()
	h.watchers[w] = struct{}{}
	h.watchMu.Unlock()
	return func() {
		h.watchMu.Lock()
		delete(h.watchers, w)
		h.watchMu.Unlock()
		w.mu.Lock()
		w.stopped = true
		w.mu.Unlock()
	}
}

func (h *Hub) notify() {
	h.watchMu.Lock()
	all := make([]*watcher, 0, len(h.watchers))
	for w := range h.watchers {
		all = append(all, w)
	}
	h.watchMu.Unlock()
	for _, w := range all {
		w.mu.Lock()
		if !w.stopped {
			w.changed()
		}
		w.mu.Unlock()
	}
}

const (
	// listChangedGap is how long a client is left alone after it was told that
	// the list of tools changed. The first change goes out at once; those that
	// follow within the gap go out as one: publishing a folder of specs is one
	// or two notifications.
	listChangedGap = 100 * time.Millisecond
	// keepAlive is how often a quiet stream shows that it lives: below the idle
	// limit of common proxies (60 s).
	keepAlive = 25 * time.Second
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// follow sends notification for each change of the served set that comes after
// seen, until ctx ends, the hub closes or out fails. told is called with the
// change each notification stood for.
func (h *Hub) follow(ctx context.Context, out outlet, notification []byte, seen uint64, told func(change uint64)) {
	wake := make(chan struct{}, 1)
	defer h.Watch(func() {
		select {
		case wake <- struct{}{}:
		default: // one wake-up stands for any number of changes
		}
	})()
	beat := time.NewTicker(keepAlive)
	defer beat.Stop()
	var gap <-chan time.Time
	for {
		if change := h.served.Load().change; gap == nil && change != seen {
			if out.send(notification) != nil {
				return
			}
			seen, gap = change, time.After(listChangedGap)
			told(change)
		}
		select {
		case <-wake:
		case <-gap:
			gap = nil
		case <-beat.C:
			if out.alive() != nil {
				return
			}
		case <-h.closing:
			return
		case <-ctx.Done():
			return
		}
	}
}
