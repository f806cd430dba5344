package conversation

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec"
)

// Conversation is one chat: what is known of it beside its messages. It is JSON.
type Conversation struct {
	// ID is "c_" and 26 characters, or what an import brought: 1 to 80 of
	// A-Z a-z 0-9 _ and -.
	ID     string             `json:"id"`
	Title  string             `json:"title"`
	Status ConversationStatus `json:"status"`
	// System is the system prompt.
	System string `json:"systemPrompt,omitempty"`
	// Preset is the id of the preset that it came from. Optional.
	Preset string `json:"preset,omitempty"`
	// Provider is the provider that the conversation is locked to: that of its
	// first turn. Empty before that.
	Provider string `json:"provider,omitempty"`
	// Options are those of every turn, without the effort.
	Options llm.Options `json:"options,omitzero"`
	// Tools are the names of the tools that the conversation offers; nil leaves it
	// to the client. Preferences are the program's own, kept as they are.
	Tools       []string                   `json:"tools,omitzero"`
	Preferences map[string]json.RawMessage `json:"preferences,omitempty"`
	// Principal is the owner of the conversation: a client continues it for no other
	// principal. A store returns it to every caller; the caller then checks
	// [Conversation.BelongsTo].
	Principal toolspec.Principal `json:"principal,omitzero"`
	Created   time.Time          `json:"createdAt"`
	Updated   time.Time          `json:"updatedAt"`
	// Turns counts the turns that were started; Messages the messages that are kept.
	Turns    int `json:"turns"`
	Messages int `json:"messages"`
	// Running is the turn under way, or the one that waits for a decision.
	Running *RunningTurn `json:"running,omitempty"`
	// Pinned keeps it at the top of lists, Archived out of them.
	Pinned   bool `json:"pinned,omitempty"`
	Archived bool `json:"archived,omitempty"`
	// Deleted is when the conversation was deleted; the zero time: it was not. It can
	// be restored until a program removes it for good.
	Deleted time.Time `json:"deletedAt,omitzero"`
	// Usage is what its turns used that have ended.
	Usage llm.Usage `json:"usage,omitzero"`
	// Changes are the last changes of what its turns are asked with, in order: at
	// most 100 are kept.
	Changes []SettingsChange `json:"changes,omitempty"`
	// Version changes with each write.
	Version int64 `json:"-"`

	keepUpdated bool // see KeepUpdated
}

// SettingsChange says that from some turn on questions are asked another way.
type SettingsChange struct {
	// Turn is the number of the first turn that it counts for.
	Turn int       `json:"turn"`
	At   time.Time `json:"at"`
	// What names the settings as people read them, such as "temperature 0.2".
	What []string `json:"what"`
}

// RunningTurn is a turn that has started and not ended.
type RunningTurn struct {
	ID string `json:"id"`
	// Owner is the program that runs it. Until is when the turn counts as
	// lost, unless the owner renews it.
	Owner string    `json:"owner"`
	Until time.Time `json:"until"`
	// Paused says that it waits, and no program runs it.
	Paused bool `json:"paused,omitempty"`
}

// TurnRecord is what is kept of a turn: its messages from the question on, and the
// records of its calls. It is JSON.
type TurnRecord struct {
	ID           string `json:"id"`
	Conversation string `json:"conversationId"`
	// Seq is the place of the turn in its conversation, from 1.
	Seq      int              `json:"seq"`
	Status   TurnStatus       `json:"status,omitempty"` // empty while it runs
	Finish   llm.FinishReason `json:"finishReason,omitempty"`
	Provider string           `json:"provider,omitempty"`
	Model    string           `json:"model,omitempty"`
	Usage    llm.Usage        `json:"usage,omitzero"`
	Rounds   int              `json:"rounds,omitempty"`
	Started  time.Time        `json:"startedAt"`
	Ended    time.Time        `json:"endedAt,omitzero"`
	// FirstMillis is how long it took from the beginning, or from where the turn was
	// resumed, until the model began to say something: a thought, a word or a call. In
	// ms, at least 1; 0: it said nothing.
	FirstMillis int64 `json:"firstMs,omitempty"`
	// Code and Error say why it failed.
	Code  llm.Code `json:"errorCode,omitempty"`
	Error string   `json:"error,omitempty"`
	// Budget is what the last model call was made of; nil where the model does not
	// say how much it takes.
	Budget *Budget `json:"budget,omitempty"`
	// Messages are the question and all that followed, in order. What is kept of a
	// turn that has ended passes [llm.CheckHistory].
	Messages []StoredMessage  `json:"messages"`
	Calls    []StoredToolCall `json:"toolCalls,omitempty"`
	// Events is the number of the last event.
	Events int64 `json:"events,omitempty"`
	// Version changes with each write.
	Version int64 `json:"-"`
}

