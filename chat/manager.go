package chat

import (
	"context"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// ToolCallingManager decides which tools a model call sees, and runs the calls
// that come back. It is the only place where a chat runs tools.
// [NewToolCallingManager] returns the one that is used by default; another may wrap or
// replace it.
//
// Obligations of an implementation:
//
//   - Both methods are safe for concurrent use by different turns.
//   - ExecuteRound answers every call of the assistant's message with one result,
//     in the order of the calls, whatever happens: also when ctx ends. The one
//     exception is a round that pauses.
//   - emit is called from the caller's goroutine only. When it returns false
//     nothing more is emitted; calls under way are stopped.
//   - A tool runs only after everything that may refuse it has permitted it. What fails in
//     a check means no.
type ToolCallingManager interface {
	// Offer returns the tools of the next model call, and how they are chosen.
	Offer(ctx context.Context, req *Request) ([]toolspec.Tool, llm.ToolChoice, error)
	// ExecuteRound runs one batch of calls.
	ExecuteRound(ctx context.Context, in RoundInput, emit func(Event) bool) (RoundResult, error)
}

// RoundInput is one batch of calls and its context.
type RoundInput struct {
	Conversation ConversationRef
	Turn         *Turn
	Round        int // from 1
	// History is what the model saw, without Assistant.
	History   []llm.Message
	Assistant llm.Message
	Offered   []toolspec.Tool
	// Pool finds tools that can be called without having been offered, as a tool
	// search does. nil: none.
	Pool ToolPool
	// Paused is what was there already when the round was interrupted; nil for a
	// new one.
	Paused *Pause
}

// ToolPool finds tools by name that were not offered.
type ToolPool interface {
	Find(ctx context.Context, name string) (toolspec.Tool, bool)
}

// RoundResult is what a batch of calls gave.
type RoundResult struct {
	// Results answer the calls, in their order.
	Results []llm.ToolResult
	// FollowUps are messages that come after the results, such as a picture that a
	// tool gave.
	FollowUps []llm.Message
	// ReturnDirect says that the results are the answer.
	ReturnDirect bool
	// Finish is set when the loop must end after this round.
	Finish llm.FinishReason
	// Paused is set when the round waits for a decision: Results are empty then.
	Paused *Pause
}

// Pause is a round that waits for people: what is known already and what is
// asked. It is JSON, and becomes part of a checkpoint.
type Pause struct {
	// Requests are the ids of the approvals that are waited for, by call id.
	Requests map[string]string `json:"requests"`
	// Claims are the results that are known already, by call id.
	Claims map[string]llm.ToolResult `json:"claims,omitempty"`
	// Fingerprints are those of the tools when they were asked about, by call id: a
	// tool that changed since does not run.
	Fingerprints map[string]string `json:"fingerprints,omitempty"`
}

// Interceptor sees the calls of a round before they run, and may answer some of
// them itself. Interceptors run in a fixed order, each on the calls that none
// before it claimed: loop guard, approval, file upload, image reference, then the
// program's own.
type Interceptor interface {
	Name() string
	// FailClosed says what an error means: true refuses every call that the
	// interceptor was inspecting, false continues without it.
	FailClosed() bool
	// Intercept returns what it did, by call id; a call that is missing is left alone. calls must not be changed.
	Intercept(ctx context.Context, calls []llm.ToolCall, in RoundInput, emit func(Event) bool) (map[string]InterceptResult, error)
}

// InterceptResult is what an interceptor did with a call.
type InterceptResult struct {
	// Result answers the call, which then does not run. nil: it runs, with the
	// arguments that were approved.
	Result *llm.ToolResult
	// FollowUp comes after the results. Optional.
	FollowUp *llm.Message
}
