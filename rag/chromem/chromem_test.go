package chromem_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// A file that holds mostly what was replaced is rewritten, and nothing else is lost.
func TestFileIsRewritten(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	store, err := chromem.Open(dir, nil)
	require.NoError(t, err)
	const documents, rounds = 300, 8
	text := strings.Repeat("long ", 400)
	var written int
	for round := range rounds {
		var docs []rag.Document
		for i := range documents {
			d := rag.Document{ID: strconv.Itoa(i), Text: fmt.Sprint(text, round), Vector: []float32{1, float32(i)}, Metadata: map[string]any{"round": round}}
			written += len(d.Text)
			docs = append(docs, d)
		}
		require.NoError(t, store.Add(ctx, docs...))
	}
	require.NoError(t, store.Close())

	var size int64
	require.NoError(t, filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			size += info.Size()
		}
		return err
	}))
	assert.Less(t, size, int64(written/2))

	store, err = chromem.Open(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	found, err := store.Search(ctx, rag.SearchRequest{Vector: []float32{1, 7}, TopK: 2 * documents})
	require.NoError(t, err)
	require.Len(t, found, documents)
	assert.Equal(t, "7", found[0].ID)
	for _, m := range found {
		assert.EqualValues(t, rounds-1, m.Metadata["round"])
		assert.Equal(t, fmt.Sprint(text, rounds-1), m.Text)
	}
	assert.ErrorIs(t, store.Add(ctx, rag.Document{ID: "x", Text: "x", Vector: []float32{1, 2, 3}}), rag.ErrVector, "the dimension is stored")
}
