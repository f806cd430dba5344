package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/studio"
)

func TestPass(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	good := writeSpec(t, dir, "good", "return {n};", takesN)
	bad := writeSpec(t, dir, "bad", "return missing.value;")
	endless := writeSpec(t, dir, "endless", "while (true) {}", takesN, timeLimit(500))
	stdout, _ := mustExit(t, 1, "pass", "-json", "-home", home, good, bad, endless)
	lines := jsonLines[jsonObject](t, stdout)
	require.Len(t, lines, 3)
	assert.Equal(t, "good", lines[0]["name"])
	assert.Equal(t, true, lines[0]["ok"])
	assert.Equal(t, "L0", lines[0]["level"])
	assert.Equal(t, "ACTIVE", lines[0]["state"])
	assert.Equal(t, good, lines[0]["file"])
	assert.Contains(t, lines[0], "durationMs")
	assert.Equal(t, jsonObject{}, lines[0]["result"])
	e := lines[1]["error"].(jsonObject)
	assert.Equal(t, "TEST_FAILED", lines[1]["state"])
	assert.Equal(t, "JS_ERROR", e["kind"])
	assert.Contains(t, e["message"], "missing")
	assert.Equal(t, "code", e["pointer"])
	assert.Equal(t, "TIMEOUT", lines[2]["error"].(jsonObject)["kind"])

	stdout = mustSucceed(t, "pass", "-home", home, good)
	assert.Contains(t, stdout, "PASS good  L0")
	assert.Contains(t, stdout, "warning", "no case asserts anything")
	stdout, stderr := mustExit(t, 1, "pass", "-strict", "-home", home, good)
	assert.Contains(t, stdout, "FAIL good", stderr)
	mustFail(t, 1, "no spec", "pass", "-home", home, t.TempDir())
	_, stderr = mustExit(t, 1, "pass", "-home", home, "/no/such/file.json")
	assert.NotEmpty(t, stderr)
}

func TestPassBundled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	stdout := mustSucceed(t, "call", "-home", home, "-bundled", "-tool", "hash", "-args", `{"text":"abc"}`)
	assert.Contains(t, stdout, "ba7816bf")
	if !testrun.Full() {
		t.Skip("TestCataloguePasses of toolspec/catalog tests all of them; here they are tested with LOCALPASS_FULL")
	}
	stdout = mustSucceed(t, "pass", "-home", home, "-json", "-strict", "-bundled")
	lines := jsonLines[passLine](t, stdout)
	require.Len(t, lines, len(catalog.Names()))
	missing := 0
	for _, l := range lines {
		assert.True(t, l.OK, l)
		assert.Equal(t, toolspec.TierIsolated, l.Tier)
		assert.True(t, strings.HasPrefix(l.Runtime, "localpass/goja/"), l.Runtime)
		if l.State == studio.StateMissingRequirements {
			missing++
			assert.NotEmpty(t, l.Missing)
			assert.True(t, l.Recorded)
		}
	}
	assert.Positive(t, missing, "tools that need keys are not active")
}

var update = flag.Bool("update", false, "rewrite the golden files")

// Each file has one mistake. The output says where it is, what is wrong and what to do.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const dir = "testdata/mistakes"
	files, err := filepath.Glob(dir + "/*.json")
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	cmd := programCommand(t, "pass", "-home", t.TempDir(), ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	require.Error(t, err, "not every spec passes")
	got := regexp.MustCompile(`  \d+ ms`).ReplaceAllString(string(out), "  N ms")
	got = regexp.MustCompile(`\b[0-9a-f]{64}\b`).ReplaceAllString(got, "HASH")

	golden := filepath.Join(dir, "pass.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	assert.Equal(t, readFile(t, golden), got)

	// Each line names the place and the remedy. A file without an error has a warning.
	place := regexp.MustCompile(`line \d+, column \d+|[A-Z_]+ [a-zA-Z-]+(\[\d+\])?(\.[a-zA-Z]+(\[\d+\])?)*: `)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	reported := map[string]bool{}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "     the same in: "):
			continue // belongs to the line above
		case strings.HasPrefix(line, "PASS "):
			require.Contains(t, lines[i+1], "     warning: ", line)
			reported[strings.Fields(line)[1]] = true
			continue
		case strings.HasPrefix(line, "FAIL "):
			reported[strings.Fields(line)[1]] = true
		}
		assert.Regexp(t, place, line)
		assert.Contains(t, line, "; ")
	}
	for _, file := range files {
		base := filepath.Base(file)
		assert.True(t, reported[base] || reported["greet"+base[:2]] || base[:2] == "55" && reported["hash"], base)
	}
}

// -trace and -write turn a spec that declares nothing into one that passes offline.
func TestTraceAndWrite(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte(`{"answer":42}`))
	}))
	defer server.Close()
	host := server.Listener.Addr().String()
	file := writeSpec(t, t.TempDir(), "asker", "const r = await fetch('http://"+host+"/v1'); return r.json();")
	home := t.TempDir()
	stdout := mustSucceed(t, "pass", "-home", home, "-trace", "-write", "-allow-host", host, file)
	for _, want := range []string{"TRACE asker  L0 -> L3", "used     fetch GET http://" + host + " 200", "propose  hostsAllow: (nothing) becomes " + host} {
		assert.Contains(t, stdout, want)
	}
	assert.Equal(t, 1, asked)
	stdout = mustSucceed(t, "pass", "-home", home, "-allow-host", host, file)
	assert.Contains(t, stdout, "PASS asker  L3")
	assert.Equal(t, 1, asked, "the pass needs no network")
	stdout = mustSucceed(t, "pass", "-home", home, "-allow-host", host, "-trace", "-json", file)
	assert.NotContains(t, stdout, `"changes"`, "traced again, there is nothing to propose")

	bundle := testFile(t, t.TempDir(), "bundle.json", `{"toolSpecs":[{"name":"two","description":"d","codeType":"Javascript","code":"safety.fs.list(); return 1;"}]}`)
	_, stderr := mustExit(t, 1, "pass", "-home", home, "-trace", "-write", bundle)
	assert.Contains(t, stderr, "holds more than one spec")
	stdout, _ = mustExit(t, 1, "pass", "-home", home, "-trace", writeSpec(t, t.TempDir(), "broken", "return {"))
	assert.Contains(t, stdout, "FAIL broken")
}

