package chat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// undefinable is a tool whose definition panics.
type undefinable struct{ toolspec.Tool }

func (undefinable) Definition() toolspec.Definition { panic("no definition") }

// What panics before a turn has begun is an error, and leaves the conversation free.
func TestPanicBeforeTheTurn(t *testing.T) {
	for name, store := range map[string]conversation.Store{"with a store": newStore(t), "without": nil} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, chattest.NewModel(chattest.Say("Fine.")), chat.ClientOptions{Store: store, Tools: source{undefinable{}}})
			_, err := c.Ask(t.Context(), "c_1", "Hello?", &chat.TurnOptions{Tools: []string{"x"}})
			var panicked *chat.PanicError
			require.ErrorAs(t, err, &panicked)
			free := newClient(t, chattest.NewModel(chattest.Say("Fine.")), chat.ClientOptions{Store: store})
			if store == nil {
				free = c
			}
			_, err = free.Ask(t.Context(), "c_1", "Again?", &chat.TurnOptions{Tools: []string{"x"}})
			require.NotErrorIs(t, err, llm.ErrBusy)
			assert.False(t, c.Running("c_1"))
		})
	}
}

// A turn whose conversation another program took over, or deleted, stops: what it
// would do counts for nothing.
func TestLostConversationStopsTheTurn(t *testing.T) {
	for name, lose := range map[string]func(ctx context.Context, s conversation.Store) error{
		"taken over": func(ctx context.Context, s conversation.Store) error {
			_, err := s.Update(ctx, "c_1", func(c *conversation.Conversation) error { c.Running.Owner = "another"; return nil })
			return err
		},
		"deleted": func(ctx context.Context, s conversation.Store) error { return s.Delete(ctx, "c_1") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				slow := textTool("slow", "")
				slow.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
					assert.NoError(t, lose(context.WithoutCancel(ctx), store))
					<-ctx.Done()
					return nil, ctx.Err()
				}
				slow.def.Timeout = time.Hour
				c := newClient(t, chattest.NewModel(chattest.Call("slow", "{}"), chattest.Say("Never said.")), chat.ClientOptions{Store: store, Tools: source{slow}})
				began := time.Now()
				events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("Go."), nil))
				require.NoError(t, err)
				last := events[len(events)-1].(*chat.TurnFinished)
				assert.Equal(t, conversation.EndCancelled, last.Status)
				assert.Less(t, time.Since(began), time.Minute)
			})
		})
	}
}

// A bound of money counts what each model call cost, by the program's own prices.
func TestTurnCosts(t *testing.T) {
	call := func() chattest.Step {
		return chattest.Steps(chattest.Uses(llm.Usage{Input: 10, Output: 5, Total: 15}), chattest.Call("look", "{}"))
	}
	policy := chat.TurnPolicy{MaxCostMicros: 40, Price: func(m llm.ModelInfo, u llm.Usage) int64 {
		assert.Equal(t, "script", m.Provider)
		return int64(u.Input + 2*u.Output)
	}}
	c := newClient(t, chattest.NewModel(call(), call(), call()), chat.ClientOptions{Policy: policy, Tools: source{textTool("look", "09:00")}})
	answer, err := c.Ask(t.Context(), "", "Look.", nil)
	assert.Equal(t, llm.CodeBudget, llm.CodeOf(err), "20 a call: the third is not made")
	require.NotNil(t, answer)
	assert.Equal(t, 2, answer.Rounds)

	policy.Price = nil
	_, err = chat.NewClient(chattest.NewModel(), &chat.ClientOptions{Policy: policy})
	assert.ErrorIs(t, err, llm.ErrInvalid, "a bound that bounds nothing")
}
