package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/studio"
)

// changed reads until the client is told that the list of tools changed.
func (p *program) changed(t *testing.T) {
	t.Helper()
	for p.news == 0 {
		line, err := p.stdout.ReadString('\n')
		require.NoError(t, err, p.stderr)
		if strings.Contains(line, listChanged) {
			p.news++
		}
	}
	p.news--
}

// An editor on one side and a client on the other: what is saved is served.
func TestWatchOverStdio(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec(t, dir, "first", "return 1;")
	p := launch(t, "-home", t.TempDir(), "-specs", dir, "-watch")
	p.initialize(t)
	require.Equal(t, []string{"first"}, p.tools(t, "2"))

	spec(t, dir, "second", "return 2;")
	p.becomes(t, "3", "first", "second")
	assert.Equal(t, "2", p.call(t, "4", "second", `{}`).Content[0].Text)

	spec(t, dir, "second", "throw new Error('out of cheese');")
	p.becomes(t, "5", "first") // what does not pass is not served, in no version
	spec(t, dir, "second", "return 22;")
	p.becomes(t, "6", "first", "second")
	assert.Equal(t, "22", p.call(t, "6", "second", `{}`).Content[0].Text)

	require.NoError(t, os.RemoveAll(dir))
	p.becomes(t, "7")
	for _, want := range []string{"first is served, passed in", "second is not served:", "out of cheese", "second was withdrawn"} {
		assert.Eventually(t, func() bool { return strings.Contains(p.stderr.String(), want) }, patience, 10*time.Millisecond, "%s in %s", want, p.stderr)
	}

	_, stderr, code := output(t, "-home", t.TempDir(), "-watch")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "-watch follows the files of -specs")
}

func toolNames(t *testing.T, lines string) (all, active []string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var tool bundledTool
		require.NoError(t, json.Unmarshal([]byte(line), &tool))
		all = append(all, tool.Name)
		if tool.Active {
			active = append(active, tool.Name)
		}
	}
	return all, active
}

// Flags win over what the home remembers, and that over the default preset.
func TestActivation(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	active := func(args ...string) []string {
		t.Helper()
		stdout, stderr, code := output(t, append([]string{"tools", "-home", home, "-json"}, args...)...)
		require.Zero(t, code, stderr)
		all, active := toolNames(t, stdout)
		assert.Equal(t, catalog.Names(), all)
		return active
	}
	starter := []string{"evalExpression", "extractPageContent", "getCurrentTime", "getWeather", "searchWikipedia"}
	assert.Equal(t, starter, active())
	assert.Equal(t, []string{"hash", "uuid"}, active("-preset", "custom", "-tools", "uuid,hash"))
	assert.Equal(t, starter, active(), "what was not saved is not remembered")
	assert.Equal(t, []string{"stats", "uuid"}, active("-preset", "custom", "-tools", "stats,uuid", "-save"))
	assert.Equal(t, []string{"stats", "uuid"}, active())
	assert.Equal(t, []string{"hash", "uuid"}, active("-tools", "-stats,+hash"), "changes are made to what is remembered")

	p := launch(t, "-home", home)
	p.initialize(t)
	assert.Equal(t, []string{"stats", "uuid"}, p.tools(t, "2"), p.stderr)
	p = launch(t, "-home", home, "-preset", "custom", "-tools", "hash")
	p.initialize(t)
	assert.Contains(t, p.tools(t, "2"), "hash")
	dir := t.TempDir()
	spec(t, dir, "mine", "return 1;")
	p = launch(t, "-home", t.TempDir(), "-specs", dir, "-tools", "-getWeather,-searchWikipedia,-extractPageContent")
	p.initialize(t)
	assert.Equal(t, []string{"evalExpression", "getCurrentTime", "mine"}, p.tools(t, "2"), p.stderr)

	for _, args := range [][]string{{"-preset", "nothing"}, {"-tools", "+nothing"}, {"-tools", "+readTextFiles"}} {
		_, stderr, code := output(t, append([]string{"tools", "-home", home}, args...)...)
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, "there is no")
	}
}

