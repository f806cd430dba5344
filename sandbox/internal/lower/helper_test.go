package lower_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/lower"
)

// body lowers code that must lower.
func body(t testing.TB, code string, opts lower.Options) *lower.Result {
	t.Helper()
	r, problems := lower.Lower(code, opts)
	require.Empty(t, problems, "%s", code)
	return r
}

// symbols is what the platform defines.
const symbols = `for (const name of ["asyncIterator", "dispose", "asyncDispose"]) {
	if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol("Symbol." + name) });
}`

// run runs the body of an async function on the engine and gives its result as
// JSON, or what it throws.
func run(t testing.TB, code string) string {
	t.Helper()
	vm := goja.New()
	vm.SetMaxCallStackSize(2048)
	stop := time.AfterFunc(10*time.Second, func() { vm.Interrupt("too long") })
	defer stop.Stop()
	_, err := vm.RunString(symbols)
	require.NoError(t, err)
	v, err := vm.RunString("(async function () {\n" + code + "\n})().then(v => JSON.stringify(v === undefined ? null : v))")
	require.NoError(t, err, "%s", code)
	p, ok := v.Export().(*goja.Promise)
	require.True(t, ok)
	require.NotEqual(t, goja.PromiseStatePending, p.State(), "never settles: %s", code)
	if p.State() == goja.PromiseStateRejected {
		return "throws " + p.Result().String()
	}
	return p.Result().String()
}

const nodeScript = `
const AsyncFunction = (async () => {}).constructor;
let text = "";
process.stdin.on("data", d => text += d).on("end", async () => {
	const out = [];
	for (const code of JSON.parse(text)) {
		let f;
		try { f = new AsyncFunction(code) } catch (e) { out.push("syntax " + e); continue }
		try { const v = await f(); out.push(JSON.stringify(v === undefined ? null : v)) } catch (e) { out.push("throws " + e) }
	}
	console.log(JSON.stringify(out));
});`

// node runs bodies of async functions on Node.js. A result of code that its
// version cannot parse begins with "syntax".
func node(t testing.TB, codes []string) []string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "node must be there in CI")
		t.Skip("no node to compare with")
	}
	in, err := json.Marshal(codes)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, "-e", nodeScript)
	cmd.Stdin = bytes.NewReader(in)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
	var out []string
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &out))
	require.Len(t, out, len(codes))
	return out
}

// settle runs a body and lets it do what it wants, for a while.
func settle(t testing.TB, code string) {
	t.Helper()
	vm := goja.New()
	vm.SetMaxCallStackSize(2048)
	stop := time.AfterFunc(200*time.Millisecond, func() { vm.Interrupt("long enough") })
	defer stop.Stop()
	_, err := vm.RunString(symbols)
	require.NoError(t, err)
	_, err = vm.RunString("(async function () {\n" + code + "\n})()")
	if interrupted := new(goja.InterruptedError); err != nil {
		require.ErrorAs(t, err, &interrupted, "an async function throws nothing")
	}
}

// sscan takes line:column from the beginning of text.
func sscan(text string, line, column *int) (int, error) {
	return fmt.Sscanf(text, "%d:%d", line, column)
}
