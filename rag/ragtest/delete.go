package ragtest

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

func ended() context.Context {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return c
}

var errEnded = context.Canceled

func three(t testing.TB, s rag.VectorStore) {
	t.Helper()
	add(t, s, with(doc("a", 1, 0), map[string]any{"file": "x"}), with(doc("b", 1, 1), map[string]any{"file": "x"}), doc("c", 0, 1))
}

var deleteCases = []Case{
	simple("delete/by filter", func(t testing.TB, s rag.VectorStore) {
		three(t, s)
		require.NoError(t, s.Delete(ctx, rag.Equal("file", "x")))
		requireUnchanged(t, s, "c")
		assert.Equal(t, []string{"c"}, ids(search(t, s, rag.SearchRequest{Vector: east})))
	}),
	simple("delete/nothing selected", func(t testing.TB, s rag.VectorStore) {
		three(t, s)
		require.NoError(t, s.Delete(ctx, rag.Equal("file", "y")))
		requireUnchanged(t, s, "a", "b", "c")
	}),
	simple("delete/the zero filter is never everything", func(t testing.TB, s rag.VectorStore) {
		three(t, s)
		require.ErrorIs(t, s.Delete(ctx, rag.Filter{}), rag.ErrInvalid)
		require.ErrorIs(t, s.Delete(ctx, rag.And()), rag.ErrInvalid)
		require.ErrorIs(t, s.Delete(ctx, rag.In("file")), rag.ErrInvalid)
		requireUnchanged(t, s, "a", "b", "c")
	}),
	simple("delete/everything, and begin again", func(t testing.TB, s rag.VectorStore) {
		three(t, s)
		require.NoError(t, s.Delete(ctx, anything))
		assert.Empty(t, all(t, s, anything))
		assert.Empty(t, search(t, s, rag.SearchRequest{Vector: east}))
		three(t, s)
		requireUnchanged(t, s, "a", "b", "c")
	}),
	simple("delete/again and again", func(t testing.TB, s rag.VectorStore) {
		for range 20 {
			three(t, s)
			require.NoError(t, s.Delete(ctx, rag.Equal("file", "x")))
			require.NoError(t, s.Delete(ctx, rag.Equal("file", "x")))
		}
		requireUnchanged(t, s, "c")
	}),
}

// upgrade makes a case for stores with an upgrade.
func upgrade[U any](name string, run func(t testing.TB, s rag.VectorStore, u U)) Case {
	return simple(name, func(t testing.TB, s rag.VectorStore) {
		u, ok := s.(U)
		if !ok {
			t.Skip("the store does not have this upgrade")
		}
		run(t, s, u)
	})
}

