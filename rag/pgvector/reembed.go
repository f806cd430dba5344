package pgvector

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

// Reembed makes the vectors of all documents anew, with an embedder that the store uses
// from then on. progress, if not nil, is called after each batch. Searches use the former
// vectors until all are made, and writes wait; after an error everything is as before.
// Other programs that have the store open get a [*rag.MismatchError] afterwards, until
// they open it with this embedder.
func (s *Store) Reembed(ctx context.Context, e rag.Embedder, progress func(done, total int)) error {
	if e == nil {
		return fmt.Errorf("pgvector: there is no embedder: %w", rag.ErrInvalid)
	}
	if s.closed.Load() {
		return fmt.Errorf("pgvector: %w", localpass.ErrClosed)
	}
	var c collection
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
		if c, err = s.read(ctx, tx, "FOR UPDATE"); err != nil {
			return err
		}
		dimension, err := s.embedAll(ctx, tx, e, progress)
		if err != nil {
			return err
		}
		// The index is for one dimension. Without it, searches wait from here on.
		if err := s.dropIndexes(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE `+s.table+` AS d SET embedding = n.embedding FROM next_vectors n WHERE n.id = d.id`); err != nil {
			return err
		}
		c.indexed, c.manifest = false, s.newManifest(dimension, e)
		return s.writeManifest(ctx, tx, c.manifest)
	})
	if err != nil {
		return wrap(ctx, err)
	}
	s.mu.Lock()
	s.embedder = e
	s.mu.Unlock()
	s.makeIndex(ctx, c)
	return nil
}

// embedAll puts the new vectors into a table of the transaction, next_vectors, and returns
// their dimension.
func (s *Store) embedAll(ctx context.Context, tx pgx.Tx, e rag.Embedder, progress func(done, total int)) (int, error) {
	const batch = 64
	var total int
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+s.table).Scan(&total); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `CREATE TEMPORARY TABLE next_vectors (id text, embedding vector) ON COMMIT DROP`); err != nil {
		return 0, err
	}
	dimension, after := 0, ""
	for done := 0; done < total; {
		docs, err := s.documents(ctx, tx, false, `WHERE id > $1 ORDER BY id LIMIT $2`, after, batch)
		if err != nil {
			return 0, err
		}
		after = docs[len(docs)-1].ID
		if docs, err = plan.Documents(ctx, docs, plan.Store{Embedder: e, Dimension: dimension}, nil); err != nil {
			return 0, fmt.Errorf("after %d of %d documents: %w", done, total, err)
		}
		if dimension = len(docs[0].Vector); dimension > maxDimension {
			return 0, tooLong(dimension)
		}
		var queue pgx.Batch
		for _, d := range docs {
			queue.Queue(`INSERT INTO next_vectors VALUES ($1, $2)`, d.ID, pgvector.NewVector(d.Vector))
		}
		if err := tx.SendBatch(ctx, &queue).Close(); err != nil {
			return 0, err
		}
		if done += len(docs); progress != nil {
			progress(done, total)
		}
	}
	return dimension, nil
}
