package chat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// me are the options of a turn of [turntest.User].
var me = &chat.TurnOptions{Principal: turntest.User}

// ended returns the last event of the newest turn of conversation c_1 and its record. It
// checks that both agree.
func ended(t *testing.T, store conversation.Store, events []chat.Event) (*chat.TurnFinished, *conversation.TurnRecord) {
	t.Helper()
	require.NotEmpty(t, events)
	end, ok := events[len(events)-1].(*chat.TurnFinished)
	require.True(t, ok)
	conv, err := store.Get(context.Background(), "c_1")
	require.NoError(t, err)
	assert.Equal(t, end.Status.Conversation(), conv.Status)
	assert.Nil(t, conv.Running)
	turn, err := store.Turn(context.Background(), "c_1", conv.Turns)
	require.NoError(t, err)
	assert.Equal(t, end.Status, turn.Status)
	assert.Equal(t, end.Seq, turn.Events)
	turntest.History(t, store, "c_1")
	return end, turn
}

// certified returns a tool with a pass.
func certified(t *testing.T, tool toolspec.Tool) *studio.Passed {
	t.Helper()
	passed, err := studio.Certify(t.Context(), tool, []toolspec.Case{{Args: json.RawMessage(`{}`), Want: json.RawMessage(`"seen"`)}}, nil)
	require.NoError(t, err)
	return passed
}

func generate(m llm.Model, messages ...llm.Message) chat.Stream {
	return chat.NewModelHandler(m).Handle(context.Background(), &chat.Request{Messages: messages})
}

func texts(messages []llm.Message) string {
	var out []string
	for _, m := range messages {
		text := m.Text()
		if len(m.ToolCalls()) > 0 {
			text = "CALL"
		}
		if m.Role == llm.RoleTool {
			text = "RESULT"
		}
		if strings.HasPrefix(text, "[earlier") {
			text = "NOTE"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}
