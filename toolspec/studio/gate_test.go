package studio_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

type gateFunc func(context.Context, toolspec.Definition, *toolspec.Call) (json.RawMessage, error)

func (f gateFunc) Clear(ctx context.Context, def toolspec.Definition, call *toolspec.Call) (json.RawMessage, error) {
	return f(ctx, def, call)
}

func gated(s *toolspec.Spec) { s.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired} }

// A person may take longer than the tool: its time begins when they said yes.
func TestApprovalTakesNoTimeOfTheTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		person := func(ctx context.Context, _ toolspec.Definition, _ *toolspec.Call) (json.RawMessage, error) {
			time.Sleep(time.Hour)
			_, limited := ctx.Deadline()
			assert.False(t, limited, "the wait is not within the tool's time")
			return nil, ctx.Err()
		}
		b := newBench(t, &studio.Options{Gate: gateFunc(person)})
		var left time.Duration
		b.runner.run = func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
			deadline, ok := ctx.Deadline()
			require.True(t, ok)
			left = time.Until(deadline)
			return echoes(ctx, req)
		}
		passed := admit(t, b.Studio, edit(t, gated))
		result := callWith(t, passed, `{"text":"x"}`)
		assert.False(t, result.IsError, result.Text())
		assert.Equal(t, passed.Definition().Timeout, left)
	})
}

func TestApprovalWithEditedArguments(t *testing.T) {
	var edited string
	var via []string
	b := newBench(t, &studio.Options{Gate: gateFunc(func(_ context.Context, _ toolspec.Definition, call *toolspec.Call) (json.RawMessage, error) {
		via = append(via, call.Principal.Via)
		return json.RawMessage(edited), nil
	})})
	spec := edit(t, gated)

	edited = `{"text":"word"}`
	report, err := b.Test(t.Context(), spec, nil)
	require.NoError(t, err)
	assert.False(t, report.OK, "a test with other arguments than its own proves nothing")
	assert.Equal(t, toolspec.ReasonApprovalDenied, report.Runs[0].Result.Err.Reason)

	edited = ""
	passed := admit(t, b.Studio, spec)
	for _, v := range via {
		assert.Equal(t, "studio", v, "a test says where it comes from")
	}

	edited = `{"text":"changed"}`
	result := callWith(t, passed, `{"text":"asked"}`)
	require.False(t, result.IsError, result.Text())
	assert.JSONEq(t, `{"text":"changed","greeting":"hi"}`, string(result.Structured))
	require.Len(t, result.Content, 2)
	assert.Equal(t, `A person changed the arguments of this call before allowing it. It ran with: {"text":"changed"}`, result.Content[1].Text)

	edited = `{"words":"changed"}`
	result = callWith(t, passed, `{"text":"asked"}`)
	require.NotNil(t, result.Err)
	assert.Equal(t, toolspec.KindInvalidInput, result.Err.Kind, "a person's arguments are read like any others")
}

// What was withdrawn while somebody was asked about it does not run.
func TestApprovalOfWithdrawn(t *testing.T) {
	var b *bench
	var asked func()
	b = newBench(t, &studio.Options{Gate: gateFunc(func(context.Context, toolspec.Definition, *toolspec.Call) (json.RawMessage, error) {
		asked()
		return nil, nil
	})})
	asked = func() {}
	spec := edit(t, gated)
	passed := admit(t, b.Studio, spec)
	runs := b.runner.runs
	asked = func() { b.Withdraw(spec.ID()) }
	result := callWith(t, passed, `{"text":"x"}`)
	require.NotNil(t, result.Err)
	assert.Equal(t, toolspec.ReasonWithdrawn, result.Err.Reason)
	assert.Equal(t, runs, b.runner.runs)
}
