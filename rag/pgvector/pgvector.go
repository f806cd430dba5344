package pgvector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

// Options are the options of [Open]. The zero value works.
type Options struct {
	// Collection names the store in its database: lower-case letters, digits and
	// underscores, at most 40. "" means "documents".
	Collection string
	// Schema is the schema of the tables, named like a collection. "" means "localpass".
	Schema string
	// Embedder makes the vectors of documents and queries that have none. nil: they must
	// come with a vector.
	Embedder rag.Embedder
	// IndexFrom is the number of documents from which searches use an HNSW index; the
	// call of Add that reaches it makes the index, which takes seconds. 0 means 10,000;
	// a negative number means never.
	IndexFrom int
	// HalfVectors makes the index of numbers of 16 bits, so that it is half as large. The
	// scores are still of the whole vectors. It is implied above 2,000 dimensions; above
	// 4,000 there is no index.
	HalfVectors bool
	// EfSearch is the number of candidates that a search of the index keeps, up to 1,000:
	// more find more of the nearest documents, and take longer. 0 means 100.
	EfSearch int
	// Logger gets a warning if the index could not be made. nil: none.
	Logger *slog.Logger
	// Now returns the time. nil means time.Now.
	Now func() time.Time
}

const (
	defaultIndexFrom = 10_000
	defaultEfSearch  = 100
	maxEfSearch      = 1000
	maxDimension     = 16_000 // of the type vector
	maxIndexed       = 2_000  // of an index on the type vector
	maxIndexedHalf   = 4_000
)

// Store is a vector store in a table of PostgreSQL. Make one with [Open]. It has all
// upgrades of a [rag.VectorStore].
type Store struct {
	opts   Options
	pool   *pgxpool.Pool
	table  string // quoted, with its schema
	schema string // quoted
	closed atomic.Bool

	mu       sync.Mutex
	embedder rag.Embedder
}

var _ interface {
	rag.VectorStore
	rag.IDDeleter
	rag.Getter
	rag.Scanner
	rag.Replacer
	rag.StatsReader
} = (*Store)(nil)

var validName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Open connects to a database, given as a URL or as keywords and values, such as
// "postgres://user@host/database". If the vectors of the collection are of another
// embedder, the error is a [*rag.MismatchError]: open it without an embedder, and call
// [Store.Reembed].
func Open(ctx context.Context, database string, opts *Options) (*Store, error) {
	s := &Store{}
	if opts != nil {
		s.opts = *opts
	}
	if err := s.opts.complete(); err != nil {
		return nil, err
	}
	s.embedder = s.opts.Embedder
	s.schema = pgx.Identifier{s.opts.Schema}.Sanitize()
	s.table = s.tableName("")
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, fmt.Errorf("pgvector: the address of the database: %w: %w", err, rag.ErrInvalid)
	}
	if err := s.migrate(ctx, config.ConnConfig); err != nil {
		return nil, wrap(ctx, err)
	}
	config.AfterConnect = prepare
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, wrap(ctx, err)
	}
	if _, err := s.current(ctx); err != nil {
		s.pool.Close()
		return nil, err
	}
	return s, nil
}

// prepare prepares a connection. The best plan of a search depends on its filter, so none is
// kept for the next one, and compiling one takes longer than running it.
func prepare(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, `SET plan_cache_mode = force_custom_plan; SET jit = off`); err != nil {
		return err
	}
	return pgxvec.RegisterTypes(ctx, conn)
}

