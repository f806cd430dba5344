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

// A stored value that cannot be opened any more hides no other, and can be given
// anew.
func TestBrokenSecret(t *testing.T) {
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	for _, name := range []string{"FIRST_KEY", "SECOND_KEY"} {
		status, _, _ := w.do("PUT", "/api/secrets/"+name, map[string]any{"value": "value of " + name})
		require.Equal(t, http.StatusNoContent, status)
	}
	w.stop()
	require.NoError(t, w.Close())
	require.NoError(t, os.Remove(filepath.Join(home, "keys", "secrets.key"))) // another key comes in its place

	w = serve(t, &server.Options{Home: home})
	_, _, list := w.do("GET", "/api/secrets", nil)
	items := list["items"].([]any)
	require.Len(t, items, 2)
	assert.Equal(t, "missing", items[0].(map[string]any)["origin"])
	status, _, _ := w.do("PUT", "/api/secrets/FIRST_KEY", map[string]any{"value": "anew"})
	require.Equal(t, http.StatusNoContent, status)
	status, _, _ = w.do("DELETE", "/api/secrets/SECOND_KEY", nil)
	require.Equal(t, http.StatusNoContent, status)
	_, _, list = w.do("GET", "/api/secrets", nil)
	items = list["items"].([]any)
	require.Len(t, items, 1)
	assert.Equal(t, "stored", items[0].(map[string]any)["origin"])
}

// What a home cannot be read for is said at the start.
func TestBadKey(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "keys"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "secrets.key"), []byte("short"), 0o600))
	_, err := server.New(t.Context(), &server.Options{Home: home})
	assert.ErrorContains(t, err, "key of the secrets")
}

// A tour whose record is gone begins anew.
func TestTourGone(t *testing.T) {
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	_, _, tour := w.do("POST", "/api/tour", map[string]any{"skipped": true})
	require.Equal(t, true, tour["skipped"])
	w.stop()
	require.NoError(t, w.Close())
	found, err := filepath.Glob(filepath.Join(home, "*", "playground", "*tour*"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join(home, "playground", "*tour*"))
	require.NoError(t, err)
	for _, name := range append(found, more...) {
		require.NoError(t, os.Remove(name))
	}
	w = serve(t, &server.Options{Home: home})
	status, _, shown := w.do("GET", "/api/home", nil)
	assert.Equal(t, http.StatusOK, status)
	assert.NotEmpty(t, shown["tour"])
	assert.Equal(t, w.Home(), home)
	assert.NotNil(t, w.Handler())
}
