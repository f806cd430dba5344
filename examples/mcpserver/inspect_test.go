package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec/studio"
)

// jsonLines decodes the lines of a command, by the file that each is about.
func jsonLines[T any](t *testing.T, text string, file func(*T) string) map[string]T {
	t.Helper()
	all := map[string]T{}
	for line := range strings.Lines(text) {
		var one T
		require.NoError(t, json.Unmarshal([]byte(line), &one), line)
		all[file(&one)] = one
	}
	return all
}

// Inspect refuses just the specs that pass refuses before it runs their code.
func TestInspectSaysWhatPassRefuses(t *testing.T) {
	t.Parallel()
	const dir = "testdata/mistakes"
	inspected, _, code := output(t, "inspect", "-json", "-home", t.TempDir(), dir)
	assert.Equal(t, 1, code)
	passed, _, _ := output(t, "pass", "-json", "-home", t.TempDir(), dir)
	lines := jsonLines(t, passed, func(l *passLine) string { return l.File })
	all := jsonLines(t, inspected, func(in *inspection) string { return in.File })
	require.Greater(t, len(all), 40)
	require.Len(t, lines, len(all))
	whileRunning := map[string]bool{"run-failed": true, "case-failed": true, "not-repeatable": true, "run-unfinished": true}
	refused, failed := 0, 0
	for file, in := range all {
		line := lines[file]
		if in.Problems.Err() != nil {
			refused++
			require.False(t, line.OK, file)
			assert.Equal(t, in.Problems.Errors()[0].Reason, line.Error.Reason, file)
			assert.Equal(t, in.State, line.State, file)
		} else if !line.OK {
			failed++
			assert.NotEmpty(t, line.Error.Reason)
			assert.True(t, whileRunning[line.Error.Reason] || line.Error.Kind != "" && line.State == studio.StateTestFailed, "%s: pass refused it without a run (%s), and inspect did not", file, line.Error.Reason)
		}
	}
	assert.Positive(t, refused)
	assert.Positive(t, failed, "some fail only when they run")
}

// The state is that of the home, which inspect leaves as it is.
func TestInspectState(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	file := toolFile(t, dir, "seven", "return 7", nil)
	stdout, stderr, code := output(t, "inspect", "-home", home, file)
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "  state    DRAFT\n")
	assert.NoDirExists(t, home)

	_, stderr, code = output(t, "pass", "-home", home, file)
	require.Equal(t, 0, code, stderr)
	before := tree(t, home)
	stdout, stderr, code = output(t, "inspect", "-home", home, file)
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "  state    ACTIVE\n")
	assert.Equal(t, before, tree(t, home))
}

// tree lists the files below a directory with what is in them.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	}))
	return files
}

// What this runtime or this host does not have is refused, with where it stands.
func TestInspectUnsupported(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	for name, c := range map[string]struct {
		code, want string
		more       map[string]any
	}{
		"syntax":  {"return 1 +", "line 1", nil},
		"module":  {"import x from 'node:fs'; return 1", "line 1", nil},
		"granted": {"return await fetch('https://example.com')", "fetch is not granted", nil},
		"host":    {"return 1", "classes of a Java host", map[string]any{"toolSafety": map[string]any{"runtime": map[string]any{"javaInterop": true}}}},
	} {
		stdout, _, code := output(t, "inspect", "-home", home, toolFile(t, dir, name, c.code, c.more))
		assert.Equal(t, 1, code, name)
		assert.Contains(t, stdout, "  state    UNSUPPORTED\n", name)
		assert.Contains(t, stdout, c.want, name)
		assert.Contains(t, stdout, "  error    ", name)
	}
	// A value that is missing here is said, and is no fault of the spec.
	file := toolFile(t, dir, "keyed", "return API_KEY", map[string]any{"staticVariables": []any{map[string]string{"API_KEY": "${LOCALPASS_TEST_NO_SUCH_KEY}"}}})
	stdout, stderr, code := output(t, "inspect", "-home", home, file)
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "no value for ${LOCALPASS_TEST_NO_SUCH_KEY}")
}
