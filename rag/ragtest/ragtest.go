package ragtest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

// Open returns a new, empty store, and registers its closing with t.Cleanup. The embedder
// may be nil.
type Open func(t testing.TB, e rag.Embedder) rag.VectorStore

// Options describe what a store can do beyond the basic methods. The upgrades are found by
// type assertion, and the cases of a missing upgrade are skipped.
type Options struct {
	// Reopen closes a store and opens it again, like the next start of a program. nil:
	// documents do not outlive the store.
	Reopen func(t testing.TB, store rag.VectorStore) rag.VectorStore
	// Lexical says that the store has the modes lexical and hybrid, and keeps documents
	// without vectors if it has no embedder.
	Lexical bool
}

// TestStore runs the suite: one subtest for each case.
func TestStore(t *testing.T, open Open, opts *Options) {
	var o Options
	if opts != nil {
		o = *opts
	}
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, open, o) })
	}
}

// Case is one case of the suite.
type Case struct {
	Name string
	Run  func(t testing.TB, open Open, o Options)
}

// Cases returns the cases of [TestStore], to run some of them, or all against a store that
// is meant to fail.
func Cases() []Case {
	return slices.Concat(addCases, valueCases, searchCases, filterCases(), deleteCases, upgradeCases, embedderCases, lexicalCases, togetherCases, reopenCases)
}

// simple makes a case that needs an empty store.
func simple(name string, run func(t testing.TB, s rag.VectorStore)) Case {
	return Case{name, func(t testing.TB, open Open, _ Options) { run(t, open(t, nil)) }}
}

var ctx = context.Background()

func doc(id string, vector ...float32) rag.Document {
	return rag.Document{ID: id, Text: "text of " + id, Vector: vector}
}

func with(d rag.Document, metadata map[string]any) rag.Document {
	d.Metadata = metadata
	return d
}

func add(t testing.TB, s rag.VectorStore, docs ...rag.Document) {
	t.Helper()
	require.NoError(t, s.Add(ctx, docs...))
}

func search(t testing.TB, s rag.VectorStore, req rag.SearchRequest) []rag.Match {
	t.Helper()
	found, err := s.Search(ctx, req)
	require.NoError(t, err)
	return found
}

func ids(matches []rag.Match) []string {
	list := []string{}
	for _, m := range matches {
		list = append(list, m.ID)
	}
	return list
}

// all returns the ids of everything that a filter selects, by a blank search.
func all(t testing.TB, s rag.VectorStore, where rag.Filter) []string {
	t.Helper()
	return ids(search(t, s, rag.SearchRequest{Filter: where, TopK: 1 << 20}))
}

// anything is a filter that is not zero and selects everything.
var anything = rag.Filter{Op: rag.OpIsNull, Key: "no such key"}

// find returns the document with an id.
func find(t testing.TB, s rag.VectorStore, id string) *rag.Match {
	t.Helper()
	for _, m := range search(t, s, rag.SearchRequest{Filter: anything, TopK: 1 << 20, Vectors: true}) {
		if m.ID == id {
			return &m
		}
	}
	return nil
}

func threshold(v float64) *float64 { return &v }

// cosine is the similarity that a store must return.
func cosine(a, b []float32) float64 {
	dot := 0.0
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot / (rag.Norm(a) * rag.Norm(b))
}

const tolerance = 1e-5

// oracle is what a search by vector must find, from the documents that are stored.
func oracle(docs map[string]rag.Document, req rag.SearchRequest) []rag.Match {
	var found []rag.Match
	for _, d := range docs {
		if !req.Filter.IsZero() && !req.Filter.Matches(d.Metadata) {
			continue
		}
		score := cosine(d.Vector, req.Vector)
		if req.Threshold == nil || score >= *req.Threshold {
			found = append(found, rag.Match{Document: d, Score: score})
		}
	}
	slices.SortFunc(found, func(a, b rag.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID)) })
	limit := req.TopK
	if limit == 0 {
		limit = rag.DefaultTopK
	}
	found = found[min(req.Offset, len(found)):]
	return found[:min(limit, len(found))]
}

