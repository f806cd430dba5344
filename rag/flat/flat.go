package flat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/journal"
	"github.com/localpass/localpass/rag/internal/plan"
)

// Options are the options of [Open]. The zero value works.
type Options struct {
	// Embedder makes the vectors of documents and queries that have none. nil: such
	// documents are found by their words alone.
	Embedder rag.Embedder
	// MinCoverage is the share of a query's words, each weighted by its rarity, that at
	// least one document must have: otherwise a lexical search finds nothing, since the
	// documents are about something else. From 0 to 1. nil means 0.3.
	MinCoverage *float64
	// Logger gets a warning when a part of the file is unreadable. nil: none.
	Logger *slog.Logger
	// Now returns the time. nil means time.Now.
	Now func() time.Time
}

const defaultMinCoverage = 0.3

// Store is a vector store in memory, with a file to open it from. Make one with [Open] or
// [New]. It has all upgrades of a [rag.VectorStore].
type Store struct {
	opts    Options
	journal *journal.Journal // nil: in memory only
	writing chan struct{}    // holds a token while a goroutine writes

	follow sync.Mutex   // held while what others wrote is read; before mu
	mu     sync.RWMutex // guards the rest

	table    *table
	manifest rag.Manifest
	embedder rag.Embedder
	warned   bool // of a damaged file
	closed   bool
}

var _ interface {
	rag.VectorStore
	rag.IDDeleter
	rag.Getter
	rag.Scanner
	rag.Replacer
	rag.StatsReader
} = (*Store)(nil)

// New returns an empty store in memory. nil options mean the zero value.
func New(opts *Options) (*Store, error) {
	s := &Store{writing: make(chan struct{}, 1), table: newTable()}
	if opts != nil {
		s.opts = *opts
	}
	if c := s.opts.MinCoverage; c == nil {
		share := defaultMinCoverage
		s.opts.MinCoverage = &share
	} else if !(*c >= 0 && *c <= 1) {
		return nil, fmt.Errorf("flat: MinCoverage is %v: it must be from 0 to 1: %w", *c, rag.ErrInvalid)
	}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	s.embedder = s.opts.Embedder
	return s, nil
}

