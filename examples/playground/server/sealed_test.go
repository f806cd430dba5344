package server_test

import (
	"archive/zip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/file"
)

// A secret header is stored encrypted and sent to its server, also after a restart and with
// the home of an earlier version.
func TestServerSecretsAreSealed(t *testing.T) {
	t.Parallel()
	const secret = "pl4nted-in-a-header"
	hub, err := mcphub.New(nil)
	require.NoError(t, err)
	defer hub.Close()
	var seen atomic.Int64
	handler := hub.Handler()
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") == secret {
			seen.Add(1)
			handler.ServeHTTP(w, r)
			return
		}
		http.Error(w, "who is it?", http.StatusForbidden)
	}))
	defer peer.Close()
	defer peer.CloseClientConnections()
	home := t.TempDir()
	holds := func() (names []string) {
		t.Helper()
		require.NoError(t, filepath.WalkDir(home, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if strings.Contains(string(data), secret) {
				names = append(names, name)
			}
			return err
		}))
		return names
	}
	connects := func(w *playground) {
		t.Helper()
		before := seen.Load()
		status, _, got := w.do("POST", "/api/mcp/servers/web/connect", struct{}{})
		require.Less(t, status, 300, "%v", got)
		assert.Greater(t, seen.Load(), before)
		w.end()
		assert.Empty(t, holds())
	}
	store, err := file.Open(home, nil)
	require.NoError(t, err)
	conns, err := servers.New(store, nil)
	require.NoError(t, err)
	_, err = conns.Save(t.Context(), servers.Record{ID: "web", Kind: client.TransportHTTP, Connection: []byte(`{"url":"` + peer.URL + mcphub.Path + `","headers":{"X-Key":"` + secret + `"}}`)})
	require.NoError(t, err)
	require.NoError(t, conns.Close())
	require.NoError(t, store.Close())
	require.NotEmpty(t, holds())
	connects(serve(t, &server.Options{Home: home})) // a home of an earlier version

	w := serve(t, &server.Options{Home: home})
	status, _, got := w.do("DELETE", "/api/mcp/servers/web", nil)
	require.Less(t, status, 300, "%v", got)
	w.must(http.StatusCreated, "POST", "/api/mcp/servers", jsonObject{"id": "web", "transport": "http", "connection": jsonObject{"url": peer.URL + mcphub.Path, "headers": map[string]string{"X-Key": secret}}})
	assert.Empty(t, holds())
	status, _, backup := w.send("GET", "/api/storage/backup", "")
	require.Equal(t, http.StatusOK, status)
	z, err := zip.NewReader(strings.NewReader(backup), int64(len(backup)))
	require.NoError(t, err)
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.NotContains(t, string(data), secret, f.Name)
	}
	status, change := w.restore("application/zip", backup)
	require.Equal(t, http.StatusAccepted, status, "%v", change)
	connects(w)
	plain := filepath.Join(home, "servers")
	old, err := os.ReadFile(found(t, plain))
	require.NoError(t, err)
	sealed := regexp.MustCompile(`lpsec1:[^"]+`)
	require.Regexp(t, sealed, string(old))
	// A pending restore in the home of an earlier version: the record that it replaces is not
	// encrypted.
	require.NoError(t, os.WriteFile(found(t, plain), sealed.ReplaceAll(old, []byte(secret)), 0o600))
	connects(serve(t, &server.Options{Home: home}))
	assert.DirExists(t, filepath.Join(home, "_before", "servers"))
	connects(serve(t, &server.Options{Home: home}))
}

// found returns the path of the only record in a folder.
func found(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "web*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	return names[0]
}
