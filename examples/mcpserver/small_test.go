package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/boot"
)

// A file without a spec is no success.
func TestInspectNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "none.json")
	require.NoError(t, os.WriteFile(file, []byte("[]"), 0o600))
	for _, args := range [][]string{{"inspect"}, {"inspect", "-json"}, {"inspect", "-dts"}} {
		text, code := here(t, append(args, file)...)
		assert.Equal(t, 1, code)
		assert.Contains(t, text, "no spec found in "+file)
	}
}

// How JSON is escaped makes no difference between two specs.
func TestDiffReadsEscapes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	for name, want := range map[string]string{"a.json": `"\u0061/é"`, "b.json": `"a\/\u00e9"`} {
		file := filepath.Join(dir, name)
		files = append(files, file)
		require.NoError(t, os.WriteFile(file, []byte(`{"name":"same","description":"A test.","codeType":"Javascript","code":"return 1","params":[],"x-tests":[{"args":{},"want":`+want+`}]}`), 0o600))
	}
	text, code := here(t, "inspect", "-diff", files[0], files[1])
	assert.Equal(t, 0, code)
	assert.Equal(t, "same  no difference\n", text)
}

func TestVersion(t *testing.T) {
	text, code := here(t, "-version")
	assert.Equal(t, 0, code)
	assert.Equal(t, "mcpserver "+boot.Version()+"\n", text)
}

// A tool that wants approval needs a person for its test, and no other code.
func TestServeSaysWhoMustApprove(t *testing.T) {
	t.Parallel()
	file := toolFile(t, t.TempDir(), "careful", "return 1", map[string]any{"humanInTheLoop": map[string]any{"mode": "REQUIRED"}})
	text, code := here(t, "-home", t.TempDir(), "-specs", file)
	assert.Equal(t, 0, code, text)
	assert.Contains(t, text, "careful is not served")
	assert.Contains(t, text, "let a person approve its test")
	assert.NotContains(t, text, "correct the code")
}
