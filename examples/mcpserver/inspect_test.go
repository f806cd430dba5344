package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/toolspec/studio"
)

// inspect refuses exactly the specs that pass refuses before it runs their code.
func TestInspectSaysWhatPassRefuses(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/mistakes/*.json")
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	files = testrun.Every(4, files, 0)
	inspected, _ := mustExit(t, 1, append([]string{"inspect", "-json", "-home", t.TempDir()}, files...)...)
	passed, _, _ := runProgram(t, append([]string{"pass", "-json", "-home", t.TempDir()}, files...)...)
	lines := map[string]passLine{} // by file
	for _, line := range jsonLines[passLine](t, passed) {
		lines[line.File] = line
	}
	all := jsonLines[inspection](t, inspected)
	require.Len(t, lines, len(all))
	whileRunning := map[string]bool{"run-failed": true, "case-failed": true, "not-repeatable": true, "run-unfinished": true}
	refused, failed := 0, 0
	for _, in := range all {
		file, line := in.File, lines[in.File]
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

// inspect shows the state of the tool in the home, and does not change the home.
func TestInspectState(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	file := writeSpec(t, dir, "seven", "return 7")
	stdout := mustSucceed(t, "inspect", "-home", home, file)
	assert.Contains(t, stdout, "  state    DRAFT\n")
	assert.NoDirExists(t, home)

	mustSucceed(t, "pass", "-home", home, file)
	before := readFiles(t, home)
	stdout = mustSucceed(t, "inspect", "-home", home, file)
	assert.Contains(t, stdout, "  state    ACTIVE\n")
	assert.Equal(t, before, readFiles(t, home))
}

// Specs that need what this runtime or this host does not offer are refused with a position.
func TestInspectUnsupported(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	for name, c := range map[string]struct {
		code, want string
		more       jsonObject
	}{
		"syntax":  {"return 1 +", "line 1", nil},
		"module":  {"import x from 'node:fs'; return 1", "line 1", nil},
		"granted": {"return await fetch('https://example.com')", "fetch is not granted", nil},
		"host":    {"return 1", "classes of a Java host", jsonObject{"toolSafety": jsonObject{"runtime": jsonObject{"javaInterop": true}}}},
	} {
		stdout, _ := mustExit(t, 1, "inspect", "-home", home, writeSpec(t, dir, name, c.code, c.more))
		assert.Contains(t, stdout, "  state    UNSUPPORTED\n", name)
		assert.Contains(t, stdout, c.want, name)
		assert.Contains(t, stdout, "  error    ", name)
	}
	// A missing value is reported, but is not a fault of the spec.
	file := writeSpec(t, dir, "keyed", "return API_KEY", jsonObject{"staticVariables": []any{map[string]string{"API_KEY": "${LOCALPASS_TEST_NO_SUCH_KEY}"}}})
	stdout := mustSucceed(t, "inspect", "-home", home, file)
	assert.Contains(t, stdout, "no value for ${LOCALPASS_TEST_NO_SUCH_KEY}")
}

func TestInspect(t *testing.T) {
	t.Parallel()
	stdout := mustSucceed(t, "inspect", "-json", "../../toolspec/catalog/specs")
	in := jsonLines[inspection](t, stdout)[0]
	assert.NotEmpty(t, in.ToolID)
	assert.Len(t, in.ContentHash, 64)
	assert.Equal(t, "L0", in.Level.String())
	assert.NotNil(t, in.Posture)
	assert.NotEmpty(t, in.InputSchema)

	dir := t.TempDir()
	file := testFile(t, dir, "risky.json", `{"name":"risky","description":"d","codeType":"Javascript","code":"return 1;",
		"staticVariables":[{"key":"${API_KEY}"}],"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["api.example.com"],"fileWrite":true}}`)
	stdout = mustSucceed(t, "inspect", file)
	for _, want := range []string{"risky  L4", "allowlist (api.example.com)", "file write true", "API_KEY", "why"} {
		assert.Contains(t, stdout, want)
	}
	broken := testFile(t, dir, "broken.json", `{"name":"x"}`)
	stdout, _ = mustExit(t, 1, "inspect", broken)
	assert.Contains(t, stdout, broken)
	assert.Contains(t, stdout, "code")
}

func TestInspectTypes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := writeSpec(t, dir, "greet", "return {who}", jsonObject{"params": []any{jsonObject{"name": "who", "type": "STRING", "required": true, "testValue": "Ann"}}})
	stdout := mustSucceed(t, "inspect", "-dts", file)
	assert.Equal(t, "/** A test tool. */\ndeclare function greet(args: {\n  who: string;\n}): Promise<unknown>;\n", stdout)
	stdout = mustSucceed(t, "inspect", "-dts", "../../toolspec/catalog/specs")
	assert.Greater(t, strings.Count(stdout, "declare function "), 100)

	broken := testFile(t, dir, "broken.json", `{"name":"x"}`)
	stdout, stderr := mustExit(t, 1, "inspect", "-dts", dir)
	assert.Contains(t, stdout, "declare function greet(", "the others are declared")
	assert.Contains(t, stderr, broken)
	mustExit(t, 2, "inspect", "-dts", "-json", file)
}

// A file without a spec is an error.
func TestInspectNothing(t *testing.T) {
	t.Parallel()
	file := testFile(t, t.TempDir(), "none.json", "[]")
	for _, args := range [][]string{{"inspect"}, {"inspect", "-json"}, {"inspect", "-dts"}} {
		text, code := allOutput(t, append(args, file)...)
		assert.Equal(t, 1, code)
		assert.Contains(t, text, "no spec found in "+file)
	}
}
