package chat_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

// What goes wrong inside the program is for whoever runs it: an event that may go
// out to others does not say it.
func TestInternalFailuresAreNotForEverybody(t *testing.T) {
	inside := errors.New("open /srv/private/keys: permission denied")
	client := newClient(t, chattest.NewModel(chattest.Fail(inside)), chat.ClientOptions{})
	var failed *chat.TurnFailed
	for ev, err := range client.Stream(t.Context(), "", llm.UserText("?"), nil) {
		if e, ok := ev.(*chat.TurnFailed); ok {
			failed = e
		}
		if err != nil {
			require.ErrorIs(t, err, inside)
		}
	}
	require.NotNil(t, failed)
	assert.Equal(t, llm.CodeInternal, failed.Code)
	require.ErrorIs(t, failed.Err, inside)
	raw, err := chat.MarshalEvent(failed)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "private")
	assert.Contains(t, string(raw), "log")
}
