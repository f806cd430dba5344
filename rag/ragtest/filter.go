package ragtest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

// filterExpressions are run on the fixture, in a search by vector, in a list and in a
// deletion.
var filterExpressions = []string{
	`lang == 'go'`, `lang != 'go'`, `lang == ''`, `lang == '日本'`, `lang == true`, `lang == 1`, `lang > 'go'`, `NOT lang > 'go'`,
	`lang IN ['go', 'ru']`, `lang NOT IN ['go', 'ru']`, `lang IN ['go', 1, true]`, `lang IS NULL`, `lang IS NOT NULL`,
	`year == 2020`, `year == 2020.0`, `year != 2020`, `year == '2020'`, `year >= 2020`, `year < 2021`, `NOT year < 2021`, `year IN [2020, 1]`,
	`year == 9007199254740993`, `year > 9007199254740992`,
	`price > -2 AND price <= 15.5`, `price == 20`, `price == 20.0`,
	`open == true`, `open != true`, `open == 'true'`, `open IN [true, 'true']`,
	`tags == 'a'`, `tags != 'a'`, `tags IN ['b', 'c']`, `tags NOT IN ['b', 'c']`, `tags == 1`, `tags > 0`, `tags IS NULL`,
	`meta.lang == 'go'`, `meta.lang == 'literal'`, `meta.lang == 'inner'`, `meta.lang != 'go'`, `meta.n >= 1`, `meta.x IS NULL`, `meta IS NOT NULL`,
	`'my-key' == 'O\'Neil'`, `path == 'C:\\tmp'`, `date >= '2026-11-23' AND date < '2026-11-24'`,
	`lang == 'go' AND year == 2020 OR open == false`, `NOT (lang == 'go' OR year > 2020)`, `NOT lang == 'go' AND year == 2020`,
	`(lang == 'go' OR lang == 'ru') AND NOT (price IS NULL)`, `no_such_key == 1 OR no_such_key IS NULL`,
}

func filterCases() []Case {
	cases := []Case{
		simple("filter/before TopK, at every selectivity", func(t testing.TB, s rag.VectorStore) {
			r := rand.New(rand.NewPCG(7, 8))
			docs := map[string]rag.Document{}
			for i := range 1000 {
				id := fmt.Sprintf("%04d", i)
				docs[id] = with(doc(id, randomVector(r, 8)...), map[string]any{"n": int64(i), "third": int64(i % 3), "name": fmt.Sprint("n", i%50)})
			}
			add(t, s, inOrder(docs)...)
			for _, text := range []string{`n < 1`, `n < 3`, `n < 10 AND third == 0`, `n < 100`, `name == 'n7'`, `name != 'n7'`, `name IN ['n1', 'n2'] OR n > 950`, `n < 500`, `n >= 0`, `n < 0`, `NOT third == 1`} {
				for _, k := range []int{1, 10, 200} {
					req := rag.SearchRequest{Vector: randomVector(r, 8), Filter: parse(t, text), TopK: k}
					requireSame(t, docs, req, search(t, s, req), text, k)
				}
			}
			limited := rag.SearchRequest{Vector: randomVector(r, 8), Filter: parse(t, `third == 2`), TopK: 20, Offset: 15, Threshold: threshold(0)}
			requireSame(t, docs, limited, search(t, s, limited))
		}),
		simple("filter/random ones, against the reference", func(t testing.TB, s rag.VectorStore) {
			r := rand.New(rand.NewPCG(9, 10))
			docs := map[string]rag.Document{}
			for i := range 120 {
				id := fmt.Sprintf("%03d", i)
				docs[id] = randomDocument(r, id, 4)
			}
			add(t, s, inOrder(docs)...)
			for range 400 {
				f := randomFilter(r, 3)
				assert.Equal(t, selectedBy(docs, f), all(t, s, f), f.String())
				req := rag.SearchRequest{Vector: randomVector(r, 4), Filter: f, TopK: 1 + r.IntN(20)}
				requireSame(t, docs, req, search(t, s, req), f.String())
			}
		}),
		simple("filter/the value that a document lost", func(t testing.TB, s rag.VectorStore) {
			add(t, s, with(doc("a", 1, 0), map[string]any{"k": "x"}), with(doc("b", 1, 0), map[string]any{"k": "x"}))
			add(t, s, with(doc("a", 1, 0), map[string]any{"k": []any{"y", "z"}}))
			require.NoError(t, s.Delete(ctx, rag.Equal("k", "x")))
			assert.Empty(t, all(t, s, rag.Equal("k", "x")))
			assert.Equal(t, []string{"a"}, all(t, s, rag.Equal("k", "z")))
			add(t, s, with(doc("c", 1, 0), map[string]any{"k": "w"}))
			assert.Equal(t, []string{"c"}, all(t, s, rag.Equal("k", "w")))
		}),
	}
	for _, text := range filterExpressions {
		cases = append(cases, simple("filter/"+text, func(t testing.TB, s rag.VectorStore) {
			f := parse(t, text)
			docs := fixture()
			add(t, s, inOrder(docs)...)
			want := selectedBy(docs, f)
			require.Equal(t, want, all(t, s, f))
			req := rag.SearchRequest{Vector: []float32{1, 1, 1}, Filter: f, TopK: 4}
			requireSame(t, docs, req, search(t, s, req))
			require.NoError(t, s.Delete(ctx, f))
			assert.Equal(t, selectedBy(docs, rag.Not(f)), all(t, s, anything))
		}))
	}
	return cases
}

// Random filters and metadata of a small world, in which most pairs are decided by one
// detail.

func randomValue(r *rand.Rand) any {
	return []any{"x", "y", "", int64(1), int64(2), 1.0, 2.5, true, false, int64(1 << 53), int64(1<<53 + 1)}[r.IntN(11)]
}

func randomMetadata(r *rand.Rand) map[string]any {
	m := map[string]any{}
	for _, key := range []string{"a", "b", "c.d"} {
		switch r.IntN(5) {
		case 0:
		case 1:
			list := []any{}
			for range r.IntN(3) {
				list = append(list, randomValue(r))
			}
			m[key] = list
		default:
			m[key] = randomValue(r)
		}
	}
	if r.IntN(3) == 0 {
		m["c"] = map[string]any{"d": randomValue(r)}
	}
	return m
}

func randomFilter(r *rand.Rand, depth int) rag.Filter {
	if depth > 0 && r.IntN(2) == 0 {
		a, b := randomFilter(r, depth-1), randomFilter(r, depth-1)
		switch r.IntN(3) {
		case 0:
			return rag.And(a, b)
		case 1:
			return rag.Or(a, b)
		}
		return rag.Not(a)
	}
	f := rag.Filter{Key: []string{"a", "b", "c.d"}[r.IntN(3)]}
	f.Op = []rag.Op{rag.OpEqual, rag.OpNotEqual, rag.OpGreater, rag.OpGreaterEqual, rag.OpLess, rag.OpLessEqual, rag.OpIn, rag.OpNotIn, rag.OpIsNull, rag.OpIsNotNull}[r.IntN(10)]
	switch f.Op {
	case rag.OpIsNull, rag.OpIsNotNull:
	case rag.OpIn, rag.OpNotIn:
		f.Value = []any{randomValue(r), randomValue(r), randomValue(r)}
	default:
		f.Value = randomValue(r)
		if f.Check() != nil { // true and false have no order
			f.Value = "x"
		}
	}
	return f
}
