package studio_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// A spec that does not pass is an error of TestAndPublish, with its report.
func TestTestAndPublishFailing(t *testing.T) {
	t.Run("a test fails", func(t *testing.T) {
		b := newBench(t, nil)
		b.runner.run = returns(`{"text":"wrong"}`)
		passed, report, err := b.TestAndPublish(t.Context(), parse(t, echoSpec), nil)
		require.ErrorIs(t, err, studio.ErrNoPass)
		assert.ErrorContains(t, err, `"echo" did not pass`)
		assert.ErrorContains(t, err, `result.text is "wrong", not "word"`)
		assert.Nil(t, passed)
		require.NotNil(t, report)
		assert.False(t, report.OK)
		assert.NotEmpty(t, report.Runs)
		assert.Empty(t, b.Published())
	})
	t.Run("it cannot be tested", func(t *testing.T) {
		passed, report, err := newBench(t, nil).TestAndPublish(t.Context(), edit(t, func(s *toolspec.Spec) { s.Code = "" }), nil)
		require.ErrorIs(t, err, studio.ErrNoPass)
		assert.Nil(t, passed)
		require.NotNil(t, report)
		assert.Empty(t, report.Runs)
		assert.Error(t, report.Err())
	})
	t.Run("a test is not finished", func(t *testing.T) {
		b := newBench(t, nil) // without a gate
		spec := edit(t, func(s *toolspec.Spec) { s.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired} })
		_, report, err := b.TestAndPublish(t.Context(), spec, nil)
		require.ErrorIs(t, err, studio.ErrNoPass)
		assert.NotEmpty(t, report.Incomplete)
	})
	t.Run("the store fails", func(t *testing.T) {
		b := newBench(t, nil)
		require.NoError(t, b.store.Close())
		_, report, err := b.TestAndPublish(t.Context(), parse(t, echoSpec), nil)
		require.Error(t, err)
		assert.False(t, errors.Is(err, studio.ErrNoPass))
		assert.Nil(t, report)
	})
}