// StoredMessage is a message as it is kept.
type StoredMessage struct {
	Message llm.Message   `json:"message"`
	Status  MessageStatus `json:"status"`
	Usage   *llm.Usage    `json:"usage,omitempty"`
	Model   string        `json:"model,omitempty"`
	// Thought is how long each stretch of reasoning took, in ms: one for each
	// [llm.Reasoning] that has a text, in their order. 0: it came in one piece.
	Thought []int64   `json:"thoughtMs,omitempty"`
	Updated time.Time `json:"updatedAt"`
}

// StoredToolCall is the record of a call.
type StoredToolCall struct {
	// ItemID is the call's id, unique in its conversation together with the turn.
	ItemID    string           `json:"itemId"`
	MessageID string           `json:"messageId,omitempty"`
	Type      llm.ToolCallType `json:"type"`
	Server    string           `json:"serverId,omitempty"`
	Name      string           `json:"name"`
	Status    ToolCallStatus   `json:"status"`
	Arguments json.RawMessage  `json:"arguments,omitempty"`
	// Edited are the arguments that a person made of them before the call ran.
	Edited json.RawMessage `json:"editedArguments,omitempty"`
	// Because says which grant, policy or decision let the call run.
	Because string `json:"because,omitempty"`
	Result  string `json:"result,omitempty"`
	// Full is the whole [llm.ToolResult], until it is in a message.
	Full    json.RawMessage `json:"full,omitempty"`
	Error   string          `json:"error,omitempty"`
	Round   int             `json:"round,omitempty"`
	Index   int             `json:"outputIndex,omitempty"`
	Created time.Time       `json:"createdAt"`
	Updated time.Time       `json:"updatedAt"`
}

// BelongsTo reports whether p may see and continue the conversation: its own principal
// may, by subject and issuer, and any principal where it has none.
func (c *Conversation) BelongsTo(p toolspec.Principal) bool {
	return c.Principal.Subject == "" || c.Principal.Subject == p.Subject && c.Principal.Issuer == p.Issuer
}

// Call returns the newest stored call of an id, or nil: a later round may use an id
// again.
func (t *TurnRecord) Call(id string) *StoredToolCall {
	for i := len(t.Calls) - 1; i >= 0; i-- {
		if t.Calls[i].ItemID == id {
			return &t.Calls[i]
		}
	}
	return nil
}

// Move changes the state of a call, or says why it cannot go there.
func (c *StoredToolCall) Move(next ToolCallStatus, at time.Time) error {
	if c.Status == next {
		return nil
	}
	if !c.Status.MayBecome(next) {
		return moveError("the call "+c.ItemID, string(c.Status), string(next))
	}
	c.Status, c.Updated = next, at
	return nil
}

// Move changes the state of a conversation, or says why it cannot go there.
func (c *Conversation) Move(next ConversationStatus) error {
	if c.Status == next {
		return nil
	}
	if !c.Status.MayBecome(next) {
		return moveError("the conversation "+c.ID, string(c.Status), string(next))
	}
	c.Status = next
	return nil
}

// titleRunes is the length of a title that is made of the first question.
const titleRunes = 20

// TitleOf makes the title of a conversation of its first question: the first 20
// characters, on one line.
func TitleOf(question *llm.Message) string {
	return clip.OneLine(question.Text(), titleRunes)
}

// KeepUpdated makes the change of [Store].Update that calls it leave Updated as it is:
// settings were changed, and nothing was said.
func (c *Conversation) KeepUpdated() { c.keepUpdated = true }
