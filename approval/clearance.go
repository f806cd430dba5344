package approval

import (
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Clearance is the permission for one call of a tool in its present form, with certain
// arguments, for one principal, conversation and side. Only a [Gate] makes one. It is
// valid once, for a short time, and only as the original value: a copy, and the zero
// value, permit nothing.
//
// Pass it to the call with [WithClearance].
type Clearance struct{ state *clearance }

// binding is the call that a clearance is bound to. All fields must match.
type binding struct {
	tool         string
	fingerprint  string
	level        toolspec.Level
	digest       string // the digest of the canonical arguments
	principal    toolspec.Principal
	conversation string
	side         Side
}

type clearance struct {
	binding
	self *Clearance // the original Clearance; a copy has a different address and is not valid
	used atomic.Bool

	made    time.Time // includes the monotonic reading
	wall    time.Time // the same time by the gate's clock
	expires time.Duration
	because string // why the call may run
	by      string // as CallOutcome.DecidedBy
}

func newClearance(b binding, wall time.Time, expires time.Duration, because, by string) *Clearance {
	c := &Clearance{}
	c.state = &clearance{binding: b, self: c, made: time.Now(), wall: wall, expires: expires, because: because, by: by}
	return c
}

// take uses the clearance up if it is valid for exactly this call. An empty side in want
// matches every side. Of several concurrent calls only one succeeds.
func (c *Clearance) take(want binding, now time.Time) bool {
	if c == nil || c.state == nil || c.state.self != c {
		return false
	}
	s := c.state
	if want.side == "" {
		want.side = s.side
	}
	if s.binding != want {
		return false
	}
	// The clearance expires by either clock. It also expires if the wall clock was set
	// back, because the elapsed time is then unknown.
	wall := now.Sub(s.wall)
	if time.Since(s.made) >= s.expires || wall >= s.expires || wall <= -s.expires {
		return false
	}
	return s.used.CompareAndSwap(false, true)
}
