package approval

import (
	"encoding/json"

	"github.com/localpass/localpass/toolspec"
)

// Verdict is what a [Gate] says of one call.
type Verdict struct {
	// Outcome is [Approved] for a call that may run now, [Pending] for one that
	// waits for a person (see [Gate.Await] and [Gate.Resume]), and otherwise why
	// it must not run.
	Outcome Outcome
	// Rule is the row of the precedence table that decided, from 1; 0 when the
	// gate failed before it came so far.
	Rule int
	// Arguments run: those of the call, or the canonical form of what a person was
	// shown, or of what that person made of it. nil unless the call may run.
	Arguments json.RawMessage
	// Edited says that a person changed the arguments; the model should be told.
	Edited bool
	// Clearance goes into the context of the call: [WithClearance]. nil unless
	// the call may run.
	Clearance *Clearance
	// Request is the question, when there was one.
	Request *Request
	// Decision is its answer, when there was one.
	Decision *Decision
	// Grant is the id of the grant that answered instead of a person.
	Grant string
	// Message is what the model is told of a call that must not run.
	Message string
	// Reason is the stable reason of [Verdict.Err].
	Reason string
	// Cause is why the gate failed, for the operator. Never for the model.
	Cause error

	definition toolspec.Definition
}

// Allowed reports whether the call may run now.
func (v *Verdict) Allowed() bool { return v.Outcome == Approved && v.Clearance != nil }

// Err is nil for a call that may run, and otherwise the failure that the caller
// is told, of kind SECURITY (INVALID_INPUT for arguments that are no JSON
// object, CANCELLED when the call went away).
func (v *Verdict) Err() *toolspec.CallError {
	if v.Allowed() {
		return nil
	}
	kind := toolspec.KindSecurity
	switch v.Reason {
	case toolspec.ReasonArguments:
		kind = toolspec.KindInvalidInput
	case reasonCancelled:
		kind = toolspec.KindCancelled
	}
	def := v.definition
	return &toolspec.CallError{Definition: &def, Kind: kind, Reason: v.Reason, Component: "approval", Message: v.Message, Err: v.Cause}
}

const reasonCancelled = "cancelled"
