package persistencetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

func putOp(collection, key string, version int64, data string) localpass.Op {
	return localpass.Op{Collection: collection, Key: key, Version: version, Data: json.RawMessage(data)}
}

func deleteOp(collection, key string, version int64) localpass.Op {
	return localpass.Op{Collection: collection, Key: key, Version: version, Delete: true}
}

func (s *suite) batch(t *testing.T) {
	t.Run("Mixed", s.batchMixed)
	t.Run("AllOrNothing", s.batchAllOrNothing)
	t.Run("Empty", s.batchEmpty)
	t.Run("SameKeyElsewhere", s.batchSameKeyElsewhere)
	t.Run("Large", s.batchLarge)
	t.Run("Transfers", s.batchTransfers)
}

// A batch puts and deletes in several collections, and returns its documents in the
// order of the operations.
func (s *suite) batchMixed(t *testing.T) {
	store := s.open(t)
	batcher := upgrade[localpass.Batcher](t, store)
	old := put(t, store, "a", "changed", localpass.NoVersion, "1")
	gone := put(t, store, "b", "gone", localpass.NoVersion, "1")
	put(t, store, "b", "gone/too", localpass.NoVersion, "1")

	docs, err := batcher.Batch(t.Context(),
		putOp("b", "new", localpass.NoVersion, `{"x": 1.0}`),
		deleteOp("b", "gone", gone.Version),
		putOp("a", "changed", old.Version, "2"),
		deleteOp("b", "gone/too", localpass.AnyVersion),
		putOp("A", "new", localpass.AnyVersion, "3"),
	)
	require.NoError(t, err)
	require.Len(t, docs, 5)
	same(t, docs[0], get(t, store, "b", "new"))
	assert.Equal(t, localpass.Document{Key: "gone"}, docs[1])
	same(t, docs[2], get(t, store, "a", "changed"))
	assert.Greater(t, docs[2].Version, old.Version)
	assert.Equal(t, localpass.Document{Key: "gone/too"}, docs[3])
	same(t, docs[4], get(t, store, "A", "new"))
	assert.Equal(t, []string{"new"}, keys(t, store, "b", localpass.ListOptions{}))

	again := put(t, store, "b", "gone", localpass.NoVersion, "2")
	assert.Greater(t, again.Version, gone.Version, "a version must not come back after a delete")
	if s.Reopen != nil {
		store = s.reopen(t, store)
		same(t, docs[0], get(t, store, "b", "new"))
		same(t, docs[2], get(t, store, "a", "changed"))
		missing(t, store, "b", "gone/too")
	}
}

// A batch with one invalid operation changes nothing.
func (s *suite) batchAllOrNothing(t *testing.T) {
	store := s.open(t)
	batcher := upgrade[localpass.Batcher](t, store)
	a := put(t, store, "c", "a", localpass.NoVersion, `"old"`)
	b := put(t, store, "c", "b", localpass.NoVersion, `"old"`)
	cases := map[string]struct {
		op   localpass.Op
		want error // nil: any error other than the sentinel errors of this module
	}{
		"exists":                {putOp("c", "b", localpass.NoVersion, "1"), localpass.ErrConflict},
		"stale":                 {putOp("c", "b", b.Version-1, "1"), localpass.ErrConflict},
		"gone":                  {putOp("d", "x", 5, "1"), localpass.ErrConflict},
		"stale delete":          {deleteOp("c", "b", b.Version+1), localpass.ErrConflict},
		"gone delete":           {deleteOp("d", "x", 5), localpass.ErrConflict},
		"missing delete":        {deleteOp("d", "x", localpass.AnyVersion), localpass.ErrNotFound},
		"same key":              {putOp("c", "a", localpass.AnyVersion, "1"), nil},
		"same key, deleted":     {deleteOp("c", "a", localpass.AnyVersion), nil},
		"delete of none":        {deleteOp("c", "b", localpass.NoVersion), nil},
		"bad key":               {putOp("c", "", localpass.AnyVersion, "1"), nil},
		"bad collection":        {putOp("../c", "x", localpass.AnyVersion, "1"), nil},
		"bad data":              {putOp("c", "x", localpass.AnyVersion, "{"), nil},
		"bad version":           {putOp("c", "x", -9, "1"), nil},
		"bad version of delete": {deleteOp("c", "b", -9), nil},
	}
	for name, tc := range cases {
		docs, err := batcher.Batch(t.Context(),
			putOp("c", "a", a.Version, `"new"`), putOp("c", "n", localpass.NoVersion, `"new"`), putOp("e", "n", localpass.AnyVersion, `"new"`),
			tc.op,
			putOp("c", "z", localpass.NoVersion, `"new"`))
		require.Error(t, err, name)
		assert.Nil(t, docs, name)
		for _, sentinel := range []error{localpass.ErrConflict, localpass.ErrNotFound} {
			if tc.want == sentinel {
				assert.ErrorIs(t, err, sentinel, name)
			} else {
				assert.NotErrorIs(t, err, sentinel, name)
			}
		}
		same(t, a, get(t, store, "c", "a"))
		same(t, b, get(t, store, "c", "b"))
		require.Equal(t, []string{"a", "b"}, keys(t, store, "c", localpass.ListOptions{}), name)
		require.Empty(t, keys(t, store, "e", localpass.ListOptions{}), name)
	}
}

