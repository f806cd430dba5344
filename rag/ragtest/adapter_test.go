package ragtest_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/ragtest"
)

// docs/vector-stores.md has the adapter below, which passes the suite.
func TestAdapterOfTheDocs(t *testing.T) {
	t.Parallel()
	ragtest.TestStore(t, func(_ testing.TB, e rag.Embedder) rag.VectorStore {
		return &Store{db: &memory{rows: map[string]rag.Document{}}, embedder: e}
	}, nil)
	body := func(path, from, to string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		_, rest, found := strings.Cut(string(text), "\n"+from)
		require.True(t, found, path)
		rest, _, found = strings.Cut(rest, to)
		require.True(t, found, path)
		return rest
	}
	const first = "// Database is what"
	require.Equal(t, strings.TrimSpace(body("adapter_test.go", first, "\n// END")), strings.TrimSpace(body("../../docs/vector-stores.md", first, "\nfunc main() {")),
		"the page and this file differ")
}

// Database is what the adapter needs of a client library: here of one that has neither
// filters nor an order of equal scores.
type Database interface {
	Upsert(ctx context.Context, docs []rag.Document) error // all or none
	Remove(ctx context.Context, ids []string) error
	All(ctx context.Context) ([]rag.Document, error)
	Nearest(ctx context.Context, vector []float32, limit int) ([]rag.Match, error)
}

// Store adapts a database to rag.VectorStore.
type Store struct {
	db       Database
	embedder rag.Embedder // nil: documents and queries must come with vectors
	write    sync.Mutex   // one writer at a time, so that all vectors have one dimension
}

// dimension returns the length of the stored vectors, 0 if there are none. A real database
// knows it without reading everything.
func (s *Store) dimension(ctx context.Context) (documents, dimension int, err error) {
	docs, err := s.db.All(ctx)
	if err != nil || len(docs) == 0 {
		return 0, 0, err
	}
	return len(docs), len(docs[0].Vector), nil
}

func (s *Store) Add(ctx context.Context, docs ...rag.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	docs, err := rag.CloneDocuments(docs) // which rejects what no store accepts
	if err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	_, dimension, err := s.dimension(ctx)
	if err != nil {
		return err
	}
	for i := range docs {
		if err := s.embed(ctx, &docs[i], dimension); err != nil {
			return fmt.Errorf("document %q: %w", docs[i].ID, err)
		}
		dimension = len(docs[i].Vector)
		rag.Normalize(docs[i].Vector)
	}
	return s.db.Upsert(ctx, docs)
}

// embed makes the vector of a document that has none. Embed many texts at once in a real
// adapter.
func (s *Store) embed(ctx context.Context, d *rag.Document, dimension int) error {
	switch {
	case d.Vector != nil:
		return rag.CheckVector(d.Vector, dimension)
	case s.embedder == nil:
		return rag.ErrNoVector
	case strings.TrimSpace(d.Text) == "":
		return fmt.Errorf("there is no text to embed: %w", rag.ErrInvalid)
	}
	vectors, err := rag.EmbedTexts(ctx, s.embedder, []string{d.Text}, dimension)
	if err == nil {
		d.Vector = slices.Clone(vectors[0])
	}
	return err
}

