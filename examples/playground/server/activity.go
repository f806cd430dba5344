package server

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// keptCalls is the number of recent calls that the page shows.
const keptCalls = 50

// RecentCall is a tool call as the page shows it, without its arguments and its result.
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
	Because    string         `json:"because,omitempty" doc:"Which grant, policy or decision let it run."`
	DurationMs float64        `json:"durationMs"`
}

// Activity is an event since the start of the program, as the first page shows it.
type Activity struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind" enum:"call,approval,published,withdrawn,test,server"`
	// Title is the name of the tool or the server, and Detail is the result.
	Title  string `json:"title"`
	Detail string `json:"detail"`
	By     string `json:"by,omitempty"`
	OK     bool   `json:"ok"`
	// Where is the page with more details. Optional.
	Where      string  `json:"where,omitempty"`
	DurationMs float64 `json:"durationMs,omitempty"`
	// Trace is the trace with more details, as long as it is stored.
	Trace string `json:"traceId,omitempty" doc:"A name of the trace in which it happened; left out when none is kept."`
}

// activity records the latest calls before they reach the audit log, and other events
// that users want to see.
type activity struct {
	log    audit.Sink
	events *feed
	told   func() // called for each call

	mu    sync.Mutex
	calls []RecentCall // oldest first
	list  []Activity   // oldest first
	total int
}

var _ audit.Sink = (*activity)(nil)

func newActivity(log audit.Sink, events *feed, told func()) *activity {
	return &activity{log: log, events: events, told: told}
}

// Audit implements mcphub.Auditor. A call that cannot be recorded in the audit log is not
// recorded as an activity.
func (a *activity) Audit(ctx context.Context, r *audit.Record) error {
	if err := a.log.Audit(ctx, r); err != nil {
		return err
	}
	call := RecentCall{At: r.Time, Tool: r.Tool.Name, ToolID: r.Tool.ID, Level: r.Tool.Level, By: r.Principal.Subject, Via: r.Principal.Via,
		OK: r.OK, Kind: string(r.Kind), Reason: r.Reason, Because: r.Because, DurationMs: float64(r.Duration) / float64(time.Millisecond)}
	a.mu.Lock()
	if len(a.calls) == keptCalls {
		a.calls = append(a.calls[:0], a.calls[1:]...)
	}
	a.calls = append(a.calls, call)
	a.total++
	a.mu.Unlock()
	one := Activity{At: call.At, Kind: "call", Title: call.Tool, Detail: "ok", By: call.By, OK: call.OK, DurationMs: call.DurationMs, Trace: genai.TraceID(ctx)}
	if !call.OK {
		one.Detail = strings.TrimSpace(call.Kind + " " + call.Reason)
	}
	if call.ToolID != "" {
		one.Where = "/tools/" + url.PathEscape(call.ToolID)
	}
	a.add(one)
	a.told()
	a.events.send("home", "home.call", call)
	return nil
}

// note adds an activity that is not a call, and announces it.
func (a *activity) note(one Activity) {
	a.add(one)
	a.events.send("home", "home.changed", struct{}{})
}

func (a *activity) add(one Activity) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.list) == keptCalls {
		a.list = append(a.list[:0], a.list[1:]...)
	}
	a.list = append(a.list, one)
}

// answered reports whether the answer to an approval request was noted.
func (a *activity) answered(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.list, func(one Activity) bool { return one.Kind == "approval" && one.Trace == id })
}

// latest returns the latest activities, newest first.
func (a *activity) latest(limit int) []Activity {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := []Activity{}
	for i := len(a.list) - 1; i >= 0 && len(out) < limit; i-- {
		out = append(out, a.list[i])
	}
	return out
}

// recent returns the latest calls, newest first, and the total number of calls.
func (a *activity) recent(limit int) ([]RecentCall, int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := []RecentCall{}
	for i := len(a.calls) - 1; i >= 0 && len(out) < limit; i-- {
		out = append(out, a.calls[i])
	}
	return out, a.total
}
