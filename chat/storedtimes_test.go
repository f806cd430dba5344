package chat_test

import (
	"context"
	"encoding/json"
	"errors"
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

// pause is a model that takes its time.
func pause(d time.Duration) chattest.Step {
	return func(context.Context, *llm.ModelRequest, func(llm.Delta) bool) error { time.Sleep(d); return nil }
}

// turnOf is the one turn of a conversation as it is stored.
func turnOf(t *testing.T, s conversation.Store, id string) *conversation.TurnRecord {
	t.Helper()
	turn, err := s.Turn(context.Background(), id, 1)
	require.NoError(t, err)
	return turn
}

// How long it took to the first word, and how long the model thought, outlive the
// turn: those of each round, in their order.
func TestTimesAreStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := chattest.NewModel(
			chattest.Steps(pause(700*time.Millisecond), chattest.Think("Hm."), pause(2*time.Second), chattest.Text("First."), pause(time.Second),
				chattest.Think("Or not."), pause(time.Second), chattest.Call("now", `{}`)),
			chattest.Steps(pause(5*time.Second), chattest.Think("So it is."), pause(3*time.Second), chattest.Say("Noon.")))
		tool, err := toolspec.Func("now", "Tells the time.", func(context.Context, struct{}) (string, error) { return "noon", nil }, nil)
		require.NoError(t, err)
		store := newStore(t)
		client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{tool}})
		events, failed := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("When?"), nil))
		require.NoError(t, failed)
		turn := turnOf(t, store, "c_1")
		assert.EqualValues(t, 700, turn.FirstMillis)
		var thought [][]int64
		for _, m := range turn.Messages {
			thought = append(thought, m.Thought)
		}
		assert.Equal(t, [][]int64{nil, {2000, 1000}, nil, {3000}}, thought)
		finished := events[len(events)-1].(*chat.TurnFinished)
		assert.EqualValues(t, 700, finished.FirstMillis)
	})
}

// A word that comes at once took some time all the same; a model that says nothing
// has no first word; and of an exchange that begins anew only the last counts.
func TestTimesAtTheEdges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			step    chattest.Step
			first   int64
			thought []int64
		}{
			"at once": {chattest.Say("Yes."), 1, nil},
			"nothing": {chattest.Steps(pause(time.Second), chattest.Fail(errors.New("gone"))), 0, nil},
			"late":    {chattest.Steps(pause(time.Second), chattest.Finish(llm.FinishStop)), 1000, nil}, // it is asked once more
			"a call":  {chattest.Steps(pause(time.Second), chattest.Call("none", `{}`)), 1000, nil},
			"anew": {chattest.Steps(chattest.Think("Hm."), pause(time.Second), chattest.Text("Mo"), chattest.One(llm.Delta{Kind: llm.DeltaRetry, Retry: &llm.Retry{Attempt: 2, Reset: true}}),
				chattest.Think("Aha."), pause(4*time.Second), chattest.Say("Yes.")), 1, []int64{4000}},
			"hidden": {chattest.Steps(pause(time.Second), chattest.One(llm.Delta{Kind: llm.DeltaReasoning, Provider: map[string]json.RawMessage{"p": json.RawMessage(`"x"`)}}),
				chattest.Think("Aha."), pause(time.Second), chattest.Say("Yes.")), 1000, []int64{1000}},
		} {
			store := newStore(t)
			client := newClient(t, chattest.NewModel(c.step, chattest.Say("So.")), chat.ClientOptions{Store: store})
			_, _ = watch(t, client.Stream(t.Context(), "c_1", llm.UserText("Well?"), nil))
			turn := turnOf(t, store, "c_1")
			assert.Equal(t, c.first, turn.FirstMillis, name)
			require.Greater(t, len(turn.Messages), 1, name)
			assert.Equal(t, c.thought, turn.Messages[1].Thought, name)
		}
	})
}
