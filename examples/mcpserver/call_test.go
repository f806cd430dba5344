package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCall(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	stdout := mustSucceed(t, "call", "-home", home, "-tool", "hash", "-args", `{"text":"abc","algorithm":"sha256"}`, "../../toolspec/catalog/specs")
	assert.Contains(t, stdout, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
	only := writeSpec(t, dir, "only", "return n * 2;", takesN)
	stdout = mustSucceed(t, "call", "-home", home, "-args", `{"n":21}`, only)
	assert.Equal(t, "42\n", stdout)
	for want, args := range map[string][]string{
		"INVALID_INPUT":  {"-args", `{"n":"x"}`, only},
		`no tool "nope"`: {"-tool", "nope", dir},
		"did not pass":   {writeSpec(t, dir, "bad", "throw 1;")},
	} {
		mustFail(t, 1, want, append([]string{"call", "-home", home}, args...)...)
	}
}

func TestFetchOfAnAllowedHost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"n":42}`)) }))
	defer server.Close()
	address := server.Listener.Addr().String()
	file := writeSpec(t, t.TempDir(), "remote", "return (await fetch('"+server.URL+"')).json().n", jsonObject{
		"sandboxOverrides": jsonObject{"networkMode": "allowlist", "hostsAllow": []string{address}}})

	mustFail(t, 1, "[fetch] denied: ", "call", "-home", t.TempDir(), file)

	stdout := mustSucceed(t, "call", "-home", t.TempDir(), "-allow-host", address, file)
	assert.Equal(t, "42\n", stdout)
}

// A spec alone cannot reach an internal host, not even in network mode open.
func TestOpenModeReachesNoInternalHost(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); w.Write([]byte(`{"n":42}`)) }))
	defer server.Close()
	file := writeSpec(t, t.TempDir(), "anywhere", "return (await fetch('"+server.URL+"')).json().n", jsonObject{
		"sandboxOverrides": jsonObject{"networkMode": "open"}})

	stdout, _ := mustExit(t, 1, "pass", "-json", "-home", t.TempDir(), file)
	assert.Contains(t, stdout, `"reason":"literal-private-ip"`)
	assert.Zero(t, asked.Load())
	for _, allowed := range []string{server.Listener.Addr().String(), "internal"} {
		stdout := mustSucceed(t, "pass", "-home", t.TempDir(), "-allow-host", allowed, file)
		assert.Contains(t, stdout, "PASS anywhere  L4", "the level stays")
	}
	assert.Positive(t, asked.Load())
}

// Recorded exchanges are used also for an internal host that is not allowed. A test then
// sends no request.
func TestRecordedFetchNeedsNoAllowedHost(t *testing.T) {
	t.Parallel()
	file := writeSpec(t, t.TempDir(), "models", "return (await fetch('http://localhost:11434/api/tags')).json().models", jsonObject{
		"sandboxOverrides": jsonObject{"networkMode": "allowlist", "hostsAllow": []string{"localhost:11434"}},
		"x-fixtures": jsonObject{"fetch": []any{jsonObject{
			"request":  jsonObject{"method": "GET", "url": "http://localhost:11434/api/tags"},
			"response": jsonObject{"status": 200, "body": `{"models":["one"]}`}}}}})
	mustSucceed(t, "pass", "-home", t.TempDir(), file)
	mustFail(t, 1, "[fetch] denied: ", "call", "-home", t.TempDir(), file)
}

func TestWorkspaceOfACall(t *testing.T) {
	t.Parallel()
	home, workspace := t.TempDir(), t.TempDir()
	file := writeSpec(t, t.TempDir(), "notes", "safety.fs.appendText('notes.txt', 'one\\n'); return safety.fs.lineCount('notes.txt') > 0", jsonObject{
		"sandboxOverrides": jsonObject{"fileRead": true, "fileWrite": true}})
	for _, args := range [][]string{{"-home", home}, {"-home", home, "-workspace", workspace}} {
		stdout := mustSucceed(t, append(append([]string{"call"}, args...), file)...)
		assert.Equal(t, "true\n", stdout)
	}
	assert.FileExists(t, filepath.Join(home, "workspace", "notes.txt"))
	assert.FileExists(t, filepath.Join(workspace, "notes.txt"))
}

// A spec alone cannot open a folder outside of the workspace.
func TestBasePathNeedsTheOperator(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := writeSpec(t, t.TempDir(), "wide", "safety.fs.writeText('x.txt', 'y'); return safety.fs.list()", jsonObject{
		"sandboxOverrides": jsonObject{"fileRead": true, "fileWrite": true, "fsBasePath": dir}})
	stdout, _ := mustExit(t, 1, "pass", "-json", "-home", t.TempDir(), file)
	assert.Contains(t, stdout, "fsBasePath")
	assert.NoFileExists(t, filepath.Join(dir, "x.txt"))
	stdout, _ = mustExit(t, 1, "inspect", file)
	assert.Contains(t, stdout, "in "+dir)
	stdout = mustSucceed(t, "call", "-home", t.TempDir(), "-allow-path", dir, file)
	assert.Equal(t, "[\"x.txt\"]\n", stdout)
}

func TestCallTypeScript(t *testing.T) {
	t.Parallel()
	file := writeSpec(t, t.TempDir(), "typed", "interface P { a: number }\nconst p: P = {a: 20}\nlet sum = 0\nfor await (const x of [p.a, Promise.resolve(22)]) sum += x\nreturn sum", jsonObject{
		"x-language": "typescript", "x-limits": jsonObject{"timeoutMs": 2000}})
	stdout := mustSucceed(t, "call", "-home", t.TempDir(), file)
	assert.Equal(t, "42\n", stdout)
	stdout = mustSucceed(t, "inspect", file)
	assert.Contains(t, stdout, "2s a call")
}
