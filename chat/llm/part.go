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

// Reasoning is what a model thought before it spoke. It is kept, shown apart,
// and sent back only where the provider needs it.
type Reasoning struct {
	Text string `json:"text"`
	// Provider is state to send back, such as a signature or an encrypted form.
	Provider map[string]json.RawMessage `json:"provider,omitempty"`
}

// Refusal is a model's own statement that it does not answer.
type Refusal struct {
	Text string `json:"text"`
}

// Image is a picture: its bytes, or a URL that the provider can read.
type Image struct {
	MIMEType string `json:"mimeType,omitempty"`
	Data     []byte `json:"data,omitempty"`
	URL      string `json:"url,omitempty"`
	// Name is what the picture is called among those of the conversation.
	Name string `json:"name,omitempty"`
	// Detail is OpenAI's: "low", "high" or "auto". Optional.
	Detail string `json:"detail,omitempty"`
}

// Document is a text that came with a question. A model reads it as text between
// marks that it cannot close itself, with a note that it is data: no [Model] gets
// this part.
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

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	// ID ties the call to its result. Unique in its message.
	ID string `json:"id"`
	// ItemID is the provider's name for the item, where that is another.
	ItemID string `json:"itemId,omitempty"`
	Name   string `json:"name"`
	// Arguments is a JSON object, or nil when what the model wrote is not an object,
	// and cannot be repaired.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// RawArguments is what the model wrote, where that differs from Arguments.
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
	// Fingerprint is that of the definition that was offered.
	Fingerprint string `json:"fingerprint,omitempty"`
	// ProviderExecuted says that the provider runs the tool itself.
	ProviderExecuted bool `json:"providerExecuted,omitempty"`
}

// Outcome is how a call ended.
type Outcome string

// The outcomes. Only an executed call has run to its end.
const (
	OutcomeExecuted     Outcome = "executed"
	OutcomeDeclined     Outcome = "declined"  // a person or a policy declined
	OutcomeCancelled    Outcome = "cancelled" // the turn was stopped; whether it had an effect is not known
	OutcomeTimeout      Outcome = "timeout"   // it ran out of time; whether it had an effect is not known
	OutcomeBadArguments Outcome = "bad-arguments"
	OutcomeUnknownTool  Outcome = "unknown-tool"
	OutcomeRepeated     Outcome = "repeated" // the same call too often
	OutcomeLimit        Outcome = "limit"    // too many calls
	OutcomeWrapUp       Outcome = "wrap-up"  // the soft limit of rounds is behind
	OutcomeHardStop     Outcome = "hard-stop"
	OutcomeBudget       Outcome = "interaction-budget"
	OutcomeInterrupted  Outcome = "interrupted" // the program ended while it ran; its effect is not known
	OutcomePanic        Outcome = "panic"
)

// ToolResult is what a call gave.
type ToolResult struct {
	CallID string `json:"callId"`
	Name   string `json:"name"`
	// Content is for the model, in order.
	Content []toolspec.Content `json:"-"`
	// Structured is the same as JSON, where the tool promises that.
	Structured json.RawMessage `json:"structured,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Outcome    Outcome         `json:"outcome,omitempty"`
	// Truncated says that Content is a part of what the tool gave.
	Truncated *Truncation `json:"truncated,omitempty"`
	// StoredAt is where the whole text is, as a path that the conversation's file
	// tools understand.
	StoredAt string        `json:"storedAt,omitempty"`
	Duration time.Duration `json:"durationNs,omitempty"`
}

// Truncation counts what was cut, in characters (runes).
type Truncation struct {
	Kept  int `json:"kept"`
	Total int `json:"total"`
}

// Card is something to show instead of text, such as a map or a chart.
type Card struct {
	CallID string `json:"callId,omitempty"`
	// Type is the kind of card, such as "chart".
	Type    string          `json:"cardType"`
	Payload json.RawMessage `json:"payload"`
	// Terminal says that the card is the answer: the model gets no more round.
	Terminal bool `json:"terminal,omitempty"`
}

// UnknownPart is a part that this version does not know. It is kept as it is,
// and sent to no model.
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
