package conversation

import (
	"fmt"

	"github.com/localpass/localpass/chat/llm"
)

// ConversationStatus is the state of a conversation.
type ConversationStatus string

// The states. From any but STREAMING and PAUSED a turn can start.
const (
	StatusCreated    ConversationStatus = "CREATED"
	StatusStreaming  ConversationStatus = "STREAMING"
	StatusPaused     ConversationStatus = "PAUSED" // a decision is waited for
	StatusCompleted  ConversationStatus = "COMPLETED"
	StatusIncomplete ConversationStatus = "INCOMPLETE" // stopped, cut off, or out of rounds
	StatusFailed     ConversationStatus = "FAILED"
)

// MayBecome reports whether a conversation may go from one state to another.
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

// The ends. A paused turn can be resumed; the others are over.
const (
	EndCompleted  TurnStatus = "completed"
	EndIncomplete TurnStatus = "incomplete"
	EndFailed     TurnStatus = "failed"
	EndPaused     TurnStatus = "paused"
	EndCancelled  TurnStatus = "cancelled"
)

// Conversation is the state that the end of a turn leaves its conversation in.
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

// Terminal reports whether the state is the last one.
func (s ToolCallStatus) Terminal() bool {
	switch s {
	case CallCompleted, CallFailed, CallDeclined, CallSkipped, CallCancelled:
		return true
	}
	return false
}

// MayBecome reports whether a call may go from one state to another.
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

// Backend is the state as clients of the seven-event protocol know it, with the
// text that goes into their member error.
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

// OutcomeStatus is the state that an outcome leaves a call in; isError says whether its
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

// moveError says that a state cannot follow another.
func moveError(what, from, to string) error {
	return fmt.Errorf("conversation: %s cannot go from %q to %q: %w", what, from, to, llm.ErrInvalid)
}
