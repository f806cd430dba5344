package documents

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/toolspec/secret"
)

// Profiles share their records if they share the documents: whoever opens the database, and
// only then.
func TestCollectionsOfRecords(t *testing.T) {
	env := secret.Map(map[string]string{"A": "one", "B": "two", "HERE": "db.example", "THERE": "other.example", "SPACE": "a b%zz"})
	of := func(store string) string {
		t.Helper()
		place, _, err := locate(&config.Profile{Name: "p", VectorStore: store}, env)
		require.NoError(t, err)
		return collection(place)
	}
	assert.Equal(t, "rag.documents.flat", of(""))
	assert.Equal(t, "rag.documents.chromem", of("chromem"))
	one := of("postgres://rag:${A}@${HERE}/rag")
	assert.Equal(t, one, of("postgres://rag:${B}@${HERE}/rag"))
	assert.Equal(t, one, of("postgres://other@db.example/rag?connect_timeout=5"))
	different := map[string]bool{one: true}
	for _, store := range []string{"postgres://rag:${A}@${THERE}/rag", "postgres://${HERE}/x", "postgres://${HERE}:1/rag", "postgres://${HERE}/rag?search_path=x", "qdrant://${HERE}/x"} {
		assert.False(t, different[of(store)], store)
		different[of(store)] = true
	}

	place, key, err := locate(&config.Profile{VectorStore: "qdrants://:${A}@db.example:6334/docs"}, env)
	require.NoError(t, err)
	assert.Equal(t, "qdrants://db.example:6334/docs", place)
	assert.Equal(t, "one", key)
	_, _, err = locate(&config.Profile{VectorStore: "qdrants://:${SPACE}@db.example/docs"}, env)
	require.ErrorIs(t, err, rag.ErrInvalid)
	assert.NotContains(t, err.Error(), "zz")
}
