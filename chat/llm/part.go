package llm

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Part is one piece of a message: [Text], [Reasoning], [Refusal], [Image],
// [Document], [ToolCall], [ToolResult], [Card], or [UnknownPart] for a kind that a newer
// version wrote. Parts are values.
type Part interface {
	// Kind is the name of the kind of part in JSON.
	Kind() PartKind
	part()
}

// PartKind names a kind of part.
type PartKind string

// The kinds.
const (
	PartText       PartKind = "text"
	PartReasoning  PartKind = "reasoning"
	PartRefusal    PartKind = "refusal"
	PartImage      PartKind = "image"
	PartDocument   PartKind = "document"
	PartToolCall   PartKind = "tool_call"
	PartToolResult PartKind = "tool_result"
	PartCard       PartKind = "card"
)

// Text is text, as it is shown and sent.
type Text struct {
	Text string `json:"text"`
}

// Reasoning is what a model thought before it answered. It is stored, shown separately,
// and sent back only if the provider needs it.
type Reasoning struct {
	Text string `json:"text"`
	// Provider is state to send back, such as a signature or an encrypted form.
	Provider map[string]json.RawMessage `json:"provider,omitempty"`
}

// Refusal is a model's statement that it refuses to answer.
type Refusal struct {
	Text string `json:"text"`
}

// Image is an image in a message: its bytes, or a URL that the provider can read.
type Image struct {
	MIMEType string `json:"mimeType,omitempty"`
	Data     []byte `json:"data,omitempty"`
	URL      string `json:"url,omitempty"`
	// Name is the name of the image within the conversation.
	Name string `json:"name,omitempty"`
	// Detail is OpenAI's setting: "low", "high" or "auto". Optional.
	Detail string `json:"detail,omitempty"`
}

// Document is a text that was attached to a question. It is sent to a model as text
// between marks that the document cannot close, with a note that it is data: no [Model]
// receives this part itself.
type Document struct {
	Name     string `json:"name"`
	MIMEType string `json:"mimeType,omitempty"`
	Text     string `json:"text"`
}

// ToolCallType says which side offers the tool of a call.
type ToolCallType string

// The types. Their values are those of the HTTP API.
const (
	TypeFunction ToolCallType = "FUNCTION" // a tool of this program
	TypeMCP      ToolCallType = "MCP"      // a tool of a server behind a hub
)

// ToolCall is a model's request to call a tool.
type ToolCall struct {
	// ID links the call to its result. It is unique in its message.
	ID string `json:"id"`
	// ItemID is the provider's name for the item, if that differs from ID.
	ItemID string `json:"itemId,omitempty"`
	Name   string `json:"name"`
	// Arguments is a JSON object, or nil if the model wrote something else that cannot be
	// repaired.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// RawArguments is what the model wrote, if that differs from Arguments.
	RawArguments string `json:"rawArguments,omitempty"`
	// Problem says why Arguments is nil.
	Problem string       `json:"problem,omitempty"`
	Type    ToolCallType `json:"type,omitempty"`
	// Source says where the tool comes from.
	Source ToolSource `json:"source,omitzero"`
}

// ToolSource is where a tool comes from.
type ToolSource struct {
	// Server is the id of the server of a remote tool.
	Server string `json:"server,omitempty"`
	// Level is the risk level of the tool.
	Level toolspec.Level `json:"level,omitempty"`
	// Fingerprint is the fingerprint of the offered definition.
	Fingerprint string `json:"fingerprint,omitempty"`
	// ProviderExecuted says that the provider runs the tool itself.
	ProviderExecuted bool `json:"providerExecuted,omitempty"`
}

// Outcome is how a call ended.
type Outcome string

// The outcomes. Only an executed call has run to its end.
const (
	OutcomeExecuted     Outcome = "executed"
	OutcomeDeclined     Outcome = "declined"  // a user or a policy declined
	OutcomeCancelled    Outcome = "cancelled" // the turn was stopped; whether the call had an effect is unknown
	OutcomeTimeout      Outcome = "timeout"   // the call ran out of time; whether it had an effect is unknown
	OutcomeBadArguments Outcome = "bad-arguments"
	OutcomeUnknownTool  Outcome = "unknown-tool"
	OutcomeRepeated     Outcome = "repeated" // the model made the same call too often
	OutcomeLimit        Outcome = "limit"    // the model made too many calls
	OutcomeWrapUp       Outcome = "wrap-up"  // the soft limit of rounds was exceeded
	OutcomeHardStop     Outcome = "hard-stop"
	OutcomeBudget       Outcome = "interaction-budget"
	OutcomeInterrupted  Outcome = "interrupted" // the program ended during the call; whether it had an effect is unknown
	OutcomePanic        Outcome = "panic"
)

// ToolResult is the result of a call.
type ToolResult struct {
	CallID string `json:"callId"`
	Name   string `json:"name"`
	// Content is for the model, in order.
	Content []toolspec.Content `json:"-"`
	// Structured is the same result as JSON, if the tool declares an output schema.
	Structured json.RawMessage `json:"structured,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Outcome    Outcome         `json:"outcome,omitempty"`
	// Truncated says that Content is only a part of the tool's result.
	Truncated *Truncation `json:"truncated,omitempty"`
	// StoredAt is where the whole text is stored, as a path that the conversation's file
	// tools understand.
	StoredAt string        `json:"storedAt,omitempty"`
	Duration time.Duration `json:"durationNs,omitempty"`
}

// Truncation counts what was cut, in characters (runes).
type Truncation struct {
	Kept  int `json:"kept"`
	Total int `json:"total"`
}

// Card is content that is shown instead of text, such as a map or a chart.
type Card struct {
	CallID string `json:"callId,omitempty"`
	// Type is the kind of card, such as "chart".
	Type    string          `json:"cardType"`
	Payload json.RawMessage `json:"payload"`
	// Terminal says that the card is the answer: the model gets no further round.
	Terminal bool `json:"terminal,omitempty"`
}

// UnknownPart is a part that this version does not know. It is kept unchanged and never
// sent to a model.
type UnknownPart struct {
	Name PartKind
	Raw  json.RawMessage
}

// Text returns the text pieces of the result, joined by line feeds.
func (r *ToolResult) Text() string {
	result := toolspec.Result{Content: r.Content}
	return result.Text()
}

// Kind is the name of the kind in JSON.
func (Text) Kind() PartKind { return PartText }

// Kind is the name of the kind in JSON.
func (Reasoning) Kind() PartKind { return PartReasoning }

// Kind is the name of the kind in JSON.
func (Refusal) Kind() PartKind { return PartRefusal }

// Kind is the name of the kind in JSON.
func (Image) Kind() PartKind { return PartImage }

// Kind is the name of the kind in JSON.
func (Document) Kind() PartKind { return PartDocument }

// Kind is the name of the kind in JSON.
func (ToolCall) Kind() PartKind { return PartToolCall }

// Kind is the name of the kind in JSON.
func (ToolResult) Kind() PartKind { return PartToolResult }

// Kind is the name of the kind in JSON.
func (Card) Kind() PartKind { return PartCard }

// Kind is the name that was written.
func (u UnknownPart) Kind() PartKind { return u.Name }

func (Text) part()        {}
func (Reasoning) part()   {}
func (Refusal) part()     {}
func (Image) part()       {}
func (Document) part()    {}
func (ToolCall) part()    {}
func (ToolResult) part()  {}
func (Card) part()        {}
func (UnknownPart) part() {}
