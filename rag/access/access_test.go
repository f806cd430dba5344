package access_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/access"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/ragtest"
)

var ctx = context.Background()

func scope(t testing.TB, s rag.VectorStore, name string) *access.Scoped {
	t.Helper()
	scoped, err := access.Scope(s, name)
	require.NoError(t, err)
	return scoped
}

func shared(t testing.TB, e rag.Embedder) *flat.Store {
	t.Helper()
	s, err := flat.New(&flat.Options{Embedder: e})
	require.NoError(t, err)
	return s
}

// A scope is a whole store for its user, while others write into the same one.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, c := range ragtest.Cases() {
		switch c.Name {
		case "values/ids are any text": // the name of the scope takes a part of the longest id
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			c.Run(t, func(t testing.TB, e rag.Embedder) rag.VectorStore { return scope(t, shared(t, e), "ours") }, ragtest.Options{Lexical: true})
		})
	}
}

// No call of one scope reads, replaces or deletes a document of another, whatever its ids
// and filters.
func TestScopesAreSeparate(t *testing.T) {
	t.Parallel()
	store := shared(t, nil)
	a, b := scope(t, store, "a"), scope(t, store, "b")
	secret := rag.Document{ID: "1", Text: "secret of b", Vector: []float32{1, 0}, Metadata: map[string]any{"kind": "note"}}
	require.NoError(t, b.Add(ctx, secret))
	require.NoError(t, a.Add(ctx, rag.Document{ID: "1", Text: "note of a", Vector: []float32{1, 0}, Metadata: map[string]any{"kind": "note"}}))
	anything := rag.Filter{Op: rag.OpIsNull, Key: "no such key"}
	wider := []rag.Filter{{}, anything, rag.Equal("_scope", "b"), rag.Or(rag.Equal("_scope", "b"), anything), rag.Not(rag.Equal("_scope", "a"))}
	for _, f := range wider {
		for _, req := range []rag.SearchRequest{{Vector: []float32{1, 0}, Filter: f}, {Query: "secret", Mode: rag.ModeLexical, Filter: f}, {Query: "secret", Vector: []float32{1, 0}, Mode: rag.ModeHybrid, Filter: f}} {
			found, err := a.Search(ctx, req)
			require.NoError(t, err)
			for _, m := range found {
				assert.Equal(t, "note of a", m.Text)
				assert.Equal(t, map[string]any{"kind": "note"}, m.Metadata)
			}
		}
		for d, err := range a.Scan(ctx, f) {
			require.NoError(t, err)
			assert.Equal(t, "note of a", d.Text)
		}
	}
	docs, err := a.Get(ctx, "b/1", "../b/1", "1")
	require.NoError(t, err)
	require.Len(t, docs, 1)
	assert.Equal(t, "note of a", docs[0].Text)
	require.NoError(t, a.DeleteIDs(ctx, "b/1", "1"))
	for _, f := range wider[1:] {
		require.NoError(t, a.Delete(ctx, f))
		require.NoError(t, a.Replace(ctx, f, rag.Document{ID: "1", Text: "new", Vector: []float32{1, 0}}))
	}
	require.ErrorIs(t, a.Delete(ctx, rag.Filter{}), rag.ErrInvalid)
	require.ErrorIs(t, a.Replace(ctx, rag.Filter{}), rag.ErrInvalid)
	require.ErrorIs(t, a.Add(ctx, rag.Document{ID: "2", Text: "x", Metadata: map[string]any{"_scope": "b"}}), rag.ErrInvalid)
	docs, err = b.Get(ctx, "1")
	require.NoError(t, err)
	assert.Equal(t, secret, docs[0])
	for _, name := range []string{"", "a/b", string(make([]byte, 65))} {
		_, err := access.Scope(store, name)
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}
}

// leaking ignores filters, and has no upgrades.
type leaking struct{ docs []rag.Document }

func (l *leaking) Add(context.Context, ...rag.Document) error { return nil }
func (l *leaking) Delete(context.Context, rag.Filter) error   { return nil }
func (l *leaking) Search(context.Context, rag.SearchRequest) ([]rag.Match, error) {
	var found []rag.Match
	for _, d := range l.docs {
		found = append(found, rag.Match{Document: d})
	}
	return found, nil
}

