package servers

import (
	"context"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/notify"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Save writes a record and returns it as stored. A new record has Version 0; a change has
// the version on which it is based, and if another change came first, the error is a
// [*ConflictError] with the stored record.
//
// It makes no connection, with one exception: if the connection of a connected server
// changed, a new session is opened; running calls finish over the old session.
func (c *Connections) Save(ctx context.Context, r Record) (Record, error) {
	r = r.Clone()
	if err := r.Validate(); err != nil {
		return Record{}, err
	}
	if now, err := c.Get(r.ID); err == nil {
		r.stillClosed(&now)
	}
	if r.closed == nil {
		transport := c.Transport
		if r.Disabled { // what is not started may name any version
			transport = func(r Record) (client.Transport, error) { return c.opts.Kinds.Transport(r.Kind, r.Connection) }
		}
		if _, err := transport(r); err != nil {
			return Record{}, fmt.Errorf("servers: server %q: %w", r.ID, err)
		}
	}
	if !c.calls.enter() {
		return Record{}, errConnectionsClosed()
	}
	defer c.calls.leave()
	c.saving.Lock()
	defer c.saving.Unlock()
	if kept, err := c.Get(r.ID); err != nil || originDigest(kept.Kind, kept.Connection) != originDigest(r.Kind, r.Connection) {
		if err := c.forgetAllowed(ctx, r.ID); err != nil {
			return Record{}, err
		}
	}
	doc, err := c.putRecord(ctx, &r)
	if errors.Is(err, localpass.ErrConflict) {
		conflict := &ConflictError{ID: r.ID, err: err}
		if c.loadRecord(ctx, r.ID) == nil {
			if now, err := c.Get(r.ID); err == nil {
				conflict.Current = &now
			}
		}
		return Record{}, conflict
	}
	if err != nil {
		return Record{}, fmt.Errorf("servers: save server %q: %w", r.ID, err)
	}
	r.Version, r.Updated = doc.Version, doc.Updated
	c.applyRecord(&r)
	return r.Clone(), nil
}

// Delete closes the session with a server and removes its record and its stored snapshot.
// The error matches ErrNotFound if there is no record.
func (c *Connections) Delete(ctx context.Context, id string) error {
	if !c.calls.enter() {
		return errConnectionsClosed()
	}
	defer c.calls.leave()
	c.saving.Lock()
	defer c.saving.Unlock()
	if rpc.IsServerID(id) {
		if err := c.forgetAllowed(ctx, id); err != nil {
			return err
		}
	}
	err := c.store.Delete(ctx, serversCollection, id)
	if err != nil && !errors.Is(err, localpass.ErrNotFound) {
		return fmt.Errorf("servers: delete server %q: %w", id, err)
	}
	known := c.removeServer(id)
	if e := c.store.Delete(ctx, cacheCollection, id); e != nil && !errors.Is(e, localpass.ErrNotFound) {
		c.tel.Log().Warn("servers: what was kept of a server could not be deleted", "server", id, "error", e)
	}
	if err != nil && !known {
		return notFound(id)
	}
	return nil
}

// applyRecord puts a record into force, unless a newer one is in force. c.saving must be
// held.
func (c *Connections) applyRecord(r *Record) {
	c.mu.Lock()
	delete(c.unreadable, r.ID)
	u := c.servers[r.ID]
	if u == nil {
		u = c.newUpstream(r)
		c.servers[r.ID] = u
		c.mu.Unlock()
		u.mu.Lock()
		u.publish(EventStatus)
		u.mu.Unlock()
		c.changed.Notify()
		return
	}
	c.mu.Unlock()
	u.setRecord(r)
}

// removeServer removes a server, and reports whether it was known.
func (c *Connections) removeServer(id string) bool {
	c.mu.Lock()
	delete(c.unreadable, id)
	u := c.servers[id]
	delete(c.servers, id)
	c.mu.Unlock()
	if u == nil {
		return false
	}
	u.deleted()
	c.changed.Notify()
	return true
}

// loadRecord reloads one record. c.saving must be held.
func (c *Connections) loadRecord(ctx context.Context, id string) error {
	doc, err := c.store.Get(ctx, serversCollection, id)
	if errors.Is(err, localpass.ErrNotFound) {
		c.removeServer(id)
		return nil
	}
	if err != nil {
		return err
	}
	r, plain, err := c.decode(doc)
	if err != nil {
		// The last readable version stays in force: a broken record must not be a way to
		// cut or change a connection.
		err = fmt.Errorf("servers: the record %s/%s is not readable; repair or delete it: %w", serversCollection, id, err)
		c.mu.Lock()
		if c.unreadable == nil {
			c.unreadable = map[string]error{}
		}
		c.unreadable[id] = err
		c.mu.Unlock()
		return err
	}
	if plain { // the file was written by hand, or by an older program
		c.reseal(ctx, r)
	}
	c.applyRecord(r)
	return nil
}

// watchStore follows changes that other programs make to the records, until ctx ends.
func (c *Connections) watchStore(ctx context.Context, w localpass.Watcher) {
	notify.Store(ctx, w, serversCollection, notify.StoreFollower{
		All:     func() { c.reloadRecords(ctx) },
		Changed: func(id string) { c.reloadRecord(ctx, id) },
		Broken: func(err error) {
			c.tel.Log().Debug("servers: the watch of the store ended; it is taken up again", "error", err)
		},
	})
}

func (c *Connections) reloadRecord(ctx context.Context, id string) {
	c.saving.Lock()
	defer c.saving.Unlock()
	if err := c.loadRecord(ctx, id); err != nil && ctx.Err() == nil {
		c.tel.Log().Warn("servers: a server is left as it is", "server", id, "error", err)
	}
}

func (c *Connections) reloadRecords(ctx context.Context) {
	known := map[string]bool{}
	for _, u := range c.allServers() {
		known[u.id] = true
	}
	all, _, _, err := c.readServers(ctx)
	if err != nil {
		return // the watch continues
	}
	for _, r := range all {
		known[r.ID] = true
	}
	for id := range known {
		c.reloadRecord(ctx, id)
	}
}
