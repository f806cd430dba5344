package chat_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
)

// The API tells the times as they are stored, and a copy of the conversation has
// them.
func TestTimesByTheAPI(t *testing.T) {
	model := chattest.NewModel(chattest.Steps(pause(20*time.Millisecond), chattest.Think("Hm."), pause(30*time.Millisecond), chattest.Say("Noon.")))
	w := newAPIWorld(t, model, chat.ClientOptions{}, chat.APIOptions{})
	var made chat.APIConversation
	w.do("POST", "/api/conversations", `{}`).into(&made)
	w.do("POST", "/api/conversations/"+made.ID+"/turns", `{"text":"When?"}`) // its events: it ends with the turn
	look := func(id string) (first int64, thought []int64) {
		var detail chat.APIConversationDetail
		w.do("GET", "/api/conversations/"+id, "").into(&detail)
		require.Len(t, detail.Records, 1)
		require.Len(t, detail.History, 2)
		assert.Empty(t, detail.History[0].Thought)
		return detail.Records[0].FirstMs, detail.History[1].Thought
	}
	first, thought := look(made.ID)
	assert.GreaterOrEqual(t, first, int64(20))
	require.Len(t, thought, 1)
	assert.GreaterOrEqual(t, thought[0], int64(30))
	var copied chat.APIConversation
	w.do("POST", "/api/conversations/"+made.ID+"/fork", `{}`).into(&copied)
	firstCopied, thoughtCopied := look(copied.ID)
	assert.Equal(t, first, firstCopied)
	assert.Equal(t, thought, thoughtCopied)
}
