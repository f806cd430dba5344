package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWorkerInheritsNothing: a file that the program inherited does not reach
// its workers.
func TestWorkerInheritsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte("key"), 0o600))
	secret, err := os.Open(path)
	require.NoError(t, err)
	defer secret.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{testName + "-parent-worker"}
	cmd.ExtraFiles = []*os.File{secret, secret, secret, secret, secret, secret, secret} // 3 to 9
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "\n4 pipe:", "it has its own")
	assert.NotContains(t, string(out), path)
}
