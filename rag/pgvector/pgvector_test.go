package pgvector_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/pgvector"
)

// random returns documents with the key n, from 0 to their number.
func random(r *rand.Rand, n, dimension int) []rag.Document {
	docs := make([]rag.Document, n)
	for i := range docs {
		docs[i] = rag.Document{ID: fmt.Sprintf("%05d", i), Text: fmt.Sprint("text ", i), Vector: vector(r, dimension), Metadata: map[string]any{"n": i, "even": i%2 == 0}}
	}
	return docs
}

func vector(r *rand.Rand, dimension int) []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func search(t testing.TB, s rag.Retriever, req rag.SearchRequest) []rag.Match {
	t.Helper()
	found, err := s.Retrieve(ctx, req)
	require.NoError(t, err)
	return found
}

// With the index, a search finds as many documents as there are at every selectivity, with
// their exact scores in order, and nearly all of the nearest ones.
func TestIndexedSearch(t *testing.T) {
	t.Parallel()
	for _, half := range []bool{false, true} {
		r := rand.New(rand.NewPCG(1, 2))
		const n = 2000
		docs := random(r, n, 16)
		collection := name(t)
		// So few documents are read in order, unless that is made expensive.
		s := openAt(t, database(t)+" options='-c enable_seqscan=off -c enable_bitmapscan=off'", pgvector.Options{Collection: collection, IndexFrom: 20, HalfVectors: half})
		require.NoError(t, s.Add(ctx, docs...))
		index := "documents_" + collection + map[bool]string{false: "_hnsw", true: "_hnsw_half"}[half]
		require.Equal(t, index, sql(t, "SELECT indexname FROM pg_indexes WHERE indexname LIKE '%"+collection+"_hnsw%'"))
		exact, err := flat.New(nil)
		require.NoError(t, err)
		require.NoError(t, exact.Add(ctx, docs...))
		shared, all := 0, 0
		for _, selected := range []int{0, 2, 20, 21, 100, 1000, n} { // 0.1 % to 100 %
			for _, k := range []int{1, 10, 50, 1000, 3000} {
				req := rag.SearchRequest{Vector: vector(r, 16), TopK: k, Filter: rag.Filter{Op: rag.OpLess, Key: "n", Value: selected}}
				if selected == n {
					req.Filter = rag.Filter{}
				}
				found := search(t, rag.RetrieverFunc(s.Search), req)
				want := search(t, rag.RetrieverFunc(exact.Search), req)
				require.Len(t, found, len(want), "%d of %d", k, selected)
				near := map[string]float64{}
				for _, m := range want {
					near[m.ID] = m.Score
				}
				for i, m := range found {
					require.Less(t, m.Metadata["n"], int64(selected))
					if score, ok := near[m.ID]; ok {
						shared++
						require.InDelta(t, score, m.Score, 1e-5)
					}
					require.True(t, i == 0 || found[i-1].Score >= m.Score)
				}
				all += len(want)
			}
		}
		t.Logf("%d of the %d nearest are found", shared, all)
		assert.Greater(t, float64(shared)/float64(all), 0.95)
		for _, threshold := range []float64{-1, 0, 0.5, 1} {
			req := rag.SearchRequest{Vector: vector(r, 16), TopK: 40, Offset: 3, Threshold: &threshold}
			assert.Len(t, search(t, rag.RetrieverFunc(s.Search), req), len(search(t, rag.RetrieverFunc(exact.Search), req)))
		}
		require.NoError(t, s.Close(), "a connection that ends reports what it used")
		require.Eventually(t, func() bool {
			return sql(t, "SELECT idx_scan > 0 FROM pg_stat_user_indexes WHERE indexrelname = '"+index+"'") == "t"
		}, time.Minute, 100*time.Millisecond, "the index is used")
	}
}

