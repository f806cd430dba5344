package persistencetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

func (s *suite) list(t *testing.T) {
	t.Run("Selection", s.listSelection)
	t.Run("Paging", s.listPaging)
	t.Run("Documents", s.listDocuments)
	t.Run("Again", s.listAgain)
	t.Run("WhileReading", s.listWhileReading)
	t.Run("WhileWriting", s.listWhileWriting)
}

// Prefix, After, Limit and Reverse select keys in byte order.
func (s *suite) listSelection(t *testing.T) {
	store := s.open(t)
	all := []string{"a", "a/", "a/1", "a/10", "a/2", "a0", "b", "b/1", "é", "é/1"}
	for i := range all { // not in key order
		put(t, store, "list", all[(i*7)%len(all)], localpass.NoVersion, fmt.Sprint(i))
	}
	cases := []localpass.ListOptions{
		{}, {Limit: 1}, {Limit: 3}, {Limit: 10}, {Limit: 100},
		{Prefix: "a"}, {Prefix: "a/"}, {Prefix: "a/1"}, {Prefix: "é"}, {Prefix: "\xc3"}, {Prefix: "\xff"}, {Prefix: "nothing"}, {Prefix: strings.Repeat("a", 2000)},
		{After: "a"}, {After: "a/1"}, {After: "a/1x"}, {After: "é/1"}, {After: "zzz"}, {After: "\x00"}, {After: "\xff"},
		{After: "a/1", Limit: 2}, {After: "a/1", Prefix: "a/"}, {After: "a/1", Prefix: "b"}, {After: "b", Prefix: "a"}, {After: "a/1", Prefix: "a/", Limit: 1},
	}
	for _, opts := range cases {
		assert.Equal(t, selected(all, opts), keys(t, store, "list", opts), "%+v", opts)
		opts.Reverse = true
		assert.Equal(t, selected(all, opts), keys(t, store, "list", opts), "%+v", opts)
	}
}

// Pages of any size yield every key exactly once, in both directions.
func (s *suite) listPaging(t *testing.T) {
	store := s.open(t)
	all := slices.Sorted(slices.Values(HostileKeys()))
	for _, key := range all {
		put(t, store, "list", key, localpass.NoVersion, "1")
	}
	for _, reverse := range []bool{false, true} {
		for _, size := range []int{1, 7, 50, len(all), len(all) + 1} {
			var paged []string
			for after := ""; ; after = paged[len(paged)-1] {
				page := keys(t, store, "list", localpass.ListOptions{After: after, Limit: size, Reverse: reverse})
				paged = append(paged, page...)
				if len(page) < size || len(paged) > len(all) {
					break
				}
			}
			if reverse {
				slices.Reverse(paged)
			}
			require.Equal(t, all, paged, "pages of %d, reverse %t", size, reverse)
		}
	}
}

// A listing yields complete documents.
func (s *suite) listDocuments(t *testing.T) {
	store := s.open(t)
	a := put(t, store, "list", "a", localpass.NoVersion, `{"x": 1.0}`)
	b := put(t, store, "list", "b", localpass.NoVersion, `[2]`)
	docs, err := list(t.Context(), store, "list", localpass.ListOptions{})
	require.NoError(t, err)
	require.Len(t, docs, 2)
	same(t, a, docs[0])
	same(t, b, docs[1])
}

// Ranging over a listing again lists the current documents.
func (s *suite) listAgain(t *testing.T) {
	store := s.open(t)
	put(t, store, "list", "a", localpass.NoVersion, "1")
	put(t, store, "list", "b", localpass.NoVersion, "1")
	listing := store.List(t.Context(), "list", localpass.ListOptions{})
	for doc, err := range listing { // the loop is left early
		require.NoError(t, err)
		require.Equal(t, "a", doc.Key)
		break
	}
	put(t, store, "list", "c", localpass.NoVersion, "1")
	var again []string
	for doc, err := range listing {
		require.NoError(t, err)
		again = append(again, doc.Key)
	}
	assert.Equal(t, []string{"a", "b", "c"}, again, "a second range lists everything again")
}

// The loop body may use the store, and a document that exists during the whole loop is
// yielded.
func (s *suite) listWhileReading(t *testing.T) {
	store := s.open(t)
	for i := range 20 {
		put(t, store, "list", fmt.Sprintf("stay-%02d", i), localpass.NoVersion, "1")
	}
	stay := 0
	for doc, err := range store.List(t.Context(), "list", localpass.ListOptions{}) {
		require.NoError(t, err)
		if strings.HasPrefix(doc.Key, "stay-") {
			stay++
			put(t, store, "list", doc.Key, doc.Version, "2")
			put(t, store, "list", "come-"+doc.Key, localpass.NoVersion, "1")
			require.NoError(t, store.Delete(t.Context(), "list", "come-"+doc.Key))
		}
	}
	assert.Equal(t, 20, stay)
}

// A document that exists all the time is in every listing, even while others write.
func (s *suite) listWhileWriting(t *testing.T) {
	store := s.open(t)
	const standing = 10
	for i := range standing {
		put(t, store, "list", fmt.Sprintf("stay-%02d", i), localpass.NoVersion, "0")
	}
	stop := make(chan struct{})
	var writes atomic.Int64
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				_, err := store.Put(t.Context(), "list", fmt.Sprintf("stay-%02d", (i*3+w)%standing), doc(localpass.AnyVersion, fmt.Sprint(i)))
				assert.NoError(t, err)
				key := fmt.Sprintf("come-%d", w)
				_, err = store.Put(t.Context(), "list", key, doc(localpass.AnyVersion, "1"))
				assert.NoError(t, err)
				assert.NoError(t, store.Delete(t.Context(), "list", key))
				writes.Add(1)
			}
		})
	}
	for n := 0; n < 30 || writes.Load() < 60; n++ {
		got := keys(t, store, "list", localpass.ListOptions{Prefix: "stay-"})
		if !assert.Len(t, got, standing) {
			break
		}
	}
	close(stop)
	wg.Wait()
}

// selected returns the keys that a listing of the sorted keys must yield.
func selected(sorted []string, opts localpass.ListOptions) []string {
	keys := []string{}
	for _, key := range sorted {
		after := opts.After == "" || !opts.Reverse && key > opts.After || opts.Reverse && key < opts.After
		if after && strings.HasPrefix(key, opts.Prefix) {
			keys = append(keys, key)
		}
	}
	if opts.Reverse {
		slices.Reverse(keys)
	}
	if opts.Limit > 0 && len(keys) > opts.Limit {
		keys = keys[:opts.Limit]
	}
	return keys
}
