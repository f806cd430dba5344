//go:build unix && !solaris && !aix

package file_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
)

// A pipe or a link to a device neither blocks a caller nor fills the memory: it is left
// out of lists, and the error names it.
func TestPipesAndDevices(t *testing.T) {
	s := planted(t, "a", `{"key":"a","version":5,"updated":"2026-01-01T00:00:00Z","data":1}`)
	dir := filepath.Join(s.Dir(), "c")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "zero.json")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.json"), 0o700))
	for _, key := range []string{"pipe", "zero", "dir"} {
		_, err := s.Get(t.Context(), "c", key)
		assert.ErrorContains(t, err, "not a regular file", key)
		_, err = s.Put(t.Context(), "c", key, localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("1")})
		assert.ErrorContains(t, err, "not a regular file", key)
	}
	var keys []string
	for doc, err := range s.List(t.Context(), "c", localpass.ListOptions{}) {
		require.NoError(t, err)
		keys = append(keys, doc.Key)
	}
	assert.Equal(t, []string{"a"}, keys)

	require.NoError(t, os.Mkdir(filepath.Join(s.Dir(), "_batch"), 0o700))
	journal := filepath.Join(s.Dir(), "_batch", "journal")
	require.NoError(t, syscall.Mkfifo(journal, 0o600))
	_, err := s.Get(t.Context(), "c", "a")
	assert.ErrorContains(t, err, "not a regular file")
	other, err := file.Open(s.Dir(), nil)
	require.NoError(t, err)
	require.NoError(t, other.Close())
	require.NoError(t, os.Remove(journal))
	_, err = s.Get(t.Context(), "c", "a")
	require.NoError(t, err)
}

// No writer follows a link in the place of a lock.
func TestLinkedLock(t *testing.T) {
	s := planted(t, "a", "{}")
	precious := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.WriteFile(precious, []byte("keep this"), 0o600))
	lock := filepath.Join(s.Dir(), "c", ".lock")
	require.NoError(t, os.Remove(lock))
	require.NoError(t, os.Symlink(precious, lock))
	_, err := s.Put(t.Context(), "c", "b", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("1")})
	assert.ErrorContains(t, err, lock)
	content, err := os.ReadFile(precious)
	require.NoError(t, err)
	assert.Equal(t, "keep this", string(content))
}
