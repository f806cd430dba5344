package approval

import (
	"fmt"
	"github.com/localpass/localpass/internal/clip"

	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
)

// Reasons of the [toolspec.CallError] of a refused call, in addition to
// [toolspec.ReasonApprovalDenied] and [toolspec.ReasonApprovalUnavailable]. They are
// stable.
const (
	ReasonTimeout   = "approval-timeout"  // no decision in time
	ReasonPolicy    = "policy-denied"     // refused without a request
	ReasonFailed    = "approval-failed"   // asking failed, or the decision could not be stored
	ReasonMismatch  = "approval-mismatch" // the approval is not for this call, or was already used
	ReasonTooMany   = "approval-too-many" // too many requests per minute
	ReasonPending   = "approval-pending"  // not decided yet
	reasonCancelled = "cancelled"         // the caller is gone
)

// The texts for the model. They tell it not to try again if a retry would only ask the
// same question again.
const (
	sayDeclined = `The user did not approve %q. It was not run. Do not request it again for this task. If a different available tool can do the job, ` +
		`use it; otherwise tell the user that the step was skipped because approval was refused.`
	sayTimedOut = `Nobody answered in time whether %q may run. It was not run. Do not request it again for this task. If a different available tool can ` +
		`do the job, use it; otherwise tell the user that the step was skipped because nobody approved it in time.`
	sayUnavailable = `%q runs only after a person approved the call, and no person can be asked here. It was not run. Do not request it again for this ` +
		`task. If a different available tool can do the job, use it; otherwise tell the user that it can be run where somebody can approve it.`
	sayPolicy = `A policy does not allow this call of %q. It was not run. Do not request it again in the same way. If a different available tool can do ` +
		`the job, use it; otherwise tell the user that the step was skipped because a policy refuses it.`
	sayFailed = `Whether %q may run could not be found out. It was not run. Do not request it again for this task. If a different available tool can do ` +
		`the job, use it; otherwise tell the user that the step was skipped because its approval failed.`
	sayMismatch = `The approval that came with this call of %q is not for it, or was used already. It was not run.`
	sayTooMany  = `Too many calls asked for approval within a minute, so %q was declined without asking anybody. It was not run. Go on with fewer calls, ` +
		`or tell the user what is left to do.`
	sayPending   = `%q waits until a person has approved it. It was not run yet.`
	sayCancelled = `The call of %q ended before anybody approved it. It was not run.`
	sayArguments = `The arguments of %q are not a JSON object that means one thing. It was not run. Call it again with correct arguments.`
	sayEdited    = `A person changed the arguments of this call before allowing it. It ran with: %s`
)

// deny returns the outcome of a call that must not run.
func (in *input) deny(outcome Outcome, rule int) CallOutcome {
	out := CallOutcome{Outcome: outcome, Rule: rule, definition: in.call.Definition}
	format := sayFailed
	out.Reason = ReasonFailed
	switch outcome {
	case Declined, Cancelled:
		format, out.Reason = sayDeclined, toolspec.ReasonApprovalDenied
	case TimedOut:
		format, out.Reason = sayTimedOut, ReasonTimeout
	case Unavailable:
		format, out.Reason = sayUnavailable, toolspec.ReasonApprovalUnavailable
	case PolicyDenied:
		format, out.Reason = sayPolicy, ReasonPolicy
	case Pending:
		format, out.Reason = sayPending, ReasonPending
	}
	return out.says(format, in)
}

// says replaces the outcome's default text for the model.
func (out CallOutcome) says(format string, in *input) CallOutcome {
	name := in.call.Definition.Name
	if in.call.Alias != "" {
		name = in.call.Alias // the name that the model knows
	}
	out.Message = fmt.Sprintf(format, name)
	return out
}

// because adds a person's reason.
func (out CallOutcome) because(reason string) CallOutcome {
	if reason != "" {
		out.Message += " Reason given: " + clip.To(termtext.EscapeLines(reason), maxAbout)
	}
	return out
}

// failed returns the outcome of a call that could not be decided because of an error.
func (in *input) failed(rule int, cause error) CallOutcome {
	out := in.deny(Failed, rule)
	out.Cause = cause
	return out
}

// mismatch returns the outcome of a call that does not match its approval.
func (in *input) mismatch(rule int, cause error) CallOutcome {
	out := in.deny(Failed, rule).says(sayMismatch, in)
	out.Reason, out.Cause = ReasonMismatch, cause
	return out
}

// gone returns the outcome of a call whose caller no longer waits.
func (in *input) gone(rule int, cause error) CallOutcome {
	out := in.deny(Cancelled, rule).says(sayCancelled, in)
	out.Reason, out.Cause = reasonCancelled, cause
	return out
}
