package server

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
)

// keptCalls is how many calls the page shows as recent.
const keptCalls = 50

// RecentCall is a call of a tool, as the page shows it: neither what it was
// called with nor what it returned.
type RecentCall struct {
	At         time.Time      `json:"at"`
	Tool       string         `json:"tool"`
	ToolID     string         `json:"toolId,omitempty"`
	Level      toolspec.Level `json:"level"`
	By         string         `json:"by"`
	Via        string         `json:"via,omitempty"`
	OK         bool           `json:"ok"`
	Kind       string         `json:"kind,omitempty" doc:"The kind of failure, such as SECURITY."`
	Reason     string         `json:"reason,omitempty"`
	DurationMs float64        `json:"durationMs"`
}

// activity remembers the latest calls on their way to the audit log.
type activity struct {
	log    mcphub.Auditor
	events *feed
	told   func() // of each call

	mu    sync.Mutex
	calls []RecentCall // oldest first
	total int
}

var _ mcphub.Auditor = (*activity)(nil)

func newActivity(log mcphub.Auditor, events *feed, told func()) *activity {
	return &activity{log: log, events: events, told: told}
}

// Audit implements mcphub.Auditor. What cannot be recorded is no activity.
func (a *activity) Audit(ctx context.Context, r *mcphub.AuditRecord) error {
	if err := a.log.Audit(ctx, r); err != nil {
		return err
	}
	call := RecentCall{At: r.Time, Tool: r.Tool.Name, ToolID: r.Tool.ID, Level: r.Tool.Level, By: r.Principal.Subject, Via: r.Principal.Via,
		OK: r.OK, Kind: string(r.Kind), Reason: r.Reason, DurationMs: float64(r.Duration) / float64(time.Millisecond)}
	a.mu.Lock()
	if len(a.calls) == keptCalls {
		a.calls = append(a.calls[:0], a.calls[1:]...)
	}
	a.calls = append(a.calls, call)
	a.total++
	a.mu.Unlock()
	a.told()
	a.events.send("home", "home.call", call)
	return nil
}

// recent gives the latest calls, the newest first, and how many there were.
func (a *activity) recent(limit int) ([]RecentCall, int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := []RecentCall{}
	for i := len(a.calls) - 1; i >= 0 && len(out) < limit; i-- {
		out = append(out, a.calls[i])
	}
	return out, a.total
}
