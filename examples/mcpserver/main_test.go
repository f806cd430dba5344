package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/smoke/peer"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
)

// The test binary is the program when this is set: what these tests talk to is
// a process of its own.
const asProgram = "MCPSERVER_TEST_AS_PROGRAM"

// patience is how long a test waits for what must happen, and the program under
// test for its specs. Only what hangs takes as long, on the slowest machine too.
const patience = time.Minute

func TestMain(m *testing.M) {
	sandbox.Main(typescript.Engine())
	peer.Main()
	admitPatience = patience
	if os.Getenv(asProgram) != "" {
		if os.Getenv(asProgram) == hasty {
			admitPatience = 0
		}
		main()
	}
	testrun.InMemory()
	testrun.Parallel(4)
	os.Exit(m.Run())
}

// hasty, as the value of asProgram, makes a program that waits for no spec.
const hasty = "hasty"

// program is one run of the program.
type program struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *syncBuffer
	news   int // notices of a changed list that came while something else was waited for
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// output runs the program to its end, in this process: [program] is for what its
// process proves.
func output(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, errs syncBuffer
	code = run(ctx, args, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

func launch(t *testing.T, args ...string) *program {
	t.Helper()
	return start(t, command(t, args...))
}

func start(t *testing.T, cmd *exec.Cmd) *program {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	p := &program{cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout), stderr: &syncBuffer{}}
	cmd.Stderr = p.stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	return p
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (p *program) send(t *testing.T, line string) {
	t.Helper()
	_, err := io.WriteString(p.stdin, line+"\n")
	require.NoError(t, err)
}

// answer reads until the response with this id.
func (p *program) answer(t *testing.T, id string) message {
	t.Helper()
	for {
		line, err := p.stdout.ReadString('\n')
		require.NoError(t, err, p.stderr)
		var m message
		require.NoError(t, json.Unmarshal([]byte(line), &m), "stdout carries only messages: %s", line)
		if m.Method == listChanged {
			p.news++
		}
		if string(m.ID) == id {
			return m
		}
	}
}

func (p *program) initialize(t *testing.T) {
	t.Helper()
	p.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	p.answer(t, "1")
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

type callResult struct {
	IsError bool `json:"isError"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Meta map[string]struct {
		Kind, Reason, Component string
	} `json:"_meta"`
}

func (p *program) call(t *testing.T, id, name, args string) callResult {
	t.Helper()
	p.send(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"`+name+`","arguments":`+args+`}}`)
	m := p.answer(t, id)
	require.Nil(t, m.Error)
	var result callResult
	require.NoError(t, json.Unmarshal(m.Result, &result))
	return result
}

func (p *program) tools(t *testing.T, id string) []string {
	t.Helper()
	p.send(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"}`)
	var list struct{ Tools []struct{ Name string } }
	require.NoError(t, json.Unmarshal(p.answer(t, id).Result, &list))
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

const listChanged = "notifications/tools/list_changed"

// becomes waits until the tools are these, and for a notice each time that they
// are not.
func (p *program) becomes(t *testing.T, id string, want ...string) {
	t.Helper()
	for !slices.Equal(want, p.tools(t, id)) {
		p.changed(t)
	}
}

// spec writes one spec file and returns its path.
func spec(t *testing.T, dir, name, code string) string {
	t.Helper()
	return limited(t, dir, name, code, 0)
}

// limited is a spec whose calls take so many milliseconds at most.
func limited(t *testing.T, dir, name, code string, most int) string {
	t.Helper()
	doc := map[string]any{"name": name, "description": "A test tool.", "codeType": "Javascript", "code": code,
		"params": []any{map[string]any{"name": "n", "type": "INTEGER", "required": false}}}
	if most > 0 {
		doc["x-limits"] = map[string]any{"timeoutMs": most}
	}
	data, err := json.Marshal(doc)
	require.NoError(t, err)
	file := filepath.Join(dir, name+".json")
	require.NoError(t, os.WriteFile(file, data, 0o644))
	return file
}

func TestBundledOverStdio(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := launch(t, "-home", home, "-preset", "dev-essentials")
	p.initialize(t)
	assert.Len(t, p.tools(t, "2"), 7, p.stderr)
	result := p.call(t, "3", "hash", `{"text":"abc","algorithm":"sha256"}`)
	require.False(t, result.IsError)
	assert.Contains(t, result.Content[0].Text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
	assert.Empty(t, p.stderr.String())

	second := launch(t, "-home", home, "-preset", "dev-essentials") // two servers on one home
	second.initialize(t)
	assert.Len(t, second.tools(t, "2"), 7, second.stderr)
	assert.False(t, second.call(t, "3", "hash", `{"text":"abc"}`).IsError)
	assert.False(t, p.call(t, "4", "hash", `{"text":"abc"}`).IsError)
}

func TestEndsWithItsInput(t *testing.T) {
	t.Parallel()
	p := launch(t, "-home", t.TempDir())
	p.initialize(t)
	require.NoError(t, p.stdin.Close())
	require.NoError(t, p.cmd.Wait())
}

// Whatever is wrong with a spec costs only that spec, and its author one read.
func TestBadSpecsAtStart(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	spec(t, dir, "good", "return {n};")
	limited(t, dir, "endless", "while (true) {}", 500)
	spec(t, dir, "thrower", "throw new Error('out of cheese');")
	spec(t, dir, "huge", "const s = 'x'.repeat(1 << 20); const a = []; for (let i = 0; i < 100; i++) a.push(s + i); return a;")
	spec(t, dir, "cycle", "const a = {}; a.a = a; return a;")
	spec(t, dir, "typo", "return {n;")
	spec(t, dir, "network", "return fetch('https://example.com');")
	spec(t, dir, "chatty", "for (let i = 0; i < 1e4; i++) console.log('line ' + i); return 'done';")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.json"), []byte("{\n  \"name\": oops\n}"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "types.json"), []byte(`{"name":7,"code":[],"codeType":"Javascript"}`), 0o644))
	first, err := os.ReadFile(filepath.Join(dir, "good.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "twice.json"), first, 0o644))

	p := launch(t, "-home", home, "-specs", dir)
	p.initialize(t)
	assert.Equal(t, []string{"chatty", "good"}, p.tools(t, "2"))
	assert.Equal(t, `{"n":3}`, p.call(t, "3", "good", `{"n":3}`).Content[0].Text)
	lines := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(p.stderr.String()), "\n") {
		for _, name := range []string{"endless", "thrower", "huge", "cycle", "typo", "network", "broken.json", "types.json", "twice.json"} {
			if strings.Contains(line, name) {
				lines[name] += line
			}
		}
	}
	for name, want := range map[string]string{
		"endless":     "TIMEOUT",
		"thrower":     "out of cheese",
		"huge":        "RESOURCE_LIMIT",
		"cycle":       "cycle",
		"typo":        "line 1",
		"network":     "fetch",
		"broken.json": "line 2",
		"types.json":  "name",
		"twice.json":  "good",
	} {
		assert.Contains(t, lines[name], want, "%s in:\n%s", name, p.stderr)
	}
}

func TestFailedCallOverStdio(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec(t, dir, "picky", "if (n === 1) throw new Error('not one'); if (n === 3) return 'x'.repeat(1e9); return n;")
	limited(t, dir, "endless", "if (n === 2) while (true) {} return n;", 2000)
	p := launch(t, "-home", t.TempDir(), "-specs", dir)
	p.initialize(t)
	for args, want := range map[string]string{`{"n":1}`: "JS_ERROR", `{"n":2}`: "TIMEOUT", `{"n":3}`: "RESOURCE_LIMIT"} {
		tool := "picky"
		if want == "TIMEOUT" {
			tool = "endless"
		}
		result := p.call(t, `"`+want+`"`, tool, args)
		require.True(t, result.IsError, args)
		assert.True(t, strings.HasPrefix(result.Content[0].Text, want+": "), result.Content[0].Text)
		assert.Equal(t, want, result.Meta["localpass/error"].Kind)
		assert.NotEmpty(t, result.Meta["localpass/error"].Component)
	}
	assert.Equal(t, "9", p.call(t, "9", "picky", `{"n":9}`).Content[0].Text, "the rest keeps working")
	p.send(t, `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"nope","arguments":{}}}`)
	assert.NotNil(t, p.answer(t, "10").Error)
}

// A spec that takes its time joins when it has passed; the others are served
// meanwhile.
func TestSlowSpecJoinsLate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec(t, dir, "slow", "const end = Date.now() + 1000; while (Date.now() < end) {} return 1;")
	spec(t, dir, "quick", "return 1;")
	cmd := command(t, "-home", t.TempDir(), "-specs", dir)
	cmd.Env = append(cmd.Env, asProgram+"="+hasty)
	p := start(t, cmd)
	p.initialize(t)
	assert.NotContains(t, p.tools(t, "2"), "slow")
	p.becomes(t, "3", "quick", "slow")
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	p := launch(t, "-home", t.TempDir(), "-http", "127.0.0.1:0")
	url := listening(t, p)
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for origin, want := range map[string]int{"": 200, "https://evil.example": 403} {
		req, err := http.NewRequest("POST", url, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, want, resp.StatusCode, origin)
	}
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	assert.NoError(t, p.cmd.Wait(), p.stderr)
}

func listening(t *testing.T, p *program) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		if _, rest, ok := strings.Cut(p.stderr.String(), "listening on "); ok {
			if url, _, ok := strings.Cut(rest, "\n"); ok {
				return url
			}
		}
	}
	t.Fatal("it does not listen: ", p.stderr)
	return ""
}

func TestCannotStart(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for name, tt := range map[string]struct {
		args []string
		want string
		code int
	}{
		"port in use":         {[]string{"-http", taken.Addr().String()}, taken.Addr().String(), 1},
		"off loopback":        {[]string{"-http", "0.0.0.0:0"}, "-token", 1},
		"home is a file":      {[]string{"-home", file}, file, 1},
		"home below a file":   {[]string{"-home", filepath.Join(file, "x")}, filepath.Join(file, "x"), 1},
		"no such specs":       {[]string{"-specs", "/no/such/specs"}, "/no/such/specs", 1},
		"unknown flag":        {[]string{"-nope"}, "-nope", 2},
		"unknown command":     {[]string{"serve"}, `"serve"`, 2},
		"pass without a path": {[]string{"pass"}, "at least one", 2},
		"token without value": {[]string{"-http", "127.0.0.1:0", "-token", "${LOCALPASS_TEST_UNSET}"}, "LOCALPASS_TEST_UNSET", 1},
	} {
		t.Run(name, func(t *testing.T) {
			args := tt.args
			if !strings.Contains(strings.Join(args, " "), "-home") && tt.code == 1 {
				args = append([]string{"-home", t.TempDir()}, args...)
			}
			_, stderr, code := output(t, args...)
			assert.Equal(t, tt.code, code)
			assert.Contains(t, stderr, tt.want)
		})
	}
}

func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.Chmod(home, 0o500))
	if f, err := os.Create(filepath.Join(home, "x")); err == nil { // permissions do not bind root
		f.Close()
		home = "/proc/localpass"
		if _, err := os.Stat("/proc/self"); err != nil {
			t.Skip("this user may write everywhere and there is no /proc")
		}
	}
	_, stderr, code := output(t, "-home", home)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, home)
	assert.Contains(t, stderr, "-home")
}

