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

// A test on the page uses a copy of the workspace and says so. It uses the real workspace
// only if the request asks for it.
func TestRunInACopyOfTheWorkspace(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	kept := filepath.Join(workspace, "kept.txt")
	require.NoError(t, os.WriteFile(kept, []byte("mine"), 0o644))
	w := serve(t, &server.Options{Config: configured(t, "", "-workspace", workspace)})
	spec := doubler("cleaner")
	spec["code"], spec["params"], spec["x-tests"] = "safety.fs.delete('kept.txt'); return {done: true}", []any{}, []any{}
	spec["sandboxOverrides"] = jsonObject{"fileRead": true, "fileWrite": true, "destructive": true}
	status, _, tool := w.do("POST", "/api/tools", spec)
	require.Less(t, status, 300, tool)
	runs := "/api/tools/" + tool["id"].(string) + "/runs?wait=1"
	for _, body := range []jsonObject{{}, {"args": jsonObject{}, "live": true}} {
		run := w.must(http.StatusOK, "POST", runs, body)
		assert.Equal(t, "passed", run["state"], run["message"])
		assert.Equal(t, "copy", run["workspace"])
		assert.FileExists(t, kept)
	}
	run := w.must(http.StatusOK, "POST", runs, jsonObject{"args": jsonObject{}, "realWorkspace": true})
	assert.Equal(t, "real", run["workspace"])
	assert.NoFileExists(t, kept)
}
