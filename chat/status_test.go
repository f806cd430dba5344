package chat_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
)

// The states of 8.1 and 8.3: what may follow what.
func TestStates(t *testing.T) {
	states := []chat.ToolCallStatus{"", chat.CallProposed, chat.CallAwaiting, chat.CallInProgress, chat.CallCompleted, chat.CallFailed, chat.CallDeclined, chat.CallSkipped, chat.CallCancelled}
	allowed := map[chat.ToolCallStatus]int{"": 8, chat.CallProposed: 7, chat.CallAwaiting: 4, chat.CallInProgress: 4}
	for _, from := range states {
		n := 0
		for _, to := range states {
			call := chat.StoredToolCall{ItemID: "c", Status: from}
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
	for status, want := range map[chat.ToolCallStatus][2]string{
		chat.CallProposed: {"IN_PROGRESS", ""}, chat.CallCompleted: {"COMPLETED", ""}, chat.CallDeclined: {"FAILED", "declined"},
		chat.CallCancelled: {"FAILED", "cancelled"}, chat.CallSkipped: {"FAILED", "why"}, chat.CallFailed: {"FAILED", "why"},
	} {
		s, failure := status.Backend("why")
		assert.Equal(t, want, [2]string{s, failure})
	}
	conversations := []chat.ConversationStatus{"", chat.StatusCreated, chat.StatusStreaming, chat.StatusPaused, chat.StatusCompleted, chat.StatusIncomplete, chat.StatusFailed}
	want := map[chat.ConversationStatus]int{"": 1, chat.StatusCreated: 1, chat.StatusStreaming: 4, chat.StatusPaused: 2, chat.StatusCompleted: 1, chat.StatusIncomplete: 1, chat.StatusFailed: 1}
	for _, from := range conversations {
		n := 0
		for _, to := range conversations {
			c := chat.Conversation{Status: from}
			if err := c.Move(to); from != to && err == nil {
				n++
			}
		}
		assert.Equal(t, want[from], n, from)
	}
	assert.Equal(t, "verdict 9", chat.Verdict(9).String())
	assert.Equal(t, "wrap-up", chat.VerdictWrapUp.String())
	assert.Equal(t, "hard-stop", chat.VerdictHardStop.String())
	assert.Equal(t, "cancelled", chat.VerdictCancelled.String())
	assert.Equal(t, "continue", chat.VerdictContinue.String())
}
