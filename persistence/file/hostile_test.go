package file_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
)

// planted returns a store with a foreign file in the place of a document.
func planted(t *testing.T, key, content string) *file.Store {
	t.Helper()
	s := openIn(t, t.TempDir(), &file.Options{NoSync: true})
	_, err := s.Put(t.Context(), "c", key, localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("0")})
	require.NoError(t, err)
	writeEarlier(t, filepath.Join(s.Dir(), "c", key+".json"), content)
	return s
}

// After the highest version, a write fails with advice, instead of making a document that
// cannot be read.
func TestLastVersion(t *testing.T) {
	const last = 1<<62 - 1
	any1 := localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("1")}
	s := planted(t, "a", `{"key":"a","version":`+strconv.Itoa(last)+`,"updated":"2026-01-01T00:00:00Z","data":7}`)
	_, err := s.Put(t.Context(), "c", "a", any1)
	assert.ErrorContains(t, err, "has version "+strconv.Itoa(last))
	assert.ErrorContains(t, err, ".lock")
	assert.Error(t, s.Delete(t.Context(), "c", "a"))
	_, err = s.Batch(t.Context(), localpass.Op{Collection: "c", Key: "a", Version: localpass.AnyVersion, Data: json.RawMessage("1")},
		localpass.Op{Collection: "d", Key: "a", Version: localpass.AnyVersion, Data: json.RawMessage("1")})
	assert.ErrorContains(t, err, "has version")
	doc, err := s.Get(t.Context(), "c", "a")
	require.NoError(t, err)
	assert.Equal(t, "7", string(doc.Data))

	_, err = s.Put(t.Context(), "c", "b", any1)
	require.NoError(t, err, "others in the collection go on")

	// The same number in the lock is ignored.
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "d", ".lock"), []byte("0"+strconv.Itoa(last)+"\n"), 0o600))
	_, err = s.Put(t.Context(), "d", "b", any1)
	require.NoError(t, err)
	_, err = s.Get(t.Context(), "d", "b")
	require.NoError(t, err)
}

// A file that is not the JSON of a document is damaged, and the error contains at most
// one line of it.
func TestOddHeads(t *testing.T) {
	for name, content := range map[string]string{
		"year 10000": `{"key":"a","version":5,"updated":"9999-12-31T23:59:59-23:59","data":1}`,
		"year -1":    `{"key":"a","version":5,"updated":"0000-01-01T00:00:00+01:00","data":1}`,
		"long time":  `{"key":"a","version":5,"updated":"` + strings.Repeat("x", 1e6) + `","data":1}`,
		"long key":   `{"key":"` + strings.Repeat("x", 1e6) + `","version":5,"updated":"2026-01-01T00:00:00Z","data":1}`,
		"long name":  `{"key":"a","version":5,"updated":"2026-01-01T00:00:00Z","data":1,"` + strings.Repeat("x", 1e6) + `":01}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := planted(t, "a", content).Get(t.Context(), "c", "a")
			require.ErrorIs(t, err, file.ErrCorrupt)
			require.ErrorIs(t, err, localpass.ErrNotFound)
			assert.Less(t, len(err.Error()), 500)
		})
	}
}

// A file that is larger than any document is not read.
func TestHugeFiles(t *testing.T) {
	s := planted(t, "a", "{")
	for name, size := range map[string]int64{"c/a.json": 256<<20 + 1, "_batch/journal": 1<<30 + 1} {
		path := filepath.Join(s.Dir(), filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		f, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, f.Truncate(size)) // a sparse file on most systems
		require.NoError(t, f.Close())
	}
	_, err := s.Get(t.Context(), "c", "a")
	require.ErrorIs(t, err, file.ErrCorrupt)
	assert.ErrorContains(t, err, "bytes")
	_, err = s.Put(t.Context(), "c", "a", localpass.Document{Version: localpass.NoVersion, Data: json.RawMessage("1")})
	require.NoError(t, err, "both are set aside")
}

// Indentation does not make a deeply nested list a hundred times larger.
func TestIndentationIsBounded(t *testing.T) {
	s := planted(t, "a", "{}")
	deep := strings.Repeat("[", 60) + strings.Repeat("0,", 1<<18) + "0" + strings.Repeat("]", 60)
	_, err := s.Put(t.Context(), "c", "deep", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage(deep)})
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(s.Dir(), "c", "deep.json"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(4*len(deep)))
	doc, err := s.Get(t.Context(), "c", "deep")
	require.NoError(t, err)
	assert.Equal(t, deep, string(doc.Data))
}
