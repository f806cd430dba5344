package chat_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// slowStore takes its time for every write of a turn.
type slowStore struct {
	conversation.Store
	takes  time.Duration
	drafts int
}

func (s *slowStore) SaveTurn(ctx context.Context, t *conversation.TurnRecord) error {
	if n := len(t.Messages); t.Messages[n-1].Status == conversation.MessageDraft {
		s.drafts++
	}
	time.Sleep(s.takes)
	return s.Store.SaveTurn(ctx, t)
}

// What is being written is stored now and then, and the slower the store, the less
// often: the answer is not held up by it.
func TestDraftsDoNotHoldUpTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		takes        time.Duration
		least, slack int // drafts; percent of the time
	}{"fast": {time.Millisecond, 10, 5}, "slow": {300 * time.Millisecond, 2, 12}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &slowStore{Store: newStore(t), takes: c.takes}
				const pieces, pause = 300, 100 * time.Millisecond
				var steps []chattest.Step
				for range pieces {
					steps = append(steps, chattest.Text(strings.Repeat("word ", 10)), func(context.Context, *llm.ModelRequest, func(llm.Delta) bool) error { time.Sleep(pause); return nil })
				}
				steps = append(steps, chattest.Finish(llm.FinishStop))
				client := newClient(t, chattest.NewModel(chattest.Steps(steps...)), chat.ClientOptions{Store: store})
				began := time.Now()
				_, err := client.Ask(t.Context(), "c_1", "Write.", nil)
				require.NoError(t, err)
				assert.GreaterOrEqual(t, store.drafts, c.least)
				const model = pieces * pause
				assert.Less(t, time.Since(began), model+model*time.Duration(c.slack)/100)
			})
		})
	}
}
