package ragtest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

var addCases = []Case{
	simple("add/is found", func(t testing.TB, s rag.VectorStore) {
		add(t, s, with(doc("a", 1, 0), map[string]any{"k": "v"}))
		found := search(t, s, rag.SearchRequest{Vector: []float32{1, 0}})
		require.Equal(t, []string{"a"}, ids(found))
		assert.Equal(t, "text of a", found[0].Text)
		requireMetadata(t, map[string]any{"k": "v"}, found[0].Metadata)
	}),
	simple("add/nothing is no error", func(t testing.TB, s rag.VectorStore) {
		require.NoError(t, s.Add(ctx))
		assert.Empty(t, all(t, s, anything))
	}),
	simple("add/replaces the document with the id", func(t testing.TB, s rag.VectorStore) {
		add(t, s, with(doc("a", 1, 0), map[string]any{"old": "x", "both": "x"}), doc("b", 0, 1))
		add(t, s, with(rag.Document{ID: "a", Text: "new", Vector: []float32{0, -1}}, map[string]any{"both": "y"}))
		found := search(t, s, rag.SearchRequest{Vector: []float32{0, -1}, TopK: 5})
		require.Equal(t, []string{"a", "b"}, ids(found))
		assert.Equal(t, "new", found[0].Text)
		assert.InDelta(t, 1, found[0].Score, tolerance)
		requireMetadata(t, map[string]any{"both": "y"}, found[0].Metadata)
		assert.Empty(t, all(t, s, rag.Equal("old", "x")))
		assert.Empty(t, all(t, s, rag.Equal("both", "x")))
	}),
	simple("add/the same again changes nothing", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		add(t, s, doc("a", 1, 0))
		assert.Equal(t, []string{"a"}, all(t, s, anything))
	}),
	simple("add/all or none", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		err := s.Add(ctx, doc("b", 0, 1), rag.Document{ID: "a", Text: "changed", Vector: []float32{0, 1}}, doc("", 1, 1))
		require.ErrorIs(t, err, rag.ErrInvalid)
		requireUnchanged(t, s, "a")
		assert.Equal(t, "text of a", find(t, s, "a").Text)
	}),
	simple("add/an id twice in one call", func(t testing.TB, s rag.VectorStore) {
		require.ErrorIs(t, s.Add(ctx, doc("a", 1, 0), doc("a", 0, 1)), rag.ErrInvalid)
		assert.Empty(t, all(t, s, anything))
	}),
	simple("add/unusable vectors", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		for _, v := range [][]float32{{0, 0}, {nan, 1}, {float32(math.Inf(1)), 0}, {1}, {1, 0, 0}, {}} {
			require.ErrorIs(t, s.Add(ctx, doc("b", 0, 1), rag.Document{ID: "c", Text: "c", Vector: v}), rag.ErrVector, "%v", v)
		}
		requireUnchanged(t, s, "a")
		assert.Equal(t, []string{"a"}, ids(search(t, s, rag.SearchRequest{Vector: []float32{1, 0}})), "the store is still of use")
	}),
	simple("add/vectors of two dimensions in one call", func(t testing.TB, s rag.VectorStore) {
		require.ErrorIs(t, s.Add(ctx, doc("a", 1, 0), doc("b", 1, 0, 0)), rag.ErrVector)
		assert.Empty(t, all(t, s, anything))
		add(t, s, doc("c", 1, 0, 0))
	}),
	simple("add/another dimension for the only document", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 1, 0))
		require.ErrorIs(t, s.Add(ctx, doc("a", 1, 0, 0)), rag.ErrVector)
		requireUnchanged(t, s, "a")
	}),
	{"add/a document without a vector", func(t testing.TB, open Open, o Options) {
		s := open(t, nil)
		err := s.Add(ctx, rag.Document{ID: "a", Text: "words"})
		if o.Lexical {
			require.NoError(t, err)
			add(t, s, doc("b", 1, 0))
			assert.Equal(t, []string{"b"}, ids(search(t, s, rag.SearchRequest{Vector: []float32{1, 0}})), "it has no similarity")
			return
		}
		require.ErrorIs(t, err, rag.ErrNoVector)
		assert.Empty(t, all(t, s, anything))
	}},
	simple("add/bad metadata", func(t testing.TB, s rag.VectorStore) {
		for _, v := range []any{struct{}{}, math.NaN(), "\xff", "a\x00", []byte("x")} {
			require.ErrorIs(t, s.Add(ctx, with(doc("a", 1, 0), map[string]any{"k": v})), rag.ErrInvalid, "%#v", v)
		}
		assert.Empty(t, all(t, s, anything))
	}),
	simple("add/bad text and ids", func(t testing.TB, s rag.VectorStore) {
		for _, d := range []rag.Document{
			{ID: "", Text: "x", Vector: []float32{1}}, {ID: strings.Repeat("x", 513), Vector: []float32{1}}, {ID: "\xff", Vector: []float32{1}},
			{ID: "a", Text: "\xff", Vector: []float32{1}}, {ID: "a", Text: "a\x00b", Vector: []float32{1}},
		} {
			require.ErrorIs(t, s.Add(ctx, d), rag.ErrInvalid)
		}
		assert.Empty(t, all(t, s, anything))
	}),
	simple("add/the input belongs to the caller", func(t testing.TB, s rag.VectorStore) {
		list := []any{"x"}
		d := with(doc("a", 1, 0), map[string]any{"k": "v", "list": list})
		add(t, s, d)
		d.Vector[0], d.Vector[1], d.Metadata["k"], list[0] = 0, 1, "changed", "changed"
		m := find(t, s, "a")
		requireDirection(t, []float32{1, 0}, m.Vector)
		requireMetadata(t, map[string]any{"k": "v", "list": []any{"x"}}, m.Metadata)
		assert.Equal(t, []string{"a"}, all(t, s, rag.Equal("k", "v")))
	}),
	simple("add/the input is not changed", func(t testing.TB, s rag.VectorStore) {
		d := with(doc("a", 3, 4), map[string]any{"i": int64(1), "n": 2, "nil": nil})
		add(t, s, d)
		assert.Equal(t, with(doc("a", 3, 4), map[string]any{"i": int64(1), "n": 2, "nil": nil}), d)
	}),
	simple("add/the matches belong to the caller", func(t testing.TB, s rag.VectorStore) {
		add(t, s, with(doc("a", 1, 0), map[string]any{"k": "v", "list": []any{"x"}, "m": map[string]any{"n": "o"}}))
		m := search(t, s, rag.SearchRequest{Vector: []float32{1, 0}, Vectors: true})[0]
		m.Vector[0], m.Vector[1] = 0, 1
		m.Metadata["k"] = "changed"
		m.Metadata["list"].([]any)[0] = "changed"
		m.Metadata["m"].(map[string]any)["n"] = "changed"
		again := search(t, s, rag.SearchRequest{Vector: []float32{1, 0}, Vectors: true})[0]
		requireMetadata(t, map[string]any{"k": "v", "list": []any{"x"}, "m": map[string]any{"n": "o"}}, again.Metadata)
		requireDirection(t, []float32{1, 0}, again.Vector)
	}),
	simple("add/many in one call", func(t testing.TB, s rag.VectorStore) {
		var docs []rag.Document
		for i := range 3000 {
			docs = append(docs, with(doc(fmt.Sprintf("%04d", i), float32(i+1), 1), map[string]any{"i": i}))
		}
		add(t, s, docs...)
		assert.Len(t, all(t, s, anything), 3000)
		assert.Equal(t, []string{"1234"}, all(t, s, rag.Equal("i", 1234)))
	}),
}