func TestIndexIsMadeAndDropped(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	collection := name(t)
	indexes := func() string {
		return sql(t, "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'documents_"+collection+"_hnsw%'")
	}
	s := open(t, pgvector.Options{Collection: collection, IndexFrom: 10})
	require.NoError(t, s.Add(ctx, random(r, 9, 3)...))
	assert.Equal(t, "0", indexes())
	require.NoError(t, s.Add(ctx, random(r, 10, 3)...))
	assert.Equal(t, "1", indexes())
	require.NoError(t, s.Delete(ctx, rag.Filter{Op: rag.OpIsNotNull, Key: "n"}))
	require.NoError(t, s.Add(ctx, random(r, 5, 4)...), "an empty store takes another dimension")
	assert.Equal(t, "0", indexes())
	assert.Len(t, search(t, rag.RetrieverFunc(s.Search), rag.SearchRequest{Vector: vector(r, 4)}), 5)

	never := open(t, pgvector.Options{IndexFrom: -1})
	require.NoError(t, never.Add(ctx, random(r, 30, 3)...))
	assert.Len(t, search(t, rag.RetrieverFunc(never.Search), rag.SearchRequest{Vector: vector(r, 3), TopK: 30}), 30)

	long := open(t, pgvector.Options{IndexFrom: 5})
	require.NoError(t, long.Add(ctx, random(r, 6, 3000)...), "an index of half numbers")
	assert.Len(t, search(t, rag.RetrieverFunc(long.Search), rag.SearchRequest{Vector: vector(r, 3000), TopK: 4}), 4)
	longer := open(t, pgvector.Options{IndexFrom: 5})
	require.NoError(t, longer.Add(ctx, random(r, 6, 5000)...), "none")
	require.ErrorIs(t, open(t, pgvector.Options{}).Add(ctx, random(r, 1, 16_001)...), rag.ErrVector)
}

// The failure to make an index is a warning: the documents are stored, and found.
func TestIndexFailure(t *testing.T) {
	t.Parallel()
	collection := name(t)
	require.NoError(t, open(t, pgvector.Options{Collection: collection}).Add(ctx, rag.Document{ID: "a", Text: "a", Vector: []float32{1, 0}}))
	user := "u" + collection
	sql(t, "CREATE ROLE "+user+" LOGIN; GRANT USAGE ON SCHEMA localpass TO "+user+"; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA localpass TO "+user)
	var log strings.Builder
	s, err := pgvector.Open(ctx, strings.Replace(database(t), "user=owner", "user="+user, 1),
		&pgvector.Options{Collection: collection, IndexFrom: 2, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Add(ctx, rag.Document{ID: "b", Text: "b", Vector: []float32{1, 0}}))
	assert.Contains(t, log.String(), "must be owner")
	assert.Len(t, search(t, rag.RetrieverFunc(s.Search), rag.SearchRequest{Vector: []float32{1, 0}}), 2)
}

type embedder struct {
	id        string
	dimension int
	fail      error
	texts     int
}

func (e *embedder) EmbedderInfo() rag.EmbedderInfo {
	return rag.EmbedderInfo{ID: e.id, Dimension: e.dimension}
}

func (e *embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if e.fail != nil {
		return nil, e.fail
	}
	e.texts += len(texts)
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		r := rand.New(rand.NewPCG(uint64(len(text)), uint64(text[len(text)-1])))
		vectors[i] = vector(r, e.dimension)
	}
	return vectors, nil
}

