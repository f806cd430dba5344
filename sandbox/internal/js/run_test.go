package js_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// TestResults is the table of how values become JSON.
func TestResults(t *testing.T) {
	for _, tc := range []struct{ code, want string }{
		{`return 1 + 1`, `2`},
		{`return -0`, `0`},
		{`return 0.1 + 0.2`, `0.30000000000000004`},
		{`return [1e21, 1e-7, 123456789012345680000, -1.5e300]`, `[1e+21,1e-7,123456789012345680000,-1.5e+300]`},
		{`return [NaN, Infinity, -Infinity]`, `[null,null,null]`},
		{`return 2n ** 70n`, `"1180591620717411303424"`},
		{`return true`, `true`},
		{`return null`, `null`},
		{`return "a\"\\\n\r\t\b\u0001é\u{1F600}/"`, `"a\"\\\n\r\t\u0008\u0001é😀/"`},
		{`return 'é\ud83d'`, `"é\ud83d"`},
		{`return 'x\ufffdé\ud83d\ude00\udc00"\n'`, `"x` + "\ufffd" + `é😀\udc00\"\n"`},
		{`return {b: 1, a: [2, {}], 1: 'first'}`, `{"1":"first","b":1,"a":[2,{}]}`},
		{`return {u: undefined, f() {}, s: Symbol('x'), n: null, [Symbol('k')]: 1}`, `{"n":null}`},
		{`return [undefined, () => 1, Symbol('x'), , 1]`, `[null,null,null,null,1]`},
		{`const a = []; a[3] = 1; return a`, `[null,null,null,1]`},
		{`return new Date(0)`, `"1970-01-01T00:00:00.000Z"`},
		{`return [new Date(NaN), new Date(8.64e15), new Date(-8.64e15)]`, `[null,"+275760-09-13T00:00:00.000Z","-271821-04-20T00:00:00.000Z"]`},
		{`return new Map([['a', 1], [2, 'b'], [true, 3], [null, 4], [undefined, 5]])`, `{"a":1,"2":"b","true":3,"null":4,"undefined":5}`},
		{`return new Set([1, 'a', undefined])`, `[1,"a",null]`},
		{`return [new Uint8Array([1, 255]), new Int16Array([-1]), new Uint32Array([4294967295]), new Float64Array([1.5, NaN]), new Float32Array([0.5])]`, `[[1,255],[-1],[4294967295],[1.5,null],[0.5]]`},
		{`return [new BigInt64Array([-1n]), new BigUint64Array([18446744073709551615n]), new ArrayBuffer(2), new Uint8Array(new ArrayBuffer(4), 1, 2)]`, `[["-1"],["18446744073709551615"],[0,0],[0,0]]`},
		{`return [new Number(5), new String('a'), new Boolean(false), Object(7n)]`, `[5,"a",false,"7"]`},
		{`return new TypeError('bad')`, `{"name":"TypeError","message":"bad"}`},
		{`const e = new Error('bad'); e.code = 7; e.message = 'worse'; return {e}`, `{"e":{"name":"Error","message":"worse","code":7}}`},
		{`return {toJSON() { return {z: 1} }}`, `{"z":1}`},
		{`return {d: {toJSON(k) { return k }}}`, `{"d":"d"}`},
		{`return {toJSON: 1}`, `{"toJSON":1}`},
		{`class A { constructor() { this.x = 1 } get y() { return 2 } } return new A()`, `{"x":1}`},
		{`return {get x() { return 3 }}`, `{"x":3}`},
		{`return Object.create({inherited: 1}, {own: {value: 2, enumerable: true}, hidden: {value: 3}})`, `{"own":2}`},
		{`return new Proxy({a: 1, b: 2}, {get: (t, k) => t[k] * 10})`, `{"a":10,"b":20}`},
		{`return new Proxy([1, 2], {})`, `[1,2]`},
		{`return new Proxy(new Proxy([1], {}), {get: (t, k) => k === 'length' ? 2 : k === 'toJSON' ? undefined : 'x'})`, `["x","x"]`},
		{`return [/a/g, new WeakMap(), Math, new DataView(new ArrayBuffer(1))]`, `[{},{},{},{}]`},
		{`class L extends Array {} return L.of(1, 2)`, `[1,2]`},
		{`const a = {x: 1}; return [a, a]`, `[{"x":1},{"x":1}]`},
		{`return await Promise.all([1, Promise.resolve(2)])`, `[1,2]`},
		{`return Promise.resolve(3)`, `3`},
		{`const o = {}; Object.defineProperty(o, '__proto__', {value: 1, enumerable: true}); return o`, `{"__proto__":1}`},
		{`return arguments.length`, `0`},
		{`'use strict'; return this === undefined`, `true`},
		{`return this === globalThis`, `true`},
		{`function* g() { yield 1; yield 2 } return [...g()]`, `[1,2]`},
		{`return 1 // a comment at the end`, `1`},
		{`return '\u2028'`, "\"\u2028\""},
	} {
		t.Run(tc.code, func(t *testing.T) {
			out := run(t, tc.code)
			require.Nil(t, out.Err, "%v", out.Err)
			assert.Equal(t, tc.want, string(out.Result))
			assert.True(t, json.Valid(out.Result))
			assert.False(t, out.Undefined)
		})
	}
	for _, code := range []string{`return`, ``, `return undefined`, `return void 1`} {
		out := run(t, code)
		require.Nil(t, out.Err)
		assert.Equal(t, "null", string(out.Result))
		assert.True(t, out.Undefined)
	}
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		code         string
		kind         toolspec.Kind
		reason       string
		message      string
		line, column int
	}{
		{"throw new Error('text required')", toolspec.KindJSError, "Error", "Error: text required", 1, 7},
		{"const a = 1;\n  throw new TypeError('bad')", toolspec.KindJSError, "TypeError", "TypeError: bad", 2, 9},
		{"await 0;\nnull.foo", toolspec.KindJSError, "TypeError", "TypeError: ", 2, 6},
		{"'öö'; nope()", toolspec.KindJSError, "ReferenceError", "ReferenceError: nope is not defined", 1, 11},
		{"const f = () => {\n  throw new RangeError('r')\n};\nf()", toolspec.KindJSError, "RangeError", "RangeError: r", 2, 9},
		{"class MyError extends Error { get name() { return 'MyError' } }\nthrow new MyError('m')", toolspec.KindJSError, "Error", "MyError: m", 2, 7},
		{"throw 'text'", toolspec.KindJSError, js.ReasonThrownValue, "text", 0, 0},
		{"throw 5", toolspec.KindJSError, js.ReasonThrownValue, "5", 0, 0},
		{"throw 1n << 100000n", toolspec.KindJSError, js.ReasonThrownValue, "[BigInt of 100001 bits]", 0, 0},
		{"throw undefined", toolspec.KindJSError, js.ReasonThrownValue, "undefined", 0, 0},
		{"throw {a: 1}", toolspec.KindJSError, js.ReasonThrownValue, "an object that is no Error was thrown", 0, 0},
		{"throw {message: 'm'}", toolspec.KindJSError, js.ReasonThrownValue, "m", 0, 0},
		{"throw {name: 'N'}", toolspec.KindJSError, js.ReasonThrownValue, "N", 0, 0},
		{"throw {message: {toString() { throw 1 }}, get stack() { throw 2 }}", toolspec.KindJSError, js.ReasonThrownValue, "an object that is no Error was thrown", 0, 0},
		{"throw {get message() { throw 1 }}", toolspec.KindJSError, js.ReasonThrownValue, "cannot be described", 0, 0},
		{"throw new Error('x'.repeat(5000))", toolspec.KindJSError, "Error", "Error: xxx", 1, 7},
		{"throw 'x'.repeat(5000)", toolspec.KindJSError, js.ReasonThrownValue, "xxx", 0, 0},
		{"return {get x() { throw new Error('getter') }}", toolspec.KindJSError, "Error", "Error: getter", 1, 25},
		{"const f = () => f(); f()", toolspec.KindResourceLimit, toolspec.ReasonStack, "2048", 0, 0},
		{"try { const f = () => f(); f() } catch { return 'caught' } finally { return 'finally' }", toolspec.KindResourceLimit, toolspec.ReasonStack, "2048", 0, 0},
		{"await new Promise(() => {})", toolspec.KindRuntimeError, toolspec.ReasonPendingPromise, "ever settle", 0, 0},
		{"await {then() {}}", toolspec.KindRuntimeError, toolspec.ReasonPendingPromise, "ever settle", 0, 0},
		{"const a = {}; a.a = [a]; return a", toolspec.KindHelperRuntime, toolspec.ReasonResultCycle, "holds itself", 0, 0},
		{"return () => 1", toolspec.KindHelperRuntime, js.ReasonResultType, "function", 0, 0},
		{"return new Proxy(() => 1, {})", toolspec.KindHelperRuntime, js.ReasonResultType, "function", 0, 0},
		{"return class {}", toolspec.KindHelperRuntime, js.ReasonResultType, "function", 0, 0},
		{"return Symbol('x')", toolspec.KindHelperRuntime, js.ReasonResultType, "symbol", 0, 0},
		{"return {a: Promise.resolve(1)}", toolspec.KindHelperRuntime, js.ReasonPromise, "await", 0, 0},
		{"const {proxy, revoke} = Proxy.revocable({}, {}); revoke(); return [proxy]", toolspec.KindHelperRuntime, js.ReasonResultType, "revoked", 0, 0},
		{"return new Map([[{}, 1]])", toolspec.KindHelperRuntime, js.ReasonResultType, "Map", 0, 0},
		{"const m = new Map(); m[Symbol.iterator] = () => [1][Symbol.iterator](); return m", toolspec.KindHelperRuntime, js.ReasonResultType, "Map", 0, 0},
		{"let a = []; for (let i = 0; i < 300; i++) a = [a]; return a", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "nests deeper", 0, 0},
		{"return new Array(50000)", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "values", 0, 0},
		{"return new Uint8Array(50000)", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "values", 0, 0},
		{"const s = new Set(); for (let i = 0; i < 30000; i++) s.add(1.5 + i); return s", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "bytes", 0, 0},
		{"return ['x'.repeat(9000)].concat(Array(9).fill('x'.repeat(9000)))", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "bytes", 0, 0},
		{"return 'x'.repeat(100000)", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "bytes", 0, 0},
		{"return 1n << 300000n", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "BigInt", 0, 0},
		{"let p = {}; for (let i = 0; i < 500; i++) p = new Proxy(p, {}); return p", toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, "prox", 0, 0},
	} {
		t.Run(tc.code, func(t *testing.T) {
			out := run(t, tc.code)
			require.NotNil(t, out.Err, "%s", out.Result)
			assert.Equal(t, tc.kind, out.Err.Kind, "%v", out.Err)
			assert.Equal(t, tc.reason, out.Err.Reason)
			assert.Contains(t, out.Err.Message, tc.message)
			assert.LessOrEqual(t, len([]rune(out.Err.Message)), 500)
			assert.Equal(t, [2]int{tc.line, tc.column}, [2]int{out.Err.Line, out.Err.Column}, "%v", out.Err)
			assert.NotEmpty(t, out.Err.Component)
			assert.Empty(t, out.Result)
		})
	}
}