var valueCases = []Case{
	simple("values/metadata keep their types", func(t testing.TB, s rag.VectorStore) {
		m := map[string]any{
			"s": "x", "empty": "", "t": true, "f": false, "i": int64(1), "d": 1.0, "neg": int64(-5), "big": int64(9007199254740993), "small": 1e-300,
			"list": []any{"x", int64(1), 1.5, true}, "none": []any{}, "map": map[string]any{"k": "v", "n": int64(2)}, "日本": "語", "a.b": "dot", "with space": "x",
		}
		add(t, s, with(doc("a", 1, 0), m), doc("b", 1, 0))
		requireMetadata(t, m, find(t, s, "a").Metadata)
		requireMetadata(t, nil, find(t, s, "b").Metadata)
	}),
	simple("values/metadata are converted", func(t testing.TB, s rag.VectorStore) {
		add(t, s, with(doc("a", 1, 0), map[string]any{"i": 7, "nil": nil, "f": float32(0.5), "list": []string{"x"}}))
		requireMetadata(t, map[string]any{"i": int64(7), "f": 0.5, "list": []any{"x"}}, find(t, s, "a").Metadata)
	}),
	simple("values/text is kept exactly", func(t testing.TB, s rag.VectorStore) {
		texts := []string{"", " space \n\ttabs\r\n", "日本語 🎉 é e\u0301", strings.Repeat("long ", 20_000), `quotes ' " \ $1 %s ?`, "\u0001\u007f"}
		for i, text := range texts {
			add(t, s, rag.Document{ID: fmt.Sprint(i), Text: text, Vector: []float32{1, float32(i)}})
		}
		for i, text := range texts {
			assert.Equal(t, text, find(t, s, fmt.Sprint(i)).Text)
		}
	}),
	simple("values/ids are any text", func(t testing.TB, s rag.VectorStore) {
		list := []string{" ", "../a", "72500-docInfoId-x", "75344-docInfoId-x", "A", "a", "a'; DROP TABLE", "e\u0301", "é", strings.Repeat("x", 512), "🎉"}
		for i, id := range list {
			add(t, s, doc(id, float32(i+1), 1))
		}
		assert.ElementsMatch(t, list, all(t, s, anything))
	}),
	simple("values/documents with the same text and vector are two", func(t testing.TB, s rag.VectorStore) {
		add(t, s, rag.Document{ID: "a", Text: "same", Vector: []float32{1, 0}}, rag.Document{ID: "b", Text: "same", Vector: []float32{1, 0}})
		assert.Equal(t, []string{"a", "b"}, ids(search(t, s, rag.SearchRequest{Vector: []float32{1, 0}})))
	}),
	simple("values/vectors only on request", func(t testing.TB, s rag.VectorStore) {
		add(t, s, doc("a", 3, 4))
		assert.Nil(t, search(t, s, rag.SearchRequest{Vector: []float32{1, 0}})[0].Vector)
		requireDirection(t, []float32{3, 4}, search(t, s, rag.SearchRequest{Vector: []float32{1, 0}, Vectors: true})[0].Vector)
	}),
}
