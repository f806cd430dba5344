package server_test

import (
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
	status, _, _ := w.do("PUT", "/api/secrets/SOME_KEY", map[string]any{"value": "the value that is stored"})
	require.Equal(t, http.StatusNoContent, status)
	status, _, list := w.do("POST", "/api/diagnostics/check", map[string]any{})
	require.Equal(t, http.StatusOK, status)
	items := list["items"].([]any)
	assert.Len(t, items, 5)
	for _, it := range items {
		assert.Equal(t, true, it.(map[string]any)["ok"], it)
	}
	status, _, raw := w.raw("GET", "/api/diagnostics", "", nil)
	require.Equal(t, http.StatusOK, status)
	assert.NotContains(t, string(raw), "that is stored")
	assert.NotContains(t, string(raw), "a-token-for")
	d := decode(t, raw)
	assert.Len(t, d["checks"], 5)
	assert.Equal(t, runtime.Version(), d["go"])
	_, _, tools := w.do("GET", "/api/tools?source=mine", nil)
	assert.EqualValues(t, 0, tools["total"], "the self-check leaves no tool")

	if runtime.GOOS == "windows" {
		return
	}
	require.NoError(t, os.Chmod(filepath.Join(home, "keys"), 0o755))
	_, _, list = w.do("POST", "/api/diagnostics/check", map[string]any{})
	bad := list["items"].([]any)[1].(map[string]any)
	assert.Equal(t, false, bad["ok"])
	assert.NotEmpty(t, bad["remedy"])
}
