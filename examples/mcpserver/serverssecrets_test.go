package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
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

// serverWithKey serves an empty MCP server that requires a header, and counts the requests that
// have it.
func serverWithKey(t *testing.T, secret string) (url string, seen *atomic.Int64) {
	t.Helper()
	hub, err := mcphub.New(nil)
	require.NoError(t, err)
	seen = new(atomic.Int64)
	handler := hub.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != secret {
			http.Error(w, "X-Key is missing", http.StatusForbidden)
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

// filesContaining returns the names of the files of a home that contain a text.
func filesContaining(t *testing.T, home, text string) (names []string) {
	t.Helper()
	for name, content := range readFiles(t, home) {
		if strings.Contains(content, text) {
			names = append(names, name)
		}
	}
	return names
}

// The home stores the secrets of a file of servers encrypted, and a later run sends them to
// the server.
func TestServersKeepTheirSecretsSealed(t *testing.T) {
	t.Parallel()
	const secret = "pl4nted-in-a-header"
	url, seen := serverWithKey(t, secret)
	home := t.TempDir()
	entry := jsonObject{"url": url, "headers": map[string]string{"X-Key": secret}}
	program := jsonObject{"command": "no-such-program", "args": []string{"--token", secret}, "env": map[string]string{"TOKEN": secret}, "disabled": true}
	from := writeServers(t, jsonObject{"web": entry, "program": program})
	mustSucceed(t, "servers", "add", "-home", home, from)
	assert.Empty(t, filesContaining(t, home, secret))
	before := seen.Load()
	mustSucceed(t, "servers", "-home", home, "-check")
	assert.Greater(t, seen.Load(), before, "the server gets its header")
	mustSucceed(t, "servers", "add", "-home", home, from)
	assert.Empty(t, filesContaining(t, home, secret))

	// A home of an earlier version, and then one whose key is damaged.
	old := t.TempDir()
	store, err := file.Open(old, nil)
	require.NoError(t, err)
	conns, err := servers.New(store, nil)
	require.NoError(t, err)
	_, err = conns.Save(t.Context(), servers.Record{ID: "web", Kind: client.TransportHTTP, Connection: json.RawMessage(asJSON(t, entry))})
	require.NoError(t, err)
	require.NoError(t, conns.Close())
	require.NoError(t, store.Close())
	require.NotEmpty(t, filesContaining(t, old, secret))
	mustSucceed(t, "servers", "-home", old, "-check")
	assert.Empty(t, filesContaining(t, old, secret))
	testFile(t, filepath.Join(old, "keys"), "secrets.key", "short")
	text, code := allOutput(t, "servers", "-home", old, "-check")
	assert.Equal(t, 1, code)
	assert.Contains(t, text, "connection.headers.X-Key cannot be opened")
	assert.Contains(t, text, "keys/secrets.key")
}
