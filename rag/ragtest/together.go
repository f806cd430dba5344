package ragtest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

var togetherCases = []Case{
	simple("together/a search sees whole calls", func(t testing.TB, s rag.VectorStore) {
		// Each call writes ten documents of one version; a search must never see two
		// versions, nor a part of one.
		version := func(v int) (docs []rag.Document) {
			for i := range 10 {
				docs = append(docs, with(doc(fmt.Sprint(i), float32(i+1), float32(v+1)), map[string]any{"version": v, "file": "f"}))
			}
			return docs
		}
		add(t, s, version(0)...)
		var writer, readers sync.WaitGroup
		done := make(chan struct{})
		writer.Go(func() {
			defer close(done)
			for v := 1; v <= 60; v++ {
				if err := s.Add(ctx, version(v)...); err != nil {
					t.Errorf("version %d: %v", v, err)
					return
				}
			}
		})
		for range 3 {
			readers.Go(func() {
				for {
					found, err := s.Search(ctx, rag.SearchRequest{Vector: east, Filter: rag.Equal("file", "f"), TopK: 20})
					if err != nil || len(found) != 10 {
						t.Errorf("%d documents are found: %v", len(found), err)
						return
					}
					for _, m := range found {
						if m.Metadata["version"] != found[0].Metadata["version"] {
							t.Errorf("the versions %v and %v are found at once", m.Metadata["version"], found[0].Metadata["version"])
							return
						}
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		writer.Wait()
		readers.Wait()
	}),
	simple("together/writers of different documents", func(t testing.TB, s rag.VectorStore) {
		var group sync.WaitGroup
		for w := range 4 {
			group.Go(func() {
				for i := range 25 {
					d := with(doc(fmt.Sprintf("%d-%02d", w, i), float32(w+1), float32(i+1)), map[string]any{"writer": w, "i": i})
					if err := s.Add(ctx, d); err != nil {
						t.Error(err)
					}
					if i%5 == 4 {
						if err := s.Delete(ctx, rag.And(rag.Equal("writer", w), rag.Equal("i", i-1))); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		group.Wait()
		assert.Len(t, all(t, s, anything), 4*20)
		assert.Len(t, all(t, s, rag.Equal("writer", 2)), 20)
	}),
	simple("together/random operations, against the oracle", func(t testing.TB, s rag.VectorStore) {
		randomOperations(t, s, 11, func() rag.VectorStore { return s })
	}),
}

// randomOperations changes a store in many ways, and compares it with the oracle. again
// returns the store to go on with.
func randomOperations(t testing.TB, s rag.VectorStore, seed uint64, again func() rag.VectorStore) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 12))
	docs := map[string]rag.Document{}
	for step := range 150 {
		switch r.IntN(6) {
		case 0:
			f := randomFilter(r, 2)
			if r.IntN(3) > 0 {
				f = rag.And(f, rag.Equal("a", randomValue(r)))
			}
			require.NoError(t, s.Delete(ctx, f))
			for id, d := range docs {
				if f.Matches(d.Metadata) {
					delete(docs, id)
				}
			}
		default:
			batch := map[string]rag.Document{}
			for range 1 + r.IntN(6) {
				id := fmt.Sprint(r.IntN(60))
				batch[id] = randomDocument(r, id, 5)
			}
			add(t, s, inOrder(batch)...)
			for id, d := range batch {
				docs[id] = d
			}
		}
		if step%30 == 29 {
			s = again()
		}
		if step%3 == 0 {
			req := rag.SearchRequest{Vector: randomVector(r, 5), TopK: 1 + r.IntN(30), Filter: randomFilter(r, 2)}
			requireSame(t, docs, req, search(t, s, req), "step", step)
		}
	}
	require.Equal(t, selectedBy(docs, anything), all(t, s, anything))
	for _, m := range search(t, s, rag.SearchRequest{Filter: anything, TopK: 100, Vectors: true}) {
		requireMetadata(t, docs[m.ID].Metadata, m.Metadata)
		requireDirection(t, docs[m.ID].Vector, m.Vector)
	}
}

// reopening makes a case for stores that outlive a program.
func reopening(name string, run func(t testing.TB, s rag.VectorStore, reopen func(rag.VectorStore) rag.VectorStore)) Case {
	return Case{name, func(t testing.TB, open Open, o Options) {
		if o.Reopen == nil {
			t.Skip("the documents do not outlive the store")
		}
		run(t, open(t, nil), func(s rag.VectorStore) rag.VectorStore { return o.Reopen(t, s) })
	}}
}

var reopenCases = []Case{
	reopening("reopen/everything is there", func(t testing.TB, s rag.VectorStore, reopen func(rag.VectorStore) rag.VectorStore) {
		docs := fixture()
		add(t, s, inOrder(docs)...)
		s = reopen(s)
		for id, d := range docs {
			m := find(t, s, id)
			require.NotNil(t, m)
			assert.Equal(t, d.Text, m.Text)
			requireMetadata(t, d.Metadata, m.Metadata)
			requireDirection(t, d.Vector, m.Vector)
		}
		req := rag.SearchRequest{Vector: []float32{1, 2, 3}}
		requireSame(t, docs, req, search(t, s, req))
	}),
	reopening("reopen/an empty store", func(t testing.TB, s rag.VectorStore, reopen func(rag.VectorStore) rag.VectorStore) {
		s = reopen(s)
		add(t, s, doc("a", 1, 0))
		requireUnchanged(t, s, "a")
	}),
	reopening("reopen/ids with the same short hash", func(t testing.TB, s rag.VectorStore, reopen func(rag.VectorStore) rag.VectorStore) {
		add(t, s, doc("72500-docInfoId-x", 1, 0), doc("75344-docInfoId-x", 1, 0))
		s = reopen(s)
		assert.Len(t, all(t, s, anything), 2)
	}),
	reopening("reopen/changes, deletions and the dimension", func(t testing.TB, s rag.VectorStore, reopen func(rag.VectorStore) rag.VectorStore) {
		three(t, s)
		add(t, s, rag.Document{ID: "c", Text: "new", Vector: []float32{-1, 0}})
		require.NoError(t, s.Delete(ctx, rag.Equal("file", "x")))
		s = reopen(s)
		requireUnchanged(t, s, "c")
		assert.Equal(t, "new", find(t, s, "c").Text)
		require.ErrorIs(t, s.Add(ctx, doc("d", 1, 0, 0)), rag.ErrVector)
		add(t, s, doc("d", 1, 1))
		s = reopen(reopen(s))
		requireUnchanged(t, s, "c", "d")
	}),
	reopening("reopen/a rejected call leaves nothing", func(t testing.TB, s rag.VectorStore, reopen func(rag.VectorStore) rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		require.Error(t, s.Add(ctx, doc("b", 1, 0), doc("c", 1)))
		requireUnchanged(t, reopen(s), "a")
	}),
	reopening("reopen/random operations", func(t testing.TB, s rag.VectorStore, reopen func(rag.VectorStore) rag.VectorStore) {
		current := s
		randomOperations(t, s, 13, func() rag.VectorStore {
			current = reopen(current)
			return current
		})
	}),
}
