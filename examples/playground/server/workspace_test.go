package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// A test on the page works in a copy of the workspace and says so; the real one is
// used when a person answers that it may be.
func TestRunInACopyOfTheWorkspace(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	kept := filepath.Join(workspace, "kept.txt")
	require.NoError(t, os.WriteFile(kept, []byte("mine"), 0o644))
	w := serve(t, &server.Options{Config: configured(t, "", "-workspace", workspace)})
	spec := doubler("cleaner")
	spec["code"], spec["params"], spec["x-tests"] = "safety.fs.delete('kept.txt'); return {done: true}", []any{}, []any{}
	spec["sandboxOverrides"] = map[string]any{"fileRead": true, "fileWrite": true, "destructive": true}
	status, _, tool := w.do("POST", "/api/tools", spec)
	require.Less(t, status, 300, tool)
	runs := "/api/tools/" + tool["id"].(string) + "/runs?wait=1"
	for _, body := range []map[string]any{{}, {"args": map[string]any{}, "live": true}} {
		status, _, run := w.do("POST", runs, body)
		require.Equal(t, http.StatusOK, status, run)
		assert.Equal(t, "passed", run["state"], run["message"])
		assert.Equal(t, "copy", run["workspace"])
		assert.FileExists(t, kept)
	}
	status, _, run := w.do("POST", runs, map[string]any{"args": map[string]any{}, "realWorkspace": true})
	require.Equal(t, http.StatusOK, status, run)
	assert.Equal(t, "real", run["workspace"])
	assert.NoFileExists(t, kept)
}
