package chromem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

// Search implements [rag.VectorStore] with the mode vector.
func (s *Store) Search(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	store, err := s.current()
	if err != nil {
		return nil, err
	}
	p, err := plan.Make(ctx, &req, store)
	if err != nil {
		return nil, err
	}
	s.keeper.Mu.RLock()
	defer s.keeper.Mu.RUnlock()
	var found []rag.Match
	if p.Mode == "" {
		for _, id := range s.matching(req.Filter) {
			found = append(found, rag.Match{Document: *s.documents[id]})
		}
	} else if len(s.documents) > 0 && len(p.Vector) > 0 {
		if len(p.Vector) != s.manifest.Dimension {
			return nil, fmt.Errorf("chromem: the query: %w", rag.CheckVector(p.Vector, s.manifest.Dimension))
		}
		if found, err = s.nearest(ctx, &p, &req); err != nil {
			return nil, err
		}
	}
	found = p.Cut(found)
	for i := range found {
		found[i].Document = copied(&found[i].Document, req.Vectors)
	}
	return found, ctx.Err()
}

// nearest returns the best matches, and perhaps some more. It asks the collection for
// more and more documents, until enough of them pass the filter and none of the others can
// be as good as those: the collection orders equal scores at random.
func (s *Store) nearest(ctx context.Context, p *plan.Plan, req *rag.SearchRequest) ([]rag.Match, error) {
	count := s.collection.Count()
	limit := p.Limit()
	where := s.pushDown(req.Filter)
	for n := min(count, limit+1); ; n = min(count, 2*n) {
		if !req.Filter.IsZero() {
			n = min(count, max(n, 4*limit, 100))
		}
		results, err := s.collection.QueryEmbedding(ctx, p.Vector, n, where, nil)
		if err != nil {
			return nil, fmt.Errorf("chromem: %w", err)
		}
		var found []rag.Match
		worst := 1.0
		for _, r := range results {
			score := float64(r.Similarity)
			worst = min(worst, score)
			score = min(1, max(-1, score)) // the vectors have the length 1, but for rounding
			d := s.documents[r.ID]
			if req.Filter.Matches(d.Metadata) && (req.Threshold == nil || score >= *req.Threshold) {
				found = append(found, rag.Match{Document: *d, Score: score, Scores: map[string]float64{rag.ScoreVector: score}})
			}
		}
		slices.SortFunc(found, func(a, b rag.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		switch {
		case n == count || len(results) < n:
			return found, nil
		case len(found) >= limit && found[limit-1].Score > worst:
			return found, nil
		case req.Threshold != nil && worst < *req.Threshold:
			return found, nil
		}
	}
}

// pushDown returns the part of a filter that the collection can apply: the comparisons with
// a string or a truth value that every match must pass, on keys under which no document
// has a list. nil: there is none.
func (s *Store) pushDown(f rag.Filter) map[string]string {
	if f.IsZero() {
		return nil
	}
	f = f.Normalize()
	terms := []rag.Filter{f}
	if f.Op == rag.OpAnd {
		terms = f.Filters
	}
	var where map[string]string
	for _, t := range terms {
		text, ok := pushed(t.Value)
		if t.Op != rag.OpEqual || !ok || s.composite[t.Key] > 0 || strings.Contains(t.Key, ".") {
			continue
		}
		if where == nil {
			where = map[string]string{}
		}
		where[t.Key] = text
	}
	return where
}
