package approval

import (
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// defaultPerMinute is how many questions a minute one principal may cause.
const defaultPerMinute = 30

// Options are the options of [NewGate].
type Options struct {
	// Store keeps policies, grants and requests. Gates over one store, in this program
	// or in others, share them.
	Store localpass.Persistence
	// Keep is how many requests that have ended are kept; default 1,000. KeepFor
	// is how long; default 7 days.
	Keep    int
	KeepFor time.Duration
	// Fixed are policies that cannot be changed, such as those of [LoadPolicyFile]. They
	// count like stored ones, and where several cover a call the most restrictive
	// counts.
	Fixed []Policy
	// Origin says what a server is now: an ALWAYS_ALLOW and a grant belong to one
	// server. nil: they count for any server that has the id.
	Origin Origin
	// Approvers are asked, all at once: the first valid decision counts. With none,
	// every call that would be asked about is refused. Decisions that come only through the
	// broker need an [Inbox] here.
	Approvers []Approver
	// Audit records every approval request, decision and use before it takes effect. It
	// may be nil only with NoAudit.
	Audit Auditor
	// NoAudit says that no record is wanted. It is for tests and for programs
	// that record elsewhere: without it there is no evidence later of who approved.
	NoAudit bool
	// Refuse says why a call must never run, whatever the decision; empty: nothing is
	// wrong with it. The model gets the reason. nil refuses none; a panic
	// refuses.
	Refuse func(Call) (reason string)
	// Timeout is how long a person has; default 2 minutes. TimeoutFor gives
	// another time for a level; 0 is Timeout. The deadline of the call's context
	// ends it earlier.
	Timeout    time.Duration
	TimeoutFor func(toolspec.Level) time.Duration
	// MoreTime is how much longer a question stays open when a person asks for it,
	// once; default 5 minutes, negative is not at all. The deadline of the call's
	// context allows less.
	MoreTime time.Duration
	// FourEyes wants two different people for a tool of level L5.
	FourEyes bool
	// PerMinute is how many questions a minute one principal may cause; default
	// 30. Further ones are declined without asking, and the model is informed: a person who
	// is asked too often no longer reads the questions.
	PerMinute int
	// Redactor masks secrets in what is shown. nil masks nothing.
	Redactor *secret.Redactor
	// OnPending is called for each question that is written down and pending,
	// OnOutcome for each that ended while the gate waited for it. They must not block.
	OnPending func(Request)
	OnOutcome func(Record)
	// Clock replaces time.Now for the times in records and their expiry. How long a
	// question waits is measured by the monotonic clock; where the two disagree by
	// more than the time that a person has, the call is refused.
	Clock func() time.Time
	// Telemetry receives counters, log lines and span events. nil is off.
	Telemetry *genai.Telemetry
}

// timeout is how long a person has for a tool of a level.
func (o *Options) timeout(level toolspec.Level) time.Duration {
	if o.TimeoutFor != nil {
		if d := o.TimeoutFor(level); d > 0 {
			return d
		}
	}
	return o.Timeout
}
