package server_test

import (
	"fmt"
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
	t.Parallel()
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

// Without a key that can be used the home says so, and only what needs one is
// withheld.
func TestBadKey(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	for id, headers := range map[string]map[string]string{"guarded": {"X-Key": "pl4nted"}, "free": {}} {
		status, _, got := w.do("POST", "/api/mcp/servers", map[string]any{"id": id, "transport": "http", "connection": map[string]any{"url": "http://127.0.0.1:1/mcp", "headers": headers}})
		require.Equal(t, http.StatusCreated, status, "%v", got)
	}
	w.stop()
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "secrets.key"), []byte("short"), 0o600))

	w = serve(t, &server.Options{Home: home})
	_, _, shown := w.do("GET", "/api/home", nil)
	assert.Contains(t, fmt.Sprint(shown["attention"]), "key file secrets.key has 5 bytes")
	_, _, one := w.do("GET", "/api/mcp/servers/guarded/status", nil)
	assert.Contains(t, fmt.Sprint(one), "connection.headers.X-Key cannot be opened")
	_, _, other := w.do("GET", "/api/mcp/servers/free/status", nil)
	assert.NotContains(t, fmt.Sprint(other), "opened")
	status, _, got := w.do("PUT", "/api/secrets/SOME_KEY", map[string]any{"value": "any"})
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Contains(t, fmt.Sprint(got), "secrets.key")
}

// A tour whose record is gone begins anew.
func TestTourGone(t *testing.T) {
	t.Parallel()
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