func TestPassBundled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	stdout, stderr, code := output(t, "pass", "-home", home, "-json", "-strict", "-bundled")
	require.Zero(t, code, stdout+stderr)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, len(catalog.Names()))
	missing := 0
	for _, line := range lines {
		var l passLine
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		assert.True(t, l.OK, line)
		assert.Equal(t, toolspec.TierIsolated, l.Tier)
		assert.True(t, strings.HasPrefix(l.Runtime, "localpass/goja/"), l.Runtime)
		if l.State == studio.StateMissingRequirements {
			missing++
			assert.NotEmpty(t, l.Missing)
			assert.True(t, l.Recorded)
		}
	}
	assert.Positive(t, missing, "tools with keys wait for them")
	stdout, stderr, code = output(t, "call", "-home", home, "-bundled", "-tool", "hash", "-args", `{"text":"abc"}`)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "ba7816bf")
}

// From a spec that declares nothing to one that passes offline.
func TestTraceAndWrite(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte(`{"answer":42}`))
	}))
	defer server.Close()
	host := server.Listener.Addr().String()
	file := spec(t, t.TempDir(), "asker", "const r = await fetch('http://"+host+"/v1'); return r.json();")
	home := t.TempDir()
	stdout, _, code := output(t, "pass", "-home", home, "-trace", "-write", "-allow-host", host, file)
	require.Zero(t, code, stdout)
	for _, want := range []string{"TRACE asker  L0 -> L3", "used     fetch GET http://" + host + " 200", "propose  hostsAllow: (nothing) becomes " + host} {
		assert.Contains(t, stdout, want)
	}
	assert.Equal(t, 1, asked)
	stdout, _, code = output(t, "pass", "-home", home, "-allow-host", host, file)
	require.Zero(t, code, stdout)
	assert.Contains(t, stdout, "PASS asker  L3")
	assert.Equal(t, 1, asked, "the pass needs no network")
	stdout, _, code = output(t, "pass", "-home", home, "-allow-host", host, "-trace", "-json", file)
	require.Zero(t, code, stdout)
	assert.NotContains(t, stdout, `"changes"`, "traced again, there is nothing to propose")

	bundle := filepath.Join(t.TempDir(), "bundle.json")
	require.NoError(t, os.WriteFile(bundle, []byte(`{"toolSpecs":[{"name":"two","description":"d","codeType":"Javascript","code":"safety.fs.list(); return 1;"}]}`), 0o644))
	stdout, stderr, code := output(t, "pass", "-home", home, "-trace", "-write", bundle)
	assert.Equal(t, 1, code, stdout)
	assert.Contains(t, stderr, "holds more than one spec")
	stdout, _, code = output(t, "pass", "-home", home, "-trace", spec(t, t.TempDir(), "broken", "return {"))
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "FAIL broken")
}

// A folder goes out as one bundle, and comes in as drafts.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	spec(t, from, "one", "return 1;")
	spec(t, from, "two", "return 2;")
	bundle := filepath.Join(to, "bundle.json")
	_, stderr, code := output(t, "export", "-o", bundle, from)
	require.Zero(t, code, stderr)
	_, stderr, code = output(t, "export", "-o", bundle, from)
	assert.Equal(t, 1, code, "what is there is left alone")
	assert.Contains(t, stderr, "exists")
	single, _, code := output(t, "export", filepath.Join(from, "one.json"))
	require.Zero(t, code)
	assert.Contains(t, single, `"name": "one"`)

	in := t.TempDir()
	stdout, _, code := output(t, "import", "-in", in, "-dry-run", bundle)
	require.Zero(t, code, stdout)
	entries, err := os.ReadDir(in)
	require.NoError(t, err)
	assert.Empty(t, entries)
	stdout, _, code = output(t, "import", "-in", in, bundle)
	require.Zero(t, code, stdout)
	assert.Contains(t, stdout, "imported two  L0")
	stdout, _, code = output(t, "pass", "-home", t.TempDir(), in)
	require.Zero(t, code, stdout)
	stdout, _, code = output(t, "import", "-in", in, bundle)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "skipped  one")

	bad := filepath.Join(to, "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`[{"name":"../evil","code":"return 1;","codeType":"Javascript"},{"name":"nocode"},
		{"name":"good","code":"return 1;","codeType":"Javascript","draft":false,"x-local-pass":{"hash":"x"}}]`), 0o644))
	stdout, _, code = output(t, "import", "-in", in, bad)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, `refused  "../evil" is no name for a file`)
	assert.Contains(t, stdout, "refused  ")
	assert.Contains(t, stdout, "imported good")
	data, err := os.ReadFile(filepath.Join(in, "good.json"))
	require.NoError(t, err)
	assert.Contains(t, string(data), `"draft": true`)
}
