package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/file"
)

// guarded is an MCP server that only a header lets in, and how often it did.
func guarded(t *testing.T, secret string) (url string, seen *atomic.Int64) {
	t.Helper()
	hub, err := mcphub.New(nil)
	require.NoError(t, err)
	seen = new(atomic.Int64)
	handler := hub.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != secret {
			http.Error(w, "who is it?", http.StatusForbidden)
			return
		}
		seen.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		require.NoError(t, hub.Close())
	})
	return s.URL + mcphub.Path, seen
}

// holding names the files of a home in which a text stands.
func holding(t *testing.T, home, text string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(home, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if strings.Contains(string(data), text) {
			names = append(names, name)
		}
		return err
	}))
	return names
}

// The secrets of a file of servers are sealed in the home, and sent to the
// server after a restart.
func TestServersKeepTheirSecretsSealed(t *testing.T) {
	t.Parallel()
	const secret = "pl4nted-in-a-header"
	url, seen := guarded(t, secret)
	home := t.TempDir()
	from := filepath.Join(t.TempDir(), "servers.json")
	entry := map[string]any{"url": url, "headers": map[string]string{"X-Key": secret}}
	program := map[string]any{"command": "no-such-program", "args": []string{"--token", secret}, "env": map[string]string{"TOKEN": secret}, "disabled": true}
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"web": entry, "program": program}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(from, data, 0o600))
	text, code := here(t, "servers", "add", "-home", home, from)
	require.Equal(t, 0, code, text)
	assert.Empty(t, holding(t, home, secret))
	before := seen.Load()
	text, code = here(t, "servers", "-home", home, "-check")
	require.Equal(t, 0, code, text)
	assert.Greater(t, seen.Load(), before, "the server gets its header")
	text, code = here(t, "servers", "add", "-home", home, from)
	require.Equal(t, 0, code, text)
	assert.Empty(t, holding(t, home, secret))

	// A home from before, and then one without its key.
	old := t.TempDir()
	store, err := file.Open(old, nil)
	require.NoError(t, err)
	conns, err := servers.New(store, nil)
	require.NoError(t, err)
	connection, err := json.Marshal(entry)
	require.NoError(t, err)
	_, err = conns.Save(t.Context(), servers.Record{ID: "web", Kind: client.TransportHTTP, Connection: connection})
	require.NoError(t, err)
	require.NoError(t, conns.Close())
	require.NoError(t, store.Close())
	require.NotEmpty(t, holding(t, old, secret))
	text, code = here(t, "servers", "-home", old, "-check")
	require.Equal(t, 0, code, text)
	assert.Empty(t, holding(t, old, secret))
	require.NoError(t, os.WriteFile(filepath.Join(old, "keys", "secrets.key"), []byte("short"), 0o600))
	text, code = here(t, "servers", "-home", old, "-check")
	assert.Equal(t, 1, code)
	assert.Contains(t, text, "connection.headers.X-Key cannot be opened")
	assert.Contains(t, text, "keys/secrets.key")
}
