package mcphub

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// entry is one served tool, with everything that can be computed before a call.
type entry struct {
	pass     servable
	def      toolspec.Definition
	id       string
	bundled  bool
	remote   bool                       // added by the Composition, chosen individually
	server   string                     // the id of the server that a remote tool comes from
	audience Audience                   // of a remote tool; everyone for others
	args     *schema.Schema             // nil for a spec, which checks its arguments itself
	tool     mcp.Tool                   // for the arguments that headers repeat
	listed   []byte                     // the description, as it is listed
	meta     map[string]json.RawMessage // _meta of the description; for a remote tool its own
	headers  bool                       // some arguments must be mirrored in headers (2026-07-28)
	audited  audit.Tool
	skeleton string // how the name looks
}

// servable is what an entry calls: a *studio.Passed, or what a [Composition] made of a
// remote tool. No other type is ever put into an entry.
type servable interface {
	Err() error
	Check(arguments json.RawMessage) *toolspec.CallError
	Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)
}

// servedSet is an immutable snapshot of the served tools.
type servedSet struct {
	change  uint64 // increases with each change
	list    []*entry
	clients []*entry // those of list that clients over a connection get
	byName  map[string]*entry
	why     map[string]studio.Serving // by tool id, for all published tools
}

func (h *Hub) newEntry(pass *studio.Passed) *entry {
	e := &entry{pass: pass, def: pass.Definition(), id: pass.ID(), bundled: pass.Bundled()}
	e.skeleton = scan.Skeleton(e.def.Name)
	e.tool, e.listed = rpc.MCPTool(&e.def), appendTool(nil, e)
	e.headers = len(mcp.ExtractParamHeaderBindings(&e.tool)) > 0
	if pass.Posture() == nil {
		e.compileArguments()
	}
	e.audited = audit.ToolOf(pass)
	return e
}

// refreshServed recomputes which tools are served and, if they changed, notifies all
// watchers. It does not block: it is called from within Studio.Publish.
func (h *Hub) refreshServed() {
	h.mu.Lock()
	before := h.served.Load()
	known := make(map[servable]*entry, len(before.list))
	for _, e := range before.list {
		known[e.pass] = e
	}
	next := &servedSet{change: before.change + 1, byName: make(map[string]*entry, len(before.list)+1),
		why: make(map[string]studio.Serving, len(before.why))}
	local := map[string]*entry{} // the tools of this program, by skeleton
	serve := func(e *entry) {
		if e.pass.Err() != nil {
			return
		}
		why := h.exposes(e)
		if why == studio.ServingOffered && (next.byName[e.def.Name] != nil || e.remote && local[e.skeleton] != nil) {
			why = studio.ServingNameTaken
		}
		if next.why[e.id] != studio.ServingOffered { // another studio may have the same tool
			next.why[e.id] = why
		}
		if why == studio.ServingOffered {
			next.byName[e.def.Name] = e
			if !e.remote {
				local[e.skeleton] = e
			}
			next.list = append(next.list, e)
			if e.audience.clients() {
				next.clients = append(next.clients, e)
			}
		}
	}
	if !h.closed {
		for _, e := range h.sources.added {
			serve(e)
		}
		for _, a := range h.sources.studios {
			for _, p := range a.studio.Published() {
				e := known[p]
				if e == nil {
					e = h.newEntry(p)
				}
				serve(e)
			}
		}
		for _, e := range h.sources.composition.entries() { // last, so that a tool of this program keeps its name
			serve(e)
		}
	}
	byName := func(a, b *entry) int { return strings.Compare(a.def.Name, b.def.Name) }
	slices.SortFunc(next.list, byName)
	slices.SortFunc(next.clients, byName)
	changed := !next.same(before)
	if !changed {
		next.change, next.list, next.clients, next.byName = before.change, before.list, before.clients, before.byName
	}
	h.served.Store(next)
	h.mu.Unlock()
	if changed {
		h.changed.Notify()
	}
}

func (s *servedSet) same(other *servedSet) bool {
	if len(s.list) != len(other.list) {
		return false
	}
	for i, e := range s.list {
		if e != other.list[i] {
			return false
		}
	}
	return true
}

// findTool returns the entry served under a name, or nil. Each call checks whether the
// pass is still valid, because a set may be older than a withdrawal.
func (h *Hub) findTool(name string) *entry {
	if e := h.served.Load().byName[name]; e != nil && e.pass.Err() == nil {
		return e
	}
	return nil
}

// findForClient is findTool for a client over a connection.
func (h *Hub) findForClient(name string) *entry {
	if e := h.findTool(name); e != nil && e.audience.clients() {
		return e
	}
	return nil
}

// findInside is findTool for a caller in this process.
func (h *Hub) findInside(name string) *entry {
	if e := h.findTool(name); e != nil && e.audience.chat() {
		return e
	}
	return nil
}

// Serving says whether the tool with an id is offered to clients, and if not, why. The
// answer is a snapshot: changes of the studio, the exposure or other tools can change it.
// For an unpublished tool it returns studio.ServingNotPublished.
func (h *Hub) Serving(id string) studio.Serving {
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	if closed {
		return studio.ServingClosed
	}
	set := h.served.Load()
	why, published := set.why[id]
	if !published {
		return studio.ServingNotPublished
	}
	if why == studio.ServingOffered {
		withdrawn := func(e *entry) bool { return e.id == id && e.pass.Err() != nil }
		if slices.ContainsFunc(set.list, withdrawn) {
			return studio.ServingNotPublished
		}
	}
	return why
}