func (s *Store) Search(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	if err := errors.Join(ctx.Err(), req.Check()); err != nil {
		return nil, err
	}
	if req.TopK == 0 {
		req.TopK = rag.DefaultTopK
	}
	if req.Vector == nil && strings.TrimSpace(req.Query) == "" {
		return s.list(ctx, req)
	}
	documents, dimension, err := s.dimension(ctx)
	if err != nil {
		return nil, err
	}
	query, err := s.query(ctx, req, dimension)
	if err != nil || documents == 0 {
		return nil, err
	}
	// The database cannot filter, so it is asked for more and more, until enough pass and
	// none of the others can be as good. Translate the filter with rag.Lower if it can:
	// this loop is right then too.
	most := min(req.TopK, documents) + min(req.Offset, documents)
	for n := min(documents, most+1); ; n = min(documents, 2*n) {
		rows, err := s.db.Nearest(ctx, query, n)
		if err != nil {
			return nil, err
		}
		var found []rag.Match
		worst := 1.0
		for _, m := range rows {
			m.Score = min(1, max(-1, m.Score)) // rounding may exceed the range
			worst = min(worst, m.Score)
			if req.Filter.Matches(m.Metadata) && (req.Threshold == nil || m.Score >= *req.Threshold) {
				found = append(found, m)
			}
		}
		slices.SortFunc(found, func(a, b rag.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		if n == documents || len(rows) < n || len(found) >= most && found[most-1].Score > worst {
			return own(found, req)
		}
	}
}

// query checks a request for a search by vector, and returns the vector.
func (s *Store) query(ctx context.Context, req rag.SearchRequest, dimension int) ([]float32, error) {
	switch req.Mode {
	case rag.ModeDefault, rag.ModeVector:
	case rag.ModeLexical, rag.ModeHybrid:
		return nil, fmt.Errorf("the mode %q: %w", req.Mode, errors.ErrUnsupported)
	default:
		return nil, fmt.Errorf("there is no mode %q: %w", req.Mode, rag.ErrInvalid)
	}
	if t := req.Threshold; t != nil && (*t < -1 || *t > 1) {
		return nil, fmt.Errorf("the threshold is %v: a similarity is from -1 to 1: %w", *t, rag.ErrInvalid)
	}
	v := req.Vector
	var err error
	switch {
	case v != nil:
		err = rag.CheckVector(v, dimension)
	case s.embedder == nil:
		err = rag.ErrNoVector
	default:
		v, err = rag.EmbedQuery(ctx, s.embedder, req.Query, dimension)
	}
	if err != nil {
		return nil, err
	}
	v = slices.Clone(v)
	rag.Normalize(v)
	return v, nil
}

// list returns what a filter selects, by id.
func (s *Store) list(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	if req.Filter.IsZero() {
		return nil, fmt.Errorf("the request has neither a query nor a filter: %w", rag.ErrInvalid)
	}
	docs, err := s.db.All(ctx)
	var found []rag.Match
	for _, d := range docs {
		if req.Filter.Matches(d.Metadata) {
			found = append(found, rag.Match{Document: d})
		}
	}
	slices.SortFunc(found, func(a, b rag.Match) int { return cmp.Compare(a.ID, b.ID) })
	if err != nil {
		return nil, err
	}
	return own(found, req)
}

// own cuts the requested matches out, and copies them for the caller.
func own(found []rag.Match, req rag.SearchRequest) ([]rag.Match, error) {
	found = found[min(req.Offset, len(found)):]
	found = found[:min(req.TopK, len(found))]
	for i := range found {
		docs, err := rag.CloneDocuments([]rag.Document{found[i].Document})
		if err != nil {
			return nil, err
		}
		if found[i].Document = docs[0]; !req.Vectors {
			found[i].Vector = nil
		}
	}
	return found, nil
}

func (s *Store) Delete(ctx context.Context, where rag.Filter) error {
	if where.IsZero() {
		return fmt.Errorf("the filter is empty, which would select everything: %w", rag.ErrInvalid)
	}
	if err := errors.Join(ctx.Err(), where.Check()); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	docs, err := s.db.All(ctx)
	if err != nil {
		return err
	}
	var ids []string
	for _, d := range docs {
		if where.Matches(d.Metadata) {
			ids = append(ids, d.ID)
		}
	}
	return s.db.Remove(ctx, ids)
}

// memory stands for the client of a database: write this part.
type memory struct {
	mu   sync.Mutex
	rows map[string]rag.Document
}

func (m *memory) Upsert(_ context.Context, docs []rag.Document) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range docs {
		m.rows[d.ID] = d
	}
	return nil
}

func (m *memory) Remove(_ context.Context, ids []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.rows, id)
	}
	return nil
}

func (m *memory) All(context.Context) ([]rag.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.rows)), nil
}

func (m *memory) Nearest(ctx context.Context, vector []float32, limit int) ([]rag.Match, error) {
	docs, err := m.All(ctx)
	var found []rag.Match
	for _, d := range docs {
		score := 0.0
		for i, x := range d.Vector {
			score += float64(x) * float64(vector[i])
		}
		found = append(found, rag.Match{Document: d, Score: score, Scores: map[string]float64{rag.ScoreVector: score}})
	}
	slices.SortFunc(found, func(a, b rag.Match) int { return cmp.Compare(b.Score, a.Score) })
	return found[:min(limit, len(found))], err
}

// END
