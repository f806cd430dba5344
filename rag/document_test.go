package rag_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

func TestCloneMetadata(t *testing.T) {
	t.Parallel()
	list := []any{"x", 1}
	in := map[string]any{
		"s": "x", "i": 1, "u": uint8(2), "f": float32(0.5), "n": nil, "list": list, "strings": []string{"a"}, "ints": []int{1},
		"json": json.Number("9007199254740993"), "decimal": json.Number("1.5"), "map": map[string]any{"k": int32(3), "gone": nil},
	}
	got, err := rag.CloneMetadata(in)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"s": "x", "i": int64(1), "u": int64(2), "f": 0.5, "list": []any{"x", int64(1)}, "strings": []any{"a"}, "ints": []any{int64(1)},
		"json": int64(9007199254740993), "decimal": 1.5, "map": map[string]any{"k": int64(3)},
	}, got)
	list[0] = "changed"
	assert.Equal(t, "x", got["list"].([]any)[0], "the copy shares nothing")

	many := map[string]any{}
	for i := range 257 {
		many[fmt.Sprint(i)] = i
	}
	for want, bad := range map[string]map[string]any{
		"type struct":   {"k": struct{}{}},
		"finite":        {"k": math.NaN()},
		"is +Inf":       {"k": []float64{math.Inf(1)}},
		"larger":        {"k": uint64(math.MaxUint64)},
		"out of range":  {"k": json.Number("1e999")},
		"UTF-8":         {"k": "\xff"},
		"NUL":           {"k\x00": 1},
		"empty key":     {"": 1},
		"one level":     {"k": map[string]any{"l": map[string]any{"m": 1}}},
		"type []uint8":  {"k": []byte("x")},
		"more than 256": many,
		"1048576 bytes": {"k": strings.Repeat("x", 1<<20+1)},
	} {
		_, err := rag.CloneMetadata(bad)
		require.ErrorIs(t, err, rag.ErrInvalid, want)
		assert.ErrorContains(t, err, want)
	}
	none, err := rag.CloneMetadata(nil)
	assert.NoError(t, err)
	assert.Nil(t, none)
}

func TestCloneDocuments(t *testing.T) {
	t.Parallel()
	vector := []float32{1, 0}
	docs, err := rag.CloneDocuments([]rag.Document{{ID: "a", Text: "x", Vector: vector}, {ID: "b", Metadata: map[string]any{"n": 1}}})
	require.NoError(t, err)
	vector[0] = 5
	assert.Equal(t, []rag.Document{{ID: "a", Text: "x", Vector: []float32{1, 0}}, {ID: "b", Metadata: map[string]any{"n": int64(1)}}}, docs)
	for want, bad := range map[string]rag.Document{
		"no id":      {Text: "x"},
		"513 bytes":  {ID: strings.Repeat("x", 513)},
		"split it":   {ID: "a", Text: strings.Repeat("x", 16<<20+1)},
		"UTF-8":      {ID: "a", Text: "\xc3"},
		"NUL":        {ID: "a\x00"},
		"all values": {ID: "a", Vector: []float32{0, 0}},
		"finite":     {ID: "a", Vector: []float32{float32(math.NaN())}},
		"0 dim":      {ID: "a", Vector: []float32{}},
		"type func":  {ID: "a", Metadata: map[string]any{"k": func() {}}},
	} {
		_, err := rag.CloneDocuments([]rag.Document{bad})
		require.Error(t, err, want)
		assert.True(t, errors.Is(err, rag.ErrInvalid) || errors.Is(err, rag.ErrVector), want)
		assert.ErrorContains(t, err, want)
	}
	_, err = rag.CloneDocuments([]rag.Document{{ID: "a"}, {ID: "a"}})
	assert.ErrorContains(t, err, "twice")
}

type describedEmbedder struct {
	rag.EmbedderFunc
	info  rag.EmbedderInfo
	query []float32
}

func (e describedEmbedder) EmbedderInfo() rag.EmbedderInfo { return e.info }

func (e describedEmbedder) EmbedQuery(context.Context, string) ([]float32, error) {
	if e.query == nil {
		return nil, errors.New("no query today")
	}
	return e.query, nil
}

// An embedder's answer is checked: what is wrong with it never reaches a store.
func TestEmbed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	answer := func(vectors ...[]float32) rag.EmbedderFunc {
		return func(context.Context, []string) ([][]float32, error) { return vectors, nil }
	}
	down := rag.EmbedderFunc(func(context.Context, []string) ([][]float32, error) { return nil, context.DeadlineExceeded })
	got, err := rag.EmbedTexts(ctx, answer([]float32{1}, []float32{2}), []string{"a", "b"}, 0)
	require.NoError(t, err)
	assert.Len(t, got, 2)
	none, err := rag.EmbedTexts(ctx, down, nil, 0)
	assert.NoError(t, err)
	assert.Empty(t, none)
	_, err = rag.EmbedTexts(ctx, down, []string{"a"}, 0)
	assert.ErrorIs(t, err, rag.ErrEmbedder)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	for want, vectors := range map[string][][]float32{
		"1 vectors for 2": {{1}},
		"3 vectors for 2": {{1}, {1}, {1}},
		"2 dimensions":    {{1}, {1, 1}},
		"all values":      {{1}, {0}},
		"not finite":      {{float32(math.Inf(1))}, {1}},
		"0 dimensions":    {{}, {}},
	} {
		_, err := rag.EmbedTexts(ctx, answer(vectors...), []string{"a", "b"}, 0)
		require.ErrorIs(t, err, rag.ErrEmbedder, want)
		assert.ErrorContains(t, err, want)
	}
	_, err = rag.EmbedTexts(ctx, answer([]float32{1}), []string{"a"}, 2)
	assert.ErrorIs(t, err, rag.ErrVector)

	v, err := rag.EmbedQuery(ctx, answer([]float32{3}), "q", 1)
	require.NoError(t, err)
	assert.Equal(t, []float32{3}, v)
	v, err = rag.EmbedQuery(ctx, describedEmbedder{query: []float32{4}}, "q", 1)
	require.NoError(t, err)
	assert.Equal(t, []float32{4}, v)
	_, err = rag.EmbedQuery(ctx, describedEmbedder{query: []float32{4}}, "q", 2)
	assert.ErrorIs(t, err, rag.ErrVector)
	_, err = rag.EmbedQuery(ctx, describedEmbedder{}, "q", 2)
	assert.ErrorIs(t, err, rag.ErrEmbedder)
}

