package approval

import "context"

// Reissue takes the [Clearance] in ctx, when that is for just this call, and gives
// it anew for the next gate on the way to the tool: for example, a hub is between a
// chat that has asked and a tool that has a gate of its own. It is false when there is
// none for this call; then [Gate.Check] is to be asked.
func (g *Gate) Reissue(ctx context.Context, call Call) (CallOutcome, bool) {
	clearance := clearanceFrom(ctx)
	if clearance == nil {
		return CallOutcome{}, false
	}
	in, err := newInput(call)
	if err != nil || !clearance.take(in.binding(), g.now()) {
		return CallOutcome{}, false
	}
	because := clearance.state.because
	return CallOutcome{Outcome: Approved, Arguments: call.Call.Arguments, Because: because, definition: call.Definition,
		Clearance: newClearance(in.binding(), g.now(), clearFor, because)}, true
}
