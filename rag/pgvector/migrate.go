package pgvector

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/localpass/localpass/rag"
)

// migrations bring the tables of a collection from one version to the next. A change of
// the tables is a new entry; the entries before it stay as they are. $table is the table
// of documents.
var migrations = []string{
	`CREATE TABLE $table (
		id text COLLATE "C" PRIMARY KEY,
		text text NOT NULL,
		metadata jsonb NOT NULL,
		embedding vector NOT NULL
	);
	CREATE INDEX ON $table USING gin (metadata jsonb_path_ops)`,
}

// migrate makes what is missing in the database, in one transaction. It asks first, so that
// a user who may not create anything can open a store that is complete.
func (s *Store) migrate(ctx context.Context, config *pgx.ConnConfig) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// Two programs that begin at once would both create.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(7308332184201)`); err != nil {
			return err
		}
		if err := checkServer(ctx, tx); err != nil {
			return err
		}
		collections := s.schema + ".rag_collections"
		var there bool
		if err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, collections).Scan(&there); err != nil {
			return err
		}
		if !there {
			if _, err := tx.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+s.schema+`; CREATE TABLE `+collections+` (
				name text PRIMARY KEY,
				version integer NOT NULL,
				embedder text NOT NULL DEFAULT '',
				dimension integer NOT NULL DEFAULT 0,
				created timestamptz)`); err != nil {
				return err
			}
		}
		version := 0
		err := tx.QueryRow(ctx, `SELECT version FROM `+collections+` WHERE name = $1`, s.opts.Collection).Scan(&version)
		switch {
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return err
		case version > len(migrations):
			return fmt.Errorf("the collection %q has the version %d, and this program knows %d: use a newer program", s.opts.Collection, version, len(migrations))
		case version == len(migrations):
			return nil
		}
		for _, m := range migrations[version:] {
			if _, err := tx.Exec(ctx, strings.ReplaceAll(m, "$table", s.table)); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO `+collections+` (name, version) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET version = EXCLUDED.version`, s.opts.Collection, len(migrations))
		return err
	})
}

// checkServer requires the encoding UTF-8 and the extension, which it makes if it can.
func checkServer(ctx context.Context, tx pgx.Tx) error {
	var encoding, version string
	err := tx.QueryRow(ctx, `SELECT current_setting('server_encoding'), coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), '')`).Scan(&encoding, &version)
	if err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database has the encoding %s: create one with UTF8: %w", encoding, rag.ErrInvalid)
	}
	if version == "" {
		if _, err := tx.Exec(ctx, `CREATE EXTENSION vector`); err != nil {
			return fmt.Errorf("the extension pgvector is missing: install it on the server, and run CREATE EXTENSION vector in the database: %w", err)
		}
		err = tx.QueryRow(ctx, `SELECT extversion FROM pg_extension WHERE extname = 'vector'`).Scan(&version)
	}
	var major, minor int
	if _, scanErr := fmt.Sscanf(version, "%d.%d", &major, &minor); err == nil && scanErr == nil && major == 0 && minor < 8 {
		return fmt.Errorf("the extension pgvector has the version %s: update it to 0.8 or newer: %w", version, rag.ErrInvalid)
	}
	return err
}

const (
	wholeIndex = "_hnsw"
	halfIndex  = "_hnsw_half"
)

// half reports whether the index for vectors of a dimension has numbers of 16 bits.
func (s *Store) half(dimension int) bool { return s.opts.HalfVectors || dimension > maxIndexed }

// indexed returns the expression on which the index is made.
func (s *Store) indexedType(dimension int) string {
	if s.half(dimension) {
		return fmt.Sprintf("halfvec(%d)", dimension)
	}
	return fmt.Sprintf("vector(%d)", dimension)
}

// makeIndex makes the index if it is missing and there are enough documents. A search
// needs it for its speed alone, so a failure is a warning; the next write tries again.
func (s *Store) makeIndex(ctx context.Context, c collection) {
	if s.opts.IndexFrom < 0 || c.indexed || c.manifest.Dimension > maxIndexedHalf {
		return
	}
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		c, err := s.read(ctx, tx, "FOR UPDATE")
		if err != nil || c.indexed {
			return err
		}
		var enough bool
		err = tx.QueryRow(ctx, `SELECT count(*) = $1 FROM (SELECT FROM `+s.table+` LIMIT $1) AS counted`, s.opts.IndexFrom).Scan(&enough)
		if err != nil || !enough {
			return err
		}
		suffix, ops := wholeIndex, "vector_cosine_ops"
		if s.half(c.manifest.Dimension) {
			suffix, ops = halfIndex, "halfvec_cosine_ops"
		}
		if err := s.dropIndexes(ctx, tx); err != nil {
			return err
		}
		name := pgx.Identifier{"documents_" + s.opts.Collection + suffix}.Sanitize()
		_, err = tx.Exec(ctx, `CREATE INDEX `+name+` ON `+s.table+` USING hnsw ((embedding::`+s.indexedType(c.manifest.Dimension)+`) `+ops+`)`)
		return err
	})
	var server *pgconn.PgError
	if err != nil && s.opts.Logger != nil {
		text := err.Error()
		if errors.As(err, &server) {
			text = server.Message
		}
		s.opts.Logger.WarnContext(ctx, "the index of vectors could not be made", "collection", s.opts.Collection, "error", text)
	}
}

func (s *Store) dropIndexes(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `DROP INDEX IF EXISTS `+s.tableName(wholeIndex)+`, `+s.tableName(halfIndex))
	return err
}