// Open opens the store in a directory, which is made if it does not exist. If its vectors
// are of another embedder, the error is a [*rag.MismatchError]: open it without an
// embedder, and call [Store.Reembed]. Nothing else may be kept in the directory.
func Open(dir string, opts *Options) (*Store, error) {
	s, err := New(opts)
	if err != nil {
		return nil, err
	}
	if s.journal, err = journal.Open(dir); err != nil {
		return nil, fmt.Errorf("flat: %w", err)
	}
	if err := s.catchUp(false); err != nil {
		s.journal.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the file. After Close every other method returns [localpass.ErrClosed].
func (s *Store) Close() error {
	s.writing <- struct{}{}
	defer func() { <-s.writing }()
	s.follow.Lock()
	defer s.follow.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.table = newTable()
	if s.journal == nil {
		return nil
	}
	return s.journal.Close()
}

// catchUp reads what other processes wrote. With locked the caller holds the journal's
// lock.
func (s *Store) catchUp(locked bool) error {
	s.follow.Lock()
	defer s.follow.Unlock()
	s.mu.RLock()
	closed := s.closed
	s.mu.RUnlock()
	if closed {
		return fmt.Errorf("flat: %w", localpass.ErrClosed)
	}
	if s.journal == nil || !locked && !s.journal.Changed() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var bad error
	err := s.journal.Follow(locked, func() { s.table, s.manifest = newTable(), rag.Manifest{} }, func(c journal.Change) {
		if err := s.apply(c); err != nil {
			bad = err
		}
	})
	if err = errors.Join(err, bad); err != nil {
		return fmt.Errorf("flat: the documents could not be read: %w", err)
	}
	if s.journal.Damaged() && !s.warned && s.opts.Logger != nil {
		s.warned = true
		s.opts.Logger.Warn("flat: a part of the file of documents is unreadable; the documents in it are lost")
	}
	if s.embedder != nil {
		return s.manifest.Accepts(rag.DescribeEmbedder(s.embedder))
	}
	return nil
}

// apply changes the table. The caller holds mu.
func (s *Store) apply(c journal.Change) error {
	if c.Manifest != nil {
		var m rag.Manifest
		if err := json.Unmarshal(c.Manifest, &m); err != nil {
			return fmt.Errorf("the manifest: %w: %w", rag.ErrCorrupt, err)
		}
		s.manifest = m
	}
	for _, id := range c.Delete {
		s.table.remove(id)
	}
	for i := range c.Put {
		d := &c.Put[i]
		if n := len(d.Vector); n > 0 && s.table.withVec > 0 && n != s.table.dimension {
			return fmt.Errorf("document %q has %d dimensions, the others have %d: %w", d.ID, n, s.table.dimension, rag.ErrCorrupt)
		}
		s.table.put(d, journal.DocumentSize(d))
	}
	return nil
}

// describe is what a request is checked against. The caller holds mu.
func (s *Store) describe() plan.Store {
	dimension := 0
	if s.table.withVec > 0 {
		dimension = s.table.dimension
	}
	return plan.Store{Embedder: s.embedder, Dimension: dimension, Lexical: true}
}

func (s *Store) current() (plan.Store, error) {
	if err := s.catchUp(false); err != nil {
		return plan.Store{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.describe(), nil
}

// write runs a change as the only writer: prepare returns it from the current content. The
// caller does not hold mu.
func (s *Store) write(ctx context.Context, prepare func() (journal.Change, error)) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.journal != nil {
		unlock, err := s.journal.Lock(ctx)
		if err != nil {
			return fmt.Errorf("flat: %w", err)
		}
		defer unlock()
	}
	if err := s.catchUp(true); err != nil {
		return err
	}
	s.mu.RLock()
	change, err := prepare()
	s.mu.RUnlock()
	if err != nil || len(change.Delete)+len(change.Put) == 0 {
		return err
	}
	if s.journal != nil {
		s.follow.Lock()
		defer s.follow.Unlock()
		if err := s.journal.Append(change); err != nil {
			return fmt.Errorf("flat: nothing was written: %w", err)
		}
	}
	s.mu.Lock()
	err = s.apply(change)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("flat: %w", err)
	}
	s.compact()
	return nil
}

// compactFrom is the size in bytes from which a file that is half garbage is rewritten.
const compactFrom = 1 << 20

// compact rewrites the file if most of it is garbage. A failure is harmless: the next
// write tries again. The caller is the only writer, and holds follow.
func (s *Store) compact() {
	if s.journal == nil || s.journal.Size() < compactFrom || s.journal.Size() < 2*s.table.bytes {
		return
	}
	if err := s.journal.Rewrite(s.changes(s.table, s.manifest)); err != nil && s.opts.Logger != nil {
		s.opts.Logger.Warn("flat: the file of documents could not be made smaller", "error", err)
	}
}

// changes yields the content of a table as changes, a few documents at a time.
func (s *Store) changes(t *table, manifest rag.Manifest) iter.Seq[journal.Change] {
	const batch = 256
	return func(yield func(journal.Change) bool) {
		var c journal.Change
		c.Manifest, _ = json.Marshal(manifest) // strings, a number and a time cannot fail
		for row := range t.ids {
			if !t.alive.has(row) {
				continue
			}
			c.Put = append(c.Put, t.document(row, true))
			if len(c.Put) == batch {
				if !yield(c) {
					return
				}
				c = journal.Change{}
			}
		}
		if c.Manifest != nil || len(c.Put) > 0 {
			yield(c)
		}
	}
}

// Add implements [rag.VectorStore]. A document whose text, metadata and vector are stored
// already is not written again, and one whose text is stored already is not embedded
// again.
func (s *Store) Add(ctx context.Context, docs ...rag.Document) error {
	return s.replace(ctx, rag.Filter{}, docs)
}

// Replace implements [rag.Replacer].
func (s *Store) Replace(ctx context.Context, where rag.Filter, docs ...rag.Document) error {
	if err := checkWhere(where); err != nil {
		return err
	}
	return s.replace(ctx, where, docs)
}

// Delete implements [rag.VectorStore].
func (s *Store) Delete(ctx context.Context, where rag.Filter) error {
	if err := checkWhere(where); err != nil {
		return err
	}
	return s.replace(ctx, where, nil)
}

// DeleteIDs implements [rag.IDDeleter].
func (s *Store) DeleteIDs(ctx context.Context, ids ...string) error {
	return s.write(ctx, func() (journal.Change, error) {
		var c journal.Change
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			if _, ok := s.table.rows[id]; ok {
				c.Delete = append(c.Delete, id)
			}
		}
		return c, nil
	})
}

func checkWhere(where rag.Filter) error {
	if where.IsZero() {
		return fmt.Errorf("flat: the filter is empty, which would select everything: %w", rag.ErrInvalid)
	}
	return where.Check()
}

// replace deletes what a filter selects, nothing for the zero filter, and adds documents.
func (s *Store) replace(ctx context.Context, where rag.Filter, docs []rag.Document) error {
	store, err := s.current()
	if err != nil {
		return err
	}
	docs, err = plan.Documents(ctx, docs, store, s.storedVector)
	if err != nil {
		return err
	}
	return s.write(ctx, func() (journal.Change, error) {
		var c journal.Change
		deleted := map[string]bool{}
		if !where.IsZero() {
			for _, id := range s.table.matching(where) {
				deleted[id] = true
			}
		}
		vectors := s.table.withVec
		for id := range deleted {
			if s.table.embedded.has(int(s.table.rows[id])) {
				vectors--
			}
		}
		for i := range docs {
			d := &docs[i]
			if n := len(d.Vector); n > 0 {
				if vectors > 0 && n != s.table.dimension {
					return c, fmt.Errorf("flat: document %q: %w", d.ID, rag.CheckVector(d.Vector, s.table.dimension))
				}
				if s.manifest.Dimension != n {
					c.Manifest = s.newManifest(n)
				}
			}
			delete(deleted, d.ID) // it is replaced
			if !s.isStored(d) {
				c.Put = append(c.Put, *d)
			}
		}
		c.Delete = slices.Sorted(maps.Keys(deleted))
		return c, nil
	})
}

func (s *Store) newManifest(dimension int) []byte {
	m := rag.Manifest{Dimension: dimension, Created: s.opts.Now().UTC()}
	if s.embedder != nil {
		m.Embedder = rag.DescribeEmbedder(s.embedder).ID
	}
	text, _ := json.Marshal(m) // strings, a number and a time cannot fail
	return text
}

// storedVector returns a copy of the vector that is stored for a document with this text.
func (s *Store) storedVector(id, text string) []float32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	row, ok := s.table.rows[id]
	if !ok || s.table.texts[row] != text || !s.table.embedded.has(int(row)) {
		return nil
	}
	return slices.Clone(s.table.vector(int(row)))
}

