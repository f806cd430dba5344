//go:build !race && linux

package sandbox_test

import (
	"slices"
	"strings"
)

// hostile is a script that means harm. kinds are the failures it may end in, and
// "OK" where it may come to its own end.
type hostile struct {
	name, code, kinds string
}

const (
	ends    = "TIMEOUT RESOURCE_LIMIT"
	time0   = "TIMEOUT"
	memory0 = "RESOURCE_LIMIT"
	thrown  = "JS_ERROR"
	fine    = "OK"
)

// worstScripts are those that every bound is tested with first.
func worstScripts() []hostile {
	return []hostile{
		{"endless loop", `while (true) {}`, time0},
		{"endless microtasks", `for (;;) await 0`, time0},
		{"backtracking regexp", `return /^(?=(a+)+b)(\1)*$/.test('a'.repeat(40) + 'c')`, ends},
		{"one huge string", `return 'x'.repeat(1e9).length`, memory0},
		{"recursion through a getter", `const o = {get a() { return this.a }}; return o.a`, memory0},
		{"huge fill", `return new Array(1e9).fill(0).length`, memory0},
		{"source nested a million deep", "return " + strings.Repeat("[", 1e6/2-10) + strings.Repeat("]", 1e6/2-10), "RESOURCE_LIMIT"},
		{"JSON bomb", `let s = '[]'; while (s.length < 2e8) s = '[' + s + ',' + s + ']'; return JSON.parse(s).length`, ends},
		{"promise that never settles", `await new Promise(() => {})`, "RUNTIME_ERROR"},
		{"result with a looping getter", `return {get a() { for (;;); }}`, time0},
	}
}

// hostileScripts are one or more of every class of attack that is known to
// hurt this kind of engine, or the functions that the host adds to it. Their
// names are unique.
func hostileScripts() []hostile {
	return slices.Concat(worstScripts(), languageScripts(), platformScripts(), parserScripts(), translationScripts(), fileScripts(), networkScripts())
}

