package ragtest_test

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/ragtest"
)

// faulty is a store with some methods replaced.
type faulty struct {
	*flat.Store
	add     func(s *flat.Store, ctx context.Context, docs []rag.Document) error
	search  func(s *flat.Store, ctx context.Context, req rag.SearchRequest) ([]rag.Match, error)
	delete  func(s *flat.Store, ctx context.Context, where rag.Filter) error
	ids     func(s *flat.Store, ctx context.Context, ids []string) error
	replace func(s *flat.Store, ctx context.Context, where rag.Filter, docs []rag.Document) error
}

func (f *faulty) Add(ctx context.Context, docs ...rag.Document) error {
	if f.add != nil {
		return f.add(f.Store, ctx, docs)
	}
	return f.Store.Add(ctx, docs...)
}

func (f *faulty) Search(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	if f.search != nil {
		return f.search(f.Store, ctx, req)
	}
	return f.Store.Search(ctx, req)
}

func (f *faulty) Delete(ctx context.Context, where rag.Filter) error {
	if f.delete != nil {
		return f.delete(f.Store, ctx, where)
	}
	return f.Store.Delete(ctx, where)
}

func (f *faulty) DeleteIDs(ctx context.Context, ids ...string) error {
	if f.ids != nil {
		return f.ids(f.Store, ctx, ids)
	}
	return f.Store.DeleteIDs(ctx, ids...)
}

func (f *faulty) Replace(ctx context.Context, where rag.Filter, docs ...rag.Document) error {
	if f.replace != nil {
		return f.replace(f.Store, ctx, where, docs)
	}
	return f.Store.Replace(ctx, where, docs...)
}

// recorder is a test that remembers whether it failed.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failed   bool
	cleanups []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Log(...any)        {}
func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Skip(...any)       { runtime.Goexit() }
func (r *recorder) Error(args ...any) { r.Errorf("%v", args...) }
func (r *recorder) FailNow() {
	r.Errorf("")
	runtime.Goexit()
}

