package risk

import (
	"encoding/json"
	"sync"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/mcphub/servers"
)

// maxViews is how many servers, and how many lists of tools, are kept.
const maxViews = 256

// views keep what was computed about servers.
type views struct {
	mu       sync.Mutex
	byServer map[string]*view
	scans    map[string]map[string]scan.Report // by the digest of the list, by fingerprint
}

// Upstream is a server as it is reached and what it offers.
type Upstream struct {
	// Server is the id of its record, and Definition the digest of its connection: see
	// [servers.Record.Definition].
	Server, Definition string
	Endpoint           client.Endpoint
	// Offered is what it offers. nil: unknown.
	Offered *servers.Snapshot
}

// UpstreamOf returns the current state of a server.
func UpstreamOf(s servers.Server) Upstream {
	r := s.Record()
	return Upstream{Server: r.ID, Definition: r.Definition(), Endpoint: s.Endpoint(), Offered: s.Offered()}
}

// view is what was computed about a server over one connection with one list of tools.
type view struct {
	of      Upstream
	scanned map[string]scan.Report // by fingerprint

	mu        sync.Mutex
	proposals map[string]Proposal // by fingerprint
}

// view returns the view of a server.
func (l *Levels) view(u *Upstream) *view {
	all := &l.views
	all.mu.Lock()
	v := all.byServer[u.Server]
	all.mu.Unlock()
	if v != nil && v.of.Offered == u.Offered && v.of.Definition == u.Definition && v.of.Endpoint.String() == u.Endpoint.String() && v.of.Endpoint.Auth == u.Endpoint.Auth {
		return v
	}
	fresh := &view{of: *u, proposals: map[string]Proposal{}}
	var tools []*servers.OfferedTool
	if u.Offered != nil {
		tools = u.Offered.Tools
	}
	parts := make([][]byte, len(tools))
	for i, t := range tools {
		parts[i] = []byte(t.Fingerprint)
	}
	list := canon.Digest(parts...)
	all.mu.Lock()
	fresh.scanned = all.scans[list]
	all.mu.Unlock()
	if fresh.scanned == nil {
		fresh.scanned = scanned(tools...)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byServer == nil || len(all.byServer) >= maxViews {
		all.byServer = map[string]*view{}
	}
	if all.scans == nil || len(all.scans) >= maxViews {
		all.scans = map[string]map[string]scan.Report{}
	}
	all.byServer[u.Server], all.scans[list] = fresh, fresh.scanned
	return fresh
}

// scanned scans tools of one server, and returns the reports by fingerprint.
func scanned(tools ...*servers.OfferedTool) map[string]scan.Report {
	raw := make([]json.RawMessage, len(tools))
	for i, t := range tools {
		raw[i] = t.Raw
	}
	out := make(map[string]scan.Report, len(tools))
	for i, report := range new(scan.Scanner).Scan(scan.Server{Tools: raw}) {
		out[tools[i].Fingerprint] = report
	}
	return out
}

// propose returns the proposal for a tool.
func (v *view) propose(t *servers.OfferedTool) Proposal {
	v.mu.Lock()
	p, ok := v.proposals[t.Fingerprint]
	v.mu.Unlock()
	if ok {
		return p
	}
	report, listed := v.scanned[t.Fingerprint]
	if !listed { // it is not, or no longer, in the list
		report = scanned(t)[t.Fingerprint]
	}
	p = Propose(ServerFacts{Endpoint: v.of.Endpoint}, FactsOf(t), report)
	if !listed {
		return p
	}
	v.mu.Lock()
	v.proposals[t.Fingerprint] = p
	v.mu.Unlock()
	return p
}
