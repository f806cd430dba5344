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

// A spec that is edited or damaged on disk is no longer served.
func TestDocumentEditedOnDisk(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	id := w.publish(doubler("ondisk"))
	file := filepath.Join(home, "specs", id+".json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "n * 2", "n * 3", 1)), 0o600)) // in place, with the same version
	w.waitForState(id, "ondisk", wantState("stale_pass", false))
	require.NoError(t, os.WriteFile(file, text, 0o600))
	w.waitForState(id, "ondisk", wantState("live", true)) // the pass of this content is valid again
	require.NoError(t, os.WriteFile(file, text[:len(text)/2], 0o600))
	w.waitForState(id, "ondisk", "tool <nil> <nil>, row not listed, offered false, runs false")
}

// While the store fails, calls are refused and tools stay listed. Changes that were made
// meanwhile apply before the next call.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	id, edited := w.publish(doubler("steady")), w.publish(doubler("edited"))
	keys := filepath.Join(home, "keys")
	require.NoError(t, os.Rename(keys, keys+".away"))
	waitFor := func(name, want string) {
		t.Helper()
		for began := time.Now(); !strings.Contains(w.callTool(name, jsonObject{"n": 2}), want); {
			require.Less(t, time.Since(began), patience, w.callTool(name, jsonObject{"n": 2}))
			select {
			case <-time.After(10 * time.Millisecond):
			case <-t.Context().Done():
			}
		}
	}
	waitFor("steady", "store-unavailable")
	assert.Contains(t, w.callTool("steady", jsonObject{"n": 2}), "try again later")
	status, names := w.listTools()
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, names, `"steady"`)
	assert.Contains(t, names, `"edited"`)

	file := filepath.Join(home, "specs", edited+".json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "n * 2", "n * 3", 1)), 0o600))
	assert.Contains(t, w.callTool("edited", jsonObject{"n": 2}), "store-unavailable")
	require.NoError(t, os.Rename(keys+".away", keys))
	for {
		if answer := w.callTool("edited", jsonObject{"n": 2}); !strings.Contains(answer, "store-unavailable") {
			assert.NotContains(t, answer, `twice`, "it did not run")
			break
		}
	}
	w.waitForState(id, "steady", wantState("live", true))
	w.waitForState(edited, "edited", wantState("stale_pass", false))
}