// languageScripts need no more than the language.
func languageScripts() []hostile {
	return []hostile{
		// Loops that swallow what should end them.
		{"loop that catches", `for (;;) try { for (;;); } catch { }`, time0},
		{"loop in finally", `try { throw 1 } finally { for (;;); }`, time0},
		{"generator that never ends", `function* g() { for (;;) yield 1 } for (const x of g()); `, time0},
		{"labelled nest", `a: for (;;) { for (;;) continue a }`, time0},
		{"catch and recurse", `const f = () => { try { f() } catch { f() } }; f()`, ends},

		// Recursion through natives, which takes a while to fill a stack.
		{"recursion", `const f = n => f(n + 1) + 1; return f(0)`, memory0},
		{"recursion through replace", `const f = () => 'a'.replace(/a/, f); return f()`, ends},
		{"recursion through sort", `const f = () => [2, 1].sort(f); return f()`, ends},
		{"recursion through a proxy", `const p = new Proxy({}, {get: (t, k, r) => r[k]}); return p.x`, ends},
		{"recursion through toString", `const o = {toString() { return '' + o }}; return '' + o`, ends},
		{"recursion through toJSON", `const o = {toJSON() { return JSON.stringify(o) }}; return JSON.stringify(o)`, ends},
		{"long prototype chain", `let o = {}; for (;;) o = Object.create(o)`, ends},
		{"long bind chain", `let f = () => 1; for (let i = 0; i < 1e6; i++) f = f.bind(null); return f()`, ends},
		{"long proxy chain", `let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); return p.x`, ends},
		{"proxy whose prototype is itself", `const o = {}; const p = new Proxy(o, {}); try { Object.setPrototypeOf(o, p) } catch (e) { return 'refused' } return o.x`, ends + " JS_ERROR"},

		// Deep and shared graphs.
		{"deep JSON text", `return JSON.parse('['.repeat(5e6) + ']'.repeat(5e6))`, ends + " JS_ERROR"},
		{"deep array as result", `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a`, ends},
		{"shared graph in stringify", `let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; return JSON.stringify(a).length`, ends},
		{"shared graph as result", `let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; return a`, ends},
		{"shared graph in console", `let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; console.log(a); throw 1`, "JS_ERROR"},
		{"shared graph thrown", `let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; throw a`, "JS_ERROR"},
		{"deep flat", `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a.flat(Infinity).length`, ends},
		{"join of itself many times", `let a = ['x'.repeat(1000)]; for (let i = 0; i < 30; i++) a = [a, a]; return String(a).length`, ends},

		// Regular expressions.
		{"backtracking in replace", `return 'a'.repeat(60).replace(/^(a+)+\1b$/, '')`, ends},
		{"backtracking in split", `return ('a'.repeat(60) + '!').split(/(?=(a*)*\1b)/).length`, ends},

		// Growth by one call and by many.
		{"doubling a string", `let s = 'x'; for (;;) s += s`, ends + " JS_ERROR"},
		{"doubling an array", `let a = [1]; for (;;) a = a.concat(a)`, ends},
		{"pushing for ever", `const a = []; for (;;) a.push(new Array(100).fill(a.length))`, ends},
		{"objects for ever", `const a = []; for (;;) a.push({a: {}, b: [], c: 'x' + a.length})`, ends},
		{"map for ever", `const m = new Map(); for (let i = 0;; i++) m.set(i, 'v' + i)`, ends},
		{"padding", `return 'x'.padEnd(2e9, 'ab').length`, memory0},
		{"join of holes", `return new Array(2e9).join('x').length`, ends + " JS_ERROR"},
		{"replace that multiplies", `return 'a'.repeat(1e5).replace(/a/g, 'b'.repeat(1e5)).length`, ends},
		{"array-like of absurd length", `return Array.from({length: 2 ** 40}, () => 0).length`, ends + " JS_ERROR"},
		{"generic over absurd length", `return Array.prototype.map.call({length: 2 ** 31}, x => x)`, ends + " JS_ERROR"},
		{"indexOf over absurd length", `return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)`, time0},
		{"apply with absurd length", `return Math.max.apply(null, {length: 2 ** 30})`, ends + " JS_ERROR"},
		{"sparse array copied", `const a = []; a[4e9] = 1; return a.slice().map(x => x).length`, ends + " JS_ERROR"},
		{"typed arrays", `const a = []; for (;;) a.push(new Float64Array(1e7))`, ends + " JS_ERROR"},
		{"one typed array", `return new Uint8Array(8e9).length`, ends + " JS_ERROR"},
		{"spread of an absurd array", `return Math.max(...new Array(5e8))`, ends + " JS_ERROR"},
		{"template of an absurd array", "return `${new Array(1e9)}`.length", ends + " JS_ERROR"},

		// Big integers.
		{"BigInt power", `return (2n ** 4000000000n).toString().length`, ends + " JS_ERROR"},
		{"BigInt shift", `return (1n << 40000000000n) > 0n`, ends + " JS_ERROR"},
		{"BigInt product", `let x = 3n; for (;;) x = x * x`, ends},
		{"BigInt printed", `return String(1n << 50000000n).length`, ends},
		{"BigInt as result", `return 1n << 30000000n`, ends},

		// Promises.
		{"thenable that never settles", `await {then() {}}`, "RUNTIME_ERROR"},
		{"thenable chain", `const t = {then(r) { r(t) }}; await t`, time0},
		{"native thenables for ever", `const p = Promise.resolve(); const f = () => p.then(f); await f()`, ends},
		{"growing microtasks", `const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); await new Promise(() => {})`, ends},

		// Results, errors and prints that fight back.
		{"result with a looping proxy", `return new Proxy({}, {ownKeys() { for (;;); }})`, time0},
		{"result whose proxy lies", `return new Proxy([], {get: (t, k) => k === 'length' ? 1e15 : 0})`, memory0},
		{"result with toJSON for ever", `const f = () => ({toJSON: f}); return f()`, memory0},
		{"result of many keys", `const o = {}; for (let i = 0; i < 3e5; i++) o['k' + i] = i; return o`, ends},
		{"result of 100 MB", `return ['x'.repeat(5e7), 'y'.repeat(5e7)]`, ends},
		{"iterator that never ends as result", `const m = new Map(); m[Symbol.iterator] = function* () { for (let i = 0;; i++) yield [i, i] }; return m`, ends},
		{"thrown toString loops", `throw {get message() { for (;;); }, toString() { for (;;); }}`, time0},
		{"thrown proxy", `throw new Proxy({}, {get() { for (;;); }})`, time0},
		{"thrown getter recursion", `throw {get message() { return this.message }}`, ends + " JS_ERROR"},
		{"huge message", `throw new Error('x'.repeat(1e7))`, ends + " JS_ERROR"},
		{"log flood", `for (;;) console.log('x'.repeat(1000))`, time0},
		{"log of a looping getter", `console.log({get a() { for (;;); }})`, time0},
		{"huge log", `console.log('x'.repeat(6e7)); throw 1`, ends + " JS_ERROR"},

		// Source.
		{"closes its function", "return 1 }), (async function () { for (;;);", "JS_ERROR"},
		{"closes its function with a call", "})(); (async function () { for (;;);", "JS_ERROR"},
		{"a million open brackets", "return " + strings.Repeat("[", 1e6), "RESOURCE_LIMIT"},
		{"a million brackets closed", "return " + strings.Repeat("[", 1e6) + strings.Repeat("]", 1e6), "RESOURCE_LIMIT"},
		{"megabytes of source", "/*" + strings.Repeat("x", 3<<20) + "*/", "RESOURCE_LIMIT"},
		{"a chain of operators", "return " + strings.Repeat("1+", 4e5) + "1", "RESOURCE_LIMIT"},
		{"a chain of negations", "return " + strings.Repeat("!", 9e5) + "1", "RESOURCE_LIMIT"},
		{"a chain of arrows", "return " + strings.Repeat("a=>", 3e5) + "1", "RESOURCE_LIMIT"},
		{"a chain of elses", strings.Repeat("if (0) {} else ", 6e4) + "{}", "RESOURCE_LIMIT"},
		{"a chain of members", "return Math" + strings.Repeat(".a", 4e5), "RESOURCE_LIMIT"},
		{"a chain of calls", "return Math" + strings.Repeat("()", 4e5), "RESOURCE_LIMIT"},
		{"nested templates", "return " + strings.Repeat("`${", 3e5) + "1" + strings.Repeat("}`", 3e5), "RESOURCE_LIMIT"},
		{"nested parentheses as arrows", strings.Repeat("(", 490) + "a" + strings.Repeat(")=>1", 490), ends + " JS_ERROR"},
		{"nested async parentheses", strings.Repeat("async(", 480) + strings.Repeat(")", 480), ends + " JS_ERROR RUNTIME_ERROR"},
		{"many names", "return " + strings.Repeat("[", 300) + strings.Join(manyNames(60_000), ",") + strings.Repeat("]", 300), ends + " JS_ERROR"},
		{"source map of a file", "return 1\n//# sourceMappingURL=file:///etc/passwd", fine},
	}
}

func manyNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "n" + strings.Repeat("a", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + string(rune('a'+i/17576%26))
	}
	return names
}
