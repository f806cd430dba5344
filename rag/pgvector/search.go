package pgvector

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

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
	if p.Mode != "" && len(p.Vector) == 0 || !c.filled { // there is nothing to compare with
		return nil, ctx.Err()
	}
	var found []rag.Match
	if p.Mode == "" {
		found, err = s.list(ctx, &p, &req)
	} else {
		found, err = s.nearest(ctx, c, &p, &req)
	}
	return found, wrap(ctx, err)
}

// list returns what the filter of a request selects, by id.
func (s *Store) list(ctx context.Context, p *plan.Plan, req *rag.SearchRequest) ([]rag.Match, error) {
	selected, args, err := condition(req.Filter, []any{p.TopK, p.Offset})
	if err != nil {
		return nil, err
	}
	docs, err := s.documents(ctx, s.pool, req.Vectors, `WHERE `+selected+` ORDER BY id LIMIT $1 OFFSET $2`, args...)
	found := make([]rag.Match, len(docs))
	for i, d := range docs {
		found[i].Document = d
	}
	return found, err
}

// nearest returns the requested matches: from the index if it is there and would return
// enough of them, and else exactly.
func (s *Store) nearest(ctx context.Context, c collection, p *plan.Plan, req *rag.SearchRequest) ([]rag.Match, error) {
	limit := p.Limit()
	if s.opts.IndexFrom > 0 && c.indexed && limit <= maxEfSearch {
		found, ok, err := s.nearestIndexed(ctx, c, p, req, limit)
		if err != nil || ok {
			return found, err
		}
	}
	threshold := -2.0 // below every similarity
	if req.Threshold != nil {
		threshold = *req.Threshold
	}
	selected, args, err := condition(req.Filter, []any{pgvector.NewVector(p.Vector), threshold, p.TopK, p.Offset})
	if err != nil {
		return nil, err
	}
	return matches(ctx, s.pool, `SELECT `+columns(req.Vectors)+`, score
		FROM (SELECT *, 1 - (embedding <=> $1) AS score FROM `+s.table+` WHERE `+selected+`) scored
		WHERE score >= $2 ORDER BY score DESC, id LIMIT $3 OFFSET $4`, args...)
}

// nearestIndexed searches the index. It reports false if fewer documents are selected than
// are worth it, or if the index returned fewer than there are.
func (s *Store) nearestIndexed(ctx context.Context, c collection, p *plan.Plan, req *rag.SearchRequest, limit int) (found []rag.Match, ok bool, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		atLeast := max(s.opts.IndexFrom, limit)
		selected, args, err := condition(req.Filter, []any{atLeast})
		if err != nil {
			return err
		}
		var enough bool
		err = tx.QueryRow(ctx, `SELECT count(*) = $1 FROM (SELECT FROM `+s.table+` WHERE `+selected+` LIMIT $1) AS counted`, args...).Scan(&enough)
		if err != nil || !enough {
			return err
		}
		candidates := limit
		if s.half(c.manifest.Dimension) { // its order is less exact
			candidates *= 2
		}
		ef := min(max(s.opts.EfSearch, candidates), maxEfSearch)
		if _, err := tx.Exec(ctx, `SELECT set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)`, strconv.Itoa(ef)); err != nil {
			return err
		}
		selected, args, err = condition(req.Filter, []any{pgvector.NewVector(p.Vector), candidates})
		if err != nil {
			return err
		}
		typ := s.indexedType(c.manifest.Dimension)
		found, err = matches(ctx, tx, `WITH candidates AS MATERIALIZED (
				SELECT id, text, metadata, embedding FROM `+s.table+` WHERE `+selected+`
				ORDER BY (embedding::`+typ+`) <=> ($1::vector::`+typ+`) LIMIT $2)
			SELECT `+columns(req.Vectors)+`, score FROM (SELECT *, 1 - (embedding <=> $1) AS score FROM candidates) scored
			ORDER BY score DESC, id`, args...)
		ok = len(found) >= limit
		return err
	})
	if err != nil || !ok {
		return nil, false, err
	}
	if req.Threshold != nil {
		for i, m := range found {
			if m.Score < *req.Threshold {
				found = found[:i]
				break
			}
		}
	}
	return p.Cut(found), true, nil
}

// columns are the columns of a document. Metadata come as text, so that their numbers keep
// their form.
func columns(vectors bool) string {
	if vectors {
		return `id, text, metadata::text, embedding`
	}
	return `id, text, metadata::text, NULL::vector`
}

type rowsQuerier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// scanDocument reads the columns of a document, and more.
func scanDocument(row pgx.CollectableRow, more ...any) (rag.Document, error) {
	var d rag.Document
	var metadata string
	var vector *pgvector.Vector
	if err := row.Scan(append([]any{&d.ID, &d.Text, &metadata, &vector}, more...)...); err != nil {
		return d, err
	}
	if vector != nil {
		d.Vector = vector.Slice()
	}
	var err error
	if d.Metadata, err = decodeMetadata(metadata); err != nil {
		err = fmt.Errorf("document %q: %w", d.ID, err)
	}
	return d, err
}

func matches(ctx context.Context, db rowsQuerier, query string, args ...any) ([]rag.Match, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (rag.Match, error) {
		var score float64
		d, err := scanDocument(row, &score)
		return rag.Match{Document: d, Score: score, Scores: map[string]float64{rag.ScoreVector: score}}, err
	})
}

// documents returns the documents that the rest of a query selects.
func (s *Store) documents(ctx context.Context, db rowsQuerier, vectors bool, rest string, args ...any) ([]rag.Document, error) {
	rows, err := db.Query(ctx, `SELECT `+columns(vectors)+` FROM `+s.table+` `+rest, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (rag.Document, error) { return scanDocument(row) })
}

// Get implements [rag.Getter].
func (s *Store) Get(ctx context.Context, ids ...string) ([]rag.Document, error) {
	if _, err := s.current(ctx); err != nil {
		return nil, err
	}
	stored, err := s.documents(ctx, s.pool, true, `WHERE id = ANY ($1)`, storable(ids))
	if err != nil {
		return nil, wrap(ctx, err)
	}
	byID := make(map[string]rag.Document, len(stored))
	for _, d := range stored {
		byID[d.ID] = d
	}
	docs := make([]rag.Document, 0, len(stored))
	for _, id := range ids {
		if d, ok := byID[id]; ok {
			docs = append(docs, d)
			delete(byID, id)
		}
	}
	return docs, nil
}

// Scan implements [rag.Scanner].
func (s *Store) Scan(ctx context.Context, where rag.Filter) iter.Seq2[rag.Document, error] {
	const batch = 256
	return func(yield func(rag.Document, error) bool) {
		for after := ""; ; {
			_, err := s.current(ctx)
			selected, args, conditionErr := condition(where, []any{after, batch})
			if err = errors.Join(err, conditionErr); err != nil {
				yield(rag.Document{}, err)
				return
			}
			docs, err := s.documents(ctx, s.pool, true, `WHERE id > $1 AND `+selected+` ORDER BY id LIMIT $2`, args...)
			if err != nil {
				yield(rag.Document{}, wrap(ctx, err))
				return
			}
			for _, d := range docs {
				if !yield(d, nil) {
					return
				}
			}
			if len(docs) < batch {
				return
			}
			after = docs[len(docs)-1].ID
		}
	}
}
