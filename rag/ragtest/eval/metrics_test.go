package eval

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

// The figures of small rankings, computed by hand.
func TestMetrics(t *testing.T) {
	t.Parallel()
	relevant := map[string]int{"x": 3, "y": 1}
	for name, c := range map[string]struct {
		ranking                string
		recall1, recall3, rank float64
		ndcg                   float64
	}{
		"best":      {"x y z", 0.5, 1, 1, 1},
		"exchanged": {"y x z", 0.5, 1, 1, (1 + 3/math.Log2(3)) / (3 + 1/math.Log2(3))},
		"late":      {"z y x", 0, 1, 0.5, (1/math.Log2(3) + 1.5) / (3 + 1/math.Log2(3))},
		"one":       {"z z x", 0, 0.5, 1.0 / 3, 1.5 / (3 + 1/math.Log2(3))},
		"none":      {"", 0, 0, 0, 0},
		"too late":  {"a b c x y", 0, 0, 0, 0},
	} {
		ranking := strings.Fields(c.ranking)
		assert.InDelta(t, c.recall1, recall(ranking, relevant, 1), 1e-9, name)
		assert.InDelta(t, c.recall3, recall(ranking, relevant, 3), 1e-9, name)
		assert.InDelta(t, c.rank, reciprocal(ranking, relevant, 3), 1e-9, name)
		assert.InDelta(t, c.ndcg, ndcg(ranking, relevant, 3), 1e-9, name)
	}
	assert.InDelta(t, 0.586883, ndcg([]string{"z", "y", "x"}, relevant, 10), 1e-6)
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	set := &Set{Name: "small", Documents: []rag.Document{{ID: "a"}, {ID: "b"}}, Questions: []Question{
		{Text: "a b", Relevant: map[string]int{"a": 1}},
		{Text: "b a", Relevant: map[string]int{"a": 1}},
		{Text: "", Relevant: map[string]int{"b": 1}},
		{Text: "b", Relevant: map[string]int{"b": 1}},
		{Text: "", ID: "none"}, {Text: "a"}, {Text: ""}, {Text: ""},
	}}
	// A query names what is found.
	named := rag.RetrieverFunc(func(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		assert.Equal(t, 10, req.TopK)
		assert.Equal(t, rag.ModeLexical, req.Mode)
		var found []rag.Match
		for _, id := range strings.Fields(req.Query) {
			found = append(found, rag.Match{Document: rag.Document{ID: id}})
		}
		return found, nil
	})
	r, err := Measure(t.Context(), set, System{"named", named, rag.SearchRequest{Mode: rag.ModeLexical}})
	require.NoError(t, err)
	third := 1 / math.Log2(3)
	assert.Equal(t, Result{System: "named", Answerable: 4, Unanswerable: 4, Recall1: 0.5, Recall5: 0.75, Recall10: 0.75,
		MRR10: 2.5 / 4, NDCG10: (2 + third) / 4, Silent: 0.25, Abstained: 0.75}, r)
	var b strings.Builder
	require.NoError(t, WriteTable(&b, set, []Result{r}))
	assert.Equal(t, "small: 2 documents, 4 questions with an answer and 4 without\n"+
		"   R@1   R@5  R@10  MRR@10  nDCG@10  silent  abstained  system\n"+
		"  50.0  75.0  75.0    62.5     65.8    25.0       75.0  named\n", b.String())

	down := errors.New("down")
	_, err = Measure(t.Context(), set, System{Retriever: rag.RetrieverFunc(func(context.Context, rag.SearchRequest) ([]rag.Match, error) { return nil, down })})
	require.ErrorIs(t, err, down)
	for name, bad := range map[string]*Set{
		"empty":      {},
		"no id":      {Documents: []rag.Document{{}}, Questions: []Question{{}}},
		"twice":      {Documents: []rag.Document{{ID: "a"}, {ID: "a"}}, Questions: []Question{{}}},
		"no such":    {Questions: []Question{{Relevant: map[string]int{"a": 1}}}},
		"grade of 0": {Documents: []rag.Document{{ID: "a"}}, Questions: []Question{{Relevant: map[string]int{"a": 0}}}},
	} {
		_, err := Measure(t.Context(), bad, System{Retriever: named})
		require.ErrorIs(t, err, rag.ErrInvalid, name)
	}
}

// words is a tokenizer and a splitter by words: chunks of size words, each of which begins
// step words after the one before.
type words struct{ size, step int }

func (words) Name() string { return "words" }

func (words) Tokens(text string) ([]int, error) {
	var ends []int
	for at, r := range text {
		if r == ' ' {
			ends = append(ends, at)
		}
	}
	return append(ends, len(text)), nil
}

func (w words) Split(_ context.Context, text string) ([]rag.Chunk, error) {
	ends, _ := w.Tokens(text)
	var chunks []rag.Chunk
	for first := 0; first < len(ends); first += w.step {
		start := 0
		if first > 0 {
			start = ends[first-1] + 1
		}
		end := ends[min(first+w.size, len(ends))-1]
		chunks = append(chunks, rag.Chunk{Text: text[start:end], Start: start, End: end})
	}
	return chunks, nil
}

// numbered finds the chunks whose numbers a query names.
type numbered struct{ chunks []rag.Document }

func (n *numbered) Add(_ context.Context, docs ...rag.Document) error {
	n.chunks = append(n.chunks, docs...)
	return nil
}

