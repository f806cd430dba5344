package llm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat/llm"
)

func TestCheckHistory(t *testing.T) {
	call := func(ids ...string) llm.Message {
		m := llm.Message{Role: llm.RoleAssistant}
		for _, id := range ids {
			m.Parts = append(m.Parts, llm.ToolCall{ID: id, Name: "x"})
		}
		return m
	}
	result := func(ids ...string) llm.Message {
		var all []llm.ToolResult
		for _, id := range ids {
			all = append(all, llm.ToolResult{CallID: id})
		}
		return llm.ToolResults(all...)
	}
	for _, c := range []struct {
		messages []llm.Message
		want     string
	}{
		{nil, ""},
		{[]llm.Message{llm.UserText("q"), call("a", "b"), result("b", "a"), llm.AssistantText("x")}, ""},
		{[]llm.Message{call("a"), result("a"), call("a"), result("a")}, ""},
		{[]llm.Message{call("a")}, `message 1: the call "a" of the last message has no result`},
		{[]llm.Message{call("a"), llm.UserText("q")}, `message 1: the call "a" of the message before has no result`},
		{[]llm.Message{call("a"), result("b")}, `message 1: the result "b" answers no call`},
		{[]llm.Message{call("a", "a")}, `message 0: the call id "a" is used twice`},
		{[]llm.Message{call("")}, `message 0: the call of "x" has no id`},
		{[]llm.Message{{Role: "boss"}}, `message 0: the role "boss" is unknown`},
	} {
		err := llm.CheckHistory(c.messages)
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorIs(t, err, llm.ErrHistory)
		assert.ErrorContains(t, err, c.want)
	}
}
