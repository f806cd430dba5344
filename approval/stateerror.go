package approval

// StateReason says why a state was refused.
type StateReason string

// The reasons.
const (
	StateMissing   StateReason = "missing"   // there is none
	StateVersion   StateReason = "version"   // of a version that is not known here
	StateForged    StateReason = "forged"    // not made here, changed, or of a key that is gone
	StateExpired   StateReason = "expired"   // too late
	StatePrincipal StateReason = "principal" // another principal was asked
	StatePlace     StateReason = "place"     // of another conversation or side
	StateTool      StateReason = "tool"      // of another tool
	StateArguments StateReason = "arguments" // of other arguments
	StateChanged   StateReason = "changed"   // the tool is not what it was
	StateLevel     StateReason = "level"     // the risk rose meanwhile
	StateUsed      StateReason = "used"      // not for the first time
	StateUnknown   StateReason = "unknown"   // there is no such request
)

// StateError says that a state is not good for a call.
type StateError struct {
	Reason StateReason
	Err    error // more, for the operator; may be nil
}

func stateError(reason StateReason, err error) *StateError {
	return &StateError{Reason: reason, Err: err}
}

// stateTexts say it in words.
var stateTexts = map[StateReason]string{
	StateMissing: "there is no requestState", StateVersion: "requestState is of an unknown version", StateForged: "requestState was not made here",
	StateExpired: "requestState has expired", StatePrincipal: "requestState is of another principal", StatePlace: "requestState is of another conversation or side",
	StateTool: "requestState is of another tool", StateArguments: "requestState is of other arguments", StateChanged: "the tool changed since requestState was made",
	StateLevel: "the risk of the tool rose since requestState was made", StateUsed: "requestState was used already", StateUnknown: "the request of requestState is not known here",
}

// Error names the reason.
func (e *StateError) Error() string {
	text := "approval: " + stateTexts[e.Reason]
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *StateError) Unwrap() error { return e.Err }
