package turntest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// NewGate returns a gate that the test closes at its end.
func NewGate(t testing.TB, p localpass.Persistence, a approval.Approver) *approval.Gate {
	t.Helper()
	gate, err := approval.NewGate(&approval.Options{Store: p, NoAudit: true, PerMinute: 10_000, Approvers: []approval.Approver{a}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, gate.Close()) })
	return gate
}

// Decider is an approver that decides every request itself.
type Decider struct {
	// Decide returns the decision about a request, without its Request, By and Via. nil
	// approves.
	Decide func(approval.Request) approval.Decision
	// Before, if set, is called first.
	Before func(ctx context.Context) error
	// Asked counts the calls of Ask.
	Asked int
}

// Ask decides requests in the name of [User].
func (d *Decider) Ask(ctx context.Context, requests []approval.Request) (decisions []approval.Decision, err error) {
	d.Asked++
	if d.Before != nil {
		if err := d.Before(ctx); err != nil {
			return nil, err
		}
	}
	for _, r := range requests {
		decision := approval.Decision{Outcome: approval.Approved}
		if d.Decide != nil {
			decision = d.Decide(r)
		}
		decision.Request, decision.By, decision.Via = r.ID, User, User.Via
		decisions = append(decisions, decision)
	}
	return decisions, nil
}

// Decide decides a pending request in the name of [User].
func Decide(t testing.TB, gate *approval.Gate, request string, outcome approval.Outcome) {
	t.Helper()
	_, err := gate.Broker().Decide(context.Background(), approval.Decision{Request: request, Outcome: outcome, By: User, Via: User.Via})
	require.NoError(t, err)
}

// PausingManager is a tool calling manager that pauses the turn in its first round. In
// later rounds it reports each call as executed, without running it.
type PausingManager struct{ rounds int }

// Offer offers all tools.
func (*PausingManager) Offer(_ context.Context, req *chat.Request) ([]toolspec.Tool, llm.ToolChoice, error) {
	return req.Tools, req.ToolChoice, nil
}

// ExecuteRound pauses, or reports the calls as executed.
func (m *PausingManager) ExecuteRound(_ context.Context, in chat.RoundInput, emit func(chat.Event) bool) (result chat.RoundResult, err error) {
	m.rounds++
	if m.rounds == 1 {
		return chat.RoundResult{Paused: &chat.Pause{Requests: map[string]string{"a": "b"}, Claims: map[string]llm.ToolResult{}}}, nil
	}
	for _, c := range in.Assistant.ToolCalls() {
		r := llm.ToolResult{CallID: c.ID, Name: c.Name, Outcome: llm.OutcomeExecuted}
		emit(&chat.ToolCallResult{CallID: c.ID, Outcome: r.Outcome, Result: &r})
		emit(&chat.ToolCallUpdate{CallID: c.ID, Status: conversation.CallCompleted})
		result.Results = append(result.Results, r)
	}
	return result, nil
}
