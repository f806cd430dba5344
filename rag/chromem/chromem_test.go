package chromem_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/chromem"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/ragtest"
)

func TestMain(m *testing.M) {
	testrun.InMemory()
	os.Exit(m.Run())
}

func Example() {
	ctx := context.Background()
	store, err := chromem.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = store.Add(ctx,
		rag.Document{ID: "1", Text: "north", Vector: []float32{0, 1}, Metadata: map[string]any{"year": 2020}},
		rag.Document{ID: "2", Text: "east", Vector: []float32{1, 0}, Metadata: map[string]any{"year": 2024}})
	if err != nil {
		fmt.Println(err)
		return
	}
	since, err := rag.ParseFilter("year >= 2021")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := store.Search(ctx, rag.SearchRequest{Vector: []float32{0.1, 1}, Filter: since})
	fmt.Println(len(found), found[0].Text, err)
	// Output: 1 east <nil>
}

func TestConformanceInMemory(t *testing.T) {
	t.Parallel()
	ragtest.TestStore(t, func(t testing.TB, e rag.Embedder) rag.VectorStore {
		s, err := chromem.New(&chromem.Options{Embedder: e})
		require.NoError(t, err)
		return s
	}, nil)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	var dirs sync.Map
	openAt := func(t testing.TB, dir string, e rag.Embedder) rag.VectorStore {
		s, err := chromem.Open(dir, &chromem.Options{Embedder: e})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		dirs.Store(s, dir)
		return s
	}
	ragtest.TestStore(t, func(t testing.TB, e rag.Embedder) rag.VectorStore { return openAt(t, t.TempDir(), e) }, &ragtest.Options{
		Reopen: func(t testing.TB, s rag.VectorStore) rag.VectorStore {
			require.NoError(t, s.(*chromem.Store).Close())
			dir, _ := dirs.Load(s)
			return openAt(t, dir.(string), nil)
		},
	})
}

// Both stores read the same file, at the same time.
func TestSharedWithFlat(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	one, err := flat.Open(dir, nil)
	require.NoError(t, err)
	other, err := chromem.Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, one.Add(ctx, rag.Document{ID: "a", Text: "x", Vector: []float32{1, 0}}))
	require.NoError(t, other.Add(ctx, rag.Document{ID: "b", Text: "y", Vector: []float32{0, 1}}))
	for _, s := range []rag.VectorStore{one, other} {
		found, err := s.Search(ctx, rag.SearchRequest{Vector: []float32{1, 0.1}})
		require.NoError(t, err)
		require.Len(t, found, 2)
		assert.Equal(t, "a", found[0].ID)
	}
	require.NoError(t, one.Close())
	require.NoError(t, other.Close())
	require.ErrorIs(t, other.Add(ctx, rag.Document{ID: "c", Vector: []float32{1, 1}}), localpass.ErrClosed)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "documents.log"), []byte("not ours"), 0o600))
	_, err = chromem.Open(dir, nil)
	assert.ErrorIs(t, err, rag.ErrCorrupt)
	_, err = chromem.Open(filepath.Join(dir, "documents.log"), nil)
	assert.Error(t, err)
}

type described struct{ rag.EmbedderFunc }

func (described) EmbedderInfo() rag.EmbedderInfo {
	return rag.EmbedderInfo{ID: "test/b", Dimension: 3}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	s, err := chromem.Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, s.Add(ctx, rag.Document{ID: "a", Text: "x", Vector: []float32{1, 0}}))
	require.NoError(t, s.Close())
	_, err = chromem.Open(dir, &chromem.Options{Embedder: described{}})
	assert.ErrorIs(t, err, rag.ErrEmbedderMismatch)
}
