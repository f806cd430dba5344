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
	"github.com/localpass/localpass/chat/llm"
)

// A client refuses a policy of retries with a negative value.
func TestClientRefusesRetryPolicy(t *testing.T) {
	_, err := chat.NewClient(chattest.NewModel(), &chat.ClientOptions{Retry: &llm.RetryPolicy{MaxWait: -1}})
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

// The wait before another try is not the model's silence, and each try has a first
// word of its own.
func TestRetryAndSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(d time.Duration, s chattest.Step) chattest.Step {
			return func(ctx context.Context, req *llm.ModelRequest, out func(llm.Delta) bool) error {
				select {
				case <-time.After(d):
					return s(ctx, req, out)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		model := chattest.NewModel(late(8*time.Second, chattest.Fail(chattest.HTTPError(429, 30*time.Second))), late(8*time.Second, chattest.Say("well")),
			chattest.Fail(chattest.HTTPError(429, 30*time.Second)), chattest.Hang())
		c := newClient(t, model, chat.ClientOptions{Policy: chat.TurnPolicy{FirstToken: 10 * time.Second, Idle: time.Second}})
		events, err := watch(t, c.Stream(t.Context(), "", llm.UserText("q"), nil))
		require.NoError(t, err)
		assert.Equal(t, "well", answers(events))
		require.Len(t, find[*chat.ModelRetry](events), 1)

		began := time.Now()
		_, err = watch(t, c.Stream(t.Context(), "", llm.UserText("q"), nil))
		assert.Equal(t, llm.CodeProviderTimeout, llm.CodeOf(err))
		assert.Equal(t, 40*time.Second, time.Since(began), "the wait, and then the time for the first word")
	})
}

// A model of a single turn is tried again too.
func TestRetryOfATurnsModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, chattest.NewModel(), chat.ClientOptions{})
		resp, err := c.Ask(t.Context(), "", "q", &chat.TurnOptions{Model: chattest.NewModel(chattest.Fail(chattest.HTTPError(503, 0)), chattest.Say("well"))})
		require.NoError(t, err)
		assert.Equal(t, "well", resp.Text())
	})
}

// A model that panics has failed, and its turn ends as any other.
func TestModelPanics(t *testing.T) {
	for _, step := range []chattest.Step{chattest.Panic("oh"), chattest.Steps(chattest.Text("half"), chattest.Panic("oh"))} {
		store := newStore(t)
		c := newClient(t, chattest.NewModel(step, chattest.Say("well")), chat.ClientOptions{Store: store})
		_, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("q"), nil))
		var p *chat.PanicError
		require.ErrorAs(t, err, &p)
		assert.Equal(t, "the model script-1", p.Name)
		resp, err := c.Ask(t.Context(), "c_1", "q", nil)
		require.NoError(t, err)
		assert.Equal(t, "well", resp.Text())
	}
	assert.PanicsWithValue(t, "mine", func() {
		for range generate(chattest.NewModel(chattest.Say("x"))) {
			panic("mine")
		}
	})
}

// A turn that another model answers says so.
func TestFailoverInATurn(t *testing.T) {
	first, second := chattest.NewModel(chattest.Fail(chattest.HTTPError(401, 0))), chattest.NewModel(chattest.Say("well"))
	first.Described.Name, second.Described.Name = "one", "two"
	m, err := llm.Failover(first, second)
	require.NoError(t, err)
	events, err := watch(t, newClient(t, m, chat.ClientOptions{}).Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	told := find[*chat.OptionAdjusted](events)
	require.Len(t, told, 1)
	assert.Equal(t, "two", told[0].Used)
}
