package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

type gate struct {
	err   error
	asked int
}

func (g *gate) Clear(context.Context, toolspec.Definition, *toolspec.Call) (json.RawMessage, error) {
	g.asked++
	return nil, g.err
}

func TestApproval(t *testing.T) {
	ctx := t.Context()
	spec := edit(t, func(s *toolspec.Spec) { s.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired} })
	t.Run("nobody to ask", func(t *testing.T) {
		b := newBench(t, nil)
		report, err := b.Test(ctx, spec, nil)
		require.NoError(t, err)
		assert.False(t, report.OK)
		assert.Equal(t, "approval-unavailable", report.Runs[0].Result.Err.Reason)
		assert.Zero(t, b.runner.runs)

		passed, _, err := b.TestAndPublish(ctx, spec, &studio.TestOptions{ByAuthor: true})
		require.NoError(t, err)
		runs := b.runner.runs
		result := callWith(t, passed, `{"text":"x"}`)
		assert.Equal(t, "approval-unavailable", result.Err.Reason, "the author's test gives no call away")
		assert.Equal(t, runs, b.runner.runs)
	})
	t.Run("a gate", func(t *testing.T) {
		g := &gate{}
		b := newBench(t, &studio.Options{Gate: g})
		passed := admit(t, b.Studio, spec)
		asked := g.asked
		assert.False(t, callWith(t, passed, `{"text":"x"}`).IsError)
		assert.Equal(t, asked+1, g.asked)
		g.err = errors.New("no")
		result := callWith(t, passed, `{"text":"x"}`)
		assert.Equal(t, "approval-denied", result.Err.Reason)
		assert.Equal(t, toolspec.KindSecurity, result.Err.Kind)
		result = callWith(t, passed, `{}`)
		assert.Equal(t, toolspec.KindInvalidInput, result.Err.Kind, "a call that cannot run is not asked about")
		assert.Equal(t, asked+2, g.asked)
	})
	t.Run("a no ends the test", func(t *testing.T) {
		g := &gate{err: errors.New("no")}
		b := newBench(t, &studio.Options{Gate: g})
		spec := edit(t, func(s *toolspec.Spec) {
			s.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
			s.Tests = []toolspec.Case{{Name: "one", Args: json.RawMessage(`{"text":"1"}`)}, {Name: "two", Args: json.RawMessage(`{"text":"2"}`)}}
		})
		report, err := b.Test(ctx, spec, nil)
		require.NoError(t, err)
		assert.False(t, report.OK)
		assert.Len(t, report.Runs, 1)
		assert.Equal(t, 1, g.asked, "about the next cases nobody is asked")
	})
}
