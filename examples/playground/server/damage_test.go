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

// A stored secret that cannot be decrypted does not hide the others, and can be replaced.
func TestBrokenSecret(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	for _, name := range []string{"FIRST_KEY", "SECOND_KEY"} {
		w.must(http.StatusNoContent, "PUT", "/api/secrets/"+name, jsonObject{"value": "value of " + name})
	}
	w.end()
	require.NoError(t, os.Remove(filepath.Join(home, "keys", "secrets.key"))) // a new key is made

	w = serve(t, &server.Options{Home: home})
	list := w.get("/api/secrets")
	items := list["items"].([]any)
	require.Len(t, items, 2)
	assert.Equal(t, "missing", items[0].(jsonObject)["origin"])
	w.must(http.StatusNoContent, "PUT", "/api/secrets/FIRST_KEY", jsonObject{"value": "anew"})
	w.must(http.StatusNoContent, "DELETE", "/api/secrets/SECOND_KEY", nil)
	list = w.get("/api/secrets")
	items = list["items"].([]any)
	require.Len(t, items, 1)
	assert.Equal(t, "stored", items[0].(jsonObject)["origin"])
}

// With a damaged key file, the home reports it, and only what needs the key fails.
func TestBadKey(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	for id, headers := range map[string]map[string]string{"guarded": {"X-Key": "pl4nted"}, "free": {}} {
		w.must(http.StatusCreated, "POST", "/api/mcp/servers", jsonObject{"id": id, "transport": "http", "connection": jsonObject{"url": "http://127.0.0.1:1/mcp", "headers": headers}})
	}
	w.end()
	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "secrets.key"), []byte("short"), 0o600))

	w = serve(t, &server.Options{Home: home})
	shown := w.get("/api/home")
	assert.Contains(t, fmt.Sprint(shown["attention"]), "key file secrets.key has 5 bytes")
	one := w.get("/api/mcp/servers/guarded/status")
	assert.Contains(t, fmt.Sprint(one), "connection.headers.X-Key cannot be opened")
	other := w.get("/api/mcp/servers/free/status")
	assert.NotContains(t, fmt.Sprint(other), "opened")
	got := w.must(http.StatusUnprocessableEntity, "PUT", "/api/secrets/SOME_KEY", jsonObject{"value": "any"})
	assert.Contains(t, fmt.Sprint(got), "secrets.key")
}

// A tour whose record was deleted starts again.
func TestTourGone(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	_, _, tour := w.do("POST", "/api/tour", jsonObject{"skipped": true})
	require.Equal(t, true, tour["skipped"])
	w.end()
	found, err := filepath.Glob(filepath.Join(home, "*", "playground", "*tour*"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join(home, "playground", "*tour*"))
	require.NoError(t, err)
	for _, name := range append(found, more...) {
		require.NoError(t, os.Remove(name))
	}
	w = serve(t, &server.Options{Home: home})
	shown := w.must(http.StatusOK, "GET", "/api/home", nil)
	assert.NotEmpty(t, shown["tour"])
	assert.Equal(t, w.Home(), home)
	assert.NotNil(t, w.Handler())
}
