package qdrant

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

// wholeDocument selects what a document is made from, without what filters need.
var wholeDocument = qdrant.NewWithPayloadInclude(fieldID, fieldText, fieldMetadata)

// Search implements [rag.VectorStore] with the mode vector.
func (s *Store) Search(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	c, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	p, err := plan.Make(ctx, &req, s.describe(c))
	if err != nil {
		return nil, err
	}
	if c.count == 0 || p.Mode != "" && len(p.Vector) == 0 { // there is nothing to compare with
		return nil, nil
	}
	if p.Mode != "" {
		return s.nearest(ctx, c, &p, &req)
	}
	ids, err := s.selected(ctx, c, req.Filter)
	if err != nil {
		return nil, err
	}
	ids = ids[min(p.Offset, len(ids)):]
	docs, err := s.inOrder(ctx, c, ids[:min(p.TopK, len(ids))], req.Vectors)
	found := make([]rag.Match, len(docs))
	for i, d := range docs {
		found[i].Document = d
	}
	return found, err
}

// nearest returns the requested matches. It asks for more and more documents, until enough
// of them pass the filter and none of the others can be as good as those: the server orders
// equal scores as it likes, and applies the filter roughly.
func (s *Store) nearest(ctx context.Context, c collection, p *plan.Plan, req *rag.SearchRequest) ([]rag.Match, error) {
	filter, err := overFilter(req.Filter)
	if err != nil {
		return nil, err
	}
	limit, exact := p.Limit(), s.opts.Exact
	for n := min(c.count, uint64(limit)+1); ; {
		points, err := s.client.Query(ctx, &qdrant.QueryPoints{CollectionName: s.name, Query: qdrant.NewQueryDense(p.Vector), Filter: filter, Limit: &n,
			Params: &qdrant.SearchParams{Exact: &exact}, WithPayload: wholeDocument, WithVectors: qdrant.NewWithVectors(req.Vectors)})
		if err != nil {
			return nil, wrap(ctx, err)
		}
		if uint64(len(points)) < n && !exact { // the index may have missed some
			exact = true
			continue
		}
		var found []rag.Match
		worst := 1.0
		for _, point := range points {
			score := min(1, max(-1, float64(point.GetScore()))) // the vectors have the length 1, but for rounding
			worst = min(worst, score)
			d, err := decode(point)
			if err != nil {
				return nil, wrap(ctx, err)
			}
			if (req.Filter.IsZero() || req.Filter.Matches(d.Metadata)) && (req.Threshold == nil || score >= *req.Threshold) {
				found = append(found, rag.Match{Document: d, Score: score, Scores: map[string]float64{rag.ScoreVector: score}})
			}
		}
		slices.SortFunc(found, func(a, b rag.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		switch {
		case uint64(len(points)) < n || n == c.count,
			len(found) >= limit && found[limit-1].Score > worst,
			req.Threshold != nil && worst < *req.Threshold:
			return p.Cut(found), nil
		}
		n = min(c.count, 2*n)
	}
}

// selected returns the ids of the documents that a filter selects, in order.
func (s *Store) selected(ctx context.Context, c collection, where rag.Filter) ([]string, error) {
	filter, err := overFilter(where)
	if err != nil || !c.exists {
		return nil, err
	}
	var ids []string
	for offset := (*qdrant.PointId)(nil); ; {
		points, next, err := s.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{CollectionName: s.name, Filter: filter, Offset: offset,
			Limit: qdrant.PtrOf(uint32(1000)), WithPayload: qdrant.NewWithPayloadInclude(fieldID, fieldMetadata), WithVectors: qdrant.NewWithVectors(false)})
		if err != nil {
			return nil, wrap(ctx, err)
		}
		for _, point := range points {
			d, err := decode(point)
			if err != nil {
				return nil, wrap(ctx, err)
			}
			if where.IsZero() || where.Matches(d.Metadata) {
				ids = append(ids, d.ID)
			}
		}
		if offset = next; next == nil {
			slices.Sort(ids)
			return ids, nil
		}
	}
}

// get reads documents, by id.
func (s *Store) get(ctx context.Context, c collection, ids []string, vectors bool) (map[string]rag.Document, error) {
	if !c.exists || len(ids) == 0 {
		return nil, nil
	}
	points, err := s.client.Get(ctx, &qdrant.GetPoints{CollectionName: s.name, Ids: pointIDs(ids), WithPayload: wholeDocument, WithVectors: qdrant.NewWithVectors(vectors)})
	if err != nil {
		return nil, wrap(ctx, err)
	}
	docs := make(map[string]rag.Document, len(points))
	for _, point := range points {
		d, err := decode(point)
		if err != nil {
			return nil, wrap(ctx, err)
		}
		docs[d.ID] = d
	}
	return docs, nil
}

// inOrder reads documents in the order of their ids.
func (s *Store) inOrder(ctx context.Context, c collection, ids []string, vectors bool) ([]rag.Document, error) {
	byID, err := s.get(ctx, c, ids, vectors)
	var docs []rag.Document
	for _, id := range ids {
		if d, ok := byID[id]; ok {
			docs = append(docs, d)
			delete(byID, id)
		}
	}
	return docs, err
}

// Get implements [rag.Getter].
func (s *Store) Get(ctx context.Context, ids ...string) ([]rag.Document, error) {
	c, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	return s.inOrder(ctx, c, ids, true)
}

// Scan implements [rag.Scanner].
func (s *Store) Scan(ctx context.Context, where rag.Filter) iter.Seq2[rag.Document, error] {
	return func(yield func(rag.Document, error) bool) {
		c, err := s.current(ctx)
		if err == nil {
			err = where.Check()
		}
		var ids []string
		if err == nil {
			ids, err = s.selected(ctx, c, where)
		}
		if err != nil {
			yield(rag.Document{}, err)
			return
		}
		for batch := range slices.Chunk(ids, 256) {
			docs, err := s.inOrder(ctx, c, batch, true)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(rag.Document{}, err)
				return
			}
			for _, d := range docs {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}
