package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/pipeline"
	"github.com/localpass/localpass/rag/rank"
)

// recorder is a retriever with fixed documents that records its requests.
type recorder struct {
	mu    sync.Mutex
	asked []rag.SearchRequest
	found map[string][]rag.Match
	err   error
}

func (r *recorder) Retrieve(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, req)
	if req.Query == "panic" {
		panic("oh")
	}
	if found, ok := r.found[req.Query]; ok {
		return found, nil
	}
	return r.found[""], r.err
}

func match(id, text string, score float64) rag.Match {
	return rag.Match{Document: rag.Document{ID: id, Text: text, Metadata: map[string]any{rag.KeyTitle: "T" + id}}, Score: score}
}

// script answers prompts by a part of their text, and records them.
type script struct {
	answers map[string]string
	prompts []string
}

func (s *script) generate(_ context.Context, prompt string) (string, error) {
	s.prompts = append(s.prompts, prompt)
	for part, answer := range s.answers {
		if strings.Contains(prompt, part) {
			if answer == "fail" {
				return "", errors.New("no model answers")
			}
			return answer, nil
		}
	}
	return "", nil
}

func executor(t *testing.T, r rag.Retriever, opts pipeline.Options) *pipeline.Executor {
	t.Helper()
	x, err := pipeline.New(r, &opts)
	require.NoError(t, err)
	return x
}

func TestAllStages(t *testing.T) {
	r := &recorder{found: map[string][]rag.Match{
		"beach hotel price": {match("a", "{query} costs ten.", 0.4), match("b", "b", 0.3)},
		"one":               {match("b", "b", 0.3), match("c", "c", 0.9)},
		"two":               {match("d", "d", 0.1)},
	}}
	s := &script{answers: map[string]string{"conversation and": "<think>hm</think> What does the beach hotel cost?", "short query": "beach hotel price", "Translate": "",
		"other versions": "1. one\n\n- two\n- two\n3) three", "Answer from these": "ten"}}
	p := &pipeline.Pipeline{Documents: []string{"d1", "d2"},
		Pre:        pipeline.PreRetrieval{Compression: true, Rewrite: true, Translation: true, MultiQuery: true, MultiQueryCount: 2},
		Retrieval:  pipeline.Retrieval{Filter: "lang == 'en'", TopK: 7, Mode: rag.ModeHybrid},
		Post:       pipeline.PostRetrieval{TopN: 3},
		Generation: pipeline.Generation{Answer: true}}
	x := executor(t, r, pipeline.Options{Generate: s.generate})
	got, err := x.Run(t.Context(), p, rag.SearchRequest{Query: "And it?", Filter: rag.Equal("tenant", "x"), History: []rag.Message{
		{Role: "user", Text: "Is there a {query} hotel at the beach?"}, {Role: "assistant", Text: "Yes."}, {Role: "user", Text: "And it?"}}})
	require.NoError(t, err)
	assert.Equal(t, []string{"beach hotel price", "one", "two"}, got.Queries)
	assert.Contains(t, s.prompts[0], "user: Is there a {query} hotel at the beach?\nassistant: Yes.\n")
	assert.Equal(t, 1, strings.Count(s.prompts[0], "And it?"), "the question is not in the conversation too")
	assert.Contains(t, s.prompts[1], "What does the beach hotel cost?")
	require.Len(t, r.asked, 3)
	filter := rag.And(rag.In(rag.KeyDocument, "d1", "d2"), rag.Equal("lang", "en"), rag.Equal("tenant", "x"))
	for _, req := range r.asked {
		assert.Equal(t, filter.String(), req.Filter.String())
		assert.Equal(t, []any{7, rag.ModeHybrid}, []any{req.TopK, req.Mode})
	}
	var ids []string
	for _, m := range got.Found {
		ids = append(ids, m.ID)
	}
	assert.Equal(t, []string{"c", "a", "b"}, ids)
	assert.Contains(t, got.Prompt, "[2] Ta\n{query} costs ten.")
	assert.Contains(t, got.Prompt, "The question:\nAnd it?\n", "the original question")
	assert.Equal(t, "ten", got.Answer)
	var stages []string
	for _, e := range got.Events {
		stages = append(stages, e.Stage)
	}
	assert.Equal(t, []string{"compression", "rewrite", "translation", "multiQuery", "retrieve", "retrieve", "retrieve", "postProcess", "augment", "llm"}, stages)
	assert.True(t, got.Events[2].Warning, "an empty answer")

	labels := []string{}
	calls := 0
	for _, st := range p.Stages() {
		labels, calls = append(labels, st.Label), calls+st.Calls
	}
	assert.Equal(t, []string{"Compress", "Rewrite", "Translate", "Multi-Q×2", "Retrieve", "Re-rank", "Top-3", "Augment", "Answer"}, labels)
	assert.Equal(t, 5, calls)
}

