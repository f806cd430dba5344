package chat

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// Stream is the events of a turn, or of a part of one. It is for one range loop.
// An error is its last element, with a nil event. Breaking off the loop cancels
// the work behind it before the loop is left.
type Stream = iter.Seq2[Event, error]

// Handler answers a request. Advisors wrap one; the innermost calls the model.
// It is safe for concurrent use, and changes no request but its own clone.
type Handler interface {
	Handle(ctx context.Context, req *Request) Stream
}

// HandlerFunc is a function that is a Handler.
type HandlerFunc func(ctx context.Context, req *Request) Stream

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, req *Request) Stream { return f(ctx, req) }

// Middleware wraps a Handler in another.
type Middleware func(next Handler) Handler

// Request is what goes down the chain of advisors to the model. A handler must not
// change the Request that it gets: it changes a [Request.Clone] and passes that on.
type Request struct {
	Conversation ConversationRef
	// Turn is what all rounds of the turn share. Never nil within a [Client].
	Turn *Turn
	// Model answers. nil: the innermost handler's own.
	Model    llm.Model
	Messages []llm.Message
	// Tools may be called in this turn; the tool loop decides which of them a
	// model call sees.
	Tools      []toolspec.Tool
	ToolChoice llm.ToolChoice
	Options    llm.Options
	Format     *llm.OutputFormat
	Values     Values
	// Round is the number of the model call in its turn, from 1. 0 is 1.
	Round int
	// Telemetry receives the spans of what is done for the request. nil is off.
	Telemetry *genai.Telemetry
	// Resumed says that the turn continues where it was interrupted: Messages are as
	// advisors left them then, and are not to be added to again.
	Resumed *RoundInput
}

// ConversationRef names a conversation and its participants.
type ConversationRef struct {
	ID string
	// Provider is the one that the conversation is locked to; empty: none yet.
	Provider  string
	Principal toolspec.Principal
}

// Clone returns a copy whose lists can be appended to and whose messages can be
// replaced; for another choice of tools, set another list. The turn is shared.
func (r *Request) Clone() *Request {
	c := *r
	c.Messages = slices.Clip(slices.Clone(r.Messages))
	c.Tools = slices.Clip(r.Tools)
	return &c
}

// Question returns the last message of a person, or nil when there is none.
func (r *Request) Question() *llm.Message {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == llm.RoleUser {
			return &r.Messages[i]
		}
	}
	return nil
}

// Values are what advisors pass to each other along a request. The zero
// value has none; With leaves its receiver as it is. Keys are of types of the
// advisor's own package, as with contexts.
type Values struct{ last *valueNode }

type valueNode struct {
	key, value any
	before     *valueNode
}

// Value returns the value of key, or nil.
func (v Values) Value(key any) any {
	for n := v.last; n != nil; n = n.before {
		if n.key == key {
			return n.value
		}
	}
	return nil
}

// With returns the values with one more. key must be comparable.
func (v Values) With(key, value any) Values { return Values{&valueNode{key, value, v.last}} }

// Fail returns the stream that fails at once.
func Fail(err error) Stream {
	return func(yield func(Event, error) bool) { yield(nil, err) }
}

// PanicError is a panic that was caught.
type PanicError struct {
	Name  string // of the advisor or tool
	Value any
	Stack []byte // for a log, not for a person
}

// Error names who panicked, and what with.
func (e *PanicError) Error() string { return fmt.Sprintf("chat: %s panicked: %v", e.Name, e.Value) }
