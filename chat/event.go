package chat

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// Event is one thing that happened in a turn. The list is closed: an event is one
// of the types below, or an [UnknownEvent] that a newer version wrote. Events are
// pointers, and not changed once they are yielded.
//
// Order, which chattest.CheckEvents holds every stream against:
//
//  1. [TurnStarted] first and [TurnFinished] last, once each. [TurnFailed] is
//     followed by TurnFinished alone. A resumed turn is another such stretch; its
//     numbers continue where the pause left them.
//  2. [RoundStarted] and [RoundFinished] pair up. A paused round finishes in the
//     stretch that resumes it.
//  3. In a round parts do not interleave, and reasoning precedes its text.
//  4. Of one call: started, arguments…, ready, then approval required and
//     resolved, then progress and cards, then the result. Updates follow ready,
//     one for each change of state; a terminal one follows the result at once, and
//     after it nothing comes of that call. A call that is cut off has a result all
//     the same. Different calls interleave only after ready.
//  5. A message closes with [MessageCompleted] before its calls run, and says the
//     same as its deltas together.
//  6. [ModelRetry] with Reset withdraws the deltas of the round so far.
//  7. [Heartbeat] has no number and is not kept.
//
// Times that something took, such as Millis, are in milliseconds.
type Event interface {
	// Type is the name of the event in JSON.
	Type() EventType
	// Header says which turn it belongs to and where in it.
	Header() *EventHeader
}

// EventHeader is common to all events. A [Client] fills it in as the event goes out;
// inside of the chain only Round may be set.
type EventHeader struct {
	Seq          int64     // from 1, without gaps; 0 for a heartbeat
	Time         time.Time // in milliseconds
	Conversation string
	Turn         string
	Round        int // 0 before the first model call
}

// Header returns the header itself.
func (h *EventHeader) Header() *EventHeader { return h }

// EventType names a type of event.
type EventType string

// TurnStarted begins a turn.
type TurnStarted struct {
	EventHeader   `json:"-"`
	UserMessageID string     `json:"userMessageId,omitempty"`
	Provider      string     `json:"provider"`
	Model         string     `json:"model"`
	Effort        llm.Effort `json:"reasoning,omitempty"`
	Mode          string     `json:"mode"` // how tools are offered: static, dynamic, none
	Resumed       bool       `json:"resumed,omitempty"`
}

// ConversationChanged reports a state of the conversation.
type ConversationChanged struct {
	EventHeader        `json:"-"`
	Status             conversation.ConversationStatus `json:"status"`
	WaitingForApproval bool                            `json:"waitingForApproval,omitempty"`
}

// OptionAdjusted reports a setting that was sent in another way.
type OptionAdjusted struct {
	EventHeader `json:"-"`
	llm.Adjustment
}

// OptionIgnored reports a setting that was not sent.
type OptionIgnored struct {
	EventHeader `json:"-"`
	llm.Adjustment
}

// RetrievalStarted tells that documents are looked for: at most TopK, with a score
// of at least Threshold. 0 leaves either to the retriever.
type RetrievalStarted struct {
	EventHeader `json:"-"`
	Query       string          `json:"query"`
	Filter      json.RawMessage `json:"filter,omitempty"`
	TopK        int             `json:"topK,omitempty"`
	Threshold   float64         `json:"threshold,omitempty"`
}

// RetrievalFinished tells which documents were found.
type RetrievalFinished struct {
	EventHeader `json:"-"`
	Documents   []DocumentRef `json:"documents"`
	Millis      int64         `json:"ms"`
}

// DocumentRef names a document that was given to the model. Score is more the
// better it fits, by whatever measure the search has; Chunk is the place of the
// part that was given in the whole, from 0.
type DocumentRef struct {
	ID    string  `json:"id"`
	Title string  `json:"title,omitempty"`
	Score float64 `json:"score,omitempty"`
	Chunk int     `json:"chunk,omitempty"`
}

// ContextBudget tells how the model's context is filled, and what was cut.
type ContextBudget struct {
	EventHeader `json:"-"`
	conversation.Budget
}