func TestGlobals(t *testing.T) {
	for _, tc := range []struct{ code, value, want string }{
		{`return x`, `"text"`, `"text"`},
		{`return x`, ` {"a" : [ 1 , -0.5e3 , true , false , null , "" ] , "b" : { } , "c" : [ ] } `, `{"a":[1,-500,true,false,null,""],"b":{},"c":[]}`},
		{`return [Array.isArray(x), x.length, x.map(y => y * 2)]`, `[1,2]`, `[true,2,[2,4]]`},
		{`x.b = 2; delete x.a; return [x, x instanceof Object, Object.keys(x)]`, `{"a":1}`, `[{"b":2},true,["b"]]`},
		{`return Object.getPrototypeOf(x) === Object.prototype && x.__proto__`, `{"__proto__": 5}`, `5`},
		{`return x`, `"\u0041\n\"\\\/\b\f\r\t\ud83d\ude00 é"`, `"A\n\"\\/\u0008\u000c\r\t😀 é"`},
		{`return x`, `"\ud83d"`, `"\ud83d"`},
		{`return [x.length, x.charCodeAt(1)]`, `"a\ud800"`, `[2,55296]`},
		{`return Object.is(x, -0)`, `-0`, `true`},
		{`return x`, `9007199254740993`, `9007199254740992`},
		{`return x`, `123456789012345`, `123456789012345`},
		{`return x === Infinity`, `1e400`, `true`},
		{`return x`, `{"a":1,"a":2}`, `{"a":2}`},
		{`const f = () => x; { const x = 2; } return f()`, `1`, `1`},
		{`const x = 5; return x`, `1`, `5`},
	} {
		t.Run(tc.code+" "+tc.value, func(t *testing.T) {
			out := run(t, tc.code, "x", tc.value)
			require.Nil(t, out.Err, "%v", out.Err)
			assert.Equal(t, tc.want, string(out.Result))
		})
	}
	t.Run("names that mean something already", func(t *testing.T) {
		names := []string{"from", "to", "length", "max", "date", "name", "code", "Date", "Map", "JSON", "console", "crypto", "Intl", "localpass", "eval", "of", "async", "constructor", "toString", "__proto__", "hasOwnProperty", "arguments0"}
		for _, name := range names {
			out := run(t, "return globalThis["+string(must(json.Marshal(name)))+"]", name, `"mine"`)
			require.Nil(t, out.Err, "%s: %v", name, out.Err)
			assert.Equal(t, `"mine"`, string(out.Result), name)
		}
	})
	t.Run("unset", func(t *testing.T) {
		out := compile(t, `return [typeof a, b == null, 'a' in globalThis]`, false).Run(context.Background(), &js.Input{Unset: []string{"a", "b"}})
		require.Nil(t, out.Err)
		assert.Equal(t, `["undefined",true,true]`, string(out.Result))
	})
	t.Run("not JSON", func(t *testing.T) {
		for _, bad := range []string{"", " ", "nul", "tru", "{", "[", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{1:2}`, "[1", "[1,", "1 2", "01", "-", "1.", "+1", ".5", "1e", "0x1", `"`, `"\`, `"\x"`, `"\u12`, `"\u12g4"`, `"a` + "\n" + `"`, `"\n` + "\x01" + `"`, "\"\xff\"", "\"\\n\xff\"", `{"a" 1}`, `[1 2]`, `'a'`, "--1", strings.Repeat("[", 300) + strings.Repeat("]", 300)} {
			out := run(t, "return x", "x", bad)
			require.NotNil(t, out.Err, "%q", bad)
			assert.Equal(t, toolspec.KindInvalidInput, out.Err.Kind)
			assert.Equal(t, toolspec.ReasonArguments, out.Err.Reason)
			assert.Contains(t, out.Err.Message, `"x"`)
		}
	})
	t.Run("a name that cannot be bound", func(t *testing.T) {
		out := run(t, "return 1", "undefined", "1")
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindInvalidInput, out.Err.Kind)
		out = compile(t, "return 1", false).Run(context.Background(), &js.Input{Unset: []string{"NaN"}})
		require.NotNil(t, out.Err)
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestRunsShareNothing(t *testing.T) {
	p := compile(t, `
		const seen = [typeof leaked, Array.prototype.extra, Object.isFrozen(console), Math.custom];
		leaked = 1; Array.prototype.extra = 1; Math.custom = 1;
		try { console.log.x = 1; console.log = null } catch {}
		console.log('still');
		return seen`, false)
	for range 2 {
		out := p.Run(context.Background(), &js.Input{})
		require.Nil(t, out.Err)
		assert.Equal(t, `["undefined",null,true,null]`, string(out.Result))
		assert.Equal(t, []activity.ConsoleLine{{Level: "log", Text: "still", Line: 5, Column: 14}}, out.Console)
	}
}

func TestConsole(t *testing.T) {
	for _, tc := range []struct{ code, want string }{
		{`console.log('a', 1, null, undefined, true, 10n)`, `a 1 null undefined true 10`},
		{`console.log({a: [1, 'x']}, [2])`, `{"a":[1,"x"]} [2]`},
		{`console.log(new TypeError('bad'), () => 1, Symbol('s'))`, `TypeError: bad [function] Symbol(s)`},
		{`const a = {}; a.a = a; console.log(a)`, `[object: it holds itself]`},
		{`console.log(1n << 100000n)`, `[BigInt of 100001 bits]`},
		{`console.log()`, ``},
	} {
		out := run(t, tc.code)
		require.Nil(t, out.Err)
		require.Len(t, out.Console, 1, tc.code)
		assert.Equal(t, tc.want, out.Console[0].Text)
	}
	var streamed []activity.ConsoleLine
	out := compile(t, `for (const l of ['log', 'info', 'warn', 'error', 'debug']) console[l](l)`, false).
		Run(context.Background(), &js.Input{Console: func(l activity.ConsoleLine) { streamed = append(streamed, l) }})
	require.Nil(t, out.Err)
	assert.Equal(t, streamed, out.Console)
	for _, l := range streamed {
		assert.Equal(t, l.Level, l.Text)
	}

	t.Run("too many lines", func(t *testing.T) {
		out := run(t, `for (let i = 0; i < 50; i++) console.log(i)`)
		require.Len(t, out.Console, 21)
		assert.Equal(t, "19", out.Console[19].Text)
		assert.Contains(t, out.Console[20].Text, "cut here")
	})
	t.Run("too many bytes", func(t *testing.T) {
		out := run(t, `console.log('x'.repeat(4000)); console.log('é'.repeat(100)); console.log('never')`)
		require.Len(t, out.Console, 3)
		assert.Equal(t, strings.Repeat("é", 47), out.Console[1].Text)
		assert.Contains(t, out.Console[2].Text, "cut here")
	})
	t.Run("one huge line", func(t *testing.T) {
		out := run(t, `console.log('x'.repeat(9000), 'y'.repeat(9000), 'z')`)
		require.Len(t, out.Console, 2)
		assert.Len(t, out.Console[0].Text, 4096)
	})
	t.Run("exactly full", func(t *testing.T) {
		out := run(t, `console.log('x'.repeat(4095)); console.log('y')`)
		require.Len(t, out.Console, 2)
		assert.Contains(t, out.Console[1].Text, "cut here")
	})
	t.Run("what throws in it throws out of it", func(t *testing.T) {
		out := run(t, `try { console.log({get a() { throw new Error('x') }}) } catch (e) { return e.message }`)
		require.Nil(t, out.Err)
		assert.Equal(t, `"x"`, string(out.Result))
	})
	t.Run("kept on failure", func(t *testing.T) {
		out := run(t, `console.log('before'); throw 1`)
		require.Len(t, out.Console, 1)
	})
}

func TestGuards(t *testing.T) {
	guarded := func(code string) *toolspec.Outcome {
		return compile(t, code, false).Run(context.Background(), &js.Input{Guarded: true})
	}
	for code, part := range map[string]string{
		`return new Array(1e9).fill(0)`:                  "1000000000 elements",
		`try { Array(2000).fill(1) } catch { return 1 }`: "2000 elements",
		`return 'x'.repeat(1e9)`:                         "1000000000 characters",
		`return 'xy'.repeat(2 ** 53)`:                    "characters",
		`return 'x'.padStart(1e9)`:                       "1000000000 characters",
		`return 'x'.padEnd(20000, 'ab')`:                 "20000 characters",
	} {
		out := guarded(code)
		require.NotNil(t, out.Err, code)
		assert.Equal(t, toolspec.KindResourceLimit, out.Err.Kind)
		assert.Equal(t, toolspec.ReasonMemory, out.Err.Reason)
		assert.Contains(t, out.Err.Message, part)
	}
	out := guarded(`return [
		Array(3).fill(7), 'ab'.repeat(2), 'a'.padStart(3, '-'), 'a'.padEnd(3), ''.repeat(1e9), [].fill.length, 'x'.repeat.name,
		Array.prototype.fill.call({length: 2}, 1), String.prototype.repeat.call(5, 2), 'a'.repeat({valueOf: () => 2}), 'a'.padEnd('2', 'b')]`)
	require.Nil(t, out.Err, "%v", out.Err)
	assert.Equal(t, `[[7,7,7],"abab","--a","a  ","",0,"repeat",{"0":1,"1":1,"length":2},"55","aa","ab"]`, string(out.Result))
	for _, code := range []string{`return 'x'.repeat(-1)`, `return 'x'.repeat(Symbol())`, `return 'x'.repeat(1n)`} {
		out := guarded(code)
		require.NotNil(t, out.Err, code)
		assert.Equal(t, toolspec.KindJSError, out.Err.Kind, code)
	}
}

func TestDeterminism(t *testing.T) {
	p := compile(t, `return [Math.random(), Date.now(), new Date().toISOString(), crypto.randomUUID(), new Intl.DateTimeFormat('en-CA', {timeZone: 'UTC'}).format()]`, false)
	at := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	once := func() string {
		out := p.Run(context.Background(), &js.Input{Now: func() time.Time { return at }, Random: bytes.NewReader(make([]byte, 4096))})
		require.Nil(t, out.Err, "%v", out.Err)
		return string(out.Result)
	}
	first := once()
	assert.Equal(t, first, once())
	assert.Contains(t, first, `"2024-02-29T12:00:00.000Z"`)
	assert.Contains(t, first, `"2024-02-29"`)
	a, b := run(t, `return Math.random()`), run(t, `return Math.random()`)
	assert.NotEqual(t, string(a.Result), string(b.Result))
	out := compile(t, `return Math.random() < 1`, false).Run(context.Background(), &js.Input{Random: bytes.NewReader(nil)})
	assert.Equal(t, `true`, string(out.Result), "a source that ends is replaced by the real one")
}

func TestZones(t *testing.T) {
	asked := ""
	out := compile(t, `return new Intl.DateTimeFormat('en-US', {timeZone: 'Asia/Tokyo'}).format(0)`, false).
		Run(context.Background(), &js.Input{Zones: func(name string) (*time.Location, error) {
			asked = name
			return time.LoadLocation(name)
		}})
	require.Nil(t, out.Err)
	assert.Equal(t, "Asia/Tokyo", asked)
}

// Nothing of the code is worked out before it runs: there nothing bounds the time.
func TestCompilingComputesNothing(t *testing.T) {
	for _, expression := range []string{"10n ** 10n ** 10n", "1n << 100000000000n", "(2n + 1n) ** (9n ** 11n)", "-(7n ** 99999999999n)", "[1, {a: 3n ** 99999999999n}]",
		"(x = 5n ** 99999999999n) => x", "`${9n ** 99999999999n}`", "class { static f() { return 9n << 99999999999n } }", "true ? 2n ** 99999999999n : 0"} {
		_, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: "return () => (" + expression + ")", Count: true}, limits())
		assert.Empty(t, problems, expression)
	}
	for expression, want := range map[string]string{"2 ** 3 ** 2": "512", "(-2) ** 3": "-8", "String(2n ** 64n)": `"18446744073709551616"`, "1 << 4": "16", "String(1n << 70n)": `"1180591620717411303424"`,
		"[1, 2].map((x) => x ** 2 << 1)": "[2,8]", "(1, 2) ** 2": "4"} {
		p, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: "return " + expression}, limits())
		require.Empty(t, problems, expression)
		out := p.Run(t.Context(), &js.Input{Guarded: true})
		require.Nil(t, out.Err, expression)
		assert.Equal(t, want, string(out.Result), expression)
	}
}
