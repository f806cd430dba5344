package turntest

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
)

// NewStore returns an empty store in memory.
func NewStore(t testing.TB) conversation.Store {
	t.Helper()
	return StoreOn(t, memory.New())
}

// StoreOn returns the store of a persistence.
func StoreOn(t testing.TB, p localpass.Persistence) conversation.Store {
	t.Helper()
	s, err := conversation.NewStore(p)
	require.NoError(t, err)
	return s
}

// Status returns the status of a conversation.
func Status(t testing.TB, s conversation.Store, id string) conversation.ConversationStatus {
	t.Helper()
	c, err := s.Get(context.Background(), id)
	require.NoError(t, err)
	assert.Equal(t, c.Status == conversation.StatusPaused, c.Running != nil)
	return c.Status
}

// StoredTurn returns a turn of a conversation; the first turn has number 1.
func StoredTurn(t testing.TB, s conversation.Store, id string, number int) *conversation.TurnRecord {
	t.Helper()
	turn, err := s.Turn(context.Background(), id, number)
	require.NoError(t, err)
	return turn
}

// History returns what a model gets of a conversation. It checks that a model can take it
// and that each call and each message has ended.
func History(t testing.TB, s conversation.Store, id string) (messages []llm.Message) {
	t.Helper()
	for turn, err := range s.Turns(context.Background(), id, conversation.TurnQuery{}) {
		require.NoError(t, err)
		CheckEnded(t, turn)
		messages = append(messages, turn.History()...)
	}
	assert.NoError(t, llm.CheckHistory(messages))
	return messages
}

// CheckEnded checks that each call and each message of a turn has ended.
func CheckEnded(t testing.TB, turn *conversation.TurnRecord) {
	t.Helper()
	for _, c := range turn.Calls {
		assert.True(t, c.Status.Terminal(), "call %s of turn %s is %s", c.ItemID, turn.ID, c.Status)
	}
	for _, m := range turn.Messages {
		assert.NotEqual(t, conversation.MessageDraft, m.Status)
		assert.NotEmpty(t, m.Message.ID)
	}
}

// Store calls Before ahead of the operations that a turn uses, with the name of the
// operation and, for SaveTurn, the turn. If Before returns an error, the operation is not
// done and returns that error.
type Store struct {
	conversation.Store
	Before func(ctx context.Context, operation string, turn *conversation.TurnRecord) error
}

func (s Store) Create(ctx context.Context, c *conversation.Conversation) error {
	if err := s.Before(ctx, "Create", nil); err != nil {
		return err
	}
	return s.Store.Create(ctx, c)
}

func (s Store) Get(ctx context.Context, id string) (*conversation.Conversation, error) {
	if err := s.Before(ctx, "Get", nil); err != nil {
		return nil, err
	}
	return s.Store.Get(ctx, id)
}

func (s Store) Update(ctx context.Context, id string, change func(*conversation.Conversation) error) (*conversation.Conversation, error) {
	if err := s.Before(ctx, "Update", nil); err != nil {
		return nil, err
	}
	return s.Store.Update(ctx, id, change)
}

func (s Store) SaveTurn(ctx context.Context, t *conversation.TurnRecord) error {
	if err := s.Before(ctx, "SaveTurn", t); err != nil {
		return err
	}
	return s.Store.SaveTurn(ctx, t)
}

func (s Store) Turns(ctx context.Context, id string, q conversation.TurnQuery) iter.Seq2[*conversation.TurnRecord, error] {
	return func(yield func(*conversation.TurnRecord, error) bool) {
		if err := s.Before(ctx, "Turns", nil); err != nil {
			yield(nil, err)
			return
		}
		s.Store.Turns(ctx, id, q)(yield)
	}
}

func (s Store) SaveCheckpoint(ctx context.Context, conversation, turn string, state json.RawMessage) error {
	if err := s.Before(ctx, "SaveCheckpoint", nil); err != nil {
		return err
	}
	return s.Store.SaveCheckpoint(ctx, conversation, turn, state)
}

func (s Store) DeleteCheckpoint(ctx context.Context, conversation, turn string) error {
	if err := s.Before(ctx, "DeleteCheckpoint", nil); err != nil {
		return err
	}
	return s.Store.DeleteCheckpoint(ctx, conversation, turn)
}

// Memory is a process memory that calls BeforeLoad and BeforeAppend, if set. If one of
// them returns an error, the operation is not done and returns that error.
type Memory struct {
	chat.Memory
	BeforeLoad, BeforeAppend func(ctx context.Context) error
}

func (m Memory) Load(ctx context.Context, id string, w chat.Window) ([]llm.Message, error) {
	if m.BeforeLoad != nil {
		if err := m.BeforeLoad(ctx); err != nil {
			return nil, err
		}
	}
	return m.Memory.Load(ctx, id, w)
}

func (m Memory) Append(ctx context.Context, id string, messages ...llm.Message) error {
	if m.BeforeAppend != nil {
		if err := m.BeforeAppend(ctx); err != nil {
			return err
		}
	}
	return m.Memory.Append(ctx, id, messages...)
}
