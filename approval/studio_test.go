package approval_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// echo is a runner that returns its arguments.
type echo struct{ runs int }

func (e *echo) Run(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	e.runs++
	values := map[string]json.RawMessage{}
	for _, g := range req.Globals {
		values[g.Name] = g.Value
	}
	raw, err := json.Marshal(values)
	return &toolspec.Outcome{Result: raw}, err
}

func (*echo) Runtime(toolspec.Level) toolspec.Runtime {
	return toolspec.Runtime{ID: "test", Version: "1", Tier: toolspec.TierInProcess}
}

func (*echo) Check(context.Context, *toolspec.Spec, *toolspec.Posture) toolspec.Problems { return nil }

const gatedSpec = `{
  "toolId": "0b5e0f4e-7c5c-4c27-9f0e-1f6f1f6c0a01", "name": "echo", "description": "Gives its text back.", "codeType": "Javascript",
  "params": [{"name": "text", "description": "what to give back", "type": "STRING", "required": true, "testValue": "hello"}],
  "code": "return {text};", "humanInTheLoop": {"mode": "REQUIRED", "promptTemplate": "Echo {args}?"},
  "x-tests": [{"name": "a word", "args": {"text": "word"}, "want": {"text": "word"}}]
}`

// The gate of a studio asks about test runs on the studio side and about calls on their
// own side, and does not ask twice about a call that already has a clearance.
func TestGateOfAStudio(t *testing.T) {
	store, runner, person := memory.New(), &echo{}, yes()
	g := newGate(t, approval.Options{Store: store, Approvers: []approval.Approver{person}})
	st, err := studio.New(t.Context(), runner, store, &studio.Options{Gate: g})
	require.NoError(t, err)
	documents, err := toolspec.Parse([]byte(gatedSpec), nil)
	require.NoError(t, err)
	spec := documents[0].Spec
	passed, report, err := st.TestAndPublish(t.Context(), spec, nil)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	require.NotNil(t, passed)
	require.Equal(t, 2, person.asked(), "the test values and the case")
	for _, r := range person.requests {
		assert.Equal(t, approval.SideStudio, r.Side)
		assert.Regexp(t, `^Run the tool \w+ with \{"text":"(hello|word)"\}\?\nthe tool says> Echo \{"text":"(hello|word)"\}\?$`, r.Prompt)
	}

	// The program that receives the call asks, and passes the clearance on.
	runs := runner.runs
	c := &toolspec.Call{ID: "1", Arguments: json.RawMessage(`{"text":"x"}`), Principal: ada, Conversation: "conv"}
	out := decide(t, g, approval.Call{Definition: passed.Definition(), Call: c, Side: approval.SideChat})
	require.True(t, out.Allowed(), "%v", out.Cause)
	c.Arguments = out.Arguments
	result, err := passed.Call(approval.WithClearance(t.Context(), out.Clearance), c)
	require.NoError(t, err)
	assert.False(t, result.IsError, result.Text())
	assert.Equal(t, 3, person.asked(), "asked once")
	assert.Equal(t, runs+1, runner.runs)

	// Without a clearance, the tool asks.
	person.decision = approval.Decision{Outcome: approval.Declined, Reason: "enough"}
	result, err = passed.Call(approval.WithClearance(t.Context(), out.Clearance), c)
	require.NoError(t, err)
	require.True(t, result.IsError)
	assert.Equal(t, toolspec.ReasonApprovalDenied, result.Err.Reason)
	assert.Contains(t, result.Text(), `The user did not approve "echo".`)
	assert.Contains(t, result.Text(), "enough")
	assert.Equal(t, 4, person.asked())
	assert.Equal(t, runs+1, runner.runs)
}
