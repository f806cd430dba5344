package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// setSecret stores a value that the program reads from stdin.
func setSecret(t *testing.T, home, name, value string) (output string, err error) {
	t.Helper()
	cmd := programCommand(t, "secret", "set", "-home", home, name)
	cmd.Stdin = strings.NewReader(value)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for name, value := range map[string]string{"FIRST": "sesame-1\n", "SECOND": " two\nlines "} {
		out, err := setSecret(t, home, name, value)
		require.NoError(t, err, out)
		assert.NotContains(t, out, "sesame")
	}
	list := mustSucceed(t, "secret", "list", "-home", home)
	assert.Regexp(t, `^FIRST +2\S+\nSECOND +2\S+\n$`, list)
	lines := jsonLines[secretLine](t, mustSucceed(t, "secret", "list", "-json", "-home", home))
	require.Len(t, lines, 2)
	assert.True(t, lines[0].Readable)
	for path, content := range readFiles(t, home) {
		assert.NotContains(t, content, "sesame", path)
	}

	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "secrets.key"), make([]byte, 32), 0o600))
	assert.Contains(t, mustSucceed(t, "secret", "list", "-home", home), "does not open it")
	mustSucceed(t, "secret", "remove", "-home", home, "FIRST", "SECOND")
	assert.Empty(t, mustSucceed(t, "secret", "list", "-home", home))
}

func TestSecretRefused(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, value := range []string{"", "\n", strings.Repeat("x", maxSecretValue+1)} {
		out, err := setSecret(t, home, "NAME", value)
		require.Error(t, err)
		assert.Contains(t, out, "must have 1 to 16384 bytes")
	}
	out, err := setSecret(t, home, "NAME=sesame", "x")
	require.Error(t, err)
	assert.Contains(t, out, "the value is read from the terminal or stdin")
	assert.NotContains(t, out, "sesame")
	mustFail(t, 1, "no value is stored as NAME", "secret", "remove", "-home", home, "NAME")
	mustFail(t, 2, "list, set or remove", "secret")
	mustFail(t, 2, "secret set", "secret", "set", "-home", home)
	mustFail(t, 2, "secret set", "secret", "set", "-home", home, "A", "B")
	assert.Empty(t, mustSucceed(t, "secret", "list", "-home", home))
}
