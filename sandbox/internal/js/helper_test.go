package js_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

func limits() *js.Limits {
	return &js.Limits{
		SourceBytes: 1 << 20, Nesting: 500, Links: 5000, TreeDepth: 5000, CallDepth: 2048, ValueDepth: 200,
		ResultNodes: 20_000, ResultBytes: 1 << 16, ConsoleLines: 20, ConsoleBytes: 4 << 10, ErrorRunes: 500,
		ToolCalls: 5, FillLength: 1000, StringLength: 10_000,
	}
}

// compile compiles code that must compile.
func compile(t testing.TB, code string, count bool) *js.Program {
	t.Helper()
	p, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: code, Count: count}, limits())
	require.Empty(t, problems, "%s", code)
	return p
}

// run runs code with globals as pairs of a name and JSON.
func run(t testing.TB, code string, globals ...string) *toolspec.Outcome {
	t.Helper()
	in := &js.Input{}
	for i := 0; i+1 < len(globals); i += 2 {
		in.Globals = append(in.Globals, toolspec.Global{Name: globals[i], Value: json.RawMessage(globals[i+1])})
	}
	return compile(t, code, false).Run(context.Background(), in)
}
