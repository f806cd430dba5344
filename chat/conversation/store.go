package conversation

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/localpass/localpass/toolspec"
)

// Store keeps conversations. [NewStore] makes one of any
// localpass.Persistence; chattest.TestStore holds another against what follows.
//
//   - All methods are safe for concurrent use, and several programs may share what
//     is behind them: of two writers of the same version one gets [ErrConflict].
//   - Each write is stored whole or not at all, and outlives the program.
//   - A document that cannot be read does not hide the others.
//   - Every method ends soon after its context does.
type Store interface {
	// Create writes a new conversation. Its id, if it has none, its status, its
	// times and its version are filled in. One whose id is taken gives ErrConflict.
	Create(ctx context.Context, c *Conversation) error
	// Get returns a conversation, or ErrNotFound.
	Get(ctx context.Context, id string) (*Conversation, error)
	// List yields conversations, the one that was changed last first.
	List(ctx context.Context, q ListQuery) iter.Seq2[*Conversation, error]
	// Update reads a conversation, changes it, and writes it; when another writer was
	// faster, it begins anew. change may be called several times; its error leaves
	// everything as it is.
	Update(ctx context.Context, id string, change func(*Conversation) error) (*Conversation, error)
	// Delete removes a conversation and all that belongs to it, or gives
	// ErrNotFound.
	Delete(ctx context.Context, id string) error

	// SaveTurn writes a turn: a new one when its version is 0, otherwise the
	// version that was read or written last (ErrConflict). It sets the version.
	SaveTurn(ctx context.Context, t *TurnRecord) error
	// Turn returns a turn, or ErrNotFound.
	Turn(ctx context.Context, conversation string, seq int) (*TurnRecord, error)
	// Turns yields the turns of a conversation in their order, or from the last.
	Turns(ctx context.Context, conversation string, q TurnQuery) iter.Seq2[*TurnRecord, error]
	// Trim removes the oldest turns until at least so many messages are gone, but
	// never the last turn, and returns how many messages went.
	Trim(ctx context.Context, conversation string, messages int) (removed int, err error)

	// SaveCheckpoint writes what a turn needs to continue, in place of what it wrote
	// before. LoadCheckpoint returns it, or ErrNotFound. DeleteCheckpoint removes it;
	// it is no error when there is none.
	SaveCheckpoint(ctx context.Context, conversation, turn string, state json.RawMessage) error
	LoadCheckpoint(ctx context.Context, conversation, turn string) (json.RawMessage, error)
	DeleteCheckpoint(ctx context.Context, conversation, turn string) error
}

// ListQuery selects conversations. The zero value selects all.
type ListQuery struct {
	// Principal selects the conversations that a principal may see
	// ([Conversation.BelongsTo]). nil selects all.
	Principal *toolspec.Principal
	// Text selects those whose title contains it, whatever its case.
	Text string
	// Pinned selects those that are pinned, by id.
	Pinned bool
	// After is the cursor of the last one seen: see [Conversation.Cursor].
	After string
	// Limit ends the list after so many; 0 is no limit.
	Limit int
}

// TurnQuery selects turns. The zero value selects all, in order.
type TurnQuery struct {
	// After skips turns up to and including this number; with Reverse it skips
	// those of this number and larger. 0 skips none.
	After   int
	Limit   int // 0: no limit
	Reverse bool
}
