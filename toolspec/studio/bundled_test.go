package studio_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// Whether a bundled tool is published outlives the program, and every program on
// the store knows it.
func TestBundledIsKept(t *testing.T) {
	ctx := t.Context()
	spec := parse(t, echoSpec)
	opts := &studio.Options{Pins: map[string]string{spec.Name: spec.CatalogHash()},
		Bundled: func() ([]*toolspec.Spec, error) { return []*toolspec.Spec{spec}, nil }}
	b := newBench(t, opts)
	id := spec.ID()
	marks := func() map[string]bool {
		t.Helper()
		m, err := b.PublishedBundled(ctx)
		require.NoError(t, err)
		return m
	}
	admit(t, b.Studio, spec)
	assert.Empty(t, marks(), "what a program serves by itself is not kept")
	_, err := b.Publish(ctx, spec)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{id: true}, marks())

	other := studioOn(t, newRunner(), b.store, opts)
	require.NoError(t, other.Restore(ctx))
	require.Len(t, other.Published(), 1, "it is published after a start")
	require.NoError(t, other.Unpublish(ctx, id))
	assert.Equal(t, map[string]bool{id: false}, marks())

	other = studioOn(t, newRunner(), b.store, opts)
	require.NoError(t, other.Restore(ctx))
	assert.Empty(t, other.Published(), "it stays unpublished")
	_, _, err = other.TestAndPublish(ctx, spec, nil)
	assert.ErrorIs(t, err, studio.ErrUnpublished)
	_, err = other.Publish(ctx, spec)
	require.NoError(t, err, "publishing brings it back")
	assert.Equal(t, map[string]bool{id: true}, marks())
}
