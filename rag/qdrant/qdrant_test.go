package qdrant_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	api "github.com/qdrant/go-client/qdrant"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/embedding"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/qdrant"
	"github.com/localpass/localpass/rag/ragtest"
	"github.com/localpass/localpass/rag/ragtest/eval"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	testrun.Parallel(8)
	m.Run()
}

func open(t testing.TB, address string, opts qdrant.Options) *qdrant.Store {
	t.Helper()
	s, err := qdrant.Open(ctx, address, &opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	_, address := serve(t)
	var addresses sync.Map
	var next sync.Mutex
	n := 0
	openAt := func(t testing.TB, at string, e rag.Embedder) rag.VectorStore {
		s := open(t, at, qdrant.Options{Embedder: e})
		addresses.Store(s, at)
		return s
	}
	ragtest.TestStore(t, func(t testing.TB, e rag.Embedder) rag.VectorStore {
		next.Lock()
		defer next.Unlock()
		n++
		return openAt(t, fmt.Sprintf("qdrant://%s/c%d", address, n), e)
	}, &ragtest.Options{
		Reopen: func(t testing.TB, s rag.VectorStore) rag.VectorStore {
			require.NoError(t, s.(*qdrant.Store).Close())
			at, _ := addresses.Load(s)
			return openAt(t, at.(string), nil)
		},
	})
}

// It finds as much as the exact store does.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	_, address := serve(t)
	exact, err := flat.New(&flat.Options{Embedder: embedding.Words()})
	require.NoError(t, err)
	var results []eval.Result
	for _, s := range []rag.VectorStore{exact, open(t, "qdrant://"+address+"/evaluation", qdrant.Options{Embedder: embedding.Words()})} {
		set := eval.Handbook(true)
		require.NoError(t, s.Add(t.Context(), set.Documents...))
		r, err := eval.Measure(t.Context(), set, eval.System{Retriever: rag.RetrieverFunc(s.Search), Request: rag.SearchRequest{Mode: rag.ModeVector}})
		require.NoError(t, err)
		results = append(results, r)
	}
	require.Equal(t, results[0], results[1])
}

func vector(r *rand.Rand, dimension int) []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// At every selectivity as many are found as there are, by filters that the server applies
// exactly, roughly, or not at all.
func TestSelectivities(t *testing.T) {
	t.Parallel()
	srv, address := serve(t)
	s := open(t, "qdrant://"+address+"/docs", qdrant.Options{})
	exact, err := flat.New(nil)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	const n = 1000
	const large = 1 << 53
	var docs []rag.Document
	for i := range n {
		docs = append(docs, rag.Document{ID: fmt.Sprintf("%04d", i), Text: "x", Vector: vector(r, 8),
			Metadata: map[string]any{"n": i, "large": large + i, "name": fmt.Sprintf("%04d", i), "file.part": strings.Repeat("long ", 60) + fmt.Sprint(i%10), `odd "key"[]`: i % 100}})
	}
	require.NoError(t, s.Add(ctx, docs...))
	require.NoError(t, exact.Add(ctx, docs...))
	assert.Equal(t, []string{"terms"}, srv.collections["docs"].indexed)
	for i, selected := range []int{0, 1, 10, 100, 500, n} { // 0.1 % to 100 %
		for _, f := range testrun.Every(3, []string{
			fmt.Sprintf(`n < %d`, selected), fmt.Sprintf(`NOT n >= %d`, selected), fmt.Sprintf(`large < %d`, large+selected), fmt.Sprintf(`NOT large >= %d`, large+selected),
			fmt.Sprintf(`name < '%04d'`, selected), fmt.Sprintf(`large == %d`, large+selected), fmt.Sprintf(`large != %d AND n < %d`, large+1, selected),
			fmt.Sprintf(`file.part == '%s'`, strings.Repeat("long ", 60)+fmt.Sprint(selected%10)), fmt.Sprintf(`'odd "key"[]' == %d`, selected%100), fmt.Sprintf(`'odd "key"[]' < %d`, selected),
		}, i%3) {
			where, err := rag.ParseFilter(f)
			require.NoError(t, err)
			for _, k := range []int{10, 2000} {
				req := rag.SearchRequest{Vector: vector(r, 8), Filter: where, TopK: k}
				found, err := s.Search(ctx, req)
				require.NoError(t, err)
				want, err := exact.Search(ctx, req)
				require.NoError(t, err)
				require.Len(t, found, len(want), "%s, %d", f, k)
				if len(want) == 0 || len(want) == k {
					continue // the approximate half may be other ones
				}
				for i := range want {
					require.Equal(t, want[i].ID, found[i].ID, f)
				}
			}
		}
	}
}

type embedder struct {
	id               string
	dimension, texts int
}

func (e *embedder) EmbedderInfo() rag.EmbedderInfo {
	return rag.EmbedderInfo{ID: e.id, Dimension: e.dimension}
}

func (e *embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.texts += len(texts)
	vectors := make([][]float32, len(texts))
	for i := range texts {
		vectors[i] = make([]float32, e.dimension)
		vectors[i][len(texts[i])%e.dimension] = 1
	}
	return vectors, nil
}

