package conversation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// The allowed transitions of conversations and of calls.
func TestStates(t *testing.T) {
	states := []conversation.ToolCallStatus{"", conversation.CallProposed, conversation.CallAwaiting, conversation.CallInProgress, conversation.CallCompleted, conversation.CallFailed, conversation.CallDeclined, conversation.CallSkipped, conversation.CallCancelled}
	allowed := map[conversation.ToolCallStatus]int{"": 8, conversation.CallProposed: 7, conversation.CallAwaiting: 4, conversation.CallInProgress: 4}
	for _, from := range states {
		n := 0
		for _, to := range states {
			call := conversation.StoredToolCall{ItemID: "c", Status: from}
			err := call.Move(to, time.Unix(1, 0))
			switch {
			case from == to:
				assert.NoError(t, err)
			case from.MayBecome(to):
				n++
				assert.NoError(t, err)
				assert.Equal(t, to, call.Status)
			default:
				assert.ErrorIs(t, err, llm.ErrInvalid)
			}
		}
		assert.Equal(t, allowed[from], n, from)
		assert.Equal(t, n == 0, from.Terminal())
	}
	for status, want := range map[conversation.ToolCallStatus][2]string{
		conversation.CallProposed: {"IN_PROGRESS", ""}, conversation.CallCompleted: {"COMPLETED", ""}, conversation.CallDeclined: {"FAILED", "declined"},
		conversation.CallCancelled: {"FAILED", "cancelled"}, conversation.CallSkipped: {"FAILED", "why"}, conversation.CallFailed: {"FAILED", "why"},
	} {
		s, failure := status.Backend("why")
		assert.Equal(t, want, [2]string{s, failure})
	}
	conversations := []conversation.ConversationStatus{"", conversation.StatusCreated, conversation.StatusStreaming, conversation.StatusPaused, conversation.StatusCompleted, conversation.StatusIncomplete, conversation.StatusFailed}
	want := map[conversation.ConversationStatus]int{"": 1, conversation.StatusCreated: 1, conversation.StatusStreaming: 4, conversation.StatusPaused: 2, conversation.StatusCompleted: 1, conversation.StatusIncomplete: 1, conversation.StatusFailed: 1}
	for _, from := range conversations {
		n := 0
		for _, to := range conversations {
			c := conversation.Conversation{Status: from}
			if err := c.Move(to); from != to && err == nil {
				n++
			}
		}
		assert.Equal(t, want[from], n, from)
	}
}
