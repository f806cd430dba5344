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
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/toolspec"
)

// The time to the first token and the thinking times of each round are stored with the
// turn.
func TestTimesAreStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := chattest.NewModel(
			chattest.Steps(turntest.Wait(700*time.Millisecond), chattest.Think("Hm."), turntest.Wait(2*time.Second), chattest.Text("First."), turntest.Wait(time.Second),
				chattest.Think("Or not."), turntest.Wait(time.Second), chattest.Call("now", `{}`)),
			chattest.Steps(turntest.Wait(5*time.Second), chattest.Think("So it is."), turntest.Wait(3*time.Second), chattest.Say("Noon.")))
		tool, err := toolspec.Func("now", "Tells the time.", func(context.Context, struct{}) (string, error) { return "noon", nil }, nil)
		require.NoError(t, err)
		store := turntest.NewStore(t)
		client := turntest.NewClient(t, model, chat.ClientOptions{Store: store, Tools: turntest.Tools{tool}})
		events, failed := turntest.Turn(t, client, "c_1", "When?", nil)
		require.NoError(t, failed)
		turn := turntest.StoredTurn(t, store, "c_1", 1)
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

// The time to an immediate token is 1 ms, a model that fails without a token has none,
// and of an answer that is retried only the last attempt counts.
func TestTimesOfOddTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			step    chattest.Step
			first   int64
			thought []int64
		}{
			"at once": {chattest.Say("Yes."), 1, nil},
			"nothing": {chattest.Steps(turntest.Wait(time.Second), chattest.Fail(errors.New("gone"))), 0, nil},
			"late":    {chattest.Steps(turntest.Wait(time.Second), chattest.Finish(llm.FinishStop)), 1000, nil}, // the model is asked once more
			"a call":  {chattest.Steps(turntest.Wait(time.Second), chattest.Call("none", `{}`)), 1000, nil},
			"retried": {chattest.Steps(chattest.Think("Hm."), turntest.Wait(time.Second), chattest.Text("Mo"), chattest.One(llm.Delta{Kind: llm.DeltaRetry, Retry: &llm.Retry{Attempt: 2, Reset: true}}),
				chattest.Think("Aha."), turntest.Wait(4*time.Second), chattest.Say("Yes.")), 1, []int64{4000}},
			"hidden": {chattest.Steps(turntest.Wait(time.Second), chattest.One(llm.Delta{Kind: llm.DeltaReasoning, Provider: map[string]json.RawMessage{"p": json.RawMessage(`"x"`)}}),
				chattest.Think("Aha."), turntest.Wait(time.Second), chattest.Say("Yes.")), 1000, []int64{1000}},
		} {
			store := turntest.NewStore(t)
			client := turntest.NewClient(t, chattest.NewModel(c.step, chattest.Say("So.")), chat.ClientOptions{Store: store})
			_, _ = turntest.Turn(t, client, "c_1", "Well?", nil)
			turn := turntest.StoredTurn(t, store, "c_1", 1)
			assert.Equal(t, c.first, turn.FirstMillis, name)
			require.Greater(t, len(turn.Messages), 1, name)
			assert.Equal(t, c.thought, turn.Messages[1].Thought, name)
		}
	})
}
