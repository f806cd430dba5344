package chat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/toolspec"
)

func TestClientRefuses(t *testing.T) {
	store := turntest.NewStore(t)
	hot := 3.0
	c := turntest.NewClient(t, chattest.NewModel(chattest.Say("a")), chat.ClientOptions{Store: store})
	_, err := c.Ask(t.Context(), "c_1", "q", nil)
	require.NoError(t, err)

	other := chattest.NewModel(chattest.Say("b"))
	other.Described.Provider = "other"
	_, err = turntest.NewClient(t, other, chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
	assert.ErrorIs(t, err, llm.ErrProviderLocked)
	assert.ErrorContains(t, err, `"script"`)
	_, err = turntest.Run(t, c.Stream(t.Context(), "c_1", llm.AssistantText("q"), nil))
	assert.ErrorIs(t, err, llm.ErrInvalid)
	_, err = c.Ask(t.Context(), "c_1", "q", &chat.TurnOptions{Options: &llm.Options{Temperature: &hot}})
	assert.ErrorIs(t, err, llm.ErrInvalid)
	assert.Equal(t, conversation.StatusFailed, turntest.Status(t, store, "c_1"))
	for ev, err := range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
		_ = ev
		_ = err // the script has ended
	}

	require.NoError(t, store.Create(t.Context(), &conversation.Conversation{ID: "c_2", Principal: toolspec.Principal{Subject: "ada"}}))
	_, err = c.Ask(t.Context(), "c_2", "q", &chat.TurnOptions{Principal: toolspec.Principal{Subject: "bob"}})
	assert.ErrorIs(t, err, llm.ErrNotFound)
	_, err = c.Ask(t.Context(), "c_2", "q", &chat.TurnOptions{Principal: toolspec.Principal{Subject: "ada", Issuer: "https://other.example"}})
	assert.ErrorIs(t, err, llm.ErrNotFound, "another issuer is another principal")

	_, err = chat.NewClient(nil, nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
	_, err = chat.NewClient(other, &chat.ClientOptions{Policy: chat.TurnPolicy{MaxCalls: -1}})
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

// Without a store too, a conversation has at most one running turn.
func TestOneTurnAtATimeWithoutAStore(t *testing.T) {
	c := turntest.NewClient(t, chattest.NewModel(chattest.Say("first"), chattest.Say("second")), chat.ClientOptions{})
	for ev := range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
		if _, ok := ev.(*chat.TurnStarted); ok {
			assert.True(t, c.Running("c_1"))
			_, err := c.Ask(t.Context(), "c_1", "another", nil)
			assert.ErrorIs(t, err, llm.ErrBusy)
		}
	}
	assert.False(t, c.Running("c_1"))
	_, err := c.Ask(t.Context(), "c_1", "q", nil)
	assert.NoError(t, err)
}

// A second turn of a running conversation and a turn with another provider are refused
// and change nothing.
func TestRefusedTurnChangesNothing(t *testing.T) {
	store := turntest.NewStore(t)
	client := turntest.NewClient(t, chattest.NewModel(chattest.Say("one"), chattest.Say("two")), chat.ClientOptions{Store: store})
	elsewhere := turntest.NewClient(t, chattest.NewModel(chattest.Say("x")), chat.ClientOptions{Store: store})
	other := chattest.NewModel(chattest.Say("x"))
	other.Described.Provider = "other"
	tried := false
	for ev, err := range client.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
		require.NoError(t, err)
		if _, ok := ev.(*chat.RoundStarted); !ok {
			continue
		}
		tried = true
		for _, c := range []*chat.Client{client, elsewhere} { // in this program and in another one
			_, err := c.Ask(t.Context(), "c_1", "q", nil)
			assert.Equal(t, llm.CodeBusy, llm.CodeOf(err))
			_, err = turntest.Run(t, c.Resume(t.Context(), "c_1", nil))
			assert.Equal(t, llm.CodeBusy, llm.CodeOf(err))
		}
	}
	assert.True(t, tried)
	before, err := store.Get(t.Context(), "c_1")
	require.NoError(t, err)
	_, err = turntest.NewClient(t, other, chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
	assert.Equal(t, llm.CodeProviderLocked, llm.CodeOf(err))
	_, err = client.Ask(t.Context(), "c_1", "q", &chat.TurnOptions{Model: other})
	assert.Equal(t, llm.CodeProviderLocked, llm.CodeOf(err), "the model in TurnOptions")
	after, err := store.Get(t.Context(), "c_1")
	require.NoError(t, err)
	assert.Equal(t, before, after)
}