func TestManifest(t *testing.T) {
	t.Parallel()
	m := rag.Manifest{Embedder: "ollama/bge-m3", Dimension: 1024}
	for _, info := range []rag.EmbedderInfo{{}, {ID: "ollama/bge-m3"}, {Dimension: 1024}, {ID: "ollama/bge-m3", Dimension: 1024}} {
		assert.NoError(t, m.Accepts(info))
		assert.NoError(t, rag.Manifest{}.Accepts(info))
	}
	for _, info := range []rag.EmbedderInfo{{ID: "openai/x"}, {Dimension: 768}} {
		err := m.Accepts(info)
		require.ErrorIs(t, err, rag.ErrEmbedderMismatch)
		assert.ErrorContains(t, err, "ollama/bge-m3 (1024 dimensions)")
		assert.ErrorContains(t, err, "embed the documents again")
	}
	e := describedEmbedder{info: rag.EmbedderInfo{ID: "a"}}
	assert.Equal(t, "a", rag.DescribeEmbedder(e).ID)
	assert.Zero(t, rag.DescribeEmbedder(e.EmbedderFunc))
}

func TestNormalizeVector(t *testing.T) {
	t.Parallel()
	v := []float32{3, 4}
	rag.Normalize(v)
	assert.InDeltaSlice(t, []float32{0.6, 0.8}, v, 1e-7)
	large := []float32{math.MaxFloat32, math.MaxFloat32}
	require.NoError(t, rag.CheckVector(large, 2))
	rag.Normalize(large)
	assert.InDelta(t, 1, rag.Norm(large), 1e-6)
}

type fixedSplitter []rag.Chunk

func (s fixedSplitter) Split(context.Context, string) ([]rag.Chunk, error) {
	if s == nil {
		return nil, errors.New("no chunks")
	}
	return s, nil
}

func TestSplitDocument(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	split := fixedSplitter{{Text: "one", Start: 0, End: 3, Headings: []string{"A", "B"}}, {Text: "two", Start: 4, End: 7, Context: "one two", Rest: true}}
	doc := rag.Document{ID: "d", Text: "one two", Metadata: map[string]any{"source": "s.txt", "nothing": nil}}
	got, err := rag.SplitDocument(ctx, split, doc, nil)
	require.NoError(t, err)
	assert.Equal(t, []rag.Document{
		{ID: "0-d", Text: "A > B\n\none", Metadata: map[string]any{"source": "s.txt", "parent_document_id": "d", "chunk_index": int64(0), "total_chunks": int64(2),
			"start": int64(0), "end": int64(3), "heading_path": "A > B"}},
		{ID: "1-d", Text: "two", Metadata: map[string]any{"source": "s.txt", "parent_document_id": "d", "chunk_index": int64(1), "total_chunks": int64(2),
			"start": int64(4), "end": int64(7), "context": "one two", "rest": true}},
	}, got)
	plain, err := rag.SplitDocument(ctx, split, doc, &rag.SplitOptions{OmitHeadings: true})
	require.NoError(t, err)
	assert.Equal(t, "one", plain[0].Text)
	_, err = rag.SplitDocument(ctx, split, rag.Document{}, nil)
	assert.ErrorIs(t, err, rag.ErrInvalid)
	_, err = rag.SplitDocument(ctx, fixedSplitter(nil), doc, nil)
	assert.ErrorContains(t, err, `"d"`)
}

// A search finds small chunks, and returns what is around them, once.
func TestWithContext(t *testing.T) {
	t.Parallel()
	match := func(id, parent, context string) rag.Match {
		m := map[string]any{"parent_document_id": parent}
		if context != "" {
			m["context"] = context
		}
		return rag.Match{Document: rag.Document{ID: id, Text: id, Metadata: m}}
	}
	inner := rag.RetrieverFunc(func(context.Context, rag.SearchRequest) ([]rag.Match, error) {
		return []rag.Match{match("a", "1", "AB"), match("b", "1", "AB"), match("c", "2", "AB"), match("d", "1", "")}, nil
	})
	found, err := rag.WithContext(inner).Retrieve(context.Background(), rag.SearchRequest{Query: "q"})
	require.NoError(t, err)
	var texts []string
	for _, m := range found {
		texts = append(texts, m.ID+"="+m.Text)
	}
	assert.Equal(t, []string{"a=AB", "c=AB", "d=d"}, texts)
	failing := rag.RetrieverFunc(func(context.Context, rag.SearchRequest) ([]rag.Match, error) { return nil, rag.ErrInvalid })
	_, err = rag.WithContext(failing).Retrieve(context.Background(), rag.SearchRequest{})
	assert.ErrorIs(t, err, rag.ErrInvalid)
}