// A batch without operations succeeds.
func (s *suite) batchEmpty(t *testing.T) {
	docs, err := upgrade[localpass.Batcher](t, s.open(t)).Batch(t.Context())
	assert.NoError(t, err)
	assert.Empty(t, docs)
}

// The same key in another collection, or in different case, is a different document.
func (s *suite) batchSameKeyElsewhere(t *testing.T) {
	store := s.open(t)
	docs, err := upgrade[localpass.Batcher](t, store).Batch(t.Context(), putOp("a", "k", 0, "1"), putOp("b", "k", 0, "2"), putOp("a", "K", 0, "3"))
	require.NoError(t, err)
	assert.Len(t, docs, 3)
	assert.Equal(t, "1", compact(get(t, store, "a", "k").Data))
	assert.Equal(t, "2", compact(get(t, store, "b", "k").Data))
	assert.Equal(t, "3", compact(get(t, store, "a", "K").Data))
}

// A batch may have a hundred operations.
func (s *suite) batchLarge(t *testing.T) {
	store := s.open(t)
	var ops []localpass.Op
	for i := range 100 {
		ops = append(ops, putOp(fmt.Sprintf("c%d", i%3), fmt.Sprintf("k%03d", i), 0, fmt.Sprint(i)))
	}
	docs, err := upgrade[localpass.Batcher](t, store).Batch(t.Context(), ops...)
	require.NoError(t, err)
	require.Len(t, docs, len(ops))
	for i, op := range ops {
		require.Equal(t, op.Key, docs[i].Key, "in the order of the operations")
		same(t, docs[i], get(t, store, op.Collection, op.Key))
	}
}

// Batches move amounts between two documents. A reader that sees one document in the new
// state never sees the other one in the old state afterwards.
func (s *suite) batchTransfers(t *testing.T) {
	store := s.open(t)
	batcher := upgrade[localpass.Batcher](t, store)
	_, err := batcher.Batch(t.Context(), putOp("left", "x", 0, "0"), putOp("right", "x", 0, "0"))
	require.NoError(t, err)
	const writers, each = 3, 15
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				assert.NoError(t, retry(t.Context(), func() error {
					var l, r int
					left, err := store.Get(t.Context(), "left", "x")
					if err != nil {
						return err
					}
					right, err := store.Get(t.Context(), "right", "x")
					if err != nil {
						return err
					}
					if left.Decode(&l) != nil || right.Decode(&r) != nil {
						return fmt.Errorf("torn data %q, %q", left.Data, right.Data)
					}
					_, err = batcher.Batch(t.Context(),
						putOp("left", "x", left.Version, fmt.Sprint(l+1)), putOp("right", "x", right.Version, fmt.Sprint(r-1)))
					return err
				}))
			}
		})
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			var l, r int
			left, err := store.Get(t.Context(), "left", "x")
			assert.NoError(t, err)
			right, err := store.Get(t.Context(), "right", "x")
			assert.NoError(t, err)
			assert.NoError(t, left.Decode(&l))
			assert.NoError(t, right.Decode(&r))
			if !assert.LessOrEqual(t, l, -r, "the second read is at least as new as the first") {
				return
			}
		}
	})
	wg.Wait()
	close(stop)
	readers.Wait()
	assert.Equal(t, fmt.Sprint(writers*each), compact(get(t, store, "left", "x").Data))
	assert.Equal(t, fmt.Sprint(-writers*each), compact(get(t, store, "right", "x").Data))
}