func TestManifest(t *testing.T) {
	t.Parallel()
	_, address := serve(t)
	at := "qdrant://" + address + "/docs"
	e := &embedder{id: "test/a", dimension: 3}
	s := open(t, at, qdrant.Options{Embedder: e})
	require.NoError(t, s.Add(ctx, rag.Document{ID: "1", Text: "one"}))
	require.NoError(t, s.Add(ctx, rag.Document{ID: "1", Text: "one"}, rag.Document{ID: "2", Text: "two"}))
	assert.Equal(t, 2, e.texts, "a stored text is not embedded again")
	other := &embedder{id: "test/b", dimension: 4}
	_, err := qdrant.Open(ctx, at, &qdrant.Options{Embedder: other})
	require.ErrorIs(t, err, rag.ErrEmbedderMismatch)
	stats, err := s.Stats(ctx)
	require.NoError(t, err)
	assert.Equal(t, "test/a", stats.Manifest.Embedder)
	assert.False(t, stats.Manifest.Created.IsZero())

	require.NoError(t, s.Delete(ctx, rag.Filter{Op: rag.OpIsNull, Key: "none"}))
	b := open(t, at, qdrant.Options{Embedder: other})
	require.NoError(t, b.Add(ctx, rag.Document{ID: "1", Text: "one"}), "an empty collection takes another embedder and dimension")
	_, err = s.Search(ctx, rag.SearchRequest{Query: "one"})
	require.ErrorIs(t, err, rag.ErrEmbedderMismatch)
	require.NoError(t, b.DeleteIDs(ctx, "1"))
	c := open(t, at, qdrant.Options{Embedder: &embedder{id: "test/c", dimension: 4}})
	require.NoError(t, c.Add(ctx, rag.Document{ID: "1", Text: "one"}))
	stats, err = c.Stats(ctx)
	require.NoError(t, err)
	assert.Equal(t, "test/c", stats.Manifest.Embedder)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	srv, address := serve(t)
	for _, at := range []string{"", "http://x/y", "qdrant:///docs", "qdrant://x", "qdrant://x/a/b", "qdrant://x:0/docs", "qdrant://x:99999/docs", "qdrant://user:sesame@x/docs", "qdrant://x/docs?key=sesame", "qdrant://x\n/"} {
		_, err := qdrant.Open(ctx, at, nil)
		assert.ErrorIs(t, err, rag.ErrInvalid, at)
		assert.NotContains(t, err.Error(), "sesame")
	}
	_, err := qdrant.Open(ctx, "qdrant://192.0.2.1/docs", &qdrant.Options{Key: "sesame"})
	require.ErrorIs(t, err, rag.ErrInvalid, "a key is not sent in the clear")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, at := range []string{"qdrant://[::1]/docs", "qdrants://" + address + "/docs"} {
		_, err = qdrant.Open(ended, at, nil)
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err = qdrant.Open(ctx, "qdrant://127.0.0.1:1/docs", nil)
	require.Error(t, err)

	at := "qdrant://" + address + "/docs"
	s := open(t, at, qdrant.Options{Key: "sesame"})
	assert.Equal(t, "sesame", srv.key)
	require.NoError(t, s.Add(ctx, rag.Document{ID: "1", Text: "one", Vector: []float32{1, 0}}))
	fail := func(err error) {
		srv.mu.Lock()
		defer srv.mu.Unlock()
		srv.fail = err
	}
	fail(status.Error(codes.PermissionDenied, "denied"))
	_, err = s.Search(ctx, rag.SearchRequest{Vector: []float32{1, 0}})
	require.ErrorContains(t, err, "denied")
	assert.NotContains(t, err.Error(), "sesame")
	require.Error(t, s.DeleteIDs(ctx, "1"))
	for _, err := range s.Scan(ctx, rag.Filter{}) {
		require.Error(t, err)
	}
	fail(nil)

	srv.mu.Lock()
	srv.collections["foreign"] = &stored{}
	srv.collections["docs"].points["x"] = &api.PointStruct{Id: api.NewIDUUID("x"), Vectors: api.NewVectors(1, 0)}
	srv.mu.Unlock()
	_, err = qdrant.Open(ctx, "qdrant://"+address+"/foreign", nil)
	require.ErrorContains(t, err, "another program")
	_, err = s.Search(ctx, rag.SearchRequest{Vector: []float32{1, 0}})
	require.ErrorIs(t, err, rag.ErrCorrupt)
	_, err = s.Search(ctx, rag.SearchRequest{Filter: rag.Filter{Op: rag.OpIsNull, Key: "none"}})
	require.ErrorIs(t, err, rag.ErrCorrupt)

	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Add(ctx), localpass.ErrClosed)
}

func Example() {
	ctx := context.Background()
	store, err := qdrant.Open(ctx, "qdrant://127.0.0.1:1/manuals", nil)
	if err != nil {
		fmt.Println("no server")
		return
	}
	defer store.Close()
	_ = store.Add(ctx, rag.Document{ID: "1", Text: "Printers need paper.", Vector: []float32{0.1, 0.9}})
	// Output: no server
}