var upgradeCases = []Case{
	upgrade("ids/deletes these alone", func(t testing.TB, s rag.VectorStore, u rag.IDDeleter) {
		three(t, s)
		require.NoError(t, u.DeleteIDs(ctx, "b", "no such id", "b"))
		requireUnchanged(t, s, "a", "c")
		require.NoError(t, u.DeleteIDs(ctx))
		require.NoError(t, u.DeleteIDs(ctx, "no such id"))
		requireUnchanged(t, s, "a", "c")
		assert.ErrorIs(t, u.DeleteIDs(ended(), "a"), errEnded)
		requireUnchanged(t, s, "a", "c")
	}),
	upgrade("get/in the order of the ids", func(t testing.TB, s rag.VectorStore, u rag.Getter) {
		three(t, s)
		docs, err := u.Get(ctx, "c", "no such id", "a")
		require.NoError(t, err)
		require.Len(t, docs, 2)
		assert.Equal(t, "c", docs[0].ID)
		assert.Equal(t, "text of a", docs[1].Text)
		requireMetadata(t, map[string]any{"file": "x"}, docs[1].Metadata)
		requireDirection(t, []float32{0, 1}, docs[0].Vector)
		none, err := u.Get(ctx)
		require.NoError(t, err)
		assert.Empty(t, none)
		_, err = u.Get(ended(), "a")
		assert.ErrorIs(t, err, errEnded)
	}),
	upgrade("scan/by id, with vectors", func(t testing.TB, s rag.VectorStore, u rag.Scanner) {
		three(t, s)
		var found []string
		for d, err := range u.Scan(ctx, rag.Filter{}) {
			require.NoError(t, err)
			found = append(found, d.ID)
			require.Len(t, d.Vector, 2)
		}
		assert.Equal(t, []string{"a", "b", "c"}, found)
	}),
	upgrade("scan/a filter, a break and a store in use", func(t testing.TB, s rag.VectorStore, u rag.Scanner) {
		three(t, s)
		var found []string
		for d, err := range u.Scan(ctx, rag.Equal("file", "x")) {
			require.NoError(t, err)
			found = append(found, d.ID)
			add(t, s, doc("d", 1, 1)) // the loop may write
			require.NoError(t, s.Delete(ctx, rag.Equal("file", "y")))
		}
		assert.Equal(t, []string{"a", "b"}, found)
		for range u.Scan(ctx, rag.Filter{}) {
			break
		}
		requireUnchanged(t, s, "a", "b", "c", "d")
	}),
	upgrade("scan/errors", func(t testing.TB, s rag.VectorStore, u rag.Scanner) {
		three(t, s)
		last := func(c context.Context, f rag.Filter) (err error) {
			for d, e := range u.Scan(c, f) {
				if err = e; e != nil {
					assert.Zero(t, d)
				}
			}
			return err
		}
		assert.ErrorIs(t, last(ctx, rag.In("a")), rag.ErrInvalid)
		assert.ErrorIs(t, last(ended(), rag.Filter{}), errEnded)
	}),
	upgrade("replace/what a filter selects", func(t testing.TB, s rag.VectorStore, u rag.Replacer) {
		three(t, s)
		require.NoError(t, u.Replace(ctx, rag.Equal("file", "x"), with(doc("b", -1, 0), map[string]any{"file": "x", "new": true}), with(doc("d", -1, -1), map[string]any{"file": "x"})))
		requireUnchanged(t, s, "b", "c", "d")
		requireMetadata(t, map[string]any{"file": "x", "new": true}, find(t, s, "b").Metadata)
		requireDirection(t, []float32{-1, 0}, find(t, s, "b").Vector)
		require.NoError(t, u.Replace(ctx, rag.Equal("file", "x")))
		requireUnchanged(t, s, "c")
	}),
	upgrade("replace/all or nothing", func(t testing.TB, s rag.VectorStore, u rag.Replacer) {
		three(t, s)
		require.ErrorIs(t, u.Replace(ctx, rag.Filter{}, doc("d", 1, 1)), rag.ErrInvalid)
		require.ErrorIs(t, u.Replace(ctx, rag.Equal("file", "x"), doc("d", 1, 1), doc("", 1, 1)), rag.ErrInvalid)
		require.ErrorIs(t, u.Replace(ctx, rag.Equal("file", "x"), doc("d", 1, 1, 1)), rag.ErrVector)
		require.ErrorIs(t, u.Replace(ended(), rag.Equal("file", "x"), doc("d", 1, 1)), errEnded)
		requireUnchanged(t, s, "a", "b", "c")
	}),
	upgrade("stats/size and modes", func(t testing.TB, s rag.VectorStore, u rag.StatsReader) {
		stats, err := u.Stats(ctx)
		require.NoError(t, err)
		assert.Zero(t, stats.Documents)
		assert.Zero(t, stats.Dimension)
		three(t, s)
		stats, err = u.Stats(ctx)
		require.NoError(t, err)
		assert.Equal(t, 3, stats.Documents)
		assert.Equal(t, 2, stats.Dimension)
		assert.Equal(t, 2, stats.Manifest.Dimension)
		assert.True(t, slices.Contains(stats.Modes, rag.ModeVector))
		_, err = u.Stats(ended())
		assert.ErrorIs(t, err, errEnded)
	}),
}
