package descriptors

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// inherited opens a file as one that this program inherited: close-on-exec is
// not set.
func inherited(t *testing.T, path string) {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
}

func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	listed := func() string {
		cmd := exec.Command("ls", "-l", "/proc/self/fd")
		passed, err := os.Open(os.DevNull)
		require.NoError(t, err)
		defer passed.Close()
		cmd.ExtraFiles = []*os.File{passed}
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.Contains(t, string(out), "3 -> "+os.DevNull, "what is passed arrives")
		return string(out)
	}
	for name, keep := range map[string]func() error{
		"Keep": Keep, "listed": func() error { return keepListed("/proc/self/fd") }, "probed": func() error { return keepListed("/no/such") },
	} {
		inherited(t, path)
		require.Contains(t, listed(), path, "otherwise this test shows nothing")
		require.NoError(t, keep(), name)
		assert.NotContains(t, listed(), path, name)
	}
	require.ErrorContains(t, keepListed("/proc"), "lists")
}
