package chat

import (
	"context"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// Memory is what a model remembers of a conversation: the window of messages that is sent with
// a question. The [conversation.Store] keeps the full conversation for users.
//
// Obligations of an implementation, which chattest.TestMemory checks: all methods are safe for
// concurrent use; Append refuses, and Load never returns, a history that [llm.CheckHistory]
// refuses; messages are copied in both directions.
type Memory interface {
	// Load returns the window, oldest message first. It is empty for an unknown conversation.
	Load(ctx context.Context, conversation string, window Window) ([]llm.Message, error)
	// Append adds messages at the end.
	Append(ctx context.Context, conversation string, messages ...llm.Message) error
	// Clear forgets the conversation.
	Clear(ctx context.Context, conversation string) error
}

// Window bounds what a model sees of earlier turns. Zero values mean the defaults.
type Window struct {
	// Messages is the number of messages, including system messages. Default 10.
	Messages int
	// Tokens is the number of tokens, by Count. 0: no bound.
	Tokens int
	// Count estimates the tokens of a message. nil is [llm.EstimateTokens].
	Count func(*llm.Message) int
	// Tools says how the tool rounds of earlier turns are shown.
	Tools conversation.ToolHistory
}

const (
	defaultWindow = 10
)
