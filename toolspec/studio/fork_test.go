package studio_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

func TestFork(t *testing.T) {
	original := parse(t, echoSpec)
	b := newBench(t, &studio.Options{Pins: map[string]string{"echo": original.CatalogHash(), "copyOfEcho3": "reserved too"}})
	original.Extra = map[string]json.RawMessage{"x-local-pass": []byte(`{"hash":"x"}`)}
	original.Created = 7

	fork, err := b.Fork(t.Context(), original)
	require.NoError(t, err)
	assert.Equal(t, "copyOfEcho", fork.Spec.Name)
	assert.NotEqual(t, original.ToolID, fork.Spec.ToolID)
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, fork.Spec.ToolID)
	assert.True(t, fork.Spec.Draft)
	assert.Greater(t, fork.Spec.Created, int64(7))
	assert.NotContains(t, fork.Spec.Extra, "x-local-pass")
	from, ok := fork.Spec.ForkedFrom()
	assert.True(t, ok)
	assert.Equal(t, toolspec.Origin{Name: "echo", ToolID: original.ToolID, CatalogHash: original.CatalogHash()}, from)
	assert.Equal(t, original.Code, fork.Spec.Code)
	assert.Equal(t, "echo", original.Name, "the original is left as it is")
	assert.NotContains(t, original.Extra, "x-forked-from")

	stored, err := b.Draft(t.Context(), fork.Spec.ToolID)
	require.NoError(t, err)
	from, ok = stored.Spec.ForkedFrom()
	assert.True(t, ok, "it is in the document")
	assert.Equal(t, "echo", from.Name)

	second, err := b.Fork(t.Context(), original)
	require.NoError(t, err)
	assert.Equal(t, "copyOfEcho2", second.Spec.Name)
	third, err := b.Fork(t.Context(), original)
	require.NoError(t, err)
	assert.Equal(t, "copyOfEcho4", third.Spec.Name, "copyOfEcho3 is reserved")

	of, err := b.Fork(t.Context(), second.Spec)
	require.NoError(t, err)
	assert.Equal(t, "copyOfCopyOfEcho2", of.Spec.Name)
	from, _ = of.Spec.ForkedFrom()
	assert.Equal(t, "copyOfEcho2", from.Name, "the nearest ancestor")

	// A fork earns its own pass and is served beside the original.
	admit(t, b.Studio, original)
	admit(t, b.Studio, fork.Spec)
	assert.Len(t, b.Published(), 2)
}

func TestForkNames(t *testing.T) {
	b := newBench(t, nil)
	for name, want := range map[string]string{
		"x": "copyOfX", "ärger": "copyOfÄrger", "9lives": "copyOf9lives", strings.Repeat("a", 200): "copyOfA" + strings.Repeat("a", 113),
		strings.Repeat("ä", 100): "copyOfÄ" + strings.Repeat("ä", 56),
	} {
		spec := toolspec.New(name)
		fork, err := b.Fork(t.Context(), spec)
		require.NoError(t, err)
		assert.Equal(t, want, fork.Spec.Name)
		again, err := b.Fork(t.Context(), spec)
		require.NoError(t, err)
		assert.Equal(t, want+"2", again.Spec.Name)
	}
}

func TestForkedFromOfOthers(t *testing.T) {
	for raw, want := range map[string]bool{`{"toolId":"a","name":"b"}`: true, `{"name":"b"}`: false, `"a"`: false, `{`: false} {
		spec := toolspec.New("x")
		spec.Extra = map[string]json.RawMessage{"x-forked-from": []byte(raw)}
		_, ok := spec.ForkedFrom()
		assert.Equal(t, want, ok, raw)
	}
	_, ok := toolspec.New("x").ForkedFrom()
	assert.False(t, ok)
}

func TestForkReportsTheStore(t *testing.T) {
	b := newBench(t, nil)
	require.NoError(t, b.store.Close())
	_, err := b.Fork(t.Context(), parse(t, echoSpec))
	assert.ErrorIs(t, err, localpass.ErrClosed)
	assert.ErrorContains(t, err, `fork "echo"`)
}

func TestUnpublishStaysOffTheAir(t *testing.T) {
	b := newBench(t, nil)
	spec := parse(t, echoSpec)
	_, err := b.SaveDraft(t.Context(), studio.Draft{Spec: spec})
	require.NoError(t, err)
	passed := admit(t, b.Studio, spec)
	require.NoError(t, b.Unpublish(t.Context(), passed.ID()))
	assert.ErrorIs(t, passed.Err(), studio.ErrWithdrawn)

	next := studioOn(t, b.runner, b.store, nil) // the program starts again
	require.NoError(t, next.Restore(t.Context()))
	assert.Empty(t, next.Published())
	status, err := next.Status(t.Context(), spec)
	require.NoError(t, err)
	assert.NotNil(t, status.Receipt, "the pass is still good")
	_, err = next.Publish(t.Context(), spec)
	require.NoError(t, err)

	require.NoError(t, next.Unpublish(t.Context(), "nothing of this id"))
	require.NoError(t, b.store.Close())
	assert.ErrorIs(t, next.Unpublish(t.Context(), passed.ID()), localpass.ErrClosed)
	assert.Empty(t, next.Published(), "off the air all the same")
}

func TestReceipts(t *testing.T) {
	b := newBench(t, nil)
	spec := parse(t, echoSpec)
	list := func() (ids []string) {
		for r, err := range b.Receipts(t.Context()) {
			require.NoError(t, err)
			ids = append(ids, r.ToolID)
		}
		return ids
	}
	assert.Empty(t, list())
	admit(t, b.Studio, spec)
	assert.Equal(t, []string{spec.ToolID}, list())

	// One that was written by hand, and one that was voided.
	_, err := b.store.Put(t.Context(), "receipts", "00", localpass.Document{Data: []byte(`{"receipt":{"toolId":"forged","subject":"00"}}`)})
	require.NoError(t, err)
	_, err = b.store.Put(t.Context(), "receipts", "01", localpass.Document{Data: []byte(`[]`)})
	require.NoError(t, err)
	assert.Equal(t, []string{spec.ToolID}, list())
	b.runner.run = returns(`{"text":"wrong"}`)
	report, err := b.Test(t.Context(), spec, nil)
	require.NoError(t, err)
	assert.False(t, report.OK)
	assert.Empty(t, list())

	for range b.Receipts(t.Context()) {
		break
	}
	require.NoError(t, b.store.Close())
	for _, err := range b.Receipts(t.Context()) {
		assert.ErrorIs(t, err, localpass.ErrClosed)
	}
}
