package chat_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// A limit that is negative is refused.
func TestTurnPolicyIsChecked(t *testing.T) {
	for _, p := range []chat.TurnPolicy{{FirstToken: -1}, {MaxCostMicros: -1}, {MaxTokens: -1}} {
		_, err := chat.NewTurn("t", p)
		assert.ErrorIs(t, err, llm.ErrInvalid)
	}
}

// Every message for the model names the tool, and none is empty.
func TestToolMessages(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []llm.Outcome{llm.OutcomeDeclined, llm.OutcomeBudget, llm.OutcomeRepeated, llm.OutcomeLimit, llm.OutcomeWrapUp, llm.OutcomeHardStop, llm.OutcomeCancelled,
		llm.OutcomeInterrupted, llm.OutcomeTimeout, llm.OutcomeUnknownTool, chat.ToolMessageNotLoaded, llm.OutcomeBadArguments, chat.ToolMessageCutOff, llm.OutcomePanic, chat.ToolMessageChanged,
		chat.ToolMessageNotRun, chat.ToolMessageGivenUp, chat.ToolMessageSameError, "another"} {
		for _, note := range []string{"", "a note"} {
			text := chat.English(chat.ToolMessage{Outcome: o, Tool: "launch", Note: note, Count: 3, After: time.Second})
			assert.Contains(t, text, `"launch"`, o)
			seen[text] = true
		}
	}
	for _, o := range []llm.Outcome{chat.ToolMessageTruncated, chat.ToolMessageAnswerNow, chat.ToolMessageContinue, chat.ToolMessageOmitted} {
		assert.NotEmpty(t, chat.English(chat.ToolMessage{Outcome: o, Kept: 1, Total: 2}))
	}
	assert.Greater(t, len(seen), 19)
}

func TestPauseErrorText(t *testing.T) {
	assert.EqualError(t, &chat.PauseError{Pause: &chat.Pause{Requests: map[string]string{"a": "b"}}}, "chat: 1 calls of the turn wait for approval")
}

// A tool loop that is called without a turn bounds neither its rounds nor its calls.
func TestToolLoopWithoutATurn(t *testing.T) {
	ran := 0
	look := textTool("look", "")
	look.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		ran++
		return toolspec.TextResult("seen"), nil
	}
	tool := certified(t, look)
	ran = 0
	steps := make([]chattest.Step, 40)
	for i := range steps {
		steps[i] = chattest.Call("look", `{"same":true}`)
	}
	loop := chat.NewToolLoop(chat.NewModelHandler(chattest.NewModel(append(steps, chattest.Say("done"))...)), managed(t, chat.ToolManagerOptions{}))
	answer, err := chat.Collect(loop.Handle(t.Context(), &chat.Request{Messages: []llm.Message{llm.UserText("q")}, Tools: []toolspec.Tool{tool}}))
	require.NoError(t, err)
	assert.Equal(t, "done", answer.Text())
	assert.Equal(t, len(steps), ran)
}
