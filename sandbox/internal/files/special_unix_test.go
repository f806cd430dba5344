//go:build unix

package files_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
)

// Pipes, sockets and devices are not opened: a pipe would hold the run up.
func TestSpecialFiles(t *testing.T) {
	t.Setenv("TMPDIR", "/tmp") // not in /dev, which may be read here
	w := newWorld(t, func(_ *world, s *files.Scope) { s.ReadRoots = []string{"/dev", "/proc"} })
	w.write("ws/in.txt", "CANARY")
	require.NoError(t, syscall.Mkfifo(filepath.Join(w.ws, "pipe"), 0o600))
	t.Chdir(w.ws) // the name of a socket is short
	socket, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer socket.Close()
	for _, path := range []string{"pipe", "socket", "/dev/zero", "/dev/null"} {
		require.NoError(t, w.vm.Set("P", path))
		for _, use := range everyUse {
			want := "SECURITY special-file"
			switch {
			case strings.Contains(use, "list"):
				want = "INVALID_INPUT not-a-directory"
			case strings.Contains(use, "find"):
				want = "INVALID_INPUT find-not-a-directory"
			case strings.Contains(use, "search"):
				want = "INVALID_INPUT search-not-a-directory"
			case strings.Contains(use, "stat"):
				continue
			}
			assert.Equal(t, want, w.eval(use), "%s of %s", use, path)
		}
		assert.Equal(t, "true", w.eval(`fs.exists(P)`))
		if strings.HasPrefix(path, "/") {
			continue
		}
		for _, use := range everyWrite {
			if !strings.Contains(use, "delete") {
				assert.Equal(t, "SECURITY special-file", w.eval(use), "%s of %s", use, path)
			}
		}
	}
	assert.Equal(t, `[]`, w.eval(`fs.searchInFiles('.', 'pipe', '.')`))
	assert.Equal(t, `INVALID_INPUT deletedir-not-a-directory`, w.eval(`fs.deleteDir('pipe')`))
	assert.Equal(t, `true`, w.eval(`fs.delete('pipe')`))
	if runtime.GOOS == "linux" {
		// Links that the system makes up lead out like any other.
		require.NoError(t, w.vm.Set("ROOT", "/proc/self/root"+filepath.ToSlash(w.outside)+"/secret.txt"))
		assert.Equal(t, `SECURITY path-escapes-base`, w.eval(`fs.readText(ROOT)`))
		assert.Equal(t, `"CANARY"`, w.eval(`fs.readText('/proc/self/cwd/in.txt')`))
	}
}

// What is a file now and a pipe then never holds a read up.
func TestRaceWithPipe(t *testing.T) {
	w := newWorld(t)
	w.write("ws/d/x", "inside")
	pipe, file := filepath.Join(w.dir, "pipe"), filepath.Join(w.dir, "file")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	w.write("file", "inside")
	stop := swap(t, func() {
		_ = os.Rename(pipe, filepath.Join(w.ws, "d", "x"))
		_ = os.Rename(filepath.Join(w.ws, "d", "x"), pipe)
		_ = os.Rename(file, filepath.Join(w.ws, "d", "x"))
		_ = os.Rename(filepath.Join(w.ws, "d", "x"), file)
	})
	defer stop()
	for range 1000 {
		if got := w.eval(`fs.readText('d/x')`); got != `"inside"` && got != `""` && got != "HELPER_RUNTIME io" && got != "SECURITY special-file" {
			t.Fatal(got)
		}
		if got := w.eval(`fs.list('d/x')`); got != "[]" && got != "INVALID_INPUT not-a-directory" {
			t.Fatal(got)
		}
		if got := w.eval(`fs.appendText('d/x', '')`); got != `"WS/d/x"` && got != "SECURITY special-file" && got != "HELPER_RUNTIME io" {
			t.Fatal(got)
		}
	}
}