func TestWhatFailsLeavesTheQuestion(t *testing.T) {
	p := &pipeline.Pipeline{Pre: pipeline.PreRetrieval{Compression: true, Rewrite: true, MultiQuery: true}}
	for name, c := range map[string]struct {
		generate func(context.Context, string) (string, error)
		events   int // of stages that need a model
	}{
		"no model": {nil, 2},
		"failures": {(&script{answers: map[string]string{"": "fail"}}).generate, 2},
		"a talker": {(&script{answers: map[string]string{"": strings.Repeat("long ", 1000)}}).generate, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{found: map[string][]rag.Match{"": {match("a", "x", 1)}}}
			got, err := executor(t, r, pipeline.Options{Generate: c.generate}).Run(t.Context(), p, rag.SearchRequest{Query: "q"})
			require.NoError(t, err)
			assert.Equal(t, []string{"q"}, got.Queries)
			assert.Len(t, got.Found, 1)
			assert.Len(t, got.Events, c.events+3)
		})
	}
	s := &script{answers: map[string]string{"": "x"}}
	got, err := executor(t, &recorder{}, pipeline.Options{Generate: s.generate}).DryRun(t.Context(), p, rag.SearchRequest{Query: "q"})
	require.NoError(t, err)
	assert.Empty(t, s.prompts)
	assert.Equal(t, "one call of the model", got.Events[0].Message)
	assert.Contains(t, got.Prompt, "Say politely", "nothing was found")
}

func TestSearchesThatFail(t *testing.T) {
	s := &script{answers: map[string]string{"other versions": "panic\ngood"}}
	p := &pipeline.Pipeline{Pre: pipeline.PreRetrieval{MultiQuery: true, MultiQueryCount: 2}}
	r := &recorder{err: errors.New("down"), found: map[string][]rag.Match{"good": {match("a", "x", 1)}}}
	x := executor(t, r, pipeline.Options{Generate: s.generate})
	got, err := x.Run(t.Context(), p, rag.SearchRequest{Query: "q"})
	require.NoError(t, err, "one of three answered")
	assert.Len(t, got.Found, 1)
	delete(r.found, "good")
	_, err = x.Retriever(p).Retrieve(t.Context(), rag.SearchRequest{Query: "q"})
	require.ErrorContains(t, err, "down")
}

// backwards prefers the last of the texts.
type backwards struct{ fails error }

func (b *backwards) Rerank(_ context.Context, query string, texts []string, n int) ([]rank.Rank, error) {
	ranks := make([]rank.Rank, len(texts))
	for i := range texts {
		ranks[i] = rank.Rank{Index: i, Score: float64(i)}
	}
	return ranks, b.fails
}

func TestRerankAndFormats(t *testing.T) {
	r := &recorder{found: map[string][]rag.Match{"": {match("a", "first", 0.2), match("b", "second", 0.9), match("c", "third", 0.1)}}}
	judge := &backwards{}
	x := executor(t, r, pipeline.Options{Reranker: judge})
	run := func(p pipeline.Pipeline) *pipeline.Result {
		got, err := x.Run(t.Context(), &p, rag.SearchRequest{Query: "q", TopK: 2, Mode: rag.ModeLexical, Threshold: new(0.1)})
		require.NoError(t, err)
		return got
	}
	ids := func(got *pipeline.Result) (ids string) {
		for _, m := range got.Found {
			ids += m.ID
		}
		return ids
	}
	warned := func(got *pipeline.Result) bool {
		return slices.ContainsFunc(got.Events, func(e pipeline.Event) bool { return e.Warning })
	}
	again := pipeline.Pipeline{Post: pipeline.PostRetrieval{Rerank: true}}
	assert.Equal(t, "ca", ids(run(again)), "the two best of those that are judged")
	assert.Equal(t, 8, r.asked[0].TopK, "more are judged than wanted")
	assert.Equal(t, []pipeline.Stage{{Name: "retrieve", Label: "Retrieve"}, {Name: "postProcess", Label: "Re-rank"}, {Name: "rerank", Label: "Judge", Calls: 1}, {Name: "augment", Label: "Augment"}}, again.Stages())
	judge.fails = errors.New("no")
	got := run(again)
	assert.Equal(t, "ba", ids(got), "by score")
	assert.True(t, warned(got))
	dry, err := x.DryRun(t.Context(), &again, rag.SearchRequest{Query: "q", TopK: 2})
	require.NoError(t, err)
	assert.False(t, warned(dry))

	s := &script{answers: map[string]string{"order passages": "<think>[1]</think>[2,3,1]"}}
	asking := executor(t, r, pipeline.Options{Generate: s.generate})
	got, err = asking.Run(t.Context(), &again, rag.SearchRequest{Query: "q"})
	require.NoError(t, err)
	assert.Equal(t, "acb", ids(got), "the model sees them by score")
	none := executor(t, r, pipeline.Options{})
	got, err = none.Run(t.Context(), &again, rag.SearchRequest{Query: "q", TopK: 1})
	require.NoError(t, err)
	assert.Equal(t, "b", ids(got))
	assert.True(t, warned(got), "there is no model")

	got = run(pipeline.Pipeline{Generation: pipeline.Generation{Format: pipeline.FormatText, Prompt: "{context}|{query}"}})
	assert.Equal(t, "bac", ids(got))
	assert.Regexp(t, `^<documents (\w+)>\nsecond\n\nfirst\n\nthird\n</documents \w+>\|q$`, got.Prompt)
	assert.Equal(t, "ab", ids(run(pipeline.Pipeline{Post: pipeline.PostRetrieval{KeepOrder: true, TopN: 2}})))
	r.found = nil
	assert.Equal(t, "q", run(pipeline.Pipeline{Generation: pipeline.Generation{AllowEmpty: true}}).Prompt)
	assert.Equal(t, "no: q", run(pipeline.Pipeline{Generation: pipeline.Generation{EmptyPrompt: "no: {query}"}}).Prompt)
}

func TestStagesEndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "late", ctx.Err() }
		x := executor(t, &recorder{}, pipeline.Options{Generate: hang, StageTimeout: time.Second})
		began := time.Now()
		got, err := x.Run(context.Background(), &pipeline.Pipeline{Pre: pipeline.PreRetrieval{Rewrite: true, Translation: true}}, rag.SearchRequest{Query: "q"})
		require.NoError(t, err)
		assert.Equal(t, 2*time.Second, time.Since(began))
		assert.Equal(t, []string{"q"}, got.Queries)
	})
}

func TestPipelinesThatCannotBe(t *testing.T) {
	for name, p := range map[string]pipeline.Pipeline{
		"a prompt without its question": {Pre: pipeline.PreRetrieval{RewritePrompt: "{target}"}},
		"a prompt without documents":    {Generation: pipeline.Generation{Prompt: "{query}"}},
		"a filter that is wrong":        {Retrieval: pipeline.Retrieval{Filter: "a ="}},
		"negative TopK":                 {Retrieval: pipeline.Retrieval{TopK: -1}},
		"too many queries":              {Pre: pipeline.PreRetrieval{MultiQueryCount: 11}},
		"negative TopN":                 {Post: pipeline.PostRetrieval{TopN: -1}},
		"another format":                {Generation: pipeline.Generation{Format: "HTML"}},
		"a long name":                   {Name: strings.Repeat("x", 201)},
		"a long prompt":                 {Generation: pipeline.Generation{EmptyPrompt: strings.Repeat("x", 40<<10)}},
		"many documents":                {Documents: make([]string, 1001)},
	} {
		_, err := executor(t, &recorder{}, pipeline.Options{}).Run(t.Context(), &p, rag.SearchRequest{Query: "q"})
		require.ErrorIs(t, err, rag.ErrInvalid, name)
	}
	_, err := executor(t, &recorder{}, pipeline.Options{}).Run(t.Context(), &pipeline.Pipeline{}, rag.SearchRequest{Query: " "})
	require.ErrorIs(t, err, rag.ErrInvalid)
	_, err = pipeline.New(nil, nil)
	require.ErrorIs(t, err, rag.ErrInvalid)
	for name, text := range pipeline.Prompts() {
		assert.NotEmpty(t, text, name)
	}
}

func TestStore(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s := pipeline.NewStore(memory.New(), func() time.Time { now = now.Add(time.Second); return now }, func() string { return "1" })
	list, err := s.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "All documents (simple)", list[0].Name)
	p, err := s.Put(t.Context(), pipeline.Pipeline{Name: "A", Documents: []string{"d1"}, Retrieval: pipeline.Retrieval{Threshold: new(0.3)}})
	require.NoError(t, err)
	assert.Equal(t, "pipe-1", p.ID)
	got, err := s.Get(t.Context(), p.ID)
	require.NoError(t, err)
	assert.Equal(t, p, got)
	list, err = s.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "A", list[0].Name)
	used, err := s.UsedBy(t.Context(), "d1")
	require.NoError(t, err)
	assert.Len(t, used, 1)
	require.NoError(t, s.Delete(t.Context(), p.ID))
	_, err = s.Get(t.Context(), p.ID)
	require.ErrorIs(t, err, localpass.ErrNotFound)
	for _, bad := range []pipeline.Pipeline{{}, {Name: "x", Post: pipeline.PostRetrieval{TopN: -1}}} {
		_, err = s.Put(t.Context(), bad)
		require.ErrorIs(t, err, rag.ErrInvalid)
	}
	text, err := json.Marshal(pipeline.Pipeline{ID: "x", Name: "X"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"x","name":"X","preRetrieval":{},"retrieval":{},"postRetrieval":{},"generation":{}}`, string(text))
}

func Example() {
	documents := rag.RetrieverFunc(func(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		fmt.Println("searched:", req.Query)
		return []rag.Match{{Document: rag.Document{ID: "1", Text: "Breakfast is from seven to ten."}, Score: 0.8}}, nil
	})
	model := func(_ context.Context, _ string) (string, error) { return "breakfast time", nil }
	x, err := pipeline.New(documents, &pipeline.Options{Generate: model})
	if err != nil {
		panic(err)
	}
	got, err := x.Run(context.Background(), &pipeline.Pipeline{Pre: pipeline.PreRetrieval{Rewrite: true}}, rag.SearchRequest{Query: "Could you please tell me when breakfast is?"})
	fmt.Println(got.Found[0].Text, err)
	// Output:
	// searched: breakfast time
	// Breakfast is from seven to ten. <nil>
}
