package conversation_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

func newStore(t *testing.T) conversation.Store {
	t.Helper()
	s, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	return s
}

func newClient(t *testing.T, m llm.Model, opts chat.ClientOptions) *chat.Client {
	t.Helper()
	opts.Uncertified = []string{"look"}
	c, err := chat.NewClient(m, &opts)
	require.NoError(t, err)
	return c
}

// look is a tool that returns the time.
type look struct{}

func (look) Tools(context.Context) ([]toolspec.Tool, error) { return []toolspec.Tool{look{}}, nil }

func (look) Definition() toolspec.Definition {
	return toolspec.Definition{Name: "look", InputSchema: []byte(`{"type":"object"}`)}
}

func (look) Call(context.Context, *toolspec.Call) (*toolspec.Result, error) {
	return toolspec.TextResult("09:00"), nil
}

// stored returns the history of a conversation and checks that a model can take it.
func stored(t *testing.T, s conversation.Store, id string) (all []llm.Message) {
	t.Helper()
	for turn, err := range s.Turns(t.Context(), id, conversation.TurnQuery{}) {
		require.NoError(t, err)
		for _, c := range turn.Calls {
			assert.True(t, c.Status.Terminal(), "call %s of turn %s is %s", c.ItemID, turn.ID, c.Status)
		}
		all = append(all, turn.History()...)
	}
	assert.NoError(t, llm.CheckHistory(all))
	return all
}

// texts returns the texts of messages in one line.
func texts(messages []llm.Message) string {
	var out []string
	for i := range messages {
		out = append(out, messages[i].Text())
	}
	return strings.Join(out, " ")
}
