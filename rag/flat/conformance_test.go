package flat_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/ragtest"
)

func TestConformanceInMemory(t *testing.T) {
	t.Parallel()
	ragtest.TestStore(t, func(t testing.TB, e rag.Embedder) rag.VectorStore {
		s, err := flat.New(&flat.Options{Embedder: e})
		require.NoError(t, err)
		return s
	}, &ragtest.Options{Lexical: true})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	var dirs sync.Map
	openAt := func(t testing.TB, dir string, e rag.Embedder) rag.VectorStore {
		s, err := flat.Open(dir, &flat.Options{Embedder: e})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		dirs.Store(s, dir)
		return s
	}
	ragtest.TestStore(t, func(t testing.TB, e rag.Embedder) rag.VectorStore { return openAt(t, t.TempDir(), e) }, &ragtest.Options{
		Lexical: true,
		Reopen: func(t testing.TB, s rag.VectorStore) rag.VectorStore {
			require.NoError(t, s.(*flat.Store).Close())
			dir, _ := dirs.Load(s)
			return openAt(t, dir.(string), nil)
		},
	})
}
