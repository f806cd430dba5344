package server_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home, MCPToken: "a-token-for-programs", Settings: []server.Setting{{Name: "addr", Value: "the value that is stored", Origin: "flag"}}})
	w.must(http.StatusNoContent, "PUT", "/api/secrets/SOME_KEY", jsonObject{"value": "the value that is stored"})
	list := w.must(http.StatusOK, "POST", "/api/diagnostics/check", jsonObject{})
	items := list["items"].([]any)
	assert.Len(t, items, 5)
	for _, it := range items {
		assert.Equal(t, true, it.(jsonObject)["ok"], it)
	}
	status, _, raw := w.send("GET", "/api/diagnostics", "")
	require.Equal(t, http.StatusOK, status)
	assert.NotContains(t, raw, "that is stored")
	assert.NotContains(t, raw, "a-token-for")
	var d jsonObject
	require.NoError(t, json.Unmarshal([]byte(raw), &d))
	assert.Len(t, d["checks"], 5)
	assert.Equal(t, runtime.Version(), d["go"])
	tools := w.get("/api/tools?source=mine")
	assert.EqualValues(t, 0, tools["total"], "the self-check leaves no tool behind")

	if runtime.GOOS == "windows" {
		return
	}
	require.NoError(t, os.Chmod(filepath.Join(home, "keys"), 0o755))
	_, _, list = w.do("POST", "/api/diagnostics/check", jsonObject{})
	bad := list["items"].([]any)[1].(jsonObject)
	assert.Equal(t, false, bad["ok"])
	assert.NotEmpty(t, bad["remedy"])
}
