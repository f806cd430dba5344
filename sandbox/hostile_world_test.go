//go:build !race && linux

package sandbox_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

// hostileRequest is the run of a script, with what the mark of its name grants:
// site is the address of a server, dir a workspace.
func hostileRequest(h hostile, site, dir string, limit time.Duration) *toolspec.RunRequest {
	req := request(h.code)
	req.Posture.Limits.Timeout = limit
	switch {
	case strings.HasPrefix(h.name, inTypeScript):
		req.Spec.Language = toolspec.LanguageTypeScript
	case strings.HasPrefix(h.name, onFiles):
		req.Posture.FileRead, req.Posture.FileWrite, req.Posture.Destructive = true, true, true
		req.Posture.FSBasePath = dir
	case strings.HasPrefix(h.name, onNetwork):
		req.Globals = []toolspec.Global{{Name: "base", Value: json.RawMessage(`"http://` + site + `"`)}}
		req.Posture.Network = toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{site}}
	}
	return req
}

// hostileWorkspace is a directory with a big file, one of many lines, a hundred
// entries, links that lead out and around, and a pipe. Only the scripts on files
// have one.
func hostileWorkspace(t *testing.T, h hostile) string {
	t.Helper()
	if !strings.HasPrefix(h.name, onFiles) {
		return ""
	}
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("big.txt", strings.Repeat(strings.Repeat("a", 1<<16)+"\n", 64))
	write("lines.txt", strings.Repeat("a b c d\n", 50_000))
	for i := range 100 {
		sub := filepath.Join("tree", strconv.Itoa(i%10))
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
		write(filepath.Join(sub, "file"+strconv.Itoa(i)), "aaaa")
	}
	require.NoError(t, os.Symlink(".", filepath.Join(dir, "loop")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "out")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	return dir
}

// hostileSite is a server on loopback that does not behave, by its address.
func hostileSite(t *testing.T) string {
	t.Helper()
	var bomb bytes.Buffer
	z, err := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	require.NoError(t, err)
	for range 256 {
		_, err = z.Write(make([]byte, 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	text := []byte(strings.Repeat("0123456789abcdef", 1<<12))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flush := http.NewResponseController(w).Flush
		switch r.URL.Path {
		case "/silent":
			<-r.Context().Done()
		case "/stream":
			for _, err := w.Write(text); err == nil; {
				_, err = w.Write(text)
			}
		case "/drip":
			for tick := time.NewTicker(time.Millisecond); ; {
				_, _ = w.Write([]byte("x"))
				_ = flush()
				select {
				case <-r.Context().Done():
					tick.Stop()
					return
				case <-tick.C:
				}
			}
		case "/redirect":
			http.Redirect(w, r, "/redirect", http.StatusFound)
		case "/headers":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			_, err = conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for err == nil {
				_, err = conn.Write([]byte("X-More: " + strings.Repeat("y", 1000) + "\r\n"))
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/big":
			_, _ = w.Write(bytes.Repeat(text, 1<<4))
		}
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// fingerprintCode tells what every global is and has, in one text: a run that
// sees other globals than the first one sees what an earlier one left behind.
const fingerprintCode = `
	const seen = new Set(), out = []
	const look = (o, path) => {
		if (o === null || typeof o !== 'object' && typeof o !== 'function' || seen.has(o)) return
		seen.add(o)
		for (const key of Reflect.ownKeys(o)) {
			const p = Reflect.getOwnPropertyDescriptor(o, key), at = path + '.' + String(key)
			out.push(at + (p.writable ? 'w' : '') + (p.enumerable ? 'e' : '') + (p.configurable ? 'c' : ''))
			for (const part of [p.value, p.get, p.set]) {
				if (typeof part === 'function') out.push(Function.prototype.toString.call(part))
				else if (typeof part !== 'object') out.push(String(part))
				if (path.split('.').length < 3) look(part, at)
			}
		}
		look(Reflect.getPrototypeOf(o), path + '^')
	}
	look(globalThis, '')
	let sum = 0
	for (const c of out.join()) sum = (sum * 31 + c.codePointAt(0)) % 4294967291
	return [out.length, sum]`