func (r *recorder) Errorf(string, ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

// fails returns the first case with the prefix that a store fails.
func fails(t *testing.T, prefix string, f faulty) string {
	for _, c := range ragtest.Cases() {
		if !strings.HasPrefix(c.Name, prefix) {
			continue
		}
		r := &recorder{TB: t}
		var group sync.WaitGroup
		group.Go(func() {
			c.Run(r, func(_ testing.TB, e rag.Embedder) rag.VectorStore {
				own := f
				var err error
				own.Store, err = flat.New(&flat.Options{Embedder: e})
				require.NoError(t, err)
				return &own
			}, ragtest.Options{Lexical: true})
		})
		group.Wait()
		for _, cleanup := range slices.Backward(r.cleanups) {
			cleanup()
		}
		if r.failed {
			return c.Name
		}
	}
	return ""
}

type searchFunc = func(s *flat.Store, ctx context.Context, req rag.SearchRequest) ([]rag.Match, error)

// after makes a search that changes what was found.
func after(change func(req rag.SearchRequest, found []rag.Match) []rag.Match) searchFunc {
	return func(s *flat.Store, ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		found, err := s.Search(ctx, req)
		if err != nil {
			return nil, err
		}
		return change(req, found), nil
	}
}

// before makes a search that changes the request.
func before(change func(req *rag.SearchRequest)) searchFunc {
	return func(s *flat.Store, ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		change(&req)
		return s.Search(ctx, req)
	}
}

// decimals makes decimals of integers.
func decimals(docs []rag.Document, copied bool) []rag.Document {
	docs = slices.Clone(docs)
	for i := range docs {
		if copied {
			docs[i].Metadata = maps.Clone(docs[i].Metadata)
		}
		for key, v := range docs[i].Metadata {
			if n, ok := v.(int64); ok {
				docs[i].Metadata[key] = float64(n)
			}
		}
	}
	return docs
}

// The suite finds each of these faults, which real stores have.
func TestSuiteFindsFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prefix string // of the cases that must find it
		fault  faulty
	}{
		"one document at a time": {"add/", faulty{add: func(s *flat.Store, ctx context.Context, docs []rag.Document) error {
			for _, d := range docs {
				if err := s.Add(ctx, d); err != nil {
					return err
				}
			}
			return nil
		}}},
		"a zero vector is kept": {"add/", faulty{add: func(s *flat.Store, ctx context.Context, docs []rag.Document) error {
			for i := range docs {
				if len(docs[i].Vector) == 2 && docs[i].Vector[0] == 0 && docs[i].Vector[1] == 0 {
					docs[i].Vector = []float32{1e-9, 0}
				}
			}
			return s.Add(ctx, docs...)
		}}},
		"integers become decimals": {"values/", faulty{add: func(s *flat.Store, ctx context.Context, docs []rag.Document) error {
			return s.Add(ctx, decimals(docs, true)...)
		}}},
		"the caller's documents are changed": {"add/", faulty{add: func(s *flat.Store, ctx context.Context, docs []rag.Document) error {
			return s.Add(ctx, decimals(docs, false)...)
		}}},
		"the context is ignored": {"search/an ended", faulty{search: func(s *flat.Store, _ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
			return s.Search(context.Background(), req)
		}}},
		"a filter after TopK": {"filter/before", faulty{search: func(s *flat.Store, ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
			if req.Vector == nil || req.Filter.Check() != nil {
				return s.Search(ctx, req)
			}
			filter := req.Filter
			req.Filter = rag.Filter{}
			found, err := s.Search(ctx, req)
			return slices.DeleteFunc(found, func(m rag.Match) bool { return !filter.Matches(m.Metadata) }), err
		}}},
		"a filter is ignored":  {"filter/", faulty{search: before(func(r *rag.SearchRequest) { r.Filter = rag.Filter{Op: rag.OpIsNull, Key: "gone"} })}},
		"TopK is ignored":      {"search/", faulty{search: before(func(r *rag.SearchRequest) { r.TopK = 100 })}},
		"Offset is ignored":    {"search/", faulty{search: before(func(r *rag.SearchRequest) { r.Offset = 0 })}},
		"Threshold is ignored": {"search/", faulty{search: before(func(r *rag.SearchRequest) { r.Threshold = nil })}},
		"Threshold 0 by itself": {"search/", faulty{search: before(func(r *rag.SearchRequest) {
			if zero := 0.0; r.Threshold == nil && r.Vector != nil {
				r.Threshold = &zero
			}
		})}},
		"a threshold is exclusive": {"search/Threshold", faulty{search: after(func(r rag.SearchRequest, found []rag.Match) []rag.Match {
			return slices.DeleteFunc(found, func(m rag.Match) bool { return r.Threshold != nil && m.Score == *r.Threshold })
		})}},
		"vectors always": {"values/", faulty{search: before(func(r *rag.SearchRequest) { r.Vectors = true })}},
		"ties at random": {"search/equal", faulty{search: after(func(r rag.SearchRequest, found []rag.Match) []rag.Match {
			if n := len(found); n > 1 && found[0].Score == found[n-1].Score {
				found[0], found[n-1] = found[n-1], found[0]
			}
			return found
		})}},
		"a distance for a score": {"search/", faulty{search: after(func(_ rag.SearchRequest, found []rag.Match) []rag.Match {
			for i := range found {
				found[i].Score = 1 - found[i].Score
			}
			return found
		})}},
		"metadata are lost": {"values/", faulty{search: after(func(_ rag.SearchRequest, found []rag.Match) []rag.Match {
			for i := range found {
				found[i].Metadata = nil
			}
			return found
		})}},
		"an empty filter deletes everything": {"delete/", faulty{delete: func(s *flat.Store, ctx context.Context, where rag.Filter) error {
			if where.IsZero() {
				return s.Delete(ctx, rag.Filter{Op: rag.OpIsNull, Key: "gone"})
			}
			return s.Delete(ctx, where)
		}}},
		"nothing is deleted": {"delete/", faulty{delete: func(*flat.Store, context.Context, rag.Filter) error { return nil }}},
		"a missing key is not deleted by !=": {"filter/lang != ", faulty{delete: func(s *flat.Store, ctx context.Context, where rag.Filter) error {
			if where.Op == rag.OpNotEqual {
				where = rag.And(where, rag.Filter{Op: rag.OpIsNotNull, Key: where.Key})
			}
			return s.Delete(ctx, where)
		}}},
		"an unknown id is an error": {"ids/", faulty{ids: func(s *flat.Store, ctx context.Context, ids []string) error {
			for _, id := range ids {
				if id == "no such id" {
					return rag.ErrInvalid
				}
			}
			return s.DeleteIDs(ctx, ids...)
		}}},
		"replacing is deleting and adding": {"replace/", faulty{replace: func(s *flat.Store, ctx context.Context, where rag.Filter, docs []rag.Document) error {
			if err := s.Delete(ctx, where); err != nil {
				return err
			}
			return s.Add(ctx, docs...)
		}}},
		"a list without a query forgets Offset": {"search/a filter alone", faulty{search: before(func(r *rag.SearchRequest) {
			if r.Vector == nil {
				r.Offset = 0
			}
		})}},
		"lexical for hybrid": {"hybrid/", faulty{search: before(func(r *rag.SearchRequest) {
			if r.Mode == rag.ModeHybrid {
				r.Mode, r.Threshold = rag.ModeLexical, nil
			}
		})}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, fails(t, c.prefix, c.fault), "no case finds it")
		})
	}
	assert.Empty(t, fails(t, "search/", faulty{}), "a store without a fault passes")
	assert.GreaterOrEqual(t, len(ragtest.Cases()), 60)
}
