package approval

// stateReason is the reason why a state was rejected.
type stateReason string

// The reasons.
const (
	stateMissing      stateReason = "missing"   // there is no state
	stateOtherVersion stateReason = "version"   // an unknown format version
	stateForged       stateReason = "forged"    // not created here, modified, or sealed with a removed key
	stateExpired      stateReason = "expired"   // the state has expired
	statePrincipal    stateReason = "principal" // sealed for another principal
	statePlace        stateReason = "place"     // for another conversation or side
	stateTool         stateReason = "tool"      // for another tool
	stateArguments    stateReason = "arguments" // for other arguments
	stateChanged      stateReason = "changed"   // the tool was changed
	stateLevel        stateReason = "level"     // the risk level has risen since then
	stateUsed         stateReason = "used"      // the state was already used
	stateUnknown      stateReason = "unknown"   // the request does not exist
)

// refusedState reports that a state is not valid for a call.
type refusedState struct {
	Reason stateReason
	Err    error // details for the operator; may be nil
}

func refuseState(reason stateReason, err error) *refusedState {
	return &refusedState{Reason: reason, Err: err}
}

// stateTexts describe the reasons in words.
var stateTexts = map[stateReason]string{
	stateMissing: "there is no requestState", stateOtherVersion: "requestState is of an unknown version", stateForged: "requestState was not made here",
	stateExpired: "requestState has expired", statePrincipal: "requestState is of another principal", statePlace: "requestState is of another conversation or side",
	stateTool: "requestState is of another tool", stateArguments: "requestState is of other arguments", stateChanged: "the tool changed since requestState was made",
	stateLevel: "the risk of the tool rose since requestState was made", stateUsed: "requestState was used already", stateUnknown: "the request of requestState is not known here",
}

// Error describes the reason.
func (e *refusedState) Error() string {
	text := "approval: " + stateTexts[e.Reason]
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *refusedState) Unwrap() error { return e.Err }