// Vectors of another model are refused until everything is embedded again.
func TestReembed(t *testing.T) {
	t.Parallel()
	collection := name(t)
	former := &embedder{id: "test/a", dimension: 3}
	old := open(t, pgvector.Options{Collection: collection, Embedder: former, IndexFrom: 50})
	for i := range 3 {
		var docs []rag.Document
		for j := range 50 {
			docs = append(docs, rag.Document{ID: fmt.Sprint(i*50 + j), Text: fmt.Sprint("text ", i*50+j), Metadata: map[string]any{"i": i*50 + j}})
		}
		require.NoError(t, old.Add(ctx, docs...))
		require.NoError(t, old.Add(ctx, docs...))
	}
	assert.Equal(t, 150, former.texts, "a stored text is not embedded again")
	next := &embedder{id: "test/b", dimension: 4}
	_, err := pgvector.Open(ctx, database(t), &pgvector.Options{Collection: collection, Embedder: next})
	require.ErrorIs(t, err, rag.ErrEmbedderMismatch)
	assert.ErrorContains(t, err, "test/a (3 dimensions)")

	s := open(t, pgvector.Options{Collection: collection, IndexFrom: 50})
	next.fail = errors.New("down")
	require.ErrorIs(t, s.Reembed(ctx, next, nil), next.fail)
	require.ErrorIs(t, s.Reembed(ctx, nil, nil), rag.ErrInvalid)
	assert.Len(t, search(t, rag.RetrieverFunc(s.Search), rag.SearchRequest{Vector: []float32{1, 0, 0}}), 10, "everything is as before")

	next.fail = nil
	var steps []int
	require.NoError(t, s.Reembed(ctx, next, func(done, total int) {
		assert.Equal(t, 150, total)
		steps = append(steps, done)
	}))
	assert.Equal(t, []int{64, 128, 150}, steps)
	found := search(t, rag.RetrieverFunc(s.Search), rag.SearchRequest{Query: "text 7", TopK: 1, Filter: rag.Equal("i", 7)})
	assert.InDelta(t, 1, found[0].Score, 1e-6)
	stats, err := s.Stats(ctx)
	require.NoError(t, err)
	assert.Equal(t, "test/b", stats.Manifest.Embedder)
	assert.Equal(t, 4, stats.Dimension)
	assert.Equal(t, 150, stats.Documents)
	assert.Positive(t, stats.DiskBytes)
	assert.WithinDuration(t, time.Now(), stats.Manifest.Created, time.Hour)
	for _, f := range []func() error{
		func() error { _, err := old.Search(ctx, rag.SearchRequest{Query: "text"}); return err },
		func() error { return old.Add(ctx, rag.Document{ID: "x", Text: "x"}) },
	} {
		assert.ErrorIs(t, f(), rag.ErrEmbedderMismatch)
	}
}

// Programs that begin at the same time share one database, and find its tables later
// without the right to create any.
func TestMigration(t *testing.T) {
	t.Parallel()
	schema, collection := "s"+name(t), name(t)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			s, err := pgvector.Open(ctx, database(t), &pgvector.Options{Schema: schema, Collection: collection})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Add(ctx, rag.Document{ID: fmt.Sprint(i), Text: "x", Vector: []float32{1, float32(i)}}); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	user := "u" + schema
	sql(t, "CREATE ROLE "+user+" LOGIN; GRANT USAGE ON SCHEMA "+schema+" TO "+user+"; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+schema+" TO "+user)
	as := strings.Replace(database(t), "user=owner", "user="+user, 1)
	s, err := pgvector.Open(ctx, as, &pgvector.Options{Schema: schema, Collection: collection, IndexFrom: 1})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Add(ctx, rag.Document{ID: "9", Text: "x", Vector: []float32{1, 9}}))
	assert.Len(t, search(t, rag.RetrieverFunc(s.Search), rag.SearchRequest{Vector: []float32{1, 0}}), 7)
	_, err = pgvector.Open(ctx, as, &pgvector.Options{Schema: schema, Collection: "other"})
	require.ErrorContains(t, err, "permission denied")

	sql(t, "UPDATE "+schema+".rag_collections SET version = 99")
	_, err = pgvector.Open(ctx, database(t), &pgvector.Options{Schema: schema, Collection: collection})
	require.ErrorContains(t, err, "use a newer program")
}

