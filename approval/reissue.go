package approval

import "context"

// Reissue uses the [Clearance] in ctx, if it is for exactly this call, and issues a new
// one for the next gate before the tool: for example, in a hub between a chat that has
// asked and a tool with its own gate. It returns false if there is no clearance for this
// call; then use [Gate.Check].
func (g *Gate) Reissue(ctx context.Context, call Call) (CallOutcome, bool) {
	clearance := clearanceFrom(ctx)
	if clearance == nil {
		return CallOutcome{}, false
	}
	in, err := newInput(call)
	if err != nil || !clearance.take(in.binding(), g.now()) {
		return CallOutcome{}, false
	}
	because, by := clearance.state.because, clearance.state.by
	return CallOutcome{Outcome: Approved, Arguments: call.Call.Arguments, Because: because, DecidedBy: by, definition: call.Definition,
		Clearance: newClearance(in.binding(), g.now(), clearFor, because, by)}, true
}
