package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
)

func TestModelCallKeepsStateOfReasoning(t *testing.T) {
	state := func(id string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"p": json.RawMessage(`"` + id + `"`)}
	}
	ends := func(text, id string) chattest.Step {
		return chattest.One(chat.Delta{Kind: chat.DeltaReasoning, Text: text, Provider: state(id)})
	}
	m := chattest.NewModel(chattest.Steps(chattest.Think("first"), ends("", "1"), // after its text
		ends("second", "2"), // with its text
		ends("", "3"),       // without any
		chattest.Write("c1", "a", `{}`), chattest.Think("more"), ends("", "4"), chattest.Text("so"), ends("", "5"), chattest.Think("plain"), chattest.Finish(chat.FinishStop)))
	events, err := gather(t, ask(m, chat.UserText("hi")))
	require.NoError(t, err)
	msg := find[*chat.MessageCompleted](events)[0].Message
	assert.Equal(t, []chat.Part{
		chat.Reasoning{Text: "first", Provider: state("1")}, chat.Reasoning{Text: "second", Provider: state("2")}, chat.Reasoning{Provider: state("3")},
		msg.ToolCalls()[0], chat.Reasoning{Text: "more", Provider: state("4")}, chat.Text{Text: "so"}, chat.Reasoning{Provider: state("5")}, chat.Reasoning{Text: "plain"},
	}, msg.Parts)
	assert.Len(t, find[*chat.ReasoningEnd](events), 4, "state alone is nothing to show")

	m = chattest.NewModel(chattest.Steps(chattest.Think("void"), chattest.One(chat.Delta{Kind: chat.DeltaRetry, Retry: &chat.Retry{Attempt: 2, Reset: true}}),
		ends("", "6"), chattest.Text("x"), chattest.Finish(chat.FinishStop)))
	events, err = gather(t, ask(m, chat.UserText("hi")))
	require.NoError(t, err)
	assert.Equal(t, []chat.Part{chat.Reasoning{Provider: state("6")}, chat.Text{Text: "x"}}, find[*chat.MessageCompleted](events)[0].Message.Parts)
}
