package ragtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

// circle adds n documents in one quarter of a circle; the first is the nearest to (1, 0).
func circle(t testing.TB, s rag.VectorStore, n int) {
	t.Helper()
	var docs []rag.Document
	for i := range n {
		angle := math.Pi / 2 * float64(i) / float64(n)
		docs = append(docs, doc(fmt.Sprintf("%03d", i), float32(math.Cos(angle)), float32(math.Sin(angle))))
	}
	add(t, s, docs...)
}

var east = []float32{1, 0}

var searchCases = []Case{
	simple("search/an empty store", func(t testing.TB, s rag.VectorStore) {
		assert.Empty(t, search(t, s, rag.SearchRequest{Vector: east}))
		assert.Empty(t, search(t, s, rag.SearchRequest{Vector: east, TopK: 5, Filter: rag.Equal("a", 1)}))
		assert.Empty(t, all(t, s, anything))
	}),
	simple("search/the score is the cosine", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 2, 0), doc("b", 3, 4), doc("c", 0, 0.001), doc("d", -100, 0))
		found := search(t, s, rag.SearchRequest{Vector: []float32{0.5, 0}})
		require.Equal(t, []string{"a", "b", "c", "d"}, ids(found))
		for i, want := range []float64{1, 0.6, 0, -1} {
			assert.InDelta(t, want, found[i].Score, tolerance)
		}
	}),
	simple("search/large and small vectors", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", math.MaxFloat32, math.MaxFloat32), doc("b", 1e-30, 0))
		found := search(t, s, rag.SearchRequest{Vector: []float32{1e-30, 0}})
		require.Equal(t, []string{"b", "a"}, ids(found))
		assert.InDelta(t, 1, found[0].Score, tolerance)
		assert.InDelta(t, math.Sqrt2/2, found[1].Score, tolerance)
	}),
	simple("search/equal scores are ordered by id", func(t testing.TB, s rag.VectorStore) {
		for _, i := range rand.New(rand.NewPCG(3, 3)).Perm(60) {
			add(t, s, doc(fmt.Sprintf("%02d", i), 1, 0))
		}
		for _, k := range []int{1, 7, 59} {
			found := ids(search(t, s, rag.SearchRequest{Vector: east, TopK: k}))
			require.Len(t, found, k)
			for i, id := range found {
				require.Equal(t, fmt.Sprintf("%02d", i), id)
			}
		}
	}),
	simple("search/TopK", func(t testing.TB, s rag.VectorStore) {
		circle(t, s, 30)
		assert.Equal(t, []string{"000", "001", "002"}, ids(search(t, s, rag.SearchRequest{Vector: east, TopK: 3})))
		assert.Len(t, search(t, s, rag.SearchRequest{Vector: east}), rag.DefaultTopK)
		assert.Len(t, search(t, s, rag.SearchRequest{Vector: east, TopK: 1000}), 30)
		assert.Len(t, search(t, s, rag.SearchRequest{Vector: east, TopK: math.MaxInt}), 30)
		_, err := s.Search(ctx, rag.SearchRequest{Vector: east, TopK: -1})
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}),
	simple("search/Offset", func(t testing.TB, s rag.VectorStore) {
		circle(t, s, 30)
		assert.Equal(t, []string{"005", "006"}, ids(search(t, s, rag.SearchRequest{Vector: east, Offset: 5, TopK: 2})))
		assert.Equal(t, []string{"029"}, ids(search(t, s, rag.SearchRequest{Vector: east, Offset: 29, TopK: 5})))
		assert.Empty(t, search(t, s, rag.SearchRequest{Vector: east, Offset: 30}))
		assert.Empty(t, search(t, s, rag.SearchRequest{Vector: east, Offset: math.MaxInt, TopK: math.MaxInt}))
		_, err := s.Search(ctx, rag.SearchRequest{Vector: east, Offset: -1})
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}),
	simple("search/Threshold", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0), doc("b", 0, 1), doc("c", -1, 0))
		assert.Equal(t, []string{"a"}, ids(search(t, s, rag.SearchRequest{Vector: east, Threshold: threshold(0.5)})))
		assert.Equal(t, []string{"a"}, ids(search(t, s, rag.SearchRequest{Vector: east, Threshold: threshold(1)})), "it is inclusive")
		assert.Equal(t, []string{"a", "b"}, ids(search(t, s, rag.SearchRequest{Vector: east, Threshold: threshold(0)})))
		assert.Equal(t, []string{"a", "b", "c"}, ids(search(t, s, rag.SearchRequest{Vector: east, Threshold: threshold(-1)})))
		assert.Equal(t, []string{"a", "b", "c"}, ids(search(t, s, rag.SearchRequest{Vector: east})), "none differs from 0")
		assert.Equal(t, []string{"b"}, ids(search(t, s, rag.SearchRequest{Vector: east, Threshold: threshold(0), Offset: 1})), "it comes before Offset")
	}),
	simple("search/a bad Threshold", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		for _, v := range []float64{1.01, -1.01, math.NaN(), math.Inf(1), math.Inf(-1)} {
			_, err := s.Search(ctx, rag.SearchRequest{Vector: east, Threshold: &v})
			assert.ErrorIs(t, err, rag.ErrInvalid, "%v", v)
		}
	}),
	simple("search/unusable query vectors", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		for _, v := range [][]float32{{1}, {1, 0, 0}, {0, 0}, {nan, 0}, {}} {
			_, err := s.Search(ctx, rag.SearchRequest{Query: "q", Vector: v})
			assert.ErrorIs(t, err, rag.ErrVector, "%v", v)
		}
	}),
	simple("search/neither a query nor a filter", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		for _, query := range []string{"", " \n\t"} {
			_, err := s.Search(ctx, rag.SearchRequest{Query: query})
			assert.ErrorIs(t, err, rag.ErrInvalid)
		}
	}),
	simple("search/a filter alone lists by id", func(t testing.TB, s rag.VectorStore) {
		for _, id := range []string{"c", "a", "d", "b"} {
			add(t, s, with(doc(id, 1, 0), map[string]any{"k": "v"}))
		}
		add(t, s, doc("e", 1, 0))
		found := search(t, s, rag.SearchRequest{Query: "  ", Filter: rag.Equal("k", "v"), Threshold: threshold(0.9)})
		assert.Equal(t, []string{"a", "b", "c", "d"}, ids(found))
		assert.Zero(t, found[0].Score)
		assert.Equal(t, []string{"b", "c"}, ids(search(t, s, rag.SearchRequest{Filter: rag.Equal("k", "v"), Offset: 1, TopK: 2})))
	}),
	simple("search/modes", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		assert.Equal(t, []string{"a"}, ids(search(t, s, rag.SearchRequest{Vector: east, Mode: rag.ModeVector})))
		_, err := s.Search(ctx, rag.SearchRequest{Vector: east, Mode: "best"})
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}),
	{"search/missing modes and vectors", func(t testing.TB, open Open, o Options) {
		s := open(t, nil)
		add(t, s, doc("a", 1, 0))
		_, err := s.Search(ctx, rag.SearchRequest{Query: "words", Mode: rag.ModeVector})
		assert.ErrorIs(t, err, rag.ErrNoVector)
		if !o.Lexical {
			for _, mode := range []rag.Mode{rag.ModeLexical, rag.ModeHybrid} {
				_, err := s.Search(ctx, rag.SearchRequest{Query: "words", Vector: east, Mode: mode})
				assert.ErrorIs(t, err, errors.ErrUnsupported)
			}
			_, err := s.Search(ctx, rag.SearchRequest{Query: "words"})
			assert.ErrorIs(t, err, rag.ErrNoVector)
		}
	}},
	simple("search/a bad filter", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		for _, f := range []rag.Filter{rag.Equal("", 1), rag.In("a"), {Op: "LIKE", Key: "a", Value: "b"}, rag.Not(rag.Filter{}), rag.Equal("a", []string{"x"})} {
			_, err := s.Search(ctx, rag.SearchRequest{Vector: east, Filter: f})
			assert.ErrorIs(t, err, rag.ErrInvalid)
			_, err = s.Search(ctx, rag.SearchRequest{Filter: f})
			assert.ErrorIs(t, err, rag.ErrInvalid)
		}
	}),
	simple("search/the names of the scores", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 1))
		m := search(t, s, rag.SearchRequest{Vector: east})[0]
		assert.Equal(t, map[string]float64{rag.ScoreVector: m.Score}, m.Scores)
	}),
	simple("search/against an exact oracle", func(t testing.TB, s rag.VectorStore) {
		r := rand.New(rand.NewPCG(5, 6))
		docs := map[string]rag.Document{}
		for i := range 400 {
			docs[fmt.Sprintf("%03d", i)] = randomDocument(r, fmt.Sprintf("%03d", i), 19)
		}
		add(t, s, inOrder(docs)...)
		for range 40 {
			req := rag.SearchRequest{Vector: randomVector(r, 19), TopK: r.IntN(40), Offset: r.IntN(20)}
			if r.IntN(2) == 0 {
				req.Threshold = threshold(r.Float64() - 0.5)
			}
			requireSame(t, docs, req, search(t, s, req), req)
		}
	}),
	{"search/an ended context", func(t testing.TB, open Open, _ Options) {
		s := open(t, nil)
		add(t, s, doc("a", 1, 0))
		_, err := s.Search(ended(), rag.SearchRequest{Vector: east})
		assert.ErrorIs(t, err, errEnded)
		assert.ErrorIs(t, s.Add(ended(), doc("b", 1, 0)), errEnded)
		assert.ErrorIs(t, s.Delete(ended(), anything), errEnded)
		requireUnchanged(t, s, "a")
	}},
}

func randomVector(r *rand.Rand, dimension int) []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func randomDocument(r *rand.Rand, id string, dimension int) rag.Document {
	return with(doc(id, randomVector(r, dimension)...), randomMetadata(r))
}
