package js_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

func TestInterrupt(t *testing.T) {
	for _, code := range []string{
		`for (;;);`, `for (;;) await 0`, `for (;;) try { for (;;); } catch {} finally { continue }`,
		`try { for (;;); } finally { return 'finally' }`, `return {get a() { for (;;); }}`, `throw {get message() { for (;;); }}`,
		`console.log({toJSON() { for (;;); }})`, `return new Proxy({}, {ownKeys() { for (;;); }})`,
		`const f = () => ({toJSON: f, get x() { for (;;); }}); return {get y() { for (;;); }}`,
	} {
		t.Run(code, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			out := compile(t, code, false).Run(ctx, &js.Input{})
			require.NotNil(t, out.Err)
			assert.Equal(t, toolspec.KindTimeout, out.Err.Kind, "%v", out.Err)
			assert.Equal(t, toolspec.ReasonDeadline, out.Err.Reason)
			assert.ErrorIs(t, out.Err, context.DeadlineExceeded)
		})
	}
	t.Run("a walk over a large result stops", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		p := compile(t, `const a = Array(9000).fill(0); Object.defineProperty(a, 'toJSON', {get() { stop }}); return [{get x() { return stop }}, a]`, false)
		out := p.Run(ctx, &js.Input{Globals: []toolspec.Global{{Name: "stop", Value: json.RawMessage("1")}}, Console: func(activity.ConsoleLine) {}})
		require.Nil(t, out.Err)
		cancel()
	})
	t.Run("cancelled in a host call", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		out := compile(t, `const a = Array(9000).fill(0); console.log('x'); return a`, false).
			Run(ctx, &js.Input{Console: func(activity.ConsoleLine) { cancel() }})
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindCancelled, out.Err.Kind)
	})
}

func TestStatements(t *testing.T) {
	count := func(t *testing.T, code string, limit int64) *toolspec.Outcome {
		return compile(t, code, true).Run(context.Background(), &js.Input{Statements: limit})
	}
	t.Run("counting unit", func(t *testing.T) {
		for _, tc := range []struct {
			code string
			want int64
		}{
			{`return 1`, 1},
			{`for (let i = 0; i < 10; i++); return 1`, 11},
			{`let i = 0; while (i++ < 5) { } do { i-- } while (i > 0); return i`, 12},
			{`for (const x of [1, 2, 3]) x; for (const k in {a: 1}) k`, 5},
			{`const f = x => x; function g() {} f(g()); return [1, 2].map(f)`, 5},
			{`class A { x = f(); static y = 1; m() {} constructor() {} } function f() {} new A().m()`, 5},
			{`function f(a = g(), {b = g()} = {}, [c = g()] = []) {} function g() {} f()`, 10},
			{`'use strict'; function* g() { yield 1; yield 2 } return [...g()]`, 2},
			{`const o = {get a() { return 1 }}; return o.a + o.a`, 3},
			{`l: for (;;) { for (;;) break l }`, 3},
			{`if (1) for (const x of [1]) var y = x; return y`, 2},
			{`return await (async () => 5)()`, 2},
			{`let [a = 1 + 1, {b = 2 + 2} = {}] = []; ({c: a = 3 + 3} = {}); return a + b`, 5},
		} {
			out := count(t, tc.code, 0)
			require.Nil(t, out.Err, "%s: %v", tc.code, out.Err)
			assert.Equal(t, tc.want, out.Usage.Statements, tc.code)
		}
	})
	t.Run("the same result, counted or not", func(t *testing.T) {
		for _, code := range []string{
			`'use strict'; return (function () { return this })() === undefined`,
			`function f() { 'use strict'; return this } return f() === undefined`,
			`const f = () => {}; const {g = () => {}} = {}; return [f.name, g.name, (function () { 'a'; return 1 }).toString(), f.length]`,
			`class A { f = () => {}; 'g' = class {} } const a = new A(); return [a.f.name, a.g.name]`,
			`const r = []; outer: for (let i = 0; i < 3; i++) { for (const j of [1, 2]) { if (j === 2) continue outer; if (i === 2) break outer; r.push(() => i + j) } } return r.map(f => f())`,
			`let s = 0; for (let i = 0, n = 5; i < n; i++) { if (i % 2) continue; s += i } do s++; while (s < 20); return s`,
			`const f = async (a = await1(), b = 2) => a + b; async function await1() { return 1 } return await f(5)`,
			`throw new Error('x')`,
		} {
			a, b := run(t, code), count(t, code, 0)
			assert.Equal(t, string(a.Result), string(b.Result), code)
			if a.Err != nil {
				assert.Equal(t, a.Err, b.Err, code)
			}
		}
	})
	t.Run("nothing survives the bound", func(t *testing.T) {
		for _, code := range []string{
			`for (;;);`, `for (;;) await 0`, `for (;;) try { for (;;); } catch {}`, `try { for (;;); } finally { return 1 }`,
			`const f = () => { try { f() } catch { f() } }; f()`, `function f(a = [f(), f()]) {} f()`, `return {get a() { for (;;); }}`,
			`let g = function* () { for (;;) yield 1 }; for (const x of g());`, `[1, 2, 3].map(function f() { return [1, 2, 3].map(f) })`,
			`class A { x = [new A(), new A()] } new A()`, `for (let i = 0; i < 1e6; i++);`,
		} {
			out := count(t, code, 1000)
			require.NotNil(t, out.Err, code)
			if out.Err.Reason == toolspec.ReasonStack {
				continue // the depth bound came first
			}
			assert.Equal(t, toolspec.KindResourceLimit, out.Err.Kind, code)
			assert.Equal(t, toolspec.ReasonStatements, out.Err.Reason, code)
			assert.Contains(t, out.Err.Message, "1000")
			again := count(t, code, 1000)
			assert.Equal(t, out.Usage.Statements, again.Usage.Statements, "not deterministic: %s", code)
		}
	})
	t.Run("the counter is out of reach", func(t *testing.T) {
		out := count(t, `return [Object.getOwnPropertyNames(globalThis).some(n => n.includes('tick')), typeof globalThis['\0tick'], arguments.length]`, 100)
		require.Nil(t, out.Err)
		assert.Equal(t, `[false,"undefined",0]`, string(out.Result))
	})
	t.Run("enough is enough", func(t *testing.T) {
		out := count(t, `for (let i = 0; i < 99; i++); return 1`, 100)
		require.Nil(t, out.Err)
		assert.EqualValues(t, 100, out.Usage.Statements)
	})
}
