package persistencetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

// doc returns a document to put; version is the stored version that the put requires.
func doc(version int64, data string) localpass.Document {
	return localpass.Document{Version: version, Data: json.RawMessage(data)}
}

func put(t *testing.T, store localpass.Persistence, collection, key string, version int64, data string) localpass.Document {
	t.Helper()
	got, err := store.Put(t.Context(), collection, key, doc(version, data))
	require.NoError(t, err, "put %q in %s", key, collection)
	assert.Equal(t, key, got.Key)
	assert.Positive(t, got.Version)
	return got
}

func get(t *testing.T, store localpass.Persistence, collection, key string) localpass.Document {
	t.Helper()
	got, err := store.Get(t.Context(), collection, key)
	require.NoError(t, err, "get %q in %s", key, collection)
	assert.Equal(t, key, got.Key)
	return got
}

// missing asserts that no document is stored under the key.
func missing(t *testing.T, store localpass.Persistence, collection, key string) {
	t.Helper()
	got, err := store.Get(t.Context(), collection, key)
	assert.ErrorIs(t, err, localpass.ErrNotFound)
	assert.Zero(t, got)
}

// names asserts that an error names the collection and the key.
func names(t *testing.T, err error, collection, key string) {
	t.Helper()
	assert.ErrorContains(t, err, collection)
	assert.ErrorContains(t, err, key)
}

// same asserts that two documents are equal except for white space.
func same(t *testing.T, want, got localpass.Document) {
	t.Helper()
	assert.Equal(t, want.Key, got.Key)
	assert.Equal(t, want.Version, got.Version, "version of %q", want.Key)
	assert.True(t, want.Updated.Equal(got.Updated), "updated of %q: %s, want %s", want.Key, got.Updated, want.Updated)
	assert.Equal(t, compact(want.Data), compact(got.Data), "data of %q", want.Key)
}

// list returns all documents of a listing.
func list(ctx context.Context, store localpass.Persistence, collection string, opts localpass.ListOptions) ([]localpass.Document, error) {
	var docs []localpass.Document
	for doc, err := range store.List(ctx, collection, opts) {
		if err != nil {
			return docs, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// keys lists the keys of a collection.
func keys(t *testing.T, store localpass.Persistence, collection string, opts localpass.ListOptions) []string {
	t.Helper()
	docs, err := list(t.Context(), store, collection, opts)
	require.NoError(t, err, "list %s %+v", collection, opts)
	keys := make([]string, len(docs))
	for i, doc := range docs {
		keys[i] = doc.Key
	}
	return keys
}

// records returns the data of the records of a log without white space.
func records(t *testing.T, log localpass.Log, name string, opts localpass.LogOptions) []string {
	t.Helper()
	data := []string{}
	for record, err := range log.Records(t.Context(), name, opts) {
		require.NoError(t, err)
		assert.NotEmpty(t, record.Position)
		assert.False(t, record.Time.IsZero())
		data = append(data, compact(record.Data))
	}
	return data
}

// compact removes the white space between tokens.
func compact(data json.RawMessage) string {
	var buf bytes.Buffer
	if err := json.Compact(&buf, data); err != nil {
		return fmt.Sprintf("not JSON: %q", data)
	}
	return buf.String()
}
