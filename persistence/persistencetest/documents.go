package persistencetest

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

func (s *suite) documents(t *testing.T) {
	t.Run("RoundTrip", func(t *testing.T) {
		store := s.open(t)
		missing(t, store, "notes", "a")
		before := time.Now().Add(-time.Second)
		first := put(t, store, "notes", "a", localpass.NoVersion, `{"n": 1}`)
		assert.Equal(t, `{"n":1}`, compact(first.Data))
		assert.WithinRange(t, first.Updated, before, time.Now().Add(time.Second))
		assert.Equal(t, time.UTC, first.Updated.Location())
		got := get(t, store, "notes", "a")
		same(t, first, got)
		assert.Equal(t, time.UTC, got.Updated.Location())
		missing(t, store, "others", "a")

		var value struct{ N int }
		require.NoError(t, got.Decode(&value))
		assert.Equal(t, 1, value.N)
	})

	t.Run("Versions", func(t *testing.T) {
		store := s.open(t)
		last := int64(0)
		for round := range 5 {
			made := put(t, store, "notes", "a", localpass.NoVersion, "1")
			require.Greater(t, made.Version, last, "round %d: a version must not come back after a delete", round)
			changed := put(t, store, "notes", "a", made.Version, "2")
			require.Greater(t, changed.Version, made.Version)
			replaced := put(t, store, "notes", "a", localpass.AnyVersion, "2")
			require.Greater(t, replaced.Version, changed.Version, "the version changes with every write, also of the same data")
			last = replaced.Version
			require.NoError(t, store.Delete(t.Context(), "notes", "a"))
		}
		fresh := put(t, store, "notes", "a", localpass.AnyVersion, "3")
		assert.Greater(t, fresh.Version, last)
	})

	t.Run("Conflicts", func(t *testing.T) {
		store := s.open(t)
		conflict := func(version int64) {
			t.Helper()
			got, err := store.Put(t.Context(), "notes", "alpha", doc(version, `"loser"`))
			require.ErrorIs(t, err, localpass.ErrConflict)
			assert.NotErrorIs(t, err, localpass.ErrNotFound)
			names(t, err, "notes", "alpha")
			assert.Zero(t, got)
		}
		conflict(7) // no document has this version
		first := put(t, store, "notes", "alpha", localpass.NoVersion, `"first"`)
		conflict(localpass.NoVersion)
		second := put(t, store, "notes", "alpha", first.Version, `"second"`)
		conflict(first.Version)
		conflict(second.Version + 1)
		same(t, second, get(t, store, "notes", "alpha"))
		require.NoError(t, store.Delete(t.Context(), "notes", "alpha"))
		conflict(second.Version)
		missing(t, store, "notes", "alpha")
	})

	t.Run("IgnoredFields", func(t *testing.T) {
		store := s.open(t)
		put(t, store, "notes", "b", localpass.NoVersion, "0")
		made, err := store.Put(t.Context(), "notes", "a", localpass.Document{Key: "b", Updated: time.Unix(1, 0), Data: json.RawMessage("1")})
		require.NoError(t, err)
		assert.Equal(t, "a", made.Key)
		assert.Greater(t, made.Updated.Year(), 2000)
		same(t, made, get(t, store, "notes", "a"))
		assert.Equal(t, "0", compact(get(t, store, "notes", "b").Data))
	})

	t.Run("Delete", func(t *testing.T) {
		store := s.open(t)
		err := store.Delete(t.Context(), "notes", "alpha")
		require.ErrorIs(t, err, localpass.ErrNotFound)
		names(t, err, "notes", "alpha")
		put(t, store, "notes", "alpha", localpass.NoVersion, "1")
		put(t, store, "notes", "b", localpass.NoVersion, "1")
		require.NoError(t, store.Delete(t.Context(), "notes", "alpha"))
		missing(t, store, "notes", "alpha")
		assert.Equal(t, []string{"b"}, keys(t, store, "notes", localpass.ListOptions{}))
		assert.ErrorIs(t, store.Delete(t.Context(), "notes", "alpha"), localpass.ErrNotFound)
	})

	t.Run("Tokens", s.tokens)
	t.Run("Copies", s.copies)
	t.Run("Reopen", func(t *testing.T) {
		store := s.open(t)
		a := put(t, store, "notes", "a", localpass.NoVersion, `{"a": [1, 2]}`)
		b := put(t, store, "notes", "b", localpass.NoVersion, "1")
		require.NoError(t, store.Delete(t.Context(), "notes", "b"))
		store = s.reopen(t, store)
		same(t, a, get(t, store, "notes", "a"))
		missing(t, store, "notes", "b")
		again := put(t, store, "notes", "b", localpass.NoVersion, "2")
		assert.Greater(t, again.Version, b.Version, "a version must not come back after a delete and a new start")
	})

	t.Run("Context", s.canceled)
	t.Run("Closed", s.closed)
}

