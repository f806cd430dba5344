package server_test

import (
	"archive/zip"
	"bytes"
	"context"
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

func (w *world) raw(method, path, media string, body []byte) (int, http.Header, []byte) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, bytes.NewReader(body))
	require.NoError(w.t, err)
	req.Header.Set("Content-Type", media)
	if body == nil {
		req.Body, req.ContentLength = http.NoBody, 0
		req.Header.Del("Content-Type")
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(w.t, err)
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	return res.StatusCode, res.Header, out
}

func (w *world) end() {
	w.stop()
	require.NoError(w.t, w.Close())
}

// A backup brings tools and their passes back, leaves secrets where they are, and
// keeps what it replaced.
func TestBackup(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	w.publish(doubler("backedUp"))
	status, _, _ := w.do("PUT", "/api/secrets/KEPT_KEY", map[string]any{"value": "the value that is kept"})
	require.Equal(t, http.StatusNoContent, status)
	status, h, file := w.raw("GET", "/api/storage/backup", "", nil)
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, h.Get("Content-Disposition"), "attachment")
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	for _, f := range z.File {
		assert.NotRegexp(t, "^(keys|approval-keys|secrets|mcp-oauth|workspace)/", f.Name)
		assert.NotContains(t, f.Name, ".lock")
	}
	status, _, _ = w.do("POST", "/api/tools", doubler("cameLater"))
	require.Equal(t, http.StatusCreated, status)
	status, _, change := w.doRaw("POST", "/api/storage/restore", "application/zip", file)
	require.Equal(t, http.StatusAccepted, status, change)
	assert.Equal(t, false, change["restarting"])
	_, _, now := w.do("GET", "/api/storage", nil)
	assert.Equal(t, "restore", now["pending"])
	w.end()

	w = serve(t, &server.Options{Home: home})
	_, _, list := w.do("GET", "/api/tools?source=mine", nil)
	require.EqualValues(t, 1, list["total"])
	one := list["items"].([]any)[0].(map[string]any)
	assert.Equal(t, "backedUp", one["name"])
	assert.Equal(t, true, one["live"], "its pass is still one")
	_, _, secrets := w.do("GET", "/api/secrets", nil)
	assert.Equal(t, "stored", secrets["items"].([]any)[0].(map[string]any)["origin"])
	_, _, now = w.do("GET", "/api/storage", nil)
	assert.Nil(t, now["pending"])
	assert.Equal(t, true, now["before"])
	assert.Positive(t, now["bytes"])
	w.end()
}

func (w *world) doRaw(method, path, media string, body []byte) (int, http.Header, map[string]any) {
	w.t.Helper()
	status, h, raw := w.raw(method, path, media, body)
	return status, h, decode(w.t, raw)
}

func zipped(t *testing.T, names ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		f, err := z.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(`{"format":"localpass-backup","version":1}`))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// unpackable is a backup with a file whose bytes are no stream that was packed.
func unpackable(t *testing.T) []byte {
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
	return b.Bytes()
}

// Nothing that is no backup is taken on, and nothing gets out of the home.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	const mark = "localpass-backup.json"
	for name, file := range map[string][]byte{
		"no zip": []byte("nothing"), "without its mark": zipped(t, "specs/a.json"), "empty": zipped(t), "out of the home": zipped(t, mark, "../out.json"),
		"an absolute name": zipped(t, mark, "/etc/x"), "keys": zipped(t, mark, "keys/receipts.json"), "secrets": zipped(t, mark, "secrets/A.json"), "settings": zipped(t, mark, "localpass.json"),
		"a hidden file": zipped(t, mark, "specs/.lock"), "a way round": zipped(t, mark, "specs/../keys/x"), "a backslash": zipped(t, mark, `specs\a.json`), "pending": zipped(t, mark, "_pending/reset"),
		"a folder in other letters": zipped(t, mark, "KEYS/receipts.json"), "settings in other letters": zipped(t, mark, "LocalPass.json"), "secrets with a dot": zipped(t, mark, "secrets./A.json"),
		"twice": zipped(t, mark, "specs/a.json", "specs/a.json"), "twice on some disks": zipped(t, mark, "specs/a.json", "Specs/A.json"), "a file and a folder": zipped(t, mark, "specs", "specs/a.json"),
		"a folder and a file": zipped(t, mark, "specs/a/b.json", "specs/a"), "a long name": zipped(t, mark, "specs/"+strings.Repeat("a", 300)+".json"), "a line break": zipped(t, mark, "specs/a\nb.json"),
		"a stream of a file": zipped(t, mark, "specs/a.json:b"), "letters from right to left": zipped(t, mark, "specs/\u202ea.json"), "its mark twice": zipped(t, mark, "localpass-backup.json", "localpass-backup.json"),
		"bytes that do not unpack": unpackable(t),
		"damaged":                  bytes.Replace(zipped(t, mark, "specs/a.json"), []byte{0x50, 0x4b, 0x01, 0x02}, []byte{0x50, 0x4b, 0x01, 0x03}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			status, _, problem := w.doRaw("POST", "/api/storage/restore", "application/zip", file)
			assert.Equal(t, http.StatusUnprocessableEntity, status, problem)
			_, _, now := w.do("GET", "/api/storage", nil)
			assert.Nil(t, now["pending"])
		})
	}
	status, _, _ := w.doRaw("POST", "/api/storage/restore", "application/json", []byte("{}"))
	assert.Equal(t, http.StatusUnsupportedMediaType, status)
	status, _, _ = w.doRaw("POST", "/api/storage/restore", "application/zip", zipped(t, mark, "specs/a.json"))
	assert.Equal(t, http.StatusAccepted, status)
	status, _, _ = w.do("DELETE", "/api/storage/pending", nil)
	assert.Equal(t, http.StatusNoContent, status)
	_, _, now := w.do("GET", "/api/storage", nil)
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
	status, _, _ := w.do("POST", "/api/storage/reset", map[string]any{"confirm": "yes"})
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	status, _, change := w.do("POST", "/api/storage/reset", map[string]any{"confirm": "reset"})
	assert.Equal(t, http.StatusAccepted, status)
	assert.Equal(t, true, change["restarting"])
	<-again
	w.end()
	w = serve(t, &server.Options{Home: home})
	_, _, list := w.do("GET", "/api/tools?source=mine", nil)
	assert.EqualValues(t, 0, list["total"])
	assert.FileExists(t, filepath.Join(home, "localpass.json"))
	assert.NoDirExists(t, filepath.Join(home, "_pending"))
	w.end()
}

