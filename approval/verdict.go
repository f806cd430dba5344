package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/localpass/localpass/observe/genai"
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
	// Edited says that a person changed the arguments: see [Verdict.Annotate].
	Edited bool
	// Clearance goes into the context of the call: [WithClearance]. nil unless
	// the call may run.
	Clearance *Clearance
	// Request is the question, when there was one.
	Request *Request
	// Decision is its answer, when there was one.
	Decision *Decision
	// Grant is the id of the grant that answered instead of a person, or that a
	// person gave with this answer.
	Grant string
	// Because says which grant, policy or decision lets the call run, for people and
	// for records. Empty unless the call may run.
	Because string
	// Message is what the model is told when a call must not run.
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

// Annotate tells the model, at the end of the result of a call that ran, that a
// person changed its arguments. It does nothing for others.
func (v *Verdict) Annotate(result *toolspec.Result) {
	if v.Edited && result != nil {
		result.Content = append(result.Content, toolspec.Text(fmt.Sprintf(sayEdited, v.Arguments)))
	}
}

// word is the outcome in the metric and in the names of log lines.
func (v *Verdict) word(side Side) string {
	switch {
	case v.Outcome == Approved:
		return "approved"
	case v.Reason == ReasonTooMany, v.Outcome == Unavailable, v.Outcome == PolicyDenied:
		return "denied"
	case v.Reason == toolspec.ReasonApprovalDenied:
		return "declined"
	case side == SideServer:
		return "elicit-failed"
	}
	return "ask-failed"
}

// tell counts and logs a verdict for which a person was asked, or which refuses.
func (g *Gate) tell(ctx context.Context, in *input, v *Verdict) {
	t := g.opts.Telemetry
	side, word, id := in.call.Side, v.word(in.call.Side), ""
	if v.Request != nil {
		id = v.Request.ID
	}
	t.Approval(ctx, genai.Approval{Tool: in.call.Definition.Name, Side: string(side), Outcome: word, Request: id})
	name, level := "hitl.", slog.LevelInfo
	if side == SideServer {
		name += "server."
	}
	attrs := []slog.Attr{slog.String("tool", in.call.Definition.Name), slog.String("side", string(side)),
		slog.String("outcome", string(v.Outcome)), slog.Int("rule", v.Rule), slog.String("level", in.call.Definition.Level.String())}
	if in.call.Server != "" {
		attrs = append(attrs, slog.String("server", in.call.Server))
	}
	if id != "" {
		attrs = append(attrs, slog.String("request", id))
	}
	if d := v.Decision; d != nil {
		attrs = append(attrs, slog.String("by", d.By.String()), slog.String("via", d.Via))
	}
	if v.Cause != nil {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("error", v.Cause.Error()))
	}
	t.Log().LogAttrs(ctx, level, name+word, attrs...)
}
