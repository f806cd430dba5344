package server

import (
	"context"
	"errors"
	"sync"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

// admitParallel is the number of specs that are tested concurrently.
const admitParallel = 2

// restore restores the tools of the home, and notifies the first page.
func (s *Server) restore(ctx context.Context) {
	s.tools.restore(ctx)
	s.surveyAgain()
}

// restore publishes the stored tools again: those that were published, and the bundled
// tools selected for clients, unless they were unpublished. A new home offers the starter
// preset.
func (t *tools) restore(ctx context.Context) {
	defer t.ready.Store(true)
	defer t.published() // tools that exist from the start are not announced
	if err := t.studio.Restore(ctx); err != nil && ctx.Err() == nil {
		t.opts.Logger.Warn("not everything that was live is live again", "error", err)
	}
	_, saved, err := mcphub.SavedExposure(ctx, t.store)
	if err == nil && !saved {
		var starter []*toolspec.Spec
		if starter, err = catalog.Activate("", "", nil); err == nil {
			e := mcphub.Exposure{AutoAdd: true}
			for _, spec := range starter {
				e.Exposed = append(e.Exposed, spec.ID())
			}
			err = t.hub.SetExposure(ctx, e)
		}
	}
	if err != nil && ctx.Err() == nil {
		t.opts.Logger.Warn("the choice of tools cannot be kept", "error", err)
	}
	wanted, err := t.studio.PublishedBundled(ctx)
	if err != nil {
		t.opts.Logger.Warn("what is published of the bundled tools cannot be read", "error", err)
		return
	}
	for _, id := range t.hub.Exposure().Exposed {
		if _, known := wanted[id]; !known {
			wanted[id] = true
		}
	}
	t.admit(ctx, wanted)
}

// admit runs Local Pass for bundled specs and publishes those that pass.
func (t *tools) admit(ctx context.Context, wanted map[string]bool) {
	for _, live := range t.studio.Published() {
		delete(wanted, live.Spec().ID())
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, admitParallel)
	for _, spec := range t.bundled {
		if !wanted[spec.ID()] {
			continue
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			err := t.publishBundled(ctx, spec)
			if err != nil && ctx.Err() == nil {
				t.opts.Logger.Warn("a bundled tool is not served", "tool", spec.Name, "error", err)
			}
		})
	}
	group.Wait()
}

// publishBundled publishes a bundled spec, and first runs its Local Pass if necessary.
func (t *tools) publishBundled(ctx context.Context, spec *toolspec.Spec) error {
	status, err := t.studio.Status(ctx, spec)
	if err != nil {
		return err
	}
	if status.Receipt == nil {
		report, err := t.studio.Test(ctx, spec, nil)
		if err != nil {
			return err
		}
		if !report.OK {
			return report.Err()
		}
	}
	_, err = t.studio.Publish(ctx, spec)
	return err
}

// follow forwards the events of the components to the event stream.
func (s *Server) follow() {
	stopTools := s.mcp.hub.Watch(func() { s.events.send("home", "home.changed", struct{}{}) })
	stopStudio := s.local.Studio.Watch(func() {
		s.survey.changed()
		s.finder.changed()
		s.tools.published()
		s.events.send("tools", "tools.changed", struct{}{})
	})
	s.atEnd(func() error { stopTools(); stopStudio(); return nil })
	s.background(func(ctx context.Context) {
		watched := map[string]bool{}
		notes := func(id string) {
			if !watched[id] {
				watched[id] = true
				s.background(func(ctx context.Context) { s.followNotes(ctx, id) })
			}
		}
		for e, err := range s.mcp.conns.Events(ctx, nil) {
			if err != nil {
				return
			}
			for i := range e.Servers {
				notes(e.Servers[i].ID)
			}
			if e.Status != nil && e.Kind != servers.EventRemoved {
				notes(e.Status.ID)
			} else if e.Status != nil {
				delete(watched, e.Status.ID)
			}
			s.connected(&e)
			s.events.send("servers", "servers."+string(e.Kind), e.Status)
		}
	})
}

// followNotes forwards the notifications and requests of a server until its record is
// removed.
func (s *Server) followNotes(ctx context.Context, id string) {
	for note, err := range s.mcp.inspect.Follow(ctx, id, nil) {
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, servers.ErrNotFound) {
				s.opts.Logger.Warn("the notes of a server cannot be followed", "server", id, "error", err)
			}
			return
		}
		s.events.send("pending", "pending.note", note)
	}
}
