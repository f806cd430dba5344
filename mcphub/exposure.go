package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/notify"
	"github.com/localpass/localpass/toolspec/studio"
)

// Exposure says which of the tools with a pass clients can see. A tool is served if its
// id is not in Excluded, and either it is in Exposed (or [Options.Expose]), or AutoAdd is
// set and the tool is not bundled with the program.
//
// By default only AutoAdd is set: tools that the user publishes are served, bundled tools
// only if they are named.
type Exposure struct {
	AutoAdd  bool     `json:"autoAdd"`
	Exposed  []string `json:"exposedToolIds"`
	Excluded []string `json:"excludedToolIds"`
}

// exposureInForce is the exposure that decides about a hub's tools, and its source.
type exposureInForce struct {
	writing sync.Mutex // held while the record is written or read

	// Guarded by Hub.mu.
	named   map[string]bool // from Options.Expose and Hub.Expose
	current Exposure
	version int64 // of the record
	initial bool  // current is what the store held when the hub was made
}

// Where the record is stored.
const (
	collection  = "mcphub"
	exposureKey = "exposure"
)

// clone returns a copy of e with sorted lists without duplicates.
func (e Exposure) clone() Exposure {
	tidy := func(ids []string) []string {
		ids = append([]string{}, ids...)
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	return Exposure{AutoAdd: e.AutoAdd, Exposed: tidy(e.Exposed), Excluded: tidy(e.Excluded)}
}

// exposes returns the serving state of one tool. The lists of e must be sorted. A tool
// that was named for the lifetime of the hub wins over an exclusion that is older than
// the hub.
func (e *Exposure) exposes(id string, bundled, named, older bool) studio.Serving {
	if _, excluded := slices.BinarySearch(e.Excluded, id); excluded && !(named && older) {
		return studio.ServingExcluded
	}
	if _, exposed := slices.BinarySearch(e.Exposed, id); exposed || named || e.AutoAdd && !bundled {
		return studio.ServingOffered
	}
	return studio.ServingNotExposed
}

// Exposure returns the current exposure.
func (h *Hub) Exposure() Exposure {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.exposure.current.clone()
}

// Expose exposes more tools while this hub runs, like [Options.Expose]. Nothing is stored,
// so that other programs with the same store do not serve them.
func (h *Hub) Expose(ids ...string) {
	h.mu.Lock()
	for _, id := range ids {
		h.exposure.named[id] = true
	}
	h.mu.Unlock()
	h.refreshServed()
}

// SetExposure replaces the exposure and stores it. Clients are notified if this changes
// what is served. New calls of a tool that is no longer exposed are refused at once;
// running calls finish.
//
// If another program has changed the exposure since this hub read it, nothing is written
// and the error matches localpass.ErrConflict; [Hub.Exposure] then returns what the other
// program wrote, so that the change can be applied to it. A record that was written again
// with the same content is no conflict.
func (h *Hub) SetExposure(ctx context.Context, e Exposure) error {
	e = e.clone()
	h.exposure.writing.Lock()
	defer h.exposure.writing.Unlock()
	h.mu.Lock()
	before, version, closed := h.exposure.current.clone(), h.exposure.version, h.closed
	h.mu.Unlock()
	if closed {
		return errHubClosed("set exposure")
	}
	if h.store != nil {
		data, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("mcphub: set exposure: %w", err)
		}
		if version, err = h.saveExposure(ctx, data, before, version); err != nil {
			return err
		}
	}
	h.mu.Lock()
	h.exposure.initial = false
	h.mu.Unlock()
	h.applyExposure(e, version)
	return nil
}

// saveExposure replaces the record and returns its new version.
func (h *Hub) saveExposure(ctx context.Context, data []byte, before Exposure, version int64) (int64, error) {
	for {
		doc, err := h.store.Put(ctx, collection, exposureKey, localpass.Document{Version: version, Data: data})
		if err == nil {
			return doc.Version, nil
		}
		err = fmt.Errorf("mcphub: set exposure: %w", err)
		if !errors.Is(err, localpass.ErrConflict) {
			return version, err
		}
		if loadErr := h.loadExposure(ctx); loadErr != nil {
			return version, errors.Join(err, loadErr)
		}
		h.mu.Lock()
		now, again := h.exposure.current, h.exposure.version
		h.mu.Unlock()
		if again == version || !now.equal(&before) {
			return version, err
		}
		version = again
	}
}

func (e *Exposure) equal(other *Exposure) bool {
	return e.AutoAdd == other.AutoAdd && slices.Equal(e.Exposed, other.Exposed) && slices.Equal(e.Excluded, other.Excluded)
}

// loadExposure reads the record. h.exposure.writing must be held, or the hub must not be
// in use yet.
func (h *Hub) loadExposure(ctx context.Context) error {
	e, version, err := readExposure(ctx, h.store)
	if err != nil {
		return err
	}
	h.applyExposure(e, version)
	return nil
}

// SavedExposure reads the exposure from a store without a hub, and reports whether the
// operator has saved one. A program that exposes tools by default should check it first.
func SavedExposure(ctx context.Context, store localpass.Persistence) (e Exposure, saved bool, err error) {
	e, version, err := readExposure(ctx, store)
	return e, version != localpass.NoVersion, err
}

func readExposure(ctx context.Context, store localpass.Persistence) (Exposure, int64, error) {
	doc, err := store.Get(ctx, collection, exposureKey)
	if errors.Is(err, localpass.ErrNotFound) {
		return Exposure{AutoAdd: true}, localpass.NoVersion, nil
	}
	if err != nil {
		return Exposure{}, localpass.NoVersion, fmt.Errorf("mcphub: read exposure: %w", err)
	}
	var e Exposure
	if err := doc.Decode(&e); err != nil {
		return Exposure{}, localpass.NoVersion, fmt.Errorf("mcphub: the exposure record (%s/%s) is not readable; repair or delete it: %w", collection, exposureKey, err)
	}
	return e.clone(), doc.Version, nil
}

func (h *Hub) applyExposure(e Exposure, version int64) {
	h.mu.Lock()
	h.exposure.initial = h.exposure.initial && version == h.exposure.version
	h.exposure.current, h.exposure.version = e, version
	h.mu.Unlock()
	h.refreshServed()
}

// watchExposure follows changes that other programs sharing the store make to the record,
// until ctx ends. If the record cannot be read, the exposure stays unchanged: hidden
// tools stay hidden.
func (h *Hub) watchExposure(ctx context.Context, w localpass.Watcher) {
	notify.Store(ctx, w, collection, notify.StoreFollower{
		All: func() { h.reloadExposure(ctx) },
		Changed: func(key string) {
			if key == exposureKey {
				h.reloadExposure(ctx)
			}
		},
		Broken: func(err error) {
			h.tel.Log().Debug("mcphub: the watch of the store ended; it is taken up again", "error", err)
		},
	})
}

func (h *Hub) reloadExposure(ctx context.Context) {
	h.exposure.writing.Lock()
	defer h.exposure.writing.Unlock()
	if err := h.loadExposure(ctx); err != nil && ctx.Err() == nil {
		h.tel.Log().Warn("mcphub: exposure left as it is", "error", err)
	}
}