func TestServerChecks(t *testing.T) {
	t.Parallel()
	n := name(t)
	at := strings.Replace(database(t), "dbname=postgres", "dbname="+n, 1)
	_, err := pgvector.Open(ctx, at, nil)
	require.Error(t, err, "no such database")
	sql(t, "CREATE DATABASE "+n+" ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
	_, err = pgvector.Open(ctx, at, nil)
	require.ErrorContains(t, err, "create one with UTF8")
	sql(t, "CREATE DATABASE u"+n)
	sql(t, "CREATE ROLE r"+n+" LOGIN")
	_, err = pgvector.Open(ctx, strings.NewReplacer("user=owner", "user=r"+n, "dbname=postgres", "dbname=u"+n).Replace(database(t)), nil)
	require.ErrorContains(t, err, "run CREATE EXTENSION vector")
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []pgvector.Options{{Collection: "Documents"}, {Collection: "a-b"}, {Collection: strings.Repeat("x", 41)}, {Schema: `x"; DROP`}, {EfSearch: -1}, {EfSearch: 1001}} {
		_, err := pgvector.Open(ctx, "postgres://127.0.0.1:1/x", &o)
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}
	for _, address := range []string{"postgres://user:sesame@127.0.0.1:1/x?connect_timeout=5", "postgres://user:sesame@127.0.0.1:port/x", "host=127.0.0.1 port=x password=sesame"} {
		_, err := pgvector.Open(ctx, address, nil)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "sesame")
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s := open(t, pgvector.Options{})
	require.NoError(t, s.Add(ctx, rag.Document{ID: "a", Text: "a", Vector: []float32{1, 0}}))
	require.NoError(t, s.Close())
	_, err := s.Search(ctx, rag.SearchRequest{Vector: []float32{1, 0}})
	assert.ErrorIs(t, err, localpass.ErrClosed)
	assert.ErrorIs(t, s.Add(ctx), localpass.ErrClosed)
	assert.ErrorIs(t, s.DeleteIDs(ctx, "a"), localpass.ErrClosed)
	assert.ErrorIs(t, s.Reembed(ctx, &embedder{}, nil), localpass.ErrClosed)
	for _, err := range s.Scan(ctx, rag.Filter{}) {
		assert.ErrorIs(t, err, localpass.ErrClosed)
	}
}

// What no document can have is refused in a filter, and not found by its id.
func TestUnstorableText(t *testing.T) {
	t.Parallel()
	s := open(t, pgvector.Options{})
	require.NoError(t, s.Add(ctx, rag.Document{ID: "a", Text: "a", Vector: []float32{1, 0}}))
	for _, f := range []rag.Filter{rag.Equal("k", "a\x00"), rag.Equal("\xff", 1), rag.In("k", "x", "\xff")} {
		_, err := s.Search(ctx, rag.SearchRequest{Filter: f})
		assert.ErrorIs(t, err, rag.ErrInvalid)
		assert.ErrorIs(t, s.Delete(ctx, f), rag.ErrInvalid)
	}
	docs, err := s.Get(ctx, "a\x00", "\xff", "a")
	require.NoError(t, err)
	assert.Len(t, docs, 1)
	require.NoError(t, s.DeleteIDs(ctx, "\xff", "a\x00"))
	many := make([]rag.Filter, 40_000)
	for i := range many {
		many[i] = rag.Filter{Op: rag.OpLess, Key: "k", Value: int64(i)}
	}
	_, err = s.Search(ctx, rag.SearchRequest{Filter: rag.Or(many...)})
	assert.ErrorIs(t, err, rag.ErrInvalid)
	values := make([]any, 20_000)
	for i := range values {
		values[i] = int64(i)
	}
	_, err = s.Search(ctx, rag.SearchRequest{Filter: rag.In("k", values...)})
	assert.NoError(t, err, "a long list is one argument")
}

// Numbers of metadata come back with their types.
func TestNumbers(t *testing.T) {
	t.Parallel()
	s := open(t, pgvector.Options{})
	numbers := []any{0.0, 1e300, -1e300, 1e-300, 5e-324, 1.7976931348623157e308, 0.1, 1e15, 1e16, int64(-1 << 63), int64(1<<63 - 1), float64(1 << 53), int64(1 << 53)}
	require.NoError(t, s.Add(ctx, rag.Document{ID: "a", Text: "a", Vector: []float32{1}, Metadata: map[string]any{"list": slices.Clone(numbers)}}))
	docs, err := s.Get(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, numbers, docs[0].Metadata["list"])
}

func TestForeignChanges(t *testing.T) {
	t.Parallel()
	collection := name(t)
	s := open(t, pgvector.Options{Collection: collection})
	require.NoError(t, s.Add(ctx, rag.Document{ID: "a", Text: "a", Vector: []float32{1}}))
	sql(t, "UPDATE localpass.documents_"+collection+" SET metadata = '[1]'")
	_, err := s.Get(ctx, "a")
	require.ErrorIs(t, err, rag.ErrCorrupt)
	sql(t, "DELETE FROM localpass.rag_collections WHERE name = '"+collection+"'")
	require.Error(t, s.Add(ctx, rag.Document{ID: "b", Text: "b", Vector: []float32{1}}), "the collection was removed")
}
