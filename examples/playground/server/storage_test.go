package server_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// restore sends a backup.
func (w *playground) restore(media, file string) (status int, answer jsonObject) {
	w.t.Helper()
	status, _, text := w.send("POST", "/api/storage/restore", file, "Content-Type: "+media)
	_ = json.Unmarshal([]byte(text), &answer) // an answer without a body stays nil
	return status, answer
}

// A restore brings back tools and their passes, does not touch secrets, and keeps a copy of
// what it replaced.
func TestBackup(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	w.publish(doubler("backedUp"))
	w.must(http.StatusNoContent, "PUT", "/api/secrets/KEPT_KEY", jsonObject{"value": "the value that is kept"})
	status, h, file := w.send("GET", "/api/storage/backup", "")
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, h.Get("Content-Disposition"), "attachment")
	z, err := zip.NewReader(strings.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	for _, f := range z.File {
		assert.NotRegexp(t, "^(keys|approval-keys|secrets|mcp-oauth|workspace)/", f.Name)
		assert.NotContains(t, f.Name, ".lock")
	}
	w.must(http.StatusCreated, "POST", "/api/tools", doubler("cameLater"))
	status, change := w.restore("application/zip", file)
	require.Equal(t, http.StatusAccepted, status, change)
	assert.Equal(t, false, change["restarting"])
	now := w.get("/api/storage")
	assert.Equal(t, "restore", now["pending"])
	w.end()

	w = serve(t, &server.Options{Home: home})
	list := w.get("/api/tools?source=mine")
	require.EqualValues(t, 1, list["total"])
	one := list["items"].([]any)[0].(jsonObject)
	assert.Equal(t, "backedUp", one["name"])
	assert.Equal(t, true, one["live"], "its pass is still valid")
	secrets := w.get("/api/secrets")
	assert.Equal(t, "stored", secrets["items"].([]any)[0].(jsonObject)["origin"])
	now = w.get("/api/storage")
	assert.Nil(t, now["pending"])
	assert.Equal(t, true, now["before"])
	assert.Positive(t, now["bytes"])
	w.end()
}

func zipped(t *testing.T, names ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		f, err := z.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(`{"format":"localpass-backup","version":1}`))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.String()
}

// unpackable returns a backup with a file that cannot be decompressed.
func unpackable(t *testing.T) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("localpass-backup.json")
	require.NoError(t, err)
	_, err = f.Write([]byte(`{"format":"localpass-backup","version":1}`))
	require.NoError(t, err)
	raw, err := z.CreateRaw(&zip.FileHeader{Name: "specs/a.json", Method: zip.Deflate, CompressedSize64: 4, UncompressedSize64: 100})
	require.NoError(t, err)
	_, err = raw.Write([]byte("\xff\xff\xff\xff"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

// Only valid backups are accepted, and no file name leads out of the home.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	const mark = "localpass-backup.json"
	for name, file := range map[string]string{
		"no zip": "nothing", "without its mark": zipped(t, "specs/a.json"), "empty": zipped(t), "out of the home": zipped(t, mark, "../out.json"),
		"an absolute name": zipped(t, mark, "/etc/x"), "keys": zipped(t, mark, "keys/receipts.json"), "secrets": zipped(t, mark, "secrets/A.json"), "settings": zipped(t, mark, "localpass.json"),
		"a hidden file": zipped(t, mark, "specs/.lock"), "a way round": zipped(t, mark, "specs/../keys/x"), "a backslash": zipped(t, mark, `specs\a.json`), "pending": zipped(t, mark, "_pending/reset"),
		"a folder in other letters": zipped(t, mark, "KEYS/receipts.json"), "settings in other letters": zipped(t, mark, "LocalPass.json"), "secrets with a dot": zipped(t, mark, "secrets./A.json"),
		"twice": zipped(t, mark, "specs/a.json", "specs/a.json"), "twice on some disks": zipped(t, mark, "specs/a.json", "Specs/A.json"), "a file and a folder": zipped(t, mark, "specs", "specs/a.json"),
		"a folder and a file": zipped(t, mark, "specs/a/b.json", "specs/a"), "a long name": zipped(t, mark, "specs/"+strings.Repeat("a", 300)+".json"), "a line break": zipped(t, mark, "specs/a\nb.json"),
		"a stream of a file": zipped(t, mark, "specs/a.json:b"), "letters from right to left": zipped(t, mark, "specs/\u202ea.json"), "its mark twice": zipped(t, mark, "localpass-backup.json", "localpass-backup.json"),
		"bytes that do not unpack": unpackable(t),
		"damaged":                  strings.Replace(zipped(t, mark, "specs/a.json"), "PK\x01\x02", "PK\x01\x03", 1),
	} {
		t.Run(name, func(t *testing.T) {
			status, problem := w.restore("application/zip", file)
			assert.Equal(t, http.StatusUnprocessableEntity, status, problem)
			now := w.get("/api/storage")
			assert.Nil(t, now["pending"])
		})
	}
	status, _ := w.restore("application/json", "{}")
	assert.Equal(t, http.StatusUnsupportedMediaType, status)
	status, _ = w.restore("application/zip", zipped(t, mark, "specs/a.json"))
	assert.Equal(t, http.StatusAccepted, status)
	w.must(http.StatusNoContent, "DELETE", "/api/storage/pending", nil)
	now := w.get("/api/storage")
	assert.Nil(t, now["pending"])
	w.end()
}

func TestReset(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "localpass.json"), []byte("{}"), 0o600))
	again := make(chan struct{}, 1)
	w := serve(t, &server.Options{Home: home, Restart: func() { again <- struct{}{} }})
	_, _, _ = w.do("POST", "/api/tools", doubler("gone"))
	w.must(http.StatusUnprocessableEntity, "POST", "/api/storage/reset", jsonObject{"confirm": "yes"})
	change := w.must(http.StatusAccepted, "POST", "/api/storage/reset", jsonObject{"confirm": "reset"})
	assert.Equal(t, true, change["restarting"])
	<-again
	w.end()
	w = serve(t, &server.Options{Home: home})
	list := w.get("/api/tools?source=mine")
	assert.EqualValues(t, 0, list["total"])
	assert.FileExists(t, filepath.Join(home, "localpass.json"))
	assert.NoDirExists(t, filepath.Join(home, "_pending"))
	w.end()
}

