package nodecompare_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
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

// engine runs a script as the sandbox would and shows what came of it. It is
// the one place that knows which engine that is.
func engine(t testing.TB, body string) string {
	t.Helper()
	vm := goja.New()
	vm.SetMaxCallStackSize(2048)
	p := platform.Install(vm, &platform.Options{Zones: zones.Load, Features: platform.FeaturesIn(body)})
	v, err := vm.RunString("(async function () {" + body + "\n})()")
	var overflow *goja.StackOverflowError
	switch {
	case errors.As(err, &overflow):
		return "ended by the call depth"
	case err != nil:
		return "does not compile: " + err.Error()
	}
	promise := v.Export().(*goja.Promise)
	for timers := p.Timers(); promise.State() == goja.PromiseStatePending; {
		if _, ok := timers.Next(); !ok {
			return "never settles"
		}
		if err := timers.Fire(); err != nil { // no waiting: the clock jumps
			return "a timer failed: " + err.Error()
		}
	}
	if e := p.Uncaught(); e != nil {
		return "uncaught: " + e.Error()
	}
	source, err := os.ReadFile("testdata/show.js")
	require.NoError(t, err)
	shower, err := vm.RunString(string(source))
	require.NoError(t, err)
	show, _ := goja.AssertFunction(shower)
	if promise.State() == goja.PromiseStateRejected {
		if o, ok := promise.Result().(*goja.Object); ok && o.ClassName() == "Error" {
			return "throws " + o.Get("name").String()
		}
		v, err = show(nil, promise.Result())
		require.NoError(t, err)
		return "throws " + v.String()
	}
	v, err = show(nil, promise.Result())
	if err != nil {
		return "cannot be shown: " + err.Error()
	}
	return v.String()
}

var zones platform.Zones

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
	require.GreaterOrEqual(t, len(list), 250)
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
