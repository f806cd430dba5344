package ragtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

// embedder turns a text into the numbers of its letters e and o, and fails as it is told.
type embedder struct {
	err    error
	change func([][]float32) [][]float32
	query  []float32 // nil: like a text
	calls  int
}

var errDown = errors.New("the embedder is down")

func embed(text string) []float32 {
	v := []float32{1, 1}
	for _, r := range text {
		switch r {
		case 'e':
			v[0]++
		case 'o':
			v[1]++
		}
	}
	return v
}

func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.calls++
	if err := errors.Join(ctx.Err(), e.err); err != nil {
		return nil, err
	}
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, embed(text))
	}
	if e.change != nil {
		vectors = e.change(vectors)
	}
	return vectors, nil
}

func (e *embedder) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	if e.query != nil {
		return e.query, nil
	}
	vectors, err := e.Embed(ctx, []string{query})
	if err != nil || len(vectors) == 0 {
		return nil, err
	}
	return vectors[0], nil
}

func (e *embedder) EmbedderInfo() rag.EmbedderInfo {
	return rag.EmbedderInfo{ID: "test/letters", Dimension: 2}
}

// embedding makes a case with an embedder.
func embedding(name string, run func(t testing.TB, s rag.VectorStore, e *embedder)) Case {
	return Case{name, func(t testing.TB, open Open, _ Options) {
		e := &embedder{}
		run(t, open(t, e), e)
	}}
}

func text(id, text string) rag.Document { return rag.Document{ID: id, Text: text} }

var embedderCases = []Case{
	embedding("embedder/documents and queries", func(t testing.TB, s rag.VectorStore, _ *embedder) {
		add(t, s, text("e", "eeee eeee"), text("o", "oooo oooo"))
		found := search(t, s, rag.SearchRequest{Query: "see", Mode: rag.ModeVector, Vectors: true})
		require.Equal(t, []string{"e", "o"}, ids(found))
		assert.InDelta(t, cosine(embed("see"), embed("eeee eeee")), found[0].Score, tolerance)
		requireDirection(t, embed("eeee eeee"), found[0].Vector)
		assert.Equal(t, []string{"o", "e"}, ids(search(t, s, rag.SearchRequest{Query: "too"})))
	}),
	embedding("embedder/a given vector is used", func(t testing.TB, s rag.VectorStore, e *embedder) {
		add(t, s, rag.Document{ID: "a", Text: "eeee", Vector: []float32{0, 1}})
		assert.Zero(t, e.calls)
		requireDirection(t, []float32{0, 1}, search(t, s, rag.SearchRequest{Vector: east, Vectors: true})[0].Vector)
		assert.Zero(t, e.calls)
	}),
	embedding("embedder/queries may be embedded differently", func(t testing.TB, s rag.VectorStore, e *embedder) {
		add(t, s, text("e", "eeee"), text("o", "oooo"))
		e.query = []float32{0, 5}
		assert.Equal(t, []string{"o", "e"}, ids(search(t, s, rag.SearchRequest{Query: "eeee", Mode: rag.ModeVector})))
	}),
	embedding("embedder/down while adding", func(t testing.TB, s rag.VectorStore, e *embedder) {
		add(t, s, text("a", "eeee"))
		e.err = errDown
		err := s.Add(ctx, rag.Document{ID: "b", Text: "x", Vector: []float32{1, 0}}, text("c", "oooo"))
		require.ErrorIs(t, err, rag.ErrEmbedder)
		require.ErrorIs(t, err, errDown)
		requireUnchanged(t, s, "a")
	}),
	embedding("embedder/down while searching", func(t testing.TB, s rag.VectorStore, e *embedder) {
		add(t, s, text("a", "eeee"))
		e.err = errDown
		_, err := s.Search(ctx, rag.SearchRequest{Query: "see", Mode: rag.ModeVector})
		require.ErrorIs(t, err, rag.ErrEmbedder)
		requireUnchanged(t, s, "a")
	}),
	embedding("embedder/wrong answers", func(t testing.TB, s rag.VectorStore, e *embedder) {
		add(t, s, text("a", "eeee"))
		for name, change := range map[string]func([][]float32) [][]float32{
			"none":      func([][]float32) [][]float32 { return nil },
			"too few":   func(v [][]float32) [][]float32 { return v[1:] },
			"too many":  func(v [][]float32) [][]float32 { return append(v, v[0]) },
			"zero":      func(v [][]float32) [][]float32 { v[0] = []float32{0, 0}; return v },
			"NaN":       func(v [][]float32) [][]float32 { v[0] = []float32{nan, 0}; return v },
			"dimension": func(v [][]float32) [][]float32 { v[0] = []float32{1, 0, 0}; return v },
			"empty":     func(v [][]float32) [][]float32 { v[0] = nil; return v },
		} {
			e.change = change
			require.ErrorIs(t, s.Add(ctx, text("b", "x"), text("c", "y")), rag.ErrEmbedder, name)
			_, err := s.Search(ctx, rag.SearchRequest{Query: "see", Mode: rag.ModeVector})
			if name != "too many" {
				require.ErrorIs(t, err, rag.ErrEmbedder, name)
			}
		}
		e.change = nil
		requireUnchanged(t, s, "a")
	}),
	embedding("embedder/a document without text", func(t testing.TB, s rag.VectorStore, _ *embedder) {
		require.ErrorIs(t, s.Add(ctx, text("a", " \n")), rag.ErrInvalid)
		add(t, s, rag.Document{ID: "b", Vector: []float32{1, 0}})
		requireUnchanged(t, s, "b")
	}),
	embedding("embedder/an ended context", func(t testing.TB, s rag.VectorStore, e *embedder) {
		require.ErrorIs(t, s.Add(ended(), text("a", "eeee")), errEnded)
		assert.Zero(t, e.calls)
		assert.Empty(t, all(t, s, anything))
	}),
}

