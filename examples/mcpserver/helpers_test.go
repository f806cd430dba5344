package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec/activity"
)

// toolFile writes a spec with what else it needs and returns its path.
func toolFile(t *testing.T, dir, name, code string, more map[string]any) string {
	t.Helper()
	doc := map[string]any{"name": name, "description": "A test tool.", "codeType": "Javascript", "code": code, "params": []any{}}
	for member, value := range more {
		doc[member] = value
	}
	data, err := json.Marshal(doc)
	require.NoError(t, err)
	file := filepath.Join(dir, name+".json")
	require.NoError(t, os.WriteFile(file, data, 0o644))
	return file
}

func TestFetchThroughTheProgram(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"n":42}`)) }))
	defer server.Close()
	address := server.Listener.Addr().String()
	file := toolFile(t, t.TempDir(), "remote", "return (await fetch('"+server.URL+"')).json().n", map[string]any{
		"sandboxOverrides": map[string]any{"networkMode": "allowlist", "hostsAllow": []string{address}}})

	_, stderr, code := output(t, "call", "-home", t.TempDir(), file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "[fetch] denied: ", "a spec's own list opens nothing internal")

	stdout, stderr, code := output(t, "call", "-home", t.TempDir(), "-allow-host", address, file)
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "42\n", stdout)
}

// What a spec writes down alone opens no internal host: the mode open neither.
func TestOpenNetworkThroughTheProgram(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); w.Write([]byte(`{"n":42}`)) }))
	defer server.Close()
	file := toolFile(t, t.TempDir(), "anywhere", "return (await fetch('"+server.URL+"')).json().n", map[string]any{
		"sandboxOverrides": map[string]any{"networkMode": "open"}})

	stdout, _, code := output(t, "pass", "-json", "-home", t.TempDir(), file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, `"reason":"literal-private-ip"`)
	assert.Zero(t, asked.Load())
	for _, allowed := range []string{server.Listener.Addr().String(), "internal"} {
		stdout, stderr, code := output(t, "pass", "-home", t.TempDir(), "-allow-host", allowed, file)
		require.Equal(t, 0, code, stderr)
		assert.Contains(t, stdout, "PASS anywhere  L4", "the level stays")
	}
	assert.Positive(t, asked.Load())
}

// Recorded exchanges answer for an internal host that nobody allowed: nothing is
// requested.
func TestRecordedInternalHostThroughTheProgram(t *testing.T) {
	t.Parallel()
	file := toolFile(t, t.TempDir(), "models", "return (await fetch('http://localhost:11434/api/tags')).json().models", map[string]any{
		"sandboxOverrides": map[string]any{"networkMode": "allowlist", "hostsAllow": []string{"localhost:11434"}},
		"x-fixtures": map[string]any{"fetch": []any{map[string]any{
			"request":  map[string]any{"method": "GET", "url": "http://localhost:11434/api/tags"},
			"response": map[string]any{"status": 200, "body": `{"models":["one"]}`}}}}})
	stdout, stderr, code := output(t, "pass", "-home", t.TempDir(), file)
	require.Equal(t, 0, code, stdout+stderr)
	_, stderr, code = output(t, "call", "-home", t.TempDir(), file)
	assert.Equal(t, 1, code, "a call requests it")
	assert.Contains(t, stderr, "[fetch] denied: ")
}

func TestFilesThroughTheProgram(t *testing.T) {
	t.Parallel()
	home, workspace := t.TempDir(), t.TempDir()
	file := toolFile(t, t.TempDir(), "notes", "safety.fs.appendText('notes.txt', 'one\\n'); return safety.fs.lineCount('notes.txt') > 0", map[string]any{
		"sandboxOverrides": map[string]any{"fileRead": true, "fileWrite": true}})
	for _, args := range [][]string{{"-home", home}, {"-home", home, "-workspace", workspace}} {
		stdout, stderr, code := output(t, append(append([]string{"call"}, args...), file)...)
		require.Equal(t, 0, code, stderr)
		assert.Equal(t, "true\n", stdout)
	}
	assert.FileExists(t, filepath.Join(home, "workspace", "notes.txt"))
	assert.FileExists(t, filepath.Join(workspace, "notes.txt"))
}

// What a spec writes down alone opens no directory.
func TestOwnBasePathThroughTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := toolFile(t, t.TempDir(), "wide", "safety.fs.writeText('x.txt', 'y'); return safety.fs.list()", map[string]any{
		"sandboxOverrides": map[string]any{"fileRead": true, "fileWrite": true, "fsBasePath": dir}})
	stdout, _, code := output(t, "pass", "-json", "-home", t.TempDir(), file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "fsBasePath")
	assert.NoFileExists(t, filepath.Join(dir, "x.txt"))
	stdout, _, _ = output(t, "inspect", file)
	assert.Contains(t, stdout, "in "+dir)
	stdout, stderr, code := output(t, "call", "-home", t.TempDir(), "-allow-path", dir, file)
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "[\"x.txt\"]\n", stdout)
}

func TestTypeScriptThroughTheProgram(t *testing.T) {
	t.Parallel()
	file := toolFile(t, t.TempDir(), "typed", "interface P { a: number }\nconst p: P = {a: 20}\nlet sum = 0\nfor await (const x of [p.a, Promise.resolve(22)]) sum += x\nreturn sum", map[string]any{
		"x-language": "typescript", "x-limits": map[string]any{"timeoutMs": 2000}})
	stdout, stderr, code := output(t, "call", "-home", t.TempDir(), file)
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "42\n", stdout)
	stdout, _, code = output(t, "inspect", file)
	assert.Equal(t, 0, code)
	assert.Contains(t, stdout, "2s a call")
}

// A pass never changes the workspace, whichever command makes it: a tool that
// removes files is tried on a copy under the same path.
func TestPassInACopyOfTheWorkspace(t *testing.T) {
	t.Parallel()
	workspace, home := t.TempDir(), t.TempDir()
	kept := filepath.Join(workspace, "kept.txt")
	require.NoError(t, os.WriteFile(kept, []byte("mine"), 0o644))
	file := toolFile(t, t.TempDir(), "cleaner", "const text = safety.fs.readText('kept.txt'); safety.fs.delete('kept.txt'); return text + safety.fs.workspace()", map[string]any{
		"sandboxOverrides": map[string]any{"fileRead": true, "fileWrite": true, "destructive": true}, "x-tests": []any{map[string]any{"want": "mine" + workspace}}})

	stdout, stderr, code := output(t, "pass", "-json", "-home", home, "-workspace", workspace, file)
	require.Equal(t, 0, code, stdout+stderr)
	var line passLine
	require.NoError(t, json.Unmarshal([]byte(stdout), &line))
	assert.Equal(t, activity.WorkspaceCopy, line.Workspace)
	assert.FileExists(t, kept)
	_, stderr, code = output(t, "pass", "-trace", "-workspace-real", "-home", home, "-workspace", workspace, file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "-trace")

	for name, args := range map[string][]string{"serve": {"-specs", file}, "watch": {"-watch", "-specs", file}} {
		own := filepath.Join(t.TempDir(), "home") // it has no pass yet
		p := launch(t, append([]string{"-home", own, "-workspace", workspace}, args...)...)
		p.initialize(t)
		p.becomes(t, "2", "cleaner")
		assert.FileExists(t, kept, name)
	}

	// The pass is one for the real workspace: a call needs no other.
	stdout, stderr, code = output(t, "call", "-home", home, "-workspace", workspace, file)
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "mine"+workspace+"\n", stdout)
	assert.NoFileExists(t, kept)

	require.NoError(t, os.WriteFile(kept, []byte("mine"), 0o644))
	stdout, _, code = output(t, "pass", "-home", home, "-workspace", workspace, "-workspace-real", file)
	assert.Equal(t, 1, code, "the second run does not find the file: %s", stdout)
	assert.NoFileExists(t, kept, "that is what -workspace-real means")
}

// What is too large to copy is not tested in its place, and nobody is asked
// without a terminal.
func TestPassInAWorkspaceTooLargeToCopy(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	large, err := os.Create(filepath.Join(workspace, "large"))
	require.NoError(t, err)
	require.NoError(t, large.Truncate(65<<20))
	require.NoError(t, large.Close())
	file := toolFile(t, t.TempDir(), "writer", "safety.fs.writeText('new.txt', 'x'); return safety.fs.readText('new.txt')", map[string]any{
		"sandboxOverrides": map[string]any{"fileRead": true, "fileWrite": true}})
	stdout, _, code := output(t, "pass", "-json", "-home", t.TempDir(), "-workspace", workspace, file)
	assert.Equal(t, 1, code)
	for _, part := range []string{`"reason":"workspace-too-large"`, workspace, "64 MiB", "x-fixtures", "-workspace-real"} {
		assert.Contains(t, stdout, part)
	}
	assert.NoFileExists(t, filepath.Join(workspace, "new.txt"))
	stdout, stderr, code := output(t, "pass", "-home", t.TempDir(), "-workspace", workspace, "-workspace-real", file)
	require.Equal(t, 0, code, stdout+stderr)
	assert.Contains(t, stdout, "in the real workspace")
	assert.FileExists(t, filepath.Join(workspace, "new.txt"))
}
