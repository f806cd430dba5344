package rag_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

func TestTitle(t *testing.T) {
	for _, c := range []struct {
		metadata map[string]any
		title    string
		chunk    int
	}{
		{nil, "d1", 0},
		{map[string]any{"title": "A", "source": "b", "chunk_index": int64(3)}, "A", 3},
		{map[string]any{"title": "", "source": "b.txt", "chunk_index": 2}, "b.txt", 2},
		{map[string]any{"title": 7, "chunk_index": 4.0}, "d1", 4},
		{map[string]any{"chunk_index": "4"}, "d1", 0},
	} {
		d := rag.Document{ID: "d1", Metadata: c.metadata}
		assert.Equal(t, c.title, d.Title())
		assert.Equal(t, c.chunk, d.Chunk())
	}
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		f    rag.Filter
		want string
		bad  string
	}{
		{rag.Filter{}, "", ""},
		{rag.Equal("lang", "go"), "lang == 'go'", ""},
		{rag.Equal("name", `O'Neil\`), `name == 'O\'Neil\\'`, ""},
		{rag.Equal("my-key", true), "'my-key' == true", ""},
		{rag.Equal("null", int64(1)), "'null' == 1", ""},
		{rag.Equal("meta.lang", 2.0), "meta.lang == 2.0", ""},
		{rag.Equal("a.b.c", 2.5), "'a.b.c' == 2.5", ""},
		{rag.In("id", "a", int64(1), true), "id IN ['a', 1, true]", ""},
		{rag.And(), "", ""},
		{rag.And(rag.Filter{}, rag.Equal("a", 1)), "a == 1", ""},
		{rag.And(rag.Equal("a", 1), rag.Filter{Op: rag.OpOr, Filters: []rag.Filter{rag.Equal("b", 2), rag.Filter{Op: rag.OpGreater, Key: "c", Value: 3}}}), "a == 1 AND (b == 2 OR c > 3)", ""},
		{rag.And(rag.And(rag.Equal("a", 1), rag.Equal("b", 2)), rag.Equal("c", 3)), "a == 1 AND b == 2 AND c == 3", ""},
		{rag.Filter{Op: rag.OpNot, Filters: []rag.Filter{rag.Equal("a", 1)}}, "(NOT a == 1)", ""},
		{rag.Filter{Op: rag.OpIsNull, Key: "author"}, "author IS NULL", ""},

		{rag.Equal("", 1), "'' == 1", "needs a key"},
		{rag.Equal("a", []string{"x"}), "a == [x]", "not []string"},
		{rag.In("a"), "a IN []", "not empty"},
		{rag.In("a", nil), "a IN [<nil>]", "not <nil>"},
		{rag.Filter{Op: rag.OpLess, Key: "a", Value: true}, "a < true", "text or a number"},
		{rag.Filter{Op: rag.OpIsNull, Key: "a", Value: 1}, "a IS NULL", "no value"},
		{rag.Filter{Op: rag.OpNot}, "(NOT )", "joins 0"},
		{rag.Filter{Op: rag.OpAnd, Key: "x", Filters: []rag.Filter{rag.Equal("a", 1)}}, "a == 1", "of its own"},
		{rag.Filter{Op: rag.OpAnd, Filters: []rag.Filter{{}}}, "'' ", "needs a key"},
		{rag.Filter{Op: "LIKE", Key: "a", Value: "b"}, "a LIKE 'b'", "no operator"},
	} {
		if c.bad != "" {
			err := c.f.Check()
			require.ErrorIs(t, err, rag.ErrInvalid, c.want)
			assert.ErrorContains(t, err, c.bad)
			assert.NotPanics(t, func() { _ = c.f.String() })
			continue
		}
		require.NoError(t, c.f.Check(), c.want)
		assert.Equal(t, c.want, c.f.String())
	}
	deep := rag.Equal("a", 1)
	for range 100 {
		deep = rag.Filter{Op: rag.OpNot, Filters: []rag.Filter{deep}}
	}
	assert.ErrorContains(t, deep.Check(), "nested more than 64 deep")
	assert.Contains(t, deep.String(), "…")
}

func TestRequest(t *testing.T) {
	least := math.Inf(-1)
	ok := rag.SearchRequest{Query: "q", Threshold: &least, Filter: rag.Equal("a", 1)}
	require.NoError(t, ok.Check())
	for _, bad := range []rag.SearchRequest{{TopK: -1}, {Offset: -1}, {Filter: rag.Equal("", 1)}} {
		assert.ErrorIs(t, bad.Check(), rag.ErrInvalid)
	}
	f := rag.RetrieverFunc(func(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		return []rag.Match{{Document: rag.Document{ID: req.Query}}}, nil
	})
	found, err := f.Retrieve(t.Context(), ok)
	require.NoError(t, err)
	assert.Equal(t, "q", found[0].ID)
}
