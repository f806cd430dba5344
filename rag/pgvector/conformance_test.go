package pgvector_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/embedding"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/pgvector"
	"github.com/localpass/localpass/rag/ragtest"
	"github.com/localpass/localpass/rag/ragtest/eval"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	database(t)
	var names sync.Map
	openAs := func(t testing.TB, name string, e rag.Embedder) rag.VectorStore {
		s := open(t, pgvector.Options{Collection: name, Embedder: e})
		names.Store(s, name)
		return s
	}
	ragtest.TestStore(t, func(t testing.TB, e rag.Embedder) rag.VectorStore { return openAs(t, name(t), e) }, &ragtest.Options{
		Reopen: func(t testing.TB, s rag.VectorStore) rag.VectorStore {
			require.NoError(t, s.(*pgvector.Store).Close())
			name, _ := names.Load(s)
			return openAs(t, name.(string), nil)
		},
	})
}

// It finds as much as the exact store does.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	database(t)
	exact, err := flat.New(&flat.Options{Embedder: embedding.Words()})
	require.NoError(t, err)
	var results []eval.Result
	for _, s := range []rag.VectorStore{exact, open(t, pgvector.Options{Collection: name(t), Embedder: embedding.Words()})} {
		set := eval.Handbook(true)
		require.NoError(t, s.Add(t.Context(), set.Documents...))
		r, err := eval.Measure(t.Context(), set, eval.System{Retriever: rag.RetrieverFunc(s.Search), Request: rag.SearchRequest{Mode: rag.ModeVector}})
		require.NoError(t, err)
		results = append(results, r)
	}
	require.Equal(t, results[0], results[1])
}
