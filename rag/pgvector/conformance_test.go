package pgvector_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/pgvector"
	"github.com/localpass/localpass/rag/ragtest"
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
