package approval

import (
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Status is where a request stands.
type Status string

// The statuses. A request goes from pending to decided or expired, and one that
// was approved from decided to used, just before its call runs.
const (
	StatusPending Status = "pending"
	StatusDecided Status = "decided"
	StatusExpired Status = "expired"
	StatusUsed    Status = "used"
)

// Record is a request and what became of it: what a [Broker] keeps.
type Record struct {
	Request Request `json:"request"`
	Status  Status  `json:"status"`
	// Outcome is how it ended; empty while it is pending.
	Outcome Outcome `json:"outcome,omitempty"`
	// Decisions are the answers that counted, in order: one, or as many as
	// Request.Needed.
	Decisions []Decision `json:"decisions,omitempty"`
	// Ended is when it was decided or expired, Used when its call was let run.
	Ended time.Time `json:"ended,omitzero"`
	Used  time.Time `json:"used,omitzero"`
	// Rule is the row of the precedence table that asks.
	Rule int `json:"rule,omitempty"`
	// Version changes with each write.
	Version int64 `json:"-"`
}

// Decision is the answer that settled the request, or nil.
func (r *Record) Decision() *Decision {
	if len(r.Decisions) == 0 || r.Status == StatusPending {
		return nil
	}
	d := r.Decisions[len(r.Decisions)-1]
	return &d
}

// ListOptions select what [Broker.List] yields. The zero value selects all.
type ListOptions struct {
	Status Status
	Side   Side
	// Level selects one level; LevelUnknown, the zero value, selects any.
	Level     toolspec.Level
	Principal *toolspec.Principal
	Batch     string
	// After skips requests up to and including this id, in the order of the
	// listing.
	After string
	// Limit ends the listing after so many; 0 is no limit.
	Limit int
	// Reverse lists the newest first.
	Reverse bool
}