// isStored reports whether exactly this document is stored. The caller holds mu.
func (s *Store) isStored(d *rag.Document) bool {
	row, ok := s.table.rows[d.ID]
	if !ok || s.table.texts[row] != d.Text {
		return false
	}
	stored := s.table.document(int(row), true)
	return slices.Equal(stored.Vector, d.Vector) && (len(stored.Metadata) == 0 && len(d.Metadata) == 0 || reflect.DeepEqual(stored.Metadata, d.Metadata))
}

// Get implements [rag.Getter].
func (s *Store) Get(ctx context.Context, ids ...string) ([]rag.Document, error) {
	if err := errors.Join(ctx.Err(), s.catchUp(false)); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var docs []rag.Document
	for _, id := range ids {
		if row, ok := s.table.rows[id]; ok {
			docs = append(docs, s.table.document(int(row), true))
		}
	}
	return docs, nil
}

// Scan implements [rag.Scanner].
func (s *Store) Scan(ctx context.Context, where rag.Filter) iter.Seq2[rag.Document, error] {
	return func(yield func(rag.Document, error) bool) {
		if err := errors.Join(where.Check(), ctx.Err(), s.catchUp(false)); err != nil {
			yield(rag.Document{}, err)
			return
		}
		s.mu.RLock()
		ids := s.table.matching(where)
		s.mu.RUnlock()
		for _, id := range ids {
			if err := ctx.Err(); err != nil {
				yield(rag.Document{}, err)
				return
			}
			s.mu.RLock()
			row, ok := s.table.rows[id]
			var d rag.Document
			if ok {
				d = s.table.document(int(row), true)
			}
			s.mu.RUnlock()
			if ok && !yield(d, nil) {
				return
			}
		}
	}
}

// Stats implements [rag.StatsReader].
func (s *Store) Stats(ctx context.Context) (rag.Stats, error) {
	if err := errors.Join(ctx.Err(), s.catchUp(false)); err != nil {
		return rag.Stats{}, err
	}
	s.follow.Lock()
	defer s.follow.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	store := s.describe()
	first := store.DefaultMode(false)
	modes := []rag.Mode{first}
	for _, m := range []rag.Mode{rag.ModeVector, rag.ModeLexical, rag.ModeHybrid} {
		if m != first {
			modes = append(modes, m)
		}
	}
	stats := rag.Stats{Documents: len(s.table.rows), Dimension: store.Dimension, Modes: modes, Manifest: s.manifest}
	if s.journal != nil {
		stats.DiskBytes = s.journal.Size()
	}
	return stats, nil
}