// lexical makes a case for stores with the lexical modes.
func lexical(name string, run func(t testing.TB, s rag.VectorStore)) Case {
	return Case{name, func(t testing.TB, open Open, o Options) {
		if !o.Lexical {
			t.Skip("the store has no lexical mode")
		}
		run(t, open(t, nil))
	}}
}

func zoo(t testing.TB, s rag.VectorStore) {
	t.Helper()
	add(t, s,
		rag.Document{ID: "cats", Text: "Cats sleep by day, and hunt mice at night.", Vector: []float32{1, 0}, Metadata: map[string]any{"kind": "pet"}},
		rag.Document{ID: "dogs", Text: "Dogs bark. A dog sleeps at night.", Vector: []float32{0.8, 0.6}, Metadata: map[string]any{"kind": "pet"}},
		rag.Document{ID: "owls", Text: "An owl hunts mice.", Vector: []float32{0, 1}, Metadata: map[string]any{"kind": "bird"}},
		rag.Document{ID: "fish", Text: "Fish swim.", Metadata: map[string]any{"kind": "fish"}},
	)
}

var lexicalCases = []Case{
	lexical("lexical/by words, stemmed", func(t testing.TB, s rag.VectorStore) {
		zoo(t, s)
		found := search(t, s, rag.SearchRequest{Query: "hunting a mouse or mice", Mode: rag.ModeLexical})
		require.Equal(t, []string{"owls", "cats"}, ids(found), "the shorter text is more about it")
		assert.Equal(t, found[0].Score, found[0].Scores[rag.ScoreLexical])
		assert.Positive(t, found[1].Score)
		assert.Equal(t, []string{"fish"}, ids(search(t, s, rag.SearchRequest{Query: "swimming"})), "the default without an embedder")
	}),
	lexical("lexical/nothing shared", func(t testing.TB, s rag.VectorStore) {
		assert.Empty(t, search(t, s, rag.SearchRequest{Query: "anything at all", Mode: rag.ModeLexical}))
		zoo(t, s)
		assert.Empty(t, search(t, s, rag.SearchRequest{Query: "parliament", Mode: rag.ModeLexical}))
		assert.Empty(t, search(t, s, rag.SearchRequest{Query: "the and of", Mode: rag.ModeLexical}))
	}),
	lexical("lexical/filter, TopK, Offset and Threshold", func(t testing.TB, s rag.VectorStore) {
		zoo(t, s)
		req := rag.SearchRequest{Query: "mice", Mode: rag.ModeLexical}
		best := search(t, s, req)[0].Score
		req.Filter = rag.Equal("kind", "pet")
		assert.Equal(t, []string{"cats"}, ids(search(t, s, req)))
		req = rag.SearchRequest{Query: "mice", Mode: rag.ModeLexical, TopK: 1}
		assert.Equal(t, []string{"owls"}, ids(search(t, s, req)))
		req.Offset = 1
		assert.Equal(t, []string{"cats"}, ids(search(t, s, req)))
		req = rag.SearchRequest{Query: "mice", Mode: rag.ModeLexical, Threshold: &best}
		assert.Equal(t, []string{"owls"}, ids(search(t, s, req)))
		req.Threshold = threshold(-0.1)
		_, err := s.Search(ctx, req)
		assert.ErrorIs(t, err, rag.ErrInvalid)
		_, err = s.Search(ctx, rag.SearchRequest{Vector: east, Mode: rag.ModeLexical})
		assert.ErrorIs(t, err, rag.ErrInvalid, "it needs words")
	}),
	lexical("lexical/changed and deleted texts", func(t testing.TB, s rag.VectorStore) {
		zoo(t, s)
		require.Len(t, search(t, s, rag.SearchRequest{Query: "mice", Mode: rag.ModeLexical}), 2)
		add(t, s, rag.Document{ID: "owls", Text: "An owl sees in the dark."})
		require.NoError(t, s.Delete(ctx, rag.Equal("kind", "fish")))
		assert.Equal(t, []string{"cats"}, ids(search(t, s, rag.SearchRequest{Query: "mice", Mode: rag.ModeLexical})))
		assert.Equal(t, []string{"owls"}, ids(search(t, s, rag.SearchRequest{Query: "dark", Mode: rag.ModeLexical})))
		assert.Empty(t, search(t, s, rag.SearchRequest{Query: "swim", Mode: rag.ModeLexical}))
	}),
	lexical("lexical/a filter at every selectivity, also in hybrid", func(t testing.TB, s rag.VectorStore) {
		const n = 1000
		docs := make([]rag.Document, n)
		for i := range docs {
			animal := []string{"owl", "cat", "dog"}[i%3]
			docs[i] = with(rag.Document{ID: fmt.Sprintf("%04d", i), Text: "About an " + animal, Vector: []float32{1, float32(i)}}, map[string]any{"n": i})
		}
		add(t, s, docs...)
		for _, selected := range []int{0, 1, 2, 10, 100, 500, n} { // 0.1 % to 100 %
			for _, k := range []int{1, 10, 2 * n} {
				req := rag.SearchRequest{Query: "owls", Mode: rag.ModeLexical, Filter: rag.Filter{Op: rag.OpLess, Key: "n", Value: int64(selected)}, TopK: k}
				found := search(t, s, req)
				require.Len(t, found, min(k, (selected+2)/3), "%d of %d", k, selected)
				for _, m := range found {
					require.True(t, req.Filter.Matches(m.Metadata))
					require.Equal(t, "About an owl", m.Text)
				}
				req.Mode, req.Vector = rag.ModeHybrid, east
				found = search(t, s, req)
				require.Len(t, found, min(k, selected), "%d of %d", k, selected)
				for _, m := range found {
					require.True(t, req.Filter.Matches(m.Metadata))
				}
			}
		}
	}),
	lexical("hybrid/both lists", func(t testing.TB, s rag.VectorStore) {
		zoo(t, s)
		found := search(t, s, rag.SearchRequest{Query: "mice", Vector: []float32{0, 1}, Mode: rag.ModeHybrid})
		require.Equal(t, []string{"owls", "cats", "dogs"}, ids(found))
		assert.InDelta(t, 2.0/61, found[0].Score, 1e-9)
		assert.Contains(t, found[0].Scores, rag.ScoreLexical)
		assert.InDelta(t, 1, found[0].Scores[rag.ScoreVector], tolerance)
		assert.NotContains(t, found[2].Scores, rag.ScoreLexical)
	}),
	lexical("hybrid/the threshold is for the vectors", func(t testing.TB, s rag.VectorStore) {
		zoo(t, s)
		found := search(t, s, rag.SearchRequest{Query: "mice", Vector: east, Mode: rag.ModeHybrid, Threshold: threshold(0.9)})
		assert.Equal(t, []string{"cats", "owls"}, ids(found))
		found = search(t, s, rag.SearchRequest{Query: "mice", Vector: east, Mode: rag.ModeHybrid, Filter: rag.Equal("kind", "bird"), TopK: 1})
		assert.Equal(t, []string{"owls"}, ids(found))
	}),
}