// A store that ignores a filter is found out.
func TestLeak(t *testing.T) {
	t.Parallel()
	l := &leaking{docs: []rag.Document{{ID: "b/1", Text: "secret", Metadata: map[string]any{"_scope": "b", access.KeyLabels: "b"}}}}
	a := scope(t, l, "a")
	_, err := a.Search(ctx, rag.SearchRequest{Query: "x"})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
	search, err := access.Restrict(rag.RetrieverFunc(l.Search), func(context.Context) (rag.Filter, error) { return access.Labels("a"), nil })
	require.NoError(t, err)
	_, err = search.Retrieve(ctx, rag.SearchRequest{Query: "x"})
	require.Error(t, err)

	assert.ErrorIs(t, a.DeleteIDs(ctx, "x"), errors.ErrUnsupported)
	assert.ErrorIs(t, a.Replace(ctx, rag.Equal("a", 1)), errors.ErrUnsupported)
	_, err = a.Get(ctx, "x")
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	for _, err := range a.Scan(ctx, rag.Filter{}) {
		assert.ErrorIs(t, err, errors.ErrUnsupported)
	}
}

type group struct{}

// A caller finds what carries a label of theirs, and cannot ask for more.
func TestLabels(t *testing.T) {
	t.Parallel()
	store := shared(t, nil)
	for id, labels := range map[string]any{"staff": "staff", "both": []string{"staff", "board"}, "board": []any{"board"}, "none": nil, "number": 1} {
		require.NoError(t, store.Add(ctx, rag.Document{ID: id, Text: id, Vector: []float32{1, 0}, Metadata: map[string]any{access.KeyLabels: labels, "k": "v"}}))
	}
	search, err := access.Restrict(rag.RetrieverFunc(store.Search), func(ctx context.Context) (rag.Filter, error) {
		held, ok := ctx.Value(group{}).([]string)
		if !ok {
			return rag.Filter{}, errors.New("the caller is unknown")
		}
		return access.Labels(held...), nil
	})
	require.NoError(t, err)
	for _, c := range []struct{ held, want []string }{
		{[]string{"staff"}, []string{"both", "staff"}}, {[]string{"board", "x"}, []string{"board", "both"}}, {[]string{"staff", "board"}, []string{"board", "both", "staff"}}, {[]string{"x"}, nil}, {[]string{}, nil},
	} {
		for _, f := range []rag.Filter{{}, rag.Equal("k", "v"), rag.Or(rag.Equal("k", "v"), access.Labels("board"))} {
			found, err := search.Retrieve(context.WithValue(ctx, group{}, c.held), rag.SearchRequest{Vector: []float32{1, 0}, Filter: f})
			require.NoError(t, err)
			var ids []string
			for _, m := range found {
				ids = append(ids, m.ID)
			}
			assert.Equal(t, c.want, ids, "%v", c.held)
		}
	}
	known := context.WithValue(ctx, group{}, []string{"staff"})
	_, err = search.Retrieve(ctx, rag.SearchRequest{Query: "x"})
	assert.ErrorContains(t, err, "unknown")
	_, err = search.Retrieve(known, rag.SearchRequest{})
	assert.ErrorIs(t, err, rag.ErrInvalid, "it does not become a list of everything")
	_, err = search.Retrieve(known, rag.SearchRequest{Query: "x", TopK: -1})
	assert.ErrorIs(t, err, rag.ErrInvalid)
	_, err = search.Retrieve(known, rag.SearchRequest{Query: "x", Mode: "no such mode"})
	assert.ErrorIs(t, err, rag.ErrInvalid)
	open, err := access.Restrict(search, func(context.Context) (rag.Filter, error) { return rag.Filter{}, nil })
	require.NoError(t, err)
	_, err = open.Retrieve(known, rag.SearchRequest{Query: "x"})
	assert.ErrorIs(t, err, rag.ErrInvalid, "the zero filter would select everything")
	_, err = access.Restrict(nil, nil)
	assert.ErrorIs(t, err, rag.ErrInvalid)
}

func ExampleScope() {
	ctx := context.Background()
	store, _ := flat.New(nil)
	for _, tenant := range []string{"acme", "globex"} {
		s, _ := access.Scope(store, tenant)
		_ = s.Add(ctx, rag.Document{ID: "1", Text: "The printer of " + tenant + " needs paper."})
	}
	s, err := access.Scope(store, "acme")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := s.Search(ctx, rag.SearchRequest{Query: "printers"})
	fmt.Println(len(found), found[0].Text, err)
	// Output: 1 The printer of acme needs paper. <nil>
}
