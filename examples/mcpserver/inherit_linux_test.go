package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server that the program starts inherits no open files of the shell.
func TestServersInheritNoFiles(t *testing.T) {
	dir := t.TempDir()
	path, list := filepath.Join(dir, "secret"), filepath.Join(dir, "list")
	require.NoError(t, os.WriteFile(path, []byte("key"), 0o600))
	secret, err := os.Open(path)
	require.NoError(t, err)
	defer secret.Close()
	cmd := programCommand(t, "inspect", "--", "sh", "-c", "ls -l /proc/self/fd >"+list)
	cmd.ExtraFiles = []*os.File{secret, secret, secret, secret, secret, secret, secret} // descriptors 3 to 9
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "that is no server: %s", out)
	open, err := os.ReadFile(list)
	require.NoError(t, err, string(out))
	assert.Contains(t, string(open), " 1 -> ")
	assert.NotContains(t, string(open), path)
}
