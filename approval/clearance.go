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

// binding is what a clearance is bound to. Each field must be the same.
type binding struct {
	tool         string
	fingerprint  string
	level        toolspec.Level
	digest       string // of the canonical arguments
	principal    toolspec.Principal
	conversation string
	side         Side
}

type clearance struct {
	binding
	self *Clearance // who it was made as: a copy is another
	used atomic.Bool

	made    time.Time // with its monotonic reading
	wall    time.Time // by the gate's clock
	expires time.Duration
	because string // what let the call run
}

func newClearance(b binding, wall time.Time, expires time.Duration, because string) *Clearance {
	c := &Clearance{}
	c.state = &clearance{binding: b, self: c, made: time.Now(), wall: wall, expires: expires, because: because}
	return c
}

// take uses the clearance up when it is for just this call. The side of want is empty
// when it is not known where the call comes from. Of several calls at once one gets it.
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
	// Either clock ends it. One that was set back ends it too: how much time has passed
	// is then unknown.
	wall := now.Sub(s.wall)
	if time.Since(s.made) >= s.expires || wall >= s.expires || wall <= -s.expires {
		return false
	}
	return s.used.CompareAndSwap(false, true)
}