// What was broken off in the middle is finished by the next start.
func TestRestoreIsFinished(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	w.publish(doubler("backedUp"))
	_, _, file := w.raw("GET", "/api/storage/backup", "", nil)
	w.end()
	pending := filepath.Join(home, "_pending")
	require.NoError(t, os.MkdirAll(filepath.Join(pending, "new", "specs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(pending, "restore.zip"), file, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(pending, "begun"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(home, "_before"), 0o700))
	require.NoError(t, os.Rename(filepath.Join(home, "receipts"), filepath.Join(home, "_before", "receipts")))
	w = serve(t, &server.Options{Home: home})
	_, _, list := w.do("GET", "/api/tools?source=mine&state=live", nil)
	assert.EqualValues(t, 1, list["total"])
	w.end()

	require.NoError(t, os.MkdirAll(pending, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(pending, "restore.zip"), []byte("nothing"), 0o600))
	_, err := server.New(context.Background(), &server.Options{Home: home})
	assert.ErrorContains(t, err, "_pending")
}

// Who made a backup does not choose what happens here unasked: which programs start,
// and which calls nobody has to approve.
func TestRestoreIsNotTrusted(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	started := filepath.Join(t.TempDir(), "started")
	status, _, made := w.do("POST", "/api/mcp/servers", map[string]any{
		"id": "mine", "transport": "stdio", "connection": map[string]any{"command": "touch", "args": []string{started}}, "autoConnect": true,
	})
	require.Less(t, status, 300, made)
	for tool, policy := range map[string]string{"open": "ALWAYS_ALLOW", "shut": "ALWAYS_DENY"} {
		status, _, made = w.do("PUT", "/api/mcp/approval-policies", map[string]any{"serverId": "", "toolName": tool, "side": "chat", "policy": policy})
		require.Less(t, status, 300, made)
	}
	status, _, file := w.raw("GET", "/api/storage/backup", "", nil)
	require.Equal(t, http.StatusOK, status)
	status, _, change := w.doRaw("POST", "/api/storage/restore", "application/zip", file)
	require.Equal(t, http.StatusAccepted, status, change)
	w.end()

	for range 2 { // the start that brings it back, and the one after
		w = serve(t, &server.Options{Home: home})
		_, _, one := w.do("GET", "/api/mcp/servers/mine", nil)
		assert.Equal(t, "mine", one["id"])
		assert.NotEqual(t, true, one["autoConnect"])
		_, _, policies := w.do("GET", "/api/mcp/approval-policies", nil)
		items := policies["items"].([]any)
		if assert.Len(t, items, 1) {
			assert.Equal(t, "shut", items[0].(map[string]any)["toolName"])
		}
		w.end()
		assert.NoFileExists(t, started)
		assert.NoFileExists(t, filepath.Join(home, ".restored"))
	}
}

// A backup that is being sent takes the place of one: the next waits for its end.
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
	_, err = in.Write(file[:len(file)/2])
	require.NoError(t, err)
	uploads := func() int {
		found, err := filepath.Glob(filepath.Join(home, "_pending", ".upload-*"))
		require.NoError(t, err)
		return len(found)
	}
	require.Eventually(t, func() bool { return uploads() == 1 }, time.Minute, time.Millisecond, "the first is being taken in")
	status, _, problem := w.doRaw("POST", "/api/storage/restore", "application/zip", file)
	assert.Equal(t, http.StatusTooManyRequests, status, problem)
	assert.Equal(t, 1, uploads())
	_, err = in.Write(file[len(file)/2:])
	require.NoError(t, err)
	require.NoError(t, in.Close())
	assert.Equal(t, http.StatusAccepted, <-first)
}
