package pgvector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

// Add implements [rag.VectorStore]. A document whose text, metadata and vector are stored
// already is not written again, and one whose text is stored already is not embedded
// again.
func (s *Store) Add(ctx context.Context, docs ...rag.Document) error {
	return s.replace(ctx, rag.Filter{}, docs)
}

// Replace implements [rag.Replacer].
func (s *Store) Replace(ctx context.Context, where rag.Filter, docs ...rag.Document) error {
	if where.IsZero() {
		return fmt.Errorf("pgvector: the filter is empty, which would select everything: %w", rag.ErrInvalid)
	}
	return s.replace(ctx, where, docs)
}

// Delete implements [rag.VectorStore].
func (s *Store) Delete(ctx context.Context, where rag.Filter) error {
	return s.Replace(ctx, where)
}

// DeleteIDs implements [rag.IDDeleter].
func (s *Store) DeleteIDs(ctx context.Context, ids ...string) error {
	if _, err := s.current(ctx); err != nil {
		return err
	}
	_, err := s.pool.Exec(ctx, `DELETE FROM `+s.table+` WHERE id = ANY ($1)`, storable(ids))
	return wrap(ctx, err)
}

// storable returns the ids that a document can have: PostgreSQL accepts no others.
func storable(ids []string) []string {
	own := make([]string, 0, len(ids))
	for _, id := range ids {
		if utf8.ValidString(id) && !strings.ContainsRune(id, 0) {
			own = append(own, id)
		}
	}
	return own
}

// replace deletes what a filter selects, nothing for the zero filter, and adds documents.
func (s *Store) replace(ctx context.Context, where rag.Filter, docs []rag.Document) error {
	c, err := s.current(ctx)
	if err != nil {
		return err
	}
	known, err := s.knownVectors(ctx, docs)
	if err != nil {
		return wrap(ctx, err)
	}
	docs, err = plan.Documents(ctx, docs, s.describe(c), known)
	if err != nil {
		return err
	}
	slices.SortFunc(docs, func(a, b rag.Document) int { return cmp.Compare(a.ID, b.ID) })
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if c, err = s.read(ctx, tx, "FOR UPDATE"); err != nil { // one writer at a time
			return err
		}
		if err := s.accepts(c); err != nil {
			return err
		}
		if !where.IsZero() {
			selected, args, err := condition(where, nil)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `DELETE FROM `+s.table+` WHERE `+selected, args...); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+s.table+`)`).Scan(&c.filled); err != nil {
				return err
			}
		}
		if len(docs) == 0 {
			return nil
		}
		if err := s.describeVectors(ctx, tx, &c, docs); err != nil {
			return err
		}
		return s.insert(ctx, tx, docs)
	})
	if err != nil {
		return wrap(ctx, err)
	}
	if len(docs) > 0 {
		s.makeIndex(ctx, c)
	}
	return nil
}

// describeVectors checks the dimension of documents, and writes the manifest if they are
// the first.
func (s *Store) describeVectors(ctx context.Context, tx pgx.Tx, c *collection, docs []rag.Document) error {
	dimension := len(docs[0].Vector)
	if dimension > maxDimension {
		return tooLong(dimension)
	}
	if c.filled {
		return rag.CheckVector(docs[0].Vector, c.manifest.Dimension) // all of the call are alike
	}
	if dimension != c.manifest.Dimension {
		c.indexed = false
		if err := s.dropIndexes(ctx, tx); err != nil {
			return err
		}
	}
	c.manifest = s.newManifest(dimension, s.currentEmbedder())
	return s.writeManifest(ctx, tx, c.manifest)
}

func tooLong(dimension int) error {
	return fmt.Errorf("the vectors have %d dimensions, the database keeps at most %d: %w", dimension, maxDimension, rag.ErrVector)
}

func (s *Store) newManifest(dimension int, e rag.Embedder) rag.Manifest {
	m := rag.Manifest{Dimension: dimension, Created: s.opts.Now().UTC()}
	if e != nil {
		m.Embedder = rag.DescribeEmbedder(e).ID
	}
	return m
}

func (s *Store) writeManifest(ctx context.Context, tx pgx.Tx, m rag.Manifest) error {
	_, err := tx.Exec(ctx, `UPDATE `+s.schema+`.rag_collections SET embedder = $2, dimension = $3, created = $4 WHERE name = $1`,
		s.opts.Collection, m.Embedder, m.Dimension, m.Created)
	return err
}

func (s *Store) insert(ctx context.Context, tx pgx.Tx, docs []rag.Document) error {
	// Of equal jsonb values, 1 and 1.0 differ in their text.
	statement := `INSERT INTO ` + s.table + ` AS stored (id, text, metadata, embedding) VALUES ($1, $2, $3::text::jsonb, $4)
		ON CONFLICT (id) DO UPDATE SET text = EXCLUDED.text, metadata = EXCLUDED.metadata, embedding = EXCLUDED.embedding
		WHERE stored.text <> EXCLUDED.text OR stored.metadata::text <> EXCLUDED.metadata::text OR stored.embedding <> EXCLUDED.embedding`
	var batch pgx.Batch
	for i := range docs {
		d := &docs[i]
		metadata, err := encodeMetadata(d.Metadata)
		if err != nil {
			return fmt.Errorf("document %q: %w", d.ID, err)
		}
		batch.Queue(statement, d.ID, d.Text, metadata, pgvector.NewVector(d.Vector))
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// knownVectors returns a function that finds the stored vectors of those documents that
// come without one. nil: none is needed.
func (s *Store) knownVectors(ctx context.Context, docs []rag.Document) (func(id, text string) []float32, error) {
	var ids []string
	for i := range docs {
		if docs[i].Vector == nil {
			ids = append(ids, docs[i].ID)
		}
	}
	if len(ids) == 0 || s.currentEmbedder() == nil {
		return nil, nil
	}
	docs, err := s.documents(ctx, s.pool, true, `WHERE id = ANY ($1)`, storable(ids))
	stored := make(map[string]rag.Document, len(docs))
	for _, d := range docs {
		stored[d.ID] = d
	}
	return func(id, text string) []float32 {
		if d, ok := stored[id]; ok && d.Text == text {
			return d.Vector
		}
		return nil
	}, err
}