func (o *Options) complete() error {
	for _, name := range []struct {
		value    *string
		standard string
	}{{&o.Collection, "documents"}, {&o.Schema, "localpass"}} {
		if *name.value == "" {
			*name.value = name.standard
		}
		if !validName.MatchString(*name.value) {
			return fmt.Errorf("pgvector: the name %q: use a lower-case letter, then at most 39 letters, digits and underscores: %w", *name.value, rag.ErrInvalid)
		}
	}
	if o.IndexFrom == 0 {
		o.IndexFrom = defaultIndexFrom
	}
	if o.EfSearch == 0 {
		o.EfSearch = defaultEfSearch
	}
	if o.EfSearch < 0 || o.EfSearch > maxEfSearch {
		return fmt.Errorf("pgvector: EfSearch is %d: it must be from 1 to %d: %w", o.EfSearch, maxEfSearch, rag.ErrInvalid)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// tableName returns the quoted name of the collection's table, with a suffix.
func (s *Store) tableName(suffix string) string {
	return pgx.Identifier{s.opts.Schema, "documents_" + s.opts.Collection + suffix}.Sanitize()
}

// Close closes the connections, when the calls that use them have returned. After Close
// every other method returns [localpass.ErrClosed].
func (s *Store) Close() error {
	s.closed.Store(true)
	s.pool.Close()
	return nil
}

// wrap names the package in an error, and adds the end of a context that it may hide.
func wrap(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := context.Cause(ctx); ended != nil && !errors.Is(err, ctx.Err()) {
		err = errors.Join(ctx.Err(), err)
	}
	return fmt.Errorf("pgvector: %w", err)
}

// collection is the state of the store in its database.
type collection struct {
	manifest rag.Manifest
	filled   bool // it has documents
	indexed  bool // it has the index that searches use
}

func (c collection) dimension() int {
	if c.filled {
		return c.manifest.Dimension
	}
	return 0
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// read reads the state of the store. suffix is added to the query, such as FOR UPDATE.
func (s *Store) read(ctx context.Context, db querier, suffix string) (collection, error) {
	var c collection
	var created *time.Time
	var whole, half bool
	err := db.QueryRow(ctx, `SELECT embedder, dimension, created, EXISTS (SELECT FROM `+s.table+`), to_regclass($2) IS NOT NULL, to_regclass($3) IS NOT NULL
		FROM `+s.schema+`.rag_collections WHERE name = $1 `+suffix, s.opts.Collection, s.tableName(wholeIndex), s.tableName(halfIndex)).
		Scan(&c.manifest.Embedder, &c.manifest.Dimension, &created, &c.filled, &whole, &half)
	if err != nil {
		return c, err
	}
	if created != nil {
		c.manifest.Created = created.UTC()
	}
	c.indexed = whole
	if s.half(c.manifest.Dimension) {
		c.indexed = half
	}
	return c, nil
}

// accepts compares the embedder with that of the stored vectors.
func (s *Store) accepts(c collection) error {
	if e := s.currentEmbedder(); e != nil && c.filled {
		return c.manifest.Accepts(rag.DescribeEmbedder(e))
	}
	return nil
}

func (s *Store) currentEmbedder() rag.Embedder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.embedder
}

// current reads the state of the store for a call that changes nothing yet.
func (s *Store) current(ctx context.Context) (collection, error) {
	if s.closed.Load() {
		return collection{}, fmt.Errorf("pgvector: %w", localpass.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return collection{}, err
	}
	c, err := s.read(ctx, s.pool, "")
	if err == nil {
		err = s.accepts(c)
	}
	return c, wrap(ctx, err)
}

func (s *Store) describe(c collection) plan.Store {
	return plan.Store{Embedder: s.currentEmbedder(), Dimension: c.dimension()}
}

// Stats implements [rag.StatsReader]. DiskBytes is the size of the table with its indexes.
func (s *Store) Stats(ctx context.Context) (rag.Stats, error) {
	c, err := s.current(ctx)
	if err != nil {
		return rag.Stats{}, err
	}
	stats := rag.Stats{Dimension: c.dimension(), Modes: []rag.Mode{rag.ModeVector}, Manifest: c.manifest}
	err = s.pool.QueryRow(ctx, `SELECT count(*), pg_total_relation_size($1::regclass) FROM `+s.table, s.table).Scan(&stats.Documents, &stats.DiskBytes)
	return stats, wrap(ctx, err)
}