// tokens checks that Data comes back with exactly the tokens that were put: the engine
// may change only white space between them.
func (s *suite) tokens(t *testing.T) {
	cases := map[string]string{
		"null": `null`, "true": `true`, "false": `false`, "string": `"x"`, "empty string": `""`,
		"empty object": `{}`, "empty array": `[]`, "nested empties": `{"a":{},"b":[],"c":[{}]}`,
		"number spelling":     `[0, -0, 1.0, 1.50, 1e5, 1E+05, 1e-400, 12345678901234567890, 0.1000000000000000055511151231257827]`,
		"member order":        `{"z": 1, "a": 2, "m": 3}`,
		"repeated members":    `{"a": 1, "a": 2}`,
		"html":                `"<b>&amp;</b>"`,
		"line separators":     "\"a\u2028b\u2029c\"",
		"escapes as written":  `"\u003c\u2028\/\u00e9\ud83d\ude00\n\u0000"`,
		"characters as typed": "\"é😀\u00a0\ufeff\u007f\"",
		"lone surrogate":      `"\ud800"`,
		"spaces in strings":   `{" a b ": "  c\td  ", "x":"line\nline"}`,
		"brackets in strings": `{"}]": "[{,:\\\"", "\"": "\\"}`,
		"white space":         " \r\n\t{ \"a\" :\t[ 1 ,\n 2 ] }\n ",
		"like an envelope":    `{"key": "k", "version": 1, "updated": "2026-01-01T00:00:00Z", "data": {"data": null}}`,
		"deep":                strings.Repeat(`[{"a":`, 500) + "1" + strings.Repeat("}]", 500),
		"large":               `{"text": "` + strings.Repeat("0123456789abcdef", 1<<16) + `"}`,
		"wide":                "[" + strings.Repeat("1,", 20_000) + "1]",
	}
	store := s.open(t)
	for name, data := range cases {
		given := put(t, store, "tokens", name, localpass.NoVersion, data)
		assert.Equal(t, compact(json.RawMessage(data)), compact(given.Data), name)
		same(t, given, get(t, store, "tokens", name))
	}
	docs, err := list(t.Context(), store, "tokens", localpass.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, docs, len(cases))
	for _, doc := range docs {
		assert.Equal(t, compact(json.RawMessage(cases[doc.Key])), compact(doc.Data), doc.Key)
	}
	for name, data := range map[string]string{
		"empty": "", "blank": " \n", "cut": `{"a": 1`, "two values": "1 2", "bare word": "nil", "comma": "[1,]",
		"single quotes": "'a'", "raw newline": "\"a\nb\"", "bad UTF-8": "\"\xff\"", "NaN": "NaN", "trailing": `{} x`,
	} {
		_, err := store.Put(t.Context(), "tokens", "bad", doc(localpass.NoVersion, data))
		require.Error(t, err, name)
		assert.NotErrorIs(t, err, localpass.ErrConflict, name)
		missing(t, store, "tokens", "bad")
	}
}

