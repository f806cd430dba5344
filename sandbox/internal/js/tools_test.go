package js_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

func TestCallTool(t *testing.T) {
	type call struct{ name, arguments string }
	var calls []call
	in := func() *js.Input {
		calls = nil
		return &js.Input{CallTool: func(name string, arguments json.RawMessage) (*toolspec.Result, error) {
			calls = append(calls, call{name, string(arguments)})
			switch name {
			case "structured":
				return &toolspec.Result{Structured: json.RawMessage(`{"a":[1]}`)}, nil
			case "denied":
				return nil, &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: "not-allowed", Message: "no", Err: errors.New("secret cause")}
			case "failed":
				return toolspec.ErrorResult(&toolspec.CallError{Kind: toolspec.KindTimeout, Reason: "deadline", Message: "too slow"}), nil
			case "failed with text":
				return &toolspec.Result{IsError: true, Content: []toolspec.Content{toolspec.Text("broken")}}, nil
			case "error":
				return nil, errors.New("secret cause")
			case "nothing":
				return nil, nil
			case "garbage":
				return &toolspec.Result{Structured: json.RawMessage(`{`)}, nil
			}
			return toolspec.TextResult("text of " + name), nil
		}}
	}
	t.Run("results", func(t *testing.T) {
		out := compile(t, `
			const a = await localpass.callTool('structured', {x: 1, d: new Date(0)});
			const [b, c] = await Promise.all([localpass.callTool('b'), localpass.callTool('c', null)]);
			return [a.a, Array.isArray(a.a), b, c, Object.isFrozen(localpass)]`, false).Run(context.Background(), in())
		require.Nil(t, out.Err, "%v", out.Err)
		assert.Equal(t, `[[1],true,"text of b","text of c",true]`, string(out.Result))
		assert.Equal(t, []call{{"structured", `{"x":1,"d":"1970-01-01T00:00:00.000Z"}`}, {"b", "{}"}, {"c", "{}"}}, calls)
		assert.Equal(t, 3, out.Usage.HostCalls)
	})
	t.Run("failures", func(t *testing.T) {
		p := compile(t, `
			const seen = [];
			for (const name of names)
				try { await localpass.callTool(name) } catch (e) { seen.push([e instanceof Error, e.name, e.kind, e.reason, e.message]) }
			return seen`, false)
		input := in()
		input.Globals = []toolspec.Global{{Name: "names", Value: json.RawMessage(`["denied","failed","failed with text","error","nothing"]`)}}
		out := p.Run(context.Background(), input)
		require.Nil(t, out.Err, "%v", out.Err)
		assert.JSONEq(t, `[
			[true,"ToolError","SECURITY","not-allowed","SECURITY: no"],
			[true,"ToolError","TIMEOUT","deadline","TIMEOUT: too slow"],
			[true,"ToolError","RUNTIME_ERROR","","RUNTIME_ERROR: broken"],
			[true,"ToolError","RUNTIME_ERROR","","RUNTIME_ERROR: the tool could not be called"],
			[true,"ToolError","RUNTIME_ERROR","","RUNTIME_ERROR: the tool gave nothing"]]`, string(out.Result))
		assert.NotContains(t, string(out.Result), "secret")
		assert.Equal(t, []activity.Denial{{Component: "callTool", Reason: "not-allowed", Detail: "denied"}}, out.Denials, "caught, and still told")
	})
	t.Run("a result that is no JSON", func(t *testing.T) {
		out := compile(t, `try { await localpass.callTool('garbage') } catch (e) { return e.reason }`, false).Run(context.Background(), in())
		require.Nil(t, out.Err, "%v", out.Err)
		assert.Equal(t, `"result-type"`, string(out.Result))
	})
	t.Run("a failure that nobody catches", func(t *testing.T) {
		out := compile(t, "\nawait localpass.callTool('denied')", false).Run(context.Background(), in())
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindJSError, out.Err.Kind)
		assert.Equal(t, "ToolError: SECURITY: no", out.Err.Message)
	})
	t.Run("misuse", func(t *testing.T) {
		for _, code := range []string{
			`localpass.callTool()`, `localpass.callTool(5)`, `localpass.callTool('')`, `localpass.callTool('x'.repeat(200))`,
			`localpass.callTool('a', 5)`, `localpass.callTool('a', [1])`, `localpass.callTool('a', () => 1)`,
			`const a = {}; a.a = a; localpass.callTool('a', a)`,
		} {
			out := compile(t, code, false).Run(context.Background(), in())
			require.NotNil(t, out.Err, code)
			assert.Equal(t, "TypeError", out.Err.Reason, code)
			assert.Empty(t, calls)
		}
	})
	t.Run("too many", func(t *testing.T) {
		out := compile(t, `for (;;) await localpass.callTool('a')`, false).Run(context.Background(), in())
		require.NotNil(t, out.Err)
		assert.Equal(t, "tool-calls", out.Err.Reason)
		assert.Len(t, calls, 5)
	})
	t.Run("not awaited, not made", func(t *testing.T) {
		out := compile(t, `localpass.callTool('a'); return 1`, false).Run(context.Background(), in())
		require.Nil(t, out.Err)
		assert.Empty(t, calls)
	})
	t.Run("the code replaced Error", func(t *testing.T) {
		out := compile(t, `const E = Error; Error = null; try { await localpass.callTool('denied') } catch (e) { return e instanceof E }`, false).Run(context.Background(), in())
		require.Nil(t, out.Err, "%v", out.Err)
		assert.Equal(t, "true", string(out.Result))
	})
	t.Run("none to call", func(t *testing.T) {
		out := run(t, `return typeof localpass`)
		assert.Equal(t, `"undefined"`, string(out.Result))
	})
	t.Run("the time is up in a call", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		out := compile(t, `await localpass.callTool('a')`, false).Run(ctx, &js.Input{CallTool: func(string, json.RawMessage) (*toolspec.Result, error) {
			cancel()
			return nil, ctx.Err()
		}})
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindCancelled, out.Err.Kind)
	})
}
