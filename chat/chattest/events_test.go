package chattest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// good returns the events of a turn with reasoning, text, a call and an answer.
func good(t *testing.T) []chat.Event {
	t.Helper()
	look, err := toolspec.Func("look", "Looks.", func(context.Context, struct{}) (string, error) { return "seen", nil }, nil)
	require.NoError(t, err)
	m := chattest.NewModel(chattest.Steps(chattest.Think("hm"), chattest.Text("Wait."), chattest.Call("look", "{}")), chattest.Say("Done."))
	c, err := chat.NewClient(m, &chat.ClientOptions{Tools: toolspec.Tools(look), Uncertified: []string{"look"}})
	require.NoError(t, err)
	var events []chat.Event
	for ev, err := range c.Stream(t.Context(), "", llm.UserText("q"), nil) {
		require.NoError(t, err)
		events = append(events, ev)
	}
	return events
}

// number sets the headers of events to those of one turn.
func number(events []chat.Event) []chat.Event {
	for i, e := range events {
		*e.Header() = chat.EventHeader{Seq: int64(i + 1), Time: time.Unix(1, 0), Turn: "t", Round: e.Header().Round}
	}
	return events
}

// The checker accepts a correct turn, and refuses it if an event that determines the
// order is missing or moved.
func TestCheckEvents(t *testing.T) {
	events := good(t)
	require.NoError(t, chattest.CheckEvents(events))
	for i, e := range events {
		switch e := e.(type) {
		case *chat.ConversationChanged, *chat.UsageReported, *chat.ToolCallArguments, *chat.ContextBudget:
			continue // optional or repeatable
		case *chat.ToolCallUpdate:
			if !e.Status.Terminal() {
				continue
			}
		case *chat.TextDelta, *chat.ReasoningDelta, *chat.MessageCompleted:
			continue // checked below
		}
		assert.Error(t, chattest.CheckEvents(number(slices.Delete(good(t), i, i+1))), "without number %d, %s", i+1, e.Type())
	}
	for i := range len(events) - 1 {
		swapped := good(t)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		assert.Error(t, chattest.CheckEvents(swapped), "numbers out of order at %d", i+1)
	}
	assert.Error(t, chattest.CheckEvents(number(append(good(t), &chat.TextDelta{Text: "more"}))), "after the end")
	changed := good(t)
	for _, e := range changed {
		if done, ok := e.(*chat.MessageCompleted); ok {
			done.Content += "!"
		}
	}
	assert.Error(t, chattest.CheckEvents(changed), "a message that says something else than its deltas")
	assert.Error(t, chattest.CheckEvents(nil))
}
