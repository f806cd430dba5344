package nodecompare_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

// script is one line of a file in testdata: the body of an async function.
type script struct{ name, body string }

func scripts(t testing.TB) []script {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	var all []script
	seen := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			name, body, ok := strings.Cut(line, ": ")
			require.True(t, ok, "%s: %.60s", file, line)
			require.False(t, seen[name], "two scripts are named %s", name)
			seen[name] = true
			all = append(all, script{name, body})
		}
	}
	return all
}

// engine runs a script as the sandbox does and shows what came of it.
func engine(t testing.TB, body string) string {
	t.Helper()
	show, err := os.ReadFile("testdata/show.js")
	require.NoError(t, err)
	_, expression, ok := strings.Cut(string(show), "\n(function")
	require.True(t, ok)
	// The shower is made first: the script may change what it uses.
	code := "const __show = (function" + strings.TrimRight(strings.TrimSpace(expression), ";") + `;
const __string = String;
try {
	return __show(await (async function () {` + body + `
	})());
} catch (e) {
	return "throws " + (e instanceof Error ? __string(e.name) : __show(e));
}`
	program, problems := js.Compile(js.Source{Code: code, Translator: typescript.Translator()}, limits())
	if program == nil {
		return "does not compile: " + problems.Error()
	}
	out := program.Run(t.Context(), &js.Input{Zones: zones.Load})
	if out.Err != nil {
		switch out.Err.Reason {
		case toolspec.ReasonPendingPromise:
			return "never settles"
		case toolspec.ReasonStack:
			return "ended by the call depth"
		}
		return "ended: " + out.Err.Error()
	}
	var shown string
	require.NoError(t, json.Unmarshal(out.Result, &shown))
	return shown
}

func limits() *js.Limits {
	return &js.Limits{SourceBytes: 1 << 20, Nesting: 500, Links: 5000, TreeDepth: 5000, CallDepth: 2048, ValueDepth: 200, ResultNodes: 200_000,
		ResultBytes: 1 << 20, ConsoleLines: 1000, ConsoleBytes: 64 << 10, ErrorRunes: 500, ToolCalls: 100, HostCalls: 100, FillLength: 1 << 20, StringLength: 64 << 20}
}

var zones intl.Zones

// node runs all scripts in one Node process.
func node(t *testing.T, list []script) []string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no node on the PATH; the comparison must run in CI")
		}
		t.Skip("there is no node on the PATH to compare with")
	}
	bodies := make([]string, len(list))
	for i := range list {
		bodies[i] = list[i].body
	}
	input, err := json.Marshal(bodies)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "testdata/run.mjs", "testdata/show.js")
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=en_US.UTF-8", "NODE_OPTIONS=")
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var got struct {
		Version string
		Results []string
	}
	require.NoError(t, json.Unmarshal(out, &got))
	require.Len(t, got.Results, len(list))
	t.Logf("node %s, %d scripts", got.Version, len(list))
	return got.Results
}

func TestSameAsNode(t *testing.T) {
	list := scripts(t)
	require.GreaterOrEqual(t, len(list), 240)
	want := node(t, list)
	used := map[string]bool{}
	for i, s := range list {
		t.Run(s.name, func(t *testing.T) {
			got := engine(t, s.body)
			if d, ok := differences[s.name]; ok {
				used[s.name] = true
				assert.Equal(t, d.ours, got, "%s\nnode gives %s", d.why, want[i])
				return
			}
			assert.Equal(t, want[i], got, s.body)
		})
	}
	for name := range differences {
		assert.True(t, used[name], "the difference %s belongs to no script", name)
	}
}