func TestHelp(t *testing.T) {
	t.Parallel()
	_, stderr, code := output(t, "-help")
	assert.Equal(t, 0, code)
	for _, want := range []string{"-http ADDR", "-specs PATH", "-home DIR", "-tool-timeout DUR", "-token TOKEN", "pass", "inspect", "call"} {
		assert.Contains(t, stderr, want)
	}
}

func TestPass(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	good := spec(t, dir, "good", "return {n};")
	bad := spec(t, dir, "bad", "return missing.value;")
	endless := limited(t, dir, "endless", "while (true) {}", 500)
	stdout, _, code := output(t, "pass", "-json", "-home", home, good, bad, endless)
	assert.Equal(t, 1, code)
	var lines []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		lines = append(lines, m)
	}
	require.Len(t, lines, 3)
	assert.Equal(t, "good", lines[0]["name"])
	assert.Equal(t, true, lines[0]["ok"])
	assert.Equal(t, "L0", lines[0]["level"])
	assert.Equal(t, "ACTIVE", lines[0]["state"])
	assert.Equal(t, good, lines[0]["file"])
	assert.Contains(t, lines[0], "durationMs")
	assert.Equal(t, map[string]any{}, lines[0]["result"])
	e := lines[1]["error"].(map[string]any)
	assert.Equal(t, "TEST_FAILED", lines[1]["state"])
	assert.Equal(t, "JS_ERROR", e["kind"])
	assert.Contains(t, e["message"], "missing")
	assert.Equal(t, "code", e["pointer"])
	assert.Equal(t, "TIMEOUT", lines[2]["error"].(map[string]any)["kind"])

	stdout, _, code = output(t, "pass", "-home", home, good)
	assert.Equal(t, 0, code)
	assert.Contains(t, stdout, "PASS good  L0")
	assert.Contains(t, stdout, "warning", "nothing is asserted")
	stdout, stderr, code := output(t, "pass", "-strict", "-home", home, good)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "FAIL good", stderr)
	_, stderr, code = output(t, "pass", "-home", home, t.TempDir())
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "no spec")
	_, stderr, code = output(t, "pass", "-home", home, "/no/such/file.json")
	assert.Equal(t, 1, code)
	assert.NotEmpty(t, stderr)
}

