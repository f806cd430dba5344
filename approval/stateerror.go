package approval

// stateReason says why a state was refused.
type stateReason string

// The reasons.
const (
	stateMissing      stateReason = "missing"   // there is none
	stateOtherVersion stateReason = "version"   // of a version that is not known here
	stateForged       stateReason = "forged"    // not made here, changed, or of a key that is gone
	stateExpired      stateReason = "expired"   // too late
	statePrincipal    stateReason = "principal" // another principal was asked
	statePlace        stateReason = "place"     // of another conversation or side
	stateTool         stateReason = "tool"      // of another tool
	stateArguments    stateReason = "arguments" // of other arguments
	stateChanged      stateReason = "changed"   // the tool is not what it was
	stateLevel        stateReason = "level"     // the risk rose meanwhile
	stateUsed         stateReason = "used"      // not for the first time
	stateUnknown      stateReason = "unknown"   // there is no such request
)

// refusedState says that a state is not good for a call.
type refusedState struct {
	Reason stateReason
	Err    error // more, for the operator; may be nil
}

func refuseState(reason stateReason, err error) *refusedState {
	return &refusedState{Reason: reason, Err: err}
}

// stateTexts say it in words.
var stateTexts = map[stateReason]string{
	stateMissing: "there is no requestState", stateOtherVersion: "requestState is of an unknown version", stateForged: "requestState was not made here",
	stateExpired: "requestState has expired", statePrincipal: "requestState is of another principal", statePlace: "requestState is of another conversation or side",
	stateTool: "requestState is of another tool", stateArguments: "requestState is of other arguments", stateChanged: "the tool changed since requestState was made",
	stateLevel: "the risk of the tool rose since requestState was made", stateUsed: "requestState was used already", stateUnknown: "the request of requestState is not known here",
}

// Error names the reason.
func (e *refusedState) Error() string {
	text := "approval: " + stateTexts[e.Reason]
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *refusedState) Unwrap() error { return e.Err }
