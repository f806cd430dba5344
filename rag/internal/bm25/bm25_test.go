package bm25_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/lexical"
	"github.com/localpass/localpass/rag/internal/bm25"
)

func search(x *bm25.Index, query string) []bm25.Match {
	var all []bm25.Match
	x.Search(query, nil, func(m bm25.Match) { all = append(all, m) })
	slices.SortFunc(all, func(a, b bm25.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), a.Row-b.Row) })
	return all
}

// After any adding and removing, rows that are used again included, the scores are those
// of an index of what is left.
func TestSameAsFresh(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("apple pear plum fig quince medlar sloe grape lemon lime")
	texts := map[int]string{}
	var x bm25.Index
	for range 400 {
		row := r.IntN(40)
		if old, ok := texts[row]; ok {
			x.Remove(row, old)
			delete(texts, row)
			continue
		}
		var text []string
		for range r.IntN(12) {
			text = append(text, words[r.IntN(len(words))])
		}
		texts[row] = strings.Join(text, " ")
		x.Add(row, texts[row])
	}
	var docs []lexical.Document
	for row, text := range texts {
		docs = append(docs, lexical.Document{ID: fmt.Sprint(row), Fields: []lexical.Field{{Text: text}}})
	}
	fresh := lexical.New(docs)
	for _, query := range []string{"apple", "pear fig", "quince quince lime", "nothing", ""} {
		want := map[string]float64{}
		for _, m := range fresh.Search(query, 0) {
			want[m.ID] = m.Score
		}
		got := search(&x, query)
		require.Len(t, got, len(want), query)
		for _, m := range got {
			assert.InDelta(t, want[fmt.Sprint(m.Row)], m.Score, 1e-6, query)
		}
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	var x bm25.Index
	x.Add(0, "the printer has no paper")
	x.Add(5, "paper is white")
	got := search(&x, "printer paper")
	require.Len(t, got, 2)
	assert.Equal(t, 0, got[0].Row)
	assert.InDelta(t, 1, got[0].Coverage, 1e-9)
	assert.Less(t, got[1].Coverage, 0.5, "the rarer word is missing")
	unknown := search(&x, "paper of Constantinople and Adrianople")
	assert.Less(t, unknown[0].Coverage, 0.3)
	x.Remove(5, "paper is white")
	x.Remove(5, "paper is white")
	x.Remove(99, "x")
	assert.Len(t, search(&x, "paper"), 1)
	assert.False(t, x.Stale())
	var none bm25.Index
	assert.Empty(t, search(&none, "paper"))
}

func BenchmarkSearch(b *testing.B) {
	var x bm25.Index
	r := rand.New(rand.NewPCG(1, 2))
	for row := range 10_000 {
		var text strings.Builder
		for range 100 {
			fmt.Fprintf(&text, "w%d ", int(r.ExpFloat64()*300))
		}
		x.Add(row, text.String())
	}
	for b.Loop() {
		x.Search("w1 w500 w1500", nil, func(bm25.Match) {})
	}
}

// A word that every one of a few rows has is still a reason to find them.
func TestCoverageOfFewRows(t *testing.T) {
	x := &bm25.Index{}
	x.Add(0, "The car has a red roof.")
	found := search(x, "What colour is the roof?")
	require.Len(t, found, 1)
	assert.Greater(t, found[0].Coverage, 0.3)
}