func (n *numbered) Delete(context.Context, rag.Filter) error { return nil }

func (n *numbered) Search(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	var found []rag.Match
	for _, number := range strings.Fields(req.Query) {
		i, err := strconv.Atoi(number)
		if err != nil {
			return nil, err
		}
		found = append(found, rag.Match{Document: n.chunks[i]})
	}
	return found[:min(len(found), req.TopK)], nil
}

// The figures of ten words in chunks, computed by hand.
func TestMeasureSplitter(t *testing.T) {
	t.Parallel()
	text := Text{"letters", "a b c d e f g h i j"}
	other := Text{"other", "k l m n"}
	for name, c := range map[string]struct {
		splitter        words
		query           string
		answer          []Span // in bytes: the word i is at 2i
		recall, prec    float64
		iou, best       float64
		chunks          int
		tokensOfAllText float64
	}{
		"both chunks of an answer": {words{4, 4}, "0 1", []Span{{4, 11}}, 1, 0.5, 0.5, 0.5, 4, 14},
		"one of them":              {words{4, 4}, "0", []Span{{4, 11}}, 0.5, 0.5, 1.0 / 3, 0.5, 4, 14},
		"another text":             {words{4, 4}, "3 0", []Span{{4, 11}}, 0.5, 0.25, 0.2, 0.5, 4, 14},
		"none":                     {words{4, 4}, "", []Span{{4, 11}}, 0, 0, 0, 0.5, 4, 14},
		"an overlap counts twice":  {words{4, 2}, "0 1", []Span{{4, 7}}, 1, 0.25, 0.25, 0.25, 7, 0},
		"exactly":                  {words{2, 2}, "1", []Span{{4, 7}}, 1, 1, 1, 1, 7, 14},
		"two places":               {words{2, 2}, "0 1", []Span{{0, 3}, {16, 19}}, 0.5, 0.5, 1.0 / 3, 1, 7, 14},
		"places that overlap":      {words{2, 2}, "0", []Span{{0, 3}, {2, 3}}, 1, 1, 1, 1, 7, 14},
		"no more than the first 5": {words{1, 1}, "0 1 2 3 4 5", []Span{{0, 11}}, 5.0 / 6, 1, 5.0 / 6, 1, 14, 14},
		"one word":                 {words{4, 4}, "0", []Span{{4, 5}}, 1, 0.25, 0.25, 0.25, 4, 14},
	} {
		set := &SpanSet{Name: "letters", Texts: []Text{text, other}, Questions: []SpanQuestion{{c.query, "letters", c.answer}}}
		r, err := MeasureSplitter(t.Context(), set, name, c.splitter, SplitterOptions{Store: &numbered{}, Tokenizer: c.splitter})
		require.NoError(t, err, name)
		assert.InDelta(t, c.recall, r.Recall, 1e-9, name)
		assert.InDelta(t, c.prec, r.Precision, 1e-9, name)
		assert.InDelta(t, c.iou, r.IoU, 1e-9, name)
		assert.InDelta(t, c.best, r.BestPrecision, 1e-9, name)
		assert.Equal(t, c.chunks, r.Chunks, name)
		if c.tokensOfAllText > 0 {
			assert.InDelta(t, c.tokensOfAllText/float64(c.chunks), r.Tokens, 1e-9, name)
		}
	}
	set := &SpanSet{Name: "letters", Texts: []Text{text}, Questions: []SpanQuestion{{"x", "letters", []Span{{0, 1}}}}}
	_, err := MeasureSplitter(t.Context(), set, "", words{4, 4}, SplitterOptions{Store: &numbered{}, Tokenizer: words{}})
	require.ErrorIs(t, err, strconv.ErrSyntax)
	_, err = MeasureSplitter(t.Context(), set, "", words{4, 4}, SplitterOptions{Tokenizer: words{}})
	require.ErrorIs(t, err, rag.ErrInvalid)
	for name, bad := range map[string]*SpanSet{
		"empty":       {},
		"no id":       {Texts: []Text{{}}},
		"no such":     {Texts: []Text{text}, Questions: []SpanQuestion{{"", "other", []Span{{0, 1}}}}},
		"no place":    {Texts: []Text{text}, Questions: []SpanQuestion{{"", "letters", nil}}},
		"beyond":      {Texts: []Text{text}, Questions: []SpanQuestion{{"", "letters", []Span{{0, 20}}}}},
		"empty place": {Texts: []Text{text}, Questions: []SpanQuestion{{"", "letters", []Span{{3, 3}}}}},
	} {
		_, err := MeasureSplitter(t.Context(), bad, "", words{4, 4}, SplitterOptions{Store: &numbered{}, Tokenizer: words{}})
		require.ErrorIs(t, err, rag.ErrInvalid, name)
	}
}

// A chunk with a context counts as what a model reads: the context.
func TestContextCounts(t *testing.T) {
	t.Parallel()
	text := "a b c d e f g h"
	assert.Equal(t, Span{4, 7}, shown(text, map[string]any{rag.KeyStart: int64(4), rag.KeyEnd: int64(7)}))
	assert.Equal(t, Span{2, 9}, shown(text, map[string]any{rag.KeyStart: int64(4), rag.KeyEnd: int64(7), rag.KeyContext: "b c d e"}))
	assert.Equal(t, Span{4, 7}, shown(text, map[string]any{rag.KeyStart: int64(4), rag.KeyEnd: int64(7), rag.KeyContext: "head of a table"}))
}
