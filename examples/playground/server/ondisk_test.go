package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// A document that is edited or damaged on the disk is not served any more.
func TestDocumentEditedOnDisk(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	id := w.publish(doubler("ondisk"))
	file := filepath.Join(home, "specs", id+".json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "n * 2", "n * 3", 1)), 0o600)) // in place, under the same version
	w.soon(id, "ondisk", says("stale_pass", false))
	require.NoError(t, os.WriteFile(file, text, 0o600))
	w.soon(id, "ondisk", says("live", true)) // the pass of this content holds
	require.NoError(t, os.WriteFile(file, text[:len(text)/2], 0o600))
	w.soon(id, "ondisk", "tool <nil> <nil>, row not listed, offered false, runs false")
}

// While the store does not answer, nothing starts: the list stays, calls are
// refused and can be made again. What changed meanwhile counts before the next call.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	id, edited := w.publish(doubler("steady")), w.publish(doubler("edited"))
	keys := filepath.Join(home, "keys")
	require.NoError(t, os.Rename(keys, keys+".away"))
	waitFor := func(name, want string) {
		t.Helper()
		for began := time.Now(); !strings.Contains(w.call(name), want); {
			require.Less(t, time.Since(began), patience, w.call(name))
			select {
			case <-time.After(10 * time.Millisecond):
			case <-t.Context().Done():
			}
		}
	}
	waitFor("steady", "store-unavailable")
	assert.Contains(t, w.call("steady"), "try again later")
	status, names := w.list()
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, names, `"steady"`)
	assert.Contains(t, names, `"edited"`)

	file := filepath.Join(home, "specs", edited+".json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "n * 2", "n * 3", 1)), 0o600))
	assert.Contains(t, w.call("edited"), "store-unavailable")
	require.NoError(t, os.Rename(keys+".away", keys))
	for {
		if answer := w.call("edited"); !strings.Contains(answer, "store-unavailable") {
			assert.NotContains(t, answer, `twice`, "it did not run")
			break
		}
	}
	w.soon(id, "steady", says("live", true))
	w.soon(edited, "edited", says("stale_pass", false))
}