// RoundStarted begins a model call. PromptTokens is an estimate; 0: there is none.
type RoundStarted struct {
	EventHeader  `json:"-"`
	OfferedTools []string `json:"offeredTools"`
	PromptTokens int      `json:"estimatedPromptTokens,omitempty"`
}

// ReasoningDelta is more of what the model thinks.
type ReasoningDelta struct {
	EventHeader `json:"-"`
	Text        string `json:"text"`
}

// ReasoningEnd ends a stretch of reasoning.
type ReasoningEnd struct {
	EventHeader `json:"-"`
	Chars       int   `json:"totalChars"` // runes
	Millis      int64 `json:"ms"`
}

// TextDelta is more of the answer.
type TextDelta struct {
	EventHeader `json:"-"`
	Text        string `json:"text"`
}

// TextEnd ends a stretch of text.
type TextEnd struct {
	EventHeader `json:"-"`
	ItemID      string `json:"itemId,omitempty"`
}

// RefusalDelta is more of a refusal.
type RefusalDelta struct {
	EventHeader `json:"-"`
	Text        string `json:"text"`
}

// ToolCallStarted tells that the model begins to write a call.
type ToolCallStarted struct {
	EventHeader `json:"-"`
	CallID      string `json:"callId"`
	Name        string `json:"name"`
	Index       int    `json:"index"`
}

// ToolCallArguments is more of a call's arguments.
type ToolCallArguments struct {
	EventHeader `json:"-"`
	CallID      string `json:"callId"`
	Fragment    string `json:"fragment"`
}

// ToolCallReady tells that a call is complete.
type ToolCallReady struct {
	EventHeader `json:"-"`
	CallID      string           `json:"callId"`
	Name        string           `json:"name"`
	Arguments   json.RawMessage  `json:"arguments,omitempty"`
	CallType    llm.ToolCallType `json:"type"`
	Source      llm.ToolSource   `json:"source,omitzero"`
	Risk        string           `json:"risk,omitempty"`
}

// ToolCallUpdate reports a change of state of a call.
type ToolCallUpdate struct {
	EventHeader `json:"-"`
	CallID      string                      `json:"callId"`
	Status      conversation.ToolCallStatus `json:"status"`
	Reason      string                      `json:"reason,omitempty"`
	// Because says which grant, policy or decision lets a call run that begins.
	Because string `json:"because,omitempty"`
}

// ApprovalRequired tells that a person is asked whether a call may run.
type ApprovalRequired struct {
	EventHeader `json:"-"`
	ApprovalID  string          `json:"approvalId"`
	CallID      string          `json:"callId"`
	Name        string          `json:"name"`
	Arguments   json.RawMessage `json:"arguments,omitempty"` // masked
	Question    string          `json:"question"`
	Risk        string          `json:"risk,omitempty"`
	Options     []string        `json:"options,omitempty"`
	Expires     time.Time       `json:"expiresAt,omitzero"`
	// Input is the round that the call belongs to, for a consumer that stores it: the
	// wait may outlive the program.
	Input *RoundInput `json:"-"`
}

// ApprovalResolved tells what was decided.
type ApprovalResolved struct {
	EventHeader `json:"-"`
	ApprovalID  string          `json:"approvalId"`
	CallID      string          `json:"callId"`
	Decision    string          `json:"decision"`
	By          string          `json:"by,omitempty"`
	Note        string          `json:"note,omitempty"`
	Edited      json.RawMessage `json:"editedArguments,omitempty"`
}

// ToolCallProgress tells how far a call is, in units of the tool's own. Total is 0
// where it is not known.
type ToolCallProgress struct {
	EventHeader `json:"-"`
	CallID      string  `json:"callId"`
	Progress    float64 `json:"progress"`
	Total       float64 `json:"total,omitempty"`
	Message     string  `json:"message,omitempty"`
}

