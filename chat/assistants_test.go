package chat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

// What a model gets never has two assistant messages in a row: the note about an earlier
// tool round and the answer behind it are one message.
func TestAssistantMessagesNeverFollowEachOther(t *testing.T) {
	m := chattest.NewModel(chattest.Call("time", "{}"), chattest.Say("It is nine."), chattest.Say("You asked for the time."))
	c := newClient(t, m, chat.ClientOptions{Store: newStore(t), Tools: source{textTool("time", "09:00")}})
	for _, q := range []string{"What time is it?", "What did I ask?"} {
		_, err := c.Ask(t.Context(), "c_1", q, nil)
		require.NoError(t, err)
	}
	for _, req := range m.Asked() {
		for i := 1; i < len(req.Messages); i++ {
			assert.False(t, req.Messages[i].Role == llm.RoleAssistant && req.Messages[i-1].Role == llm.RoleAssistant)
		}
	}
	last := m.Asked()[2].Messages
	require.Len(t, last, 3)
	assert.Equal(t, "[earlier tool call: time, ok: 09:00]\n\nIt is nine.", last[1].Text())
}

func TestCollectNil(t *testing.T) {
	resp, err := chat.Collect(nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
	assert.NotNil(t, resp)
}
