package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

func TestModelCallKeepsStateOfReasoning(t *testing.T) {
	state := func(id string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"p": json.RawMessage(`"` + id + `"`)}
	}
	ends := func(text, id string) chattest.Step {
		return chattest.One(llm.Delta{Kind: llm.DeltaReasoning, Text: text, Provider: state(id)})
	}
	m := chattest.NewModel(chattest.Steps(chattest.Think("first"), ends("", "1"), // after its text
		ends("second", "2"), // with its text
		ends("", "3"),       // without any
		chattest.Write("c1", "a", `{}`), chattest.Think("more"), ends("", "4"), chattest.Text("so"), ends("", "5"), chattest.Think("plain"), chattest.Finish(llm.FinishStop)))
	events, err := gather(t, generate(m, llm.UserText("hi")))
	require.NoError(t, err)
	msg := find[*chat.MessageCompleted](events)[0].Message
	assert.Equal(t, []llm.Part{
		llm.Reasoning{Text: "first", Provider: state("1")}, llm.Reasoning{Text: "second", Provider: state("2")}, llm.Reasoning{Provider: state("3")},
		msg.ToolCalls()[0], llm.Reasoning{Text: "more", Provider: state("4")}, llm.Text{Text: "so"}, llm.Reasoning{Provider: state("5")}, llm.Reasoning{Text: "plain"},
	}, msg.Parts)
	assert.Len(t, find[*chat.ReasoningEnd](events), 4, "state alone is nothing to show")

	m = chattest.NewModel(chattest.Steps(chattest.Think("void"), chattest.One(llm.Delta{Kind: llm.DeltaRetry, Retry: &llm.Retry{Attempt: 2, Reset: true}}),
		ends("", "6"), chattest.Text("x"), chattest.Finish(llm.FinishStop)))
	events, err = gather(t, generate(m, llm.UserText("hi")))
	require.NoError(t, err)
	assert.Equal(t, []llm.Part{llm.Reasoning{Provider: state("6")}, llm.Text{Text: "x"}}, find[*chat.MessageCompleted](events)[0].Message.Parts)
}
