package chat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
)

// An answer that breaks off, is stopped or is taken back was paid for: its tokens
// are counted, by an estimate.
func TestCutAnswersCount(t *testing.T) {
	broken := &llm.Error{Code: llm.CodeStreamBroken, Retryable: true}
	half := chattest.Text("half of a rather long answer")
	t.Run("the stream breaks", func(t *testing.T) {
		store := newStore(t)
		c := newClient(t, chattest.NewModel(chattest.Steps(half, chattest.Fail(broken))), chat.ClientOptions{Store: store})
		events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("a question"), nil))
		require.Error(t, err)
		end, turn := ended(t, store, events)
		assert.True(t, end.Usage.Estimated)
		assert.Positive(t, end.Usage.Input)
		assert.Positive(t, end.Usage.Output)
		assert.Equal(t, end.Usage, turn.Usage)
		require.NoError(t, chattest.CheckEvents(events))
	})
	t.Run("the reader leaves", func(t *testing.T) {
		store := newStore(t)
		c := newClient(t, chattest.NewModel(chattest.Steps(half, chattest.Text(" and more"), chattest.Finish(llm.FinishStop))), chat.ClientOptions{Store: store})
		for ev, err := range c.Stream(t.Context(), "c_1", llm.UserText("a question"), nil) {
			require.NoError(t, err)
			if _, said := ev.(*chat.TextDelta); said {
				break
			}
		}
		turn, err := store.Turn(t.Context(), "c_1", 1)
		require.NoError(t, err)
		assert.True(t, turn.Usage.Estimated)
		assert.Positive(t, turn.Usage.Output)
	})
	t.Run("the turn is stopped", func(t *testing.T) {
		store := newStore(t)
		hold := func(ctx context.Context, _ *llm.ModelRequest, _ func(llm.Delta) bool) error {
			<-ctx.Done()
			return ctx.Err()
		}
		c := newClient(t, chattest.NewModel(chattest.Steps(half, hold)), chat.ClientOptions{Store: store})
		var list []chat.Event
		for ev, err := range c.Stream(t.Context(), "c_1", llm.UserText("a question"), nil) {
			if err == nil {
				list = append(list, ev)
			}
			if _, said := ev.(*chat.TextDelta); said {
				c.Cancel("c_1", chat.CancelNow)
			}
		}
		end, _ := ended(t, store, list)
		assert.True(t, end.Usage.Estimated)
		assert.Positive(t, end.Usage.Output)
		require.NoError(t, chattest.CheckEvents(list))
	})
	t.Run("a try is taken back", func(t *testing.T) {
		store := newStore(t)
		c := newClient(t, chattest.NewModel(chattest.Steps(half, chattest.Fail(broken)), chattest.Say("well")), chat.ClientOptions{Store: store,
			Retry: &llm.RetryPolicy{MidStream: true, BaseDelay: time.Millisecond}})
		events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("a question"), nil))
		require.NoError(t, err)
		end, _ := ended(t, store, events)
		reported := find[*chat.UsageReported](events)
		require.Len(t, reported, 1)
		assert.Greater(t, end.Usage.Output, reported[0].RoundUsage.Output)
	})
	t.Run("a refusal costs nothing", func(t *testing.T) {
		store := newStore(t)
		c := newClient(t, chattest.NewModel(chattest.Fail(chattest.HTTPError(401, 0))), chat.ClientOptions{Store: store})
		events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("a question"), nil))
		require.Error(t, err)
		end, _ := ended(t, store, events)
		assert.Zero(t, end.Usage)
	})
}

type failingCheck struct{}

func (failingCheck) Name() string     { return "virus scan" }
func (failingCheck) FailClosed() bool { return true }
func (failingCheck) Intercept(context.Context, []llm.ToolCall, chat.RoundInput, func(chat.Event) bool) (map[string]chat.InterceptResult, error) {
	return nil, errors.New("the scanner is away")
}

// A check that fails is no decision of the user, and the model is not told so.
func TestFailedInterceptorIsNoDecline(t *testing.T) {
	p := memory.New()
	store, err := conversation.NewStore(p)
	require.NoError(t, err)
	model := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("well"))
	c := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{textTool("look", "09:00")},
		Manager: managed(t, chat.ToolManagerOptions{Interceptors: []chat.Interceptor{failingCheck{}}})})
	_, err = c.Ask(t.Context(), "c_1", "q", nil)
	require.NoError(t, err)
	asked := model.Asked()
	require.Len(t, asked, 2)
	said := asked[1].Messages
	text := said[len(said)-1].Results()[0].Text()
	assert.Contains(t, text, "was NOT run")
	assert.Contains(t, text, "virus scan")
	assert.NotContains(t, text, "The user declined")
	assert.NotContains(t, text, "scanner is away", "what is inside is for the log")
}
