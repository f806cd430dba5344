package chat

import (
	"context"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// Memory is what a model remembers of a conversation: the window of messages that
// goes along with a question. What people read and what is kept is the [conversation.Store]'s.
//
// Obligations of an implementation, held by chattest.TestMemory: all methods are
// safe for concurrent use; Append refuses and Load never returns a history that
// [llm.CheckHistory] refuses; messages are copied on the way in and out.
type Memory interface {
	// Load returns the window, oldest first. A conversation that is not known has
	// an empty one.
	Load(ctx context.Context, conversation string, window Window) ([]llm.Message, error)
	// Append adds messages at the end.
	Append(ctx context.Context, conversation string, messages ...llm.Message) error
	// Clear forgets the conversation.
	Clear(ctx context.Context, conversation string) error
}

// Window bounds what a model sees of earlier turns. Zero values are the
// defaults.
type Window struct {
	// Messages is how many, system messages included. Default 10.
	Messages int
	// Tokens is how much, by Count. 0: no bound.
	Tokens int
	// Count estimates the tokens of a message. nil is [llm.EstimateTokens].
	Count func(*llm.Message) int
	// Tools says how the tool rounds of earlier turns are shown.
	Tools conversation.ToolHistory
}

const (
	defaultWindow = 10
)