// requireSame compares what a store found with the oracle. Documents whose exact scores
// differ by less than the tolerance may change places.
func requireSame(t testing.TB, docs map[string]rag.Document, req rag.SearchRequest, got []rag.Match, about ...any) {
	t.Helper()
	want := oracle(docs, req)
	require.Len(t, got, len(want), about...)
	seen := map[string]bool{}
	for i, m := range got {
		d, stored := docs[m.ID]
		require.True(t, stored, "%s is not stored %v", m.ID, about)
		require.False(t, seen[m.ID], "%s is found twice %v", m.ID, about)
		seen[m.ID] = true
		require.True(t, req.Filter.IsZero() || req.Filter.Matches(d.Metadata), "%s is not selected by %s", m.ID, req.Filter)
		require.InDelta(t, want[i].Score, m.Score, tolerance, about...)
		require.InDelta(t, cosine(d.Vector, req.Vector), m.Score, tolerance, about...)
		require.Equal(t, d.Text, m.Text, about...)
		if i > 0 {
			before := got[i-1]
			require.True(t, before.Score > m.Score || before.Score == m.Score && before.ID < m.ID, "%s comes before %s %v", before.ID, m.ID, about)
		}
	}
}

// requireMetadata compares metadata, where an empty map is as good as none.
func requireMetadata(t testing.TB, want, got map[string]any) {
	t.Helper()
	if len(want) == 0 && len(got) == 0 {
		return
	}
	require.Equal(t, want, got)
}

// requireDirection compares a returned vector with the one that was added, whose length a
// store need not keep.
func requireDirection(t testing.TB, want, got []float32) {
	t.Helper()
	require.Len(t, got, len(want))
	require.InDelta(t, 1, cosine(want, got), tolerance)
}

// fixture is the world of the filter cases.
func fixture() map[string]rag.Document {
	docs := map[string]rag.Document{}
	for i, m := range []map[string]any{
		nil,
		{"lang": "go", "year": int64(2020), "open": true, "price": 15.5, "tags": []any{"a", "b"}},
		{"lang": "go", "year": int64(2021), "open": false, "price": int64(20), "tags": []any{"b", int64(1)}},
		{"lang": "ru", "year": 2020.0, "tags": []any{}},
		{"lang": "", "year": "2020", "price": -1.5},
		{"lang": "日本", "year": int64(9007199254740993), "open": "true"},
		{"meta": map[string]any{"lang": "go", "n": int64(1)}, "year": int64(9007199254740992)},
		{"meta.lang": "literal", "meta": map[string]any{"lang": "inner"}, "my-key": "O'Neil"},
		{"lang": true, "year": int64(1), "tags": "a"},
		{"lang": int64(1), "date": "2026-11-23T10:00:00Z", "path": `C:\tmp`},
	} {
		id := string(rune('a' + i))
		docs[id] = with(doc(id, float32(i+1), float32(10-i), 3), m)
	}
	return docs
}

func inOrder(docs map[string]rag.Document) []rag.Document {
	list := make([]rag.Document, 0, len(docs))
	for _, id := range slices.Sorted(maps.Keys(docs)) {
		list = append(list, docs[id])
	}
	return list
}

func selectedBy(docs map[string]rag.Document, where rag.Filter) []string {
	list := []string{}
	for _, d := range inOrder(docs) {
		if where.Matches(d.Metadata) {
			list = append(list, d.ID)
		}
	}
	return list
}

func parse(t testing.TB, text string) rag.Filter {
	t.Helper()
	f, err := rag.ParseFilter(text)
	require.NoError(t, err, text)
	return f
}

var nan = float32(math.NaN())

// requireUnchanged fails if a rejected call changed the store.
func requireUnchanged(t testing.TB, s rag.VectorStore, want ...string) {
	t.Helper()
	assert.Equal(t, want, all(t, s, anything))
}