// Testing a spec never changes the workspace, with any command: a tool that removes files is
// tested with a copy under the same path.
func TestPassInACopyOfTheWorkspace(t *testing.T) {
	t.Parallel()
	workspace, home := t.TempDir(), t.TempDir()
	kept := testFile(t, workspace, "kept.txt", "mine")
	file := writeSpec(t, t.TempDir(), "cleaner", "const text = safety.fs.readText('kept.txt'); safety.fs.delete('kept.txt'); return text + safety.fs.workspace()", jsonObject{
		"sandboxOverrides": jsonObject{"fileRead": true, "fileWrite": true, "destructive": true}, "x-tests": []any{jsonObject{"want": "mine" + workspace}}})

	stdout := mustSucceed(t, "pass", "-json", "-home", home, "-workspace", workspace, file)
	var line passLine
	require.NoError(t, json.Unmarshal([]byte(stdout), &line))
	assert.Equal(t, activity.WorkspaceCopy, line.Workspace)
	assert.FileExists(t, kept)
	mustFail(t, 1, "-trace", "pass", "-trace", "-workspace-real", "-home", home, "-workspace", workspace, file)

	for name, args := range map[string][]string{"serve": {"-specs", file}, "watch": {"-watch", "-specs", file}} {
		own := filepath.Join(t.TempDir(), "home") // it has no pass yet
		p := startServing(t, append([]string{"-home", own, "-workspace", workspace}, args...)...)
		p.waitForTools(t, "cleaner")
		assert.FileExists(t, kept, name)
	}

	// The pass is valid for the real workspace.
	stdout = mustSucceed(t, "call", "-home", home, "-workspace", workspace, file)
	assert.Equal(t, "mine"+workspace+"\n", stdout)
	assert.NoFileExists(t, kept)

	require.NoError(t, os.WriteFile(kept, []byte("mine"), 0o644))
	mustExit(t, 1, "pass", "-home", home, "-workspace", workspace, "-workspace-real", file)
	assert.NoFileExists(t, kept, "-workspace-real uses the real workspace")
}

// A workspace that is too large to copy is not used for a test instead, and without a
// terminal the program does not ask.
func TestPassInAWorkspaceTooLargeToCopy(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	large, err := os.Create(filepath.Join(workspace, "large"))
	require.NoError(t, err)
	require.NoError(t, large.Truncate(65<<20))
	require.NoError(t, large.Close())
	file := writeSpec(t, t.TempDir(), "writer", "safety.fs.writeText('new.txt', 'x'); return safety.fs.readText('new.txt')", jsonObject{
		"sandboxOverrides": jsonObject{"fileRead": true, "fileWrite": true}})
	stdout, _ := mustExit(t, 1, "pass", "-json", "-home", t.TempDir(), "-workspace", workspace, file)
	for _, part := range []string{`"reason":"workspace-too-large"`, workspace, "64 MiB", "x-fixtures", "-workspace-real"} {
		assert.Contains(t, stdout, part)
	}
	assert.NoFileExists(t, filepath.Join(workspace, "new.txt"))
	stdout = mustSucceed(t, "pass", "-home", t.TempDir(), "-workspace", workspace, "-workspace-real", file)
	assert.Contains(t, stdout, "in the real workspace")
	assert.FileExists(t, filepath.Join(workspace, "new.txt"))
}

// The results of "mcpserver pass" apply at once to a server with the same home, also for a
// tool that comes from a file.
func TestPassBesideAServer(t *testing.T) {
	t.Parallel()
	var bad atomic.Bool
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"ok":%t}`, !bad.Load()) }))
	defer backend.Close()
	host, home, dir := backend.Listener.Addr().String(), t.TempDir(), t.TempDir()
	file := writeSpec(t, dir, "fickle", "return (await fetch('"+backend.URL+"')).json()", jsonObject{
		"sandboxOverrides": jsonObject{"networkMode": "allowlist", "hostsAllow": []string{host}},
		"x-tests":          []any{jsonObject{"want": jsonObject{"ok": true}}}})
	steady := writeSpec(t, dir, "steady", "return 1")
	p := startServing(t, "-home", home, "-allow-host", host, "-specs", file, "-specs", steady)
	require.Equal(t, []string{"fickle", "steady"}, p.tools(t))

	bad.Store(true)
	mustExit(t, 1, "pass", "-home", home, "-allow-host", host, file)
	p.waitForTools(t, "steady")
	bad.Store(false)
	mustSucceed(t, "pass", "-home", home, "-allow-host", host, file)
	p.waitForTools(t, "fickle", "steady")
	assert.False(t, p.callTool(t, "fickle", `{}`).IsError)
}
