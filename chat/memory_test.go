package chat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

func TestProcessMemory(t *testing.T) {
	chattest.TestMemory(t, func(*testing.T) chat.Memory { return chat.NewMemory(0) })
	m := chat.NewMemory(6)
	for range 5 {
		require.NoError(t, m.Append(t.Context(), "c", llm.UserText("q"), llm.AssistantText("a")))
	}
	got, err := m.Load(t.Context(), "c", chat.Window{Messages: 100})
	require.NoError(t, err)
	assert.Len(t, got, 6)
}

// What a client's memory is told is what was said, whole turns only.
func TestClientRemembers(t *testing.T) {
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("first"), chattest.Text("cut"), chattest.Say("third"))
	c := newClient(t, m, chat.ClientOptions{Memory: chat.NewMemory(0), Tools: source{textTool("look", "seen")}})
	_, err := c.Ask(t.Context(), "c_1", "one?", nil)
	require.NoError(t, err)
	_, err = c.Ask(t.Context(), "c_1", "two?", nil)
	require.Error(t, err)
	_, err = c.Ask(t.Context(), "c_1", "three?", nil)
	require.NoError(t, err)
	last := m.Asked()[3].Messages
	require.Len(t, last, 5)
	assert.Equal(t, "[earlier tool call: look, ok: seen]\n\nfirst", last[1].Text())
	assert.Equal(t, "two? cut three?", texts(last[2:]))
}