func TestInspect(t *testing.T) {
	t.Parallel()
	stdout, _, code := output(t, "inspect", "-json", "../../toolspec/catalog/specs")
	assert.Equal(t, 0, code)
	first, _, _ := strings.Cut(stdout, "\n")
	var in inspection
	require.NoError(t, json.Unmarshal([]byte(first), &in))
	assert.NotEmpty(t, in.ToolID)
	assert.Len(t, in.ContentHash, 64)
	assert.Equal(t, "L0", in.Level.String())
	assert.NotNil(t, in.Posture)
	assert.NotEmpty(t, in.InputSchema)

	dir := t.TempDir()
	file := filepath.Join(dir, "risky.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"name":"risky","description":"d","codeType":"Javascript","code":"return 1;",
		"staticVariables":[{"key":"${API_KEY}"}],"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["api.example.com"],"fileWrite":true}}`), 0o644))
	stdout, _, code = output(t, "inspect", file)
	assert.Equal(t, 0, code)
	for _, want := range []string{"risky  L4", "allowlist (api.example.com)", "file write true", "API_KEY", "why"} {
		assert.Contains(t, stdout, want)
	}
	broken := filepath.Join(dir, "broken.json")
	require.NoError(t, os.WriteFile(broken, []byte(`{"name":"x"}`), 0o644))
	stdout, _, code = output(t, "inspect", broken)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, broken)
	assert.Contains(t, stdout, "code")
}

func TestCall(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	stdout, stderr, code := output(t, "call", "-home", home, "-tool", "hash", "-args", `{"text":"abc","algorithm":"sha256"}`, "../../toolspec/catalog/specs")
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
	only := spec(t, dir, "only", "return n * 2;")
	stdout, _, code = output(t, "call", "-home", home, "-args", `{"n":21}`, only)
	assert.Equal(t, 0, code)
	assert.Equal(t, "42\n", stdout)
	for want, args := range map[string][]string{
		"INVALID_INPUT":  {"-args", `{"n":"x"}`, only},
		`no tool "nope"`: {"-tool", "nope", dir},
		"did not pass":   {spec(t, dir, "bad", "throw 1;")},
	} {
		_, stderr, code = output(t, append([]string{"call", "-home", home}, args...)...)
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, want)
	}
}
