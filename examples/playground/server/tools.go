package server

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// tools holds the user's tools and the bundled ones, and which of them are offered.
type tools struct {
	*core
	studio   *studio.Studio
	hub      *mcphub.Hub
	store    localpass.Persistence
	activity *activity
	bundled  []*toolspec.Spec
	api      *studioapi.API

	ready     atomic.Bool       // set when the tools of the home are published again
	mu        sync.Mutex        // guards announced
	announced map[string]string // the published tools that were last announced: names by id
}

func (s *Server) openTools(context.Context) error {
	bundled, err := catalog.Specs()
	s.tools = &tools{core: s.core, studio: s.local.Studio, hub: s.mcp.hub, store: s.local.Store, activity: s.activity, bundled: bundled}
	return err
}

// openStudioAPI serves the API for authors of tools.
func (s *Server) openStudioAPI() (err error) {
	bounds := s.local.Sandbox.Describe().Limits
	s.tools.api, err = studioapi.New(s.local.Studio, &studioapi.Options{
		Bundled: s.tools.bundled, Exposure: &exposure{s.tools}, Versions: s.local.Store, Logger: s.opts.Logger, Clock: s.opts.Clock,
		Bounds: studioapi.Bounds{HostCalls: bounds.HostCalls, OutputBytes: bounds.ResultBytes, ConsoleLines: bounds.ConsoleLines, MemoryBytes: bounds.MaxHeld},
		Events: func(e studioapi.Event) {
			if e.Topic == "tools" {
				s.survey.changed()
				s.finder.changed()
			}
			s.tested(e)
			s.events.send(e.Topic, e.Type, e.Data)
		},
	})
	if err == nil {
		s.atEnd(s.tools.api.Close)
	}
	return err
}
