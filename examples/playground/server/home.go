package server

import (
	"context"
	"io/fs"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub"
)

// Home is everything that the first page shows, in one answer.
type Home struct {
	Endpoint  string         `json:"endpoint" doc:"Where MCP clients reach the tools."`
	Ready     bool           `json:"ready" doc:"What the home remembers is published again."`
	Live      int            `json:"live" doc:"How many tools clients are offered."`
	Levels    map[string]int `json:"levels" doc:"How many of them there are of each risk level."`
	Servers   map[string]int `json:"servers" doc:"How many connected servers there are in each state."`
	Pending   int            `json:"pending" doc:"How many questions wait for a person."`
	Calls     int            `json:"calls" doc:"How many calls there were since the start."`
	Attention []Attention    `json:"attention"`
	Recent    []RecentCall   `json:"recent"`
	Tour      TourState      `json:"tour"`
	Health    Health         `json:"health"`
}

// Attention is something that a person should look at.
type Attention struct {
	Kind string `json:"kind" enum:"approval,settings,test_failed,stale_pass,server"`
	Text string `json:"text"`
	// Where is the page that deals with it.
	Where string `json:"where"`
}

// Health is how the program itself is.
type Health struct {
	Version    string    `json:"version"`
	Go         string    `json:"go"`
	System     string    `json:"system"`
	Started    time.Time `json:"startedAt"`
	Home       string    `json:"home"`
	StateBytes int64     `json:"stateBytes" doc:"How much the home holds, at most a minute ago."`
}

// Meta is what the page must know of the program that serves it.
type Meta struct {
	Version string `json:"version"`
	// Assets changes when the page does.
	Assets   string   `json:"assets"`
	Epoch    string   `json:"epoch" doc:"Changes when the program is started again."`
	Endpoint string   `json:"endpoint"`
	Auth     string   `json:"auth" enum:"none,token"`
	MCPAuth  bool     `json:"mcpAuth" doc:"Clients at the endpoint need a token."`
	Exposed  bool     `json:"exposed" doc:"Others than this machine can reach it."`
	Features []string `json:"features" doc:"The surfaces that are there."`
}

// features are the surfaces that are built.
func features() []string { return []string{"tools", "servers", "approvals", "settings"} }

// origin is how the server is reached; before it serves, nobody asks.
func (s *Server) origin() string {
	scheme := "http://"
	if s.opts.Secure {
		scheme = "https://"
	}
	if at := s.addr.Load(); at != nil {
		return scheme + *at
	}
	return ""
}

func (s *Server) endpoint() string { return s.origin() + mcphub.Path }

func (s *Server) home(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	h := Home{Endpoint: s.endpoint(), Ready: s.Ready(), Levels: map[string]int{}, Servers: map[string]int{}, Attention: []Attention{}}
	tools, err := s.hub.Tools(ctx)
	if err != nil {
		return err
	}
	h.Live = len(tools)
	for _, tool := range tools {
		h.Levels[tool.Definition().Level.String()]++
	}
	for _, status := range s.conns.Statuses() {
		h.Servers[status.State.String()]++
		if a := serverAttention(&status); a != nil {
			h.Attention = append(h.Attention, *a)
		}
	}
	if h.Pending, err = s.pending(ctx); err != nil {
		return err
	}
	found := s.survey.get(ctx)
	if found.err != nil {
		return found.err
	}
	if h.Tour = found.tour; h.Tour.Steps == nil { // not known yet: it is told when it is
		h.Tour = TourState{Skipped: true, Steps: []TourStep{}}
	}
	h.Attention = append(h.Attention, found.attention...)
	h.Recent, h.Calls = s.activity.recent(10)
	h.Health = Health{Version: s.opts.Version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Started: s.started.UTC(),
		Home: s.local.Home, StateBytes: s.size.of(s.local.Home, s.opts.Now())}
	return httpapi.Reply(w, http.StatusOK, h)
}

// pending counts the questions that wait.
func (s *Server) pending(ctx context.Context) (n int, err error) {
	for _, err := range s.gate.Broker().List(ctx, approval.ListOptions{Status: approval.StatusPending}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func serverAttention(st *mcphub.ServerStatus) *Attention {
	where := "/servers/" + st.ID
	switch st.State {
	case mcphub.StateAwaitingAuthorization:
		return &Attention{"server", st.ID + " waits for your authorization.", where}
	case mcphub.StateMissingConfig:
		return &Attention{"server", st.ID + " needs a value for " + strings.Join(st.Missing, ", ") + ".", where}
	case mcphub.StateError, mcphub.StateCircuitOpen:
		return &Attention{"server", st.ID + " cannot be reached.", where}
	}
	return nil
}

func (s *Server) meta(w http.ResponseWriter, _ *http.Request) error {
	m := Meta{Version: s.opts.Version, Assets: s.assets.Hash(), Epoch: s.events.epoch, Endpoint: s.endpoint(), Auth: "none", MCPAuth: s.opts.MCPToken != "", Features: features()}
	if s.opts.Token != "" {
		m.Auth = "token"
	}
	m.Exposed = !s.onLoopback()
	return httpapi.Reply(w, http.StatusOK, m)
}

// dirSize is how much a directory holds. Walking it costs: it is looked at once a
// minute.
type dirSize struct {
	mu    sync.Mutex
	bytes int64
	at    time.Time
}

func (d *dirSize) of(dir string, now time.Time) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.at.IsZero() && now.Sub(d.at) < time.Minute {
		return d.bytes
	}
	d.bytes, d.at = 0, now
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a file that went away counts nothing
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			d.bytes += info.Size()
		}
		return nil
	})
	return d.bytes
}