// The next start completes a restore that was interrupted.
func TestRestoreIsFinished(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	w.publish(doubler("backedUp"))
	_, _, file := w.send("GET", "/api/storage/backup", "")
	w.end()
	pending := filepath.Join(home, "_pending")
	require.NoError(t, os.MkdirAll(filepath.Join(pending, "new", "specs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(pending, "restore.zip"), []byte(file), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(pending, "begun"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(home, "_before"), 0o700))
	require.NoError(t, os.Rename(filepath.Join(home, "receipts"), filepath.Join(home, "_before", "receipts")))
	w = serve(t, &server.Options{Home: home})
	list := w.get("/api/tools?source=mine&state=live")
	assert.EqualValues(t, 1, list["total"])
	w.end()

	require.NoError(t, os.MkdirAll(pending, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(pending, "restore.zip"), []byte("nothing"), 0o600))
	_, err := server.New(context.Background(), &server.Options{Home: home})
	assert.ErrorContains(t, err, "_pending")
}

// A backup cannot make programs start or allow calls without approval.
func TestRestoreIsNotTrusted(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	started := filepath.Join(t.TempDir(), "started")
	status, _, made := w.do("POST", "/api/mcp/servers", jsonObject{
		"id": "mine", "transport": "stdio", "connection": jsonObject{"command": "touch", "args": []string{started}}, "autoConnect": true,
	})
	require.Less(t, status, 300, made)
	for tool, policy := range map[string]string{"open": "ALWAYS_ALLOW", "shut": "ALWAYS_DENY"} {
		status, _, made = w.do("PUT", "/api/mcp/approval-policies", jsonObject{"serverId": "", "toolName": tool, "side": "chat", "policy": policy})
		require.Less(t, status, 300, made)
	}
	status, _, file := w.send("GET", "/api/storage/backup", "")
	require.Equal(t, http.StatusOK, status)
	status, change := w.restore("application/zip", file)
	require.Equal(t, http.StatusAccepted, status, change)
	w.end()

	for range 2 { // the start that restores, and the one after it
		w = serve(t, &server.Options{Home: home})
		one := w.get("/api/mcp/servers/mine")
		assert.Equal(t, "mine", one["id"])
		assert.NotEqual(t, true, one["autoConnect"])
		policies := w.get("/api/mcp/approval-policies")
		items := policies["items"].([]any)
		if assert.Len(t, items, 1) {
			assert.Equal(t, "shut", items[0].(jsonObject)["toolName"])
		}
		w.end()
		assert.NoFileExists(t, started)
		assert.NoFileExists(t, filepath.Join(home, ".restored"))
	}
}

// Only one backup is received at a time.
func TestRestoreOneAtATime(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	out, in := io.Pipe()
	defer in.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/api/storage/restore", out)
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/zip")
	first := make(chan int, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if !assert.NoError(t, err) {
			first <- 0
			return
		}
		res.Body.Close()
		first <- res.StatusCode
	}()
	file := zipped(t, "localpass-backup.json", "specs/a.json")
	_, err = io.WriteString(in, file[:len(file)/2])
	require.NoError(t, err)
	uploads := func() int {
		found, err := filepath.Glob(filepath.Join(home, "_pending", ".upload-*"))
		require.NoError(t, err)
		return len(found)
	}
	require.Eventually(t, func() bool { return uploads() == 1 }, time.Minute, time.Millisecond, "the server receives the first")
	status, problem := w.restore("application/zip", file)
	assert.Equal(t, http.StatusTooManyRequests, status, problem)
	assert.Equal(t, 1, uploads())
	_, err = io.WriteString(in, file[len(file)/2:])
	require.NoError(t, err)
	require.NoError(t, in.Close())
	assert.Equal(t, http.StatusAccepted, <-first)
}