// copies checks that the engine keeps copies of the bytes.
func (s *suite) copies(t *testing.T) {
	store := s.open(t)
	data := json.RawMessage(`{"a":1}`)
	made, err := store.Put(t.Context(), "notes", "a", localpass.Document{Data: data})
	require.NoError(t, err)
	scribble := func(b []byte) {
		for i := range b {
			b[i] = '!'
		}
	}
	scribble(data)
	scribble(made.Data)
	got := get(t, store, "notes", "a")
	assert.Equal(t, `{"a":1}`, compact(got.Data))
	scribble(got.Data)
	docs, err := list(t.Context(), store, "notes", localpass.ListOptions{})
	require.NoError(t, err)
	require.Len(t, docs, 1)
	assert.Equal(t, `{"a":1}`, compact(docs[0].Data))
	scribble(docs[0].Data)
	assert.Equal(t, `{"a":1}`, compact(get(t, store, "notes", "a").Data))
}

// everyMethod calls each method of the store and its upgrades once.
func everyMethod(ctx context.Context, store localpass.Persistence) map[string]error {
	calls := map[string]error{}
	_, calls["Get"] = store.Get(ctx, "notes", "a")
	_, calls["Put"] = store.Put(ctx, "notes", "a", doc(localpass.AnyVersion, "2"))
	calls["Delete"] = store.Delete(ctx, "notes", "a")
	_, calls["List"] = list(ctx, store, "notes", localpass.ListOptions{})
	if batcher, ok := store.(localpass.Batcher); ok {
		_, calls["Batch"] = batcher.Batch(ctx, localpass.Op{Collection: "notes", Key: "b", Data: json.RawMessage("1")})
	}
	if watcher, ok := store.(localpass.Watcher); ok {
		for _, err := range watcher.Watch(ctx, "notes") {
			calls["Watch"] = err
		}
	}
	if log, ok := store.(localpass.Log); ok {
		calls["Append"] = log.Append(ctx, "audit", json.RawMessage("1"))
		for _, err := range log.Records(ctx, "audit", localpass.LogOptions{}) {
			calls["Records"] = err
		}
	}
	return calls
}

func (s *suite) canceled(t *testing.T) {
	store := s.open(t)
	put(t, store, "notes", "a", localpass.NoVersion, "1")
	if log, ok := store.(localpass.Log); ok {
		require.NoError(t, log.Append(t.Context(), "audit", json.RawMessage("0")))
	}

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for method, err := range everyMethod(canceled, store) {
		assert.ErrorIs(t, err, context.Canceled, method)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for method, err := range everyMethod(late, store) {
		assert.ErrorIs(t, err, context.DeadlineExceeded, method)
	}
	assert.Equal(t, "1", compact(get(t, store, "notes", "a").Data), "nothing may be written after the context ended")

	// A context that ends in the middle of a listing.
	put(t, store, "notes", "b", localpass.NoVersion, "1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	var last error
	for doc, err := range store.List(ctx, "notes", localpass.ListOptions{}) {
		if last = err; err != nil {
			assert.Zero(t, doc)
			continue // the loop must end without a break
		}
		seen++
		cancel()
	}
	assert.Equal(t, 1, seen)
	assert.ErrorIs(t, last, context.Canceled)
}

func (s *suite) closed(t *testing.T) {
	store := s.open(t)
	closer, ok := store.(io.Closer)
	if !ok {
		t.Skipf("%T has no Close", store)
	}
	put(t, store, "notes", "a", localpass.NoVersion, "1")
	require.NoError(t, closer.Close())
	require.NoError(t, closer.Close(), "Close may be called again")
	for method, err := range everyMethod(t.Context(), store) {
		assert.ErrorIs(t, err, localpass.ErrClosed, method)
	}
}
