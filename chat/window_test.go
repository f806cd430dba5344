package chat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// dialog returns a history of n turns with one tool round each.
func dialog(n int) []llm.Message {
	all := []llm.Message{llm.SystemText("system")}
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		call := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: id, Name: "look", Arguments: json.RawMessage(`{}`)}}}
		all = append(all, llm.UserText(fmt.Sprintf("q%d", i)), call,
			llm.ToolResults(llm.ToolResult{CallID: id, Name: "look", Content: []toolspec.Content{toolspec.Text(strings.Repeat("found ", 100))}}),
			llm.AssistantText(fmt.Sprintf("a%d", i)))
	}
	return all
}

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		name   string
		window chat.Window
		turns  int
		want   string
	}{
		{"all fits", chat.Window{Messages: 20}, 2, "system q0 NOTE a0 q1 CALL RESULT a1"},
		{"whole turns only", chat.Window{Messages: 8}, 3, "system q1 NOTE a1 q2 CALL RESULT a2"},
		{"one less", chat.Window{Messages: 7}, 3, "system q2 CALL RESULT a2"},
		{"the last turn is always there", chat.Window{Messages: 1}, 3, "system q2 CALL RESULT a2"},
		{"default", chat.Window{}, 9, "system q7 NOTE a7 q8 CALL RESULT a8"},
		{"all of the tools", chat.Window{Messages: 20, Tools: conversation.ToolFull}, 2, "system q0 CALL RESULT a0 q1 CALL RESULT a1"},
		{"none of the tools", chat.Window{Messages: 20, Tools: conversation.ToolNothing}, 2, "system q0 a0 q1 CALL RESULT a1"},
		{"tokens", chat.Window{Messages: 100, Tokens: 100, Count: func(*llm.Message) int { return 12 }}, 9, "system q7 NOTE a7 q8 CALL RESULT a8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := dialog(c.turns)
			got := c.window.Apply(before)
			assert.Equal(t, c.want, texts(got))
			assert.NoError(t, llm.CheckHistory(got))
			assert.Equal(t, dialog(c.turns), before, "the history is not changed")
		})
	}
	long := chat.Window{Messages: 20}.Apply(dialog(2))
	assert.LessOrEqual(t, len([]rune(long[2].Text())), 240, "a note is short")
}
