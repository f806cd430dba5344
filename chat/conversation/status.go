package conversation

import (
	"fmt"

	"github.com/localpass/localpass/chat/llm"
)

// ConversationStatus is the state of a conversation.
type ConversationStatus string

// The states. A turn can start in any state except STREAMING and PAUSED.
const (
	StatusCreated    ConversationStatus = "CREATED"
	StatusStreaming  ConversationStatus = "STREAMING"
	StatusPaused     ConversationStatus = "PAUSED" // the turn waits for a decision
	StatusCompleted  ConversationStatus = "COMPLETED"
	StatusIncomplete ConversationStatus = "INCOMPLETE" // the turn was stopped, interrupted, or out of rounds
	StatusFailed     ConversationStatus = "FAILED"
)

// MayBecome reports whether a conversation may change from state s to next.
func (s ConversationStatus) MayBecome(next ConversationStatus) bool {
	switch s {
	case "":
		return next == StatusCreated
	case StatusCreated, StatusCompleted, StatusIncomplete, StatusFailed:
		return next == StatusStreaming
	case StatusStreaming:
		return next == StatusCompleted || next == StatusIncomplete || next == StatusFailed || next == StatusPaused
	case StatusPaused:
		return next == StatusStreaming || next == StatusIncomplete
	}
	return false
}

// TurnStatus is how a turn ended.
type TurnStatus string

// The values. A paused turn can be resumed; all others have ended.
const (
	EndCompleted  TurnStatus = "completed"
	EndIncomplete TurnStatus = "incomplete"
	EndFailed     TurnStatus = "failed"
	EndPaused     TurnStatus = "paused"
	EndCancelled  TurnStatus = "cancelled"
)

// Conversation returns the state of the conversation after a turn has ended like this.
func (s TurnStatus) Conversation() ConversationStatus {
	switch s {
	case EndCompleted:
		return StatusCompleted
	case EndFailed:
		return StatusFailed
	case EndPaused:
		return StatusPaused
	}
	return StatusIncomplete
}

// MessageStatus is the state of a stored message.
type MessageStatus string

// The states. All but draft are final.
const (
	MessageDraft   MessageStatus = "draft"
	MessageFinal   MessageStatus = "final"
	MessagePartial MessageStatus = "partial"
	MessageError   MessageStatus = "error"
)

// ToolCallStatus is the state of a call.
type ToolCallStatus string

// The states. The last five are terminal.
const (
	CallProposed   ToolCallStatus = "PROPOSED" // its arguments are still being written
	CallAwaiting   ToolCallStatus = "AWAITING_APPROVAL"
	CallInProgress ToolCallStatus = "IN_PROGRESS"
	CallCompleted  ToolCallStatus = "COMPLETED"
	CallFailed     ToolCallStatus = "FAILED"
	CallDeclined   ToolCallStatus = "DECLINED"
	CallSkipped    ToolCallStatus = "SKIPPED" // a guard answered instead
	CallCancelled  ToolCallStatus = "CANCELLED"
)

// Terminal reports whether the state is final.
func (s ToolCallStatus) Terminal() bool {
	switch s {
	case CallCompleted, CallFailed, CallDeclined, CallSkipped, CallCancelled:
		return true
	}
	return false
}

// MayBecome reports whether a call may change from state s to next.
func (s ToolCallStatus) MayBecome(next ToolCallStatus) bool {
	switch s {
	case "":
		return next != ""
	case CallProposed:
		return next != "" && next != CallProposed
	case CallAwaiting:
		return next == CallInProgress || next == CallDeclined || next == CallCancelled || next == CallFailed
	case CallInProgress:
		return next == CallCompleted || next == CallFailed || next == CallDeclined || next == CallCancelled
	}
	return false
}

// Backend returns the state for clients of the seven-event protocol, with the text for
// their member "error".
func (s ToolCallStatus) Backend(reason string) (status, failure string) {
	switch s {
	case CallProposed, CallAwaiting, CallInProgress:
		return string(CallInProgress), ""
	case CallCompleted:
		return string(CallCompleted), ""
	case CallDeclined:
		return string(CallFailed), "declined"
	case CallCancelled:
		return string(CallFailed), "cancelled"
	}
	return string(CallFailed), reason
}

// OutcomeStatus returns the state of a call after an outcome; isError says whether its
// result is an error.
func OutcomeStatus(o llm.Outcome, isError bool) ToolCallStatus {
	switch o {
	case llm.OutcomeDeclined:
		return CallDeclined
	case llm.OutcomeCancelled:
		return CallCancelled
	case llm.OutcomeRepeated, llm.OutcomeLimit, llm.OutcomeWrapUp, llm.OutcomeHardStop, llm.OutcomeBudget:
		return CallSkipped
	case llm.OutcomeExecuted:
		if !isError {
			return CallCompleted
		}
	}
	return CallFailed
}

// moveError returns the error for an invalid change of state.
func moveError(what, from, to string) error {
	return fmt.Errorf("conversation: %s cannot go from %q to %q: %w", what, from, to, llm.ErrInvalid)
}
