package mcphub

import (
	"context"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Watch calls changed after each change of the served tools, prompts or resources, until
// stop is called. stop waits for a running call of changed, so it must not be called from
// within changed. changed must not block.
func (h *Hub) Watch(changed func()) (stop func()) { return h.changed.Add(changed) }

const (
	// listChangedGap is the minimum time between two change notifications to a client.
	// The first notification is sent at once; later ones within the gap are combined into
	// one of each kind, so publishing a folder of specs causes one or two notifications.
	listChangedGap = 100 * time.Millisecond
	// keepAlive is the interval of keep-alives on an idle stream: shorter than the idle
	// limit of common proxies (60 s).
	keepAlive = 25 * time.Second
)

// following describes what one client is notified of over one stream.
type following struct {
	filter
	listener *listener // nil if the client follows no resources
	tag      []byte    // names the subscription in each notification; nil in a session
	seen     listState // the list states that the client knows
	// told is called with the list states that each notification announced.
	// Optional.
	told func(listState)
}

// lists sends a notification for each list that has changed since the client last saw it.
func (f *following) lists(now listState, send func([]byte) error) error {
	for _, list := range []struct {
		wanted    bool
		seen, now uint64
		method    string
	}{{f.tools, f.seen.tools, now.tools, noteTools}, {f.prompts, f.seen.prompts, now.prompts, notePrompts},
		{f.resources, f.seen.resources, now.resources, noteResources}} {
		if list.wanted && list.seen != list.now {
			if err := send(appendNotice(nil, list.method, "", f.tag)); err != nil {
				return err
			}
		}
	}
	f.seen = now
	if f.told != nil {
		f.told(now)
	}
	return nil
}

// notifyOfChanges notifies a client of each change after the list states that it knows,
// until ctx ends, the hub closes or out fails.
func (h *Hub) notifyOfChanges(ctx context.Context, out outlet, f *following) {
	wake := make(chan struct{}, 1)
	defer h.Watch(func() {
		select {
		case wake <- struct{}{}:
		default: // one wake-up covers any number of changes
		}
	})()
	var updated chan struct{}
	if f.listener != nil {
		updated = f.listener.wake
	}
	beat := time.NewTicker(keepAlive)
	defer beat.Stop()
	var gap <-chan time.Time
	for {
		if gap == nil {
			sent := false
			send := func(notice []byte) error {
				sent = true
				return out.send(notice)
			}
			if now := h.now(); now != f.seen && f.lists(now, send) != nil {
				return
			}
			for _, uri := range f.listener.take() {
				if send(appendNotice(nil, rpc.MethodUpdated, uri, f.tag)) != nil {
					return
				}
			}
			if sent {
				gap = time.After(listChangedGap)
			}
		}
		select {
		case <-wake:
		case <-updated:
		case <-gap:
			gap = nil
		case <-beat.C:
			if out.alive() != nil {
				return
			}
		case <-h.life.closing.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}