// ToolCallResult tells what a call gave: Content is a copy of the text for the
// screen, at most 2,000 runes of it, and Bytes the length of the text that the model
// gets, which Truncated says to be cut too.
type ToolCallResult struct {
	EventHeader `json:"-"`
	CallID      string          `json:"callId"`
	IsError     bool            `json:"isError,omitempty"`
	Outcome     llm.Outcome     `json:"outcome,omitempty"`
	Content     string          `json:"content"`
	Bytes       int             `json:"bytes"`
	Truncated   *llm.Truncation `json:"truncated,omitempty"`
	Millis      int64           `json:"ms"`
	// Result is the whole result, for consumers in the same process.
	Result *llm.ToolResult `json:"-"`
}

// CardShown is something to show instead of text.
type CardShown struct {
	EventHeader `json:"-"`
	CallID      string          `json:"callId"`
	CardType    string          `json:"cardType"`
	Payload     json.RawMessage `json:"payload"`
	Terminal    bool            `json:"terminal,omitempty"`
}

// GuardSpoke tells that a limit or a guard answered instead of a tool.
type GuardSpoke struct {
	EventHeader `json:"-"`
	Outcome     llm.Outcome `json:"outcome"`
	CallID      string      `json:"callId,omitempty"`
}

// ModelRetry tells that a model is asked again.
type ModelRetry struct {
	EventHeader `json:"-"`
	llm.Retry
}

// UsageReported tells what a round and the turn so far cost.
type UsageReported struct {
	EventHeader `json:"-"`
	RoundUsage  llm.Usage `json:"roundUsage"`
	TurnUsage   llm.Usage `json:"turnUsage"`
}

// RoundFinished ends a round: after the results of its calls, if it had any.
type RoundFinished struct {
	EventHeader `json:"-"`
	Finish      llm.FinishReason `json:"finishReason"`
	Millis      int64            `json:"ms"`
}

// MessageCompleted closes a message.
type MessageCompleted struct {
	EventHeader `json:"-"`
	MessageID   string                     `json:"messageId,omitempty"`
	ItemID      string                     `json:"itemId,omitempty"`
	Role        llm.Role                   `json:"role"`
	OutputIndex int                        `json:"outputIndex,omitempty"`
	Content     string                     `json:"content"`
	Status      conversation.MessageStatus `json:"status"`
	// Message is the whole message, for consumers in the same process.
	Message *llm.Message `json:"-"`
}

// StructuredInvalid tells that an answer was not the JSON that was asked for.
type StructuredInvalid struct {
	EventHeader `json:"-"`
	Errors      []string `json:"errors"`
	Attempt     int      `json:"attempt"`
}

// Warned reports something that made the answer worse, or might.
type Warned struct {
	EventHeader `json:"-"`
	Warning
}

// Warning is a code and a text for the person.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// TurnFailed tells why the turn ends without success.
type TurnFailed struct {
	EventHeader    `json:"-"`
	Code           llm.Code `json:"code"`
	Message        string   `json:"message"`
	Retryable      bool     `json:"retryable"`
	RetryAfterMs   int64    `json:"retryAfterMs,omitempty"`
	ProviderStatus int      `json:"providerStatus,omitempty"`
	// Err is the failure itself, for consumers in the same process.
	Err error `json:"-"`
}

// TurnFinished ends a turn.
type TurnFinished struct {
	EventHeader `json:"-"`
	Status      conversation.TurnStatus `json:"status"`
	Finish      llm.FinishReason        `json:"finishReason,omitempty"`
	Usage       llm.Usage               `json:"usage"`
	Rounds      int                     `json:"rounds"`
	Millis      int64                   `json:"ms"`
	// FirstMillis is that of the [conversation.TurnRecord].
	FirstMillis int64 `json:"firstMs,omitempty"`
}

// Heartbeat shows that a quiet stream is alive.
type Heartbeat struct {
	EventHeader `json:"-"`
}

// UnknownEvent is an event that this version does not know.
type UnknownEvent struct {
	EventHeader `json:"-"`
	Name        EventType       `json:"-"`
	Raw         json.RawMessage `json:"-"` // the member data
}
