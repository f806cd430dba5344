package lower_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox/internal/lower"
	"github.com/localpass/localpass/sandbox/typescript"
)

// construct is code that the engine does not take as it is, and the JSON of its
// result. Node.js must agree where its version takes the code.
type construct struct{ name, code, want string }

var constructs = []construct{
	{"for await over an array", `const out = []; for await (const x of [1, Promise.resolve(2), 3]) out.push(x); return out`, `[1,2,3]`},
	{"for await over a generator", `function* g() { yield 1; yield Promise.resolve(2) } let n = 0; for await (const x of g()) n += x; return n`, `3`},
	{"for await over a set and a map", `const out = []; for await (const x of new Set("ab")) out.push(x); for await (const [k, v] of new Map([["k", 1]])) out.push(k, v); return out`, `["a","b","k",1]`},
	{"for await over a string", `let s = ""; for await (const c of "a😀b") s += c + "."; return s`, `"a.😀.b."`},
	{"for await with a hand-made iterator", `const it = { n: 0, [Symbol.asyncIterator]() { return this }, async next() { return { done: this.n > 2, value: this.n++ } } }; const out = []; for await (const x of it) out.push(x); return out`, `[0,1,2]`},
	{"for await breaks", `let closed = 0; async function* g() { try { yield 1; yield 2 } finally { closed++ } } for await (const x of g()) break; return closed`, `1`},
	{"for await returns from a function", `let closed = 0; async function* g() { try { yield 1 } finally { closed++ } } async function f() { for await (const x of g()) return x } return [await f(), closed]`, `[1,1]`},
	{"for await continues to a label", `const out = []; outer: for (const a of [1, 2]) for await (const b of [1, 2]) { if (b === 2) continue outer; out.push(a * 10 + b) } return out`, `[11,21]`},
	{"for await throws from its body", `let closed = 0; async function* g() { try { yield 1 } finally { closed++ } } try { for await (const x of g()) throw new Error("b" + x) } catch (e) { return [e.message, closed] }`, `["b1",1]`},
	{"for await over what throws", `async function* g() { yield 1; throw new TypeError("no") } const out = []; try { for await (const x of g()) out.push(x) } catch (e) { out.push(e.name, e.message) } return out`, `[1,"TypeError","no"]`},
	{"for await over a rejected promise", `try { for await (const x of [Promise.reject(new Error("r"))]) ; } catch (e) { return e.message }`, `"r"`},
	{"for await over nothing iterable", `try { for await (const x of 5) ; } catch (e) { return e instanceof TypeError }`, `true`},
	{"for await keeps bindings apart", `const fs = []; for await (const x of [1, 2, 3]) fs.push(() => x); return fs.map(f => f())`, `[1,2,3]`},
	{"for await into a pattern", `const out = []; for await (const { a, b: [c = 9, ...d], ...e } of [{ a: 1, b: [undefined, 2, 3], z: 4 }]) out.push(a, c, d, e); return out`, `[1,9,[2,3],{"z":4}]`},
	{"for await into a member", `const o = {}; for await (o.x of [1, 2]); return o`, `{"x":2}`},
	{"for await with var and let", `for await (var x of [1]); let y; for await (y of [2]); return [x, y]`, `[1,2]`},
	{"for await in a nested async arrow", `return await (async () => { let n = 0; for await (const x of [1, 2]) n += x; return n })()`, `3`},
	{"for await in for await", `let n = 0; for await (const a of [1, 2]) for await (const b of [a, a]) n += b; return n`, `6`},
	{"names of helpers are free to use", `const error = 1, temp = 2, iter = 3, more = 4; let n = 0; for await (const x of [1]) n += error + temp + iter + more + x; var __forAwait = n; return __forAwait`, `11`},
	{"async generator", `async function* g(a, b = 2, ...c) { yield a; yield b; yield* c } const out = []; for await (const x of g(1, undefined, 3, 4)) out.push(x); return out`, `[1,2,3,4]`},
	{"async generator by hand", `async function* g() { const x = yield 1; const y = yield x * 2; return y } const it = g(); return [await it.next("lost"), await it.next(5), await it.next("end"), await it.next()]`, `[{"value":1,"done":false},{"value":10,"done":false},{"value":"end","done":true},{"done":true}]`},
	{"async generator awaits", `async function* g() { const a = await Promise.resolve(1); yield a; yield Promise.resolve(2) } const out = []; for await (const x of g()) out.push(x); return out`, `[1,2]`},
	{"async generator awaits what it returns", `async function* g() { return Promise.resolve(7) } return await g().next()`, `{"value":7,"done":true}`},
	{"async generator return", `const log = []; async function* g() { try { yield 1; yield 2 } finally { log.push("f"); await null; log.push("g") } } const it = g(); await it.next(); log.push(await it.return("r"), await it.next()); return log`, `["f","g",{"value":"r","done":true},{"done":true}]`},
	{"async generator return before it begins", `let ran = false; async function* g() { ran = true } const it = g(); return [await it.return(Promise.resolve(3)), ran, await it.next()]`, `[{"value":3,"done":true},false,{"done":true}]`},
	{"async generator throw", `async function* g() { try { yield 1 } catch (e) { yield "caught " + e } } const it = g(); await it.next(); return [await it.throw("x"), await it.next()]`, `[{"value":"caught x","done":false},{"done":true}]`},
	{"async generator throw before it begins", `async function* g() { yield 1 } const it = g(); let m; try { await it.throw(new Error("e")) } catch (e) { m = e.message } return [m, await it.next()]`, `["e",{"done":true}]`},
	{"async generator queues", `async function* g() { yield 1; yield 2; return 3 } const it = g(); return await Promise.all([it.next(), it.next(), it.next(), it.next()])`, `[{"value":1,"done":false},{"value":2,"done":false},{"value":3,"done":true},{"done":true}]`},
	{"async generator overrides return in finally", `async function* g() { try { yield 1 } finally { return "f" } } const it = g(); await it.next(); return await it.return("r")`, `{"value":"f","done":true}`},
	{"async generator rejects what it yields", `async function* g() { try { yield Promise.reject("no") } catch (e) { yield "caught " + e } } return await g().next()`, `{"value":"caught no","done":false}`},
	{"yield* of an async generator", `async function* a() { const x = yield 1; return x + "!" } async function* b() { const r = yield* a(); yield r } const it = b(); return [await it.next(), await it.next("s"), await it.next()]`, `[{"value":1,"done":false},{"value":"s!","done":false},{"done":true}]`},
	{"yield* passes throw and return on", `const log = []; async function* a() { try { yield 1 } catch (e) { log.push("c" + e); yield 2 } finally { log.push("f") } } async function* b() { yield* a() } const it = b(); await it.next(); log.push((await it.throw("x")).value); log.push((await it.return("r")).value); return log`, `["cx",2,"f","r"]`},
	{"yield* of promises", `async function* g() { yield* [Promise.resolve(1), 2] } const out = []; for await (const x of g()) out.push(x); return out`, `[1,2]`},
	{"async generator method", `const o = { n: 5, async *m(k) { yield this.n + k; yield arguments.length }, async *["c" + 1]() { yield "c" }, async *"s t"() { yield "s" } }; const out = []; for await (const x of o.m(1)) out.push(x); for await (const x of o.c1()) out.push(x); for await (const x of o["s t"]()) out.push(x); return out`, `[6,1,"c","s"]`},
	{"async generator in a class", `class A { #p = 1; async *m() { yield this.#p; yield* this.#q() } async *#q() { yield 2 } static async *s() { yield this.name } } const out = []; for await (const x of new A().m()) out.push(x); for await (const x of A.s()) out.push(x); return out`, `[1,2,"A"]`},
	{"async generator calls super", `class A { v() { return "a" } async *g() { yield 1 } } class B extends A { v() { return "b" } async *g() { yield super.v(); yield* super.g() } } const out = []; for await (const x of new B().g()) out.push(x); return out`, `["a",1]`},
	{"class that iterates", `class R { constructor(n) { this.n = n } async *[Symbol.asyncIterator]() { for (let i = 0; i < this.n; i++) yield i } } const out = []; for await (const x of new R(3)) out.push(x); return out`, `[0,1,2]`},
	{"async generator expression", `const g = async function* named() { yield typeof named }; return [(await g().next()).value, g.name]`, `["function","named"]`},
	{"async generator closes over this", `const o = { v: 3, async *g() { const f = () => this.v; yield f() } }; return (await o.g().next()).value`, `3`},
	{"async generator is iterable", `async function* g() { yield 1 } const it = g(); return it[Symbol.asyncIterator]() === it`, `true`},
	{"async generator has nothing after return", `const log = []; async function* g() { try { yield 1 } finally { yield* (async function* () { yield "f1"; yield "f2"; return "r2" })(); log.push("after") } } const it = g(); await it.next(); log.push((await it.return("r")).value, (await it.next()).value, await it.next()); return log`, `["after","f1","f2",{"value":"r","done":true}]`},
	{"async generator return of a rejected promise", `const log = []; async function* g() { try { yield 1 } catch (e) { log.push("c " + e); yield 2 } } const it = g(); await it.next(); log.push(await it.return(Promise.reject("x"))); return log`, `["c x",{"value":2,"done":false}]`},
	{"async generator runs until it waits", `const log = []; async function* g() { log.push("a"); await null; log.push("b"); yield 1 } const it = g(); log.push("made"); const p = it.next(); log.push("asked"); await p; return log`, `["made","a","asked","b"]`},
	{"async generator is done after a throw", `async function* g() { yield 1; throw new Error("e") } const it = g(); await it.next(); let m; try { await it.next() } catch (e) { m = e.message } return [m, await it.next(), await it.return(4)]`, `["e",{"done":true},{"value":4,"done":true}]`},
	{"async generator throw after the end", `async function* g() {} const it = g(); await it.next(); try { await it.throw("x") } catch (e) { return e }`, `"x"`},
	{"many requests at once", `async function* g() { for (let i = 0; i < 3; i++) yield i } const it = g(); const all = await Promise.all(Array.from({ length: 3000 }, () => it.next())); return [all.length, all.filter(r => !r.done).length]`, `[3000,3]`},
	{"yield* does not wait for values", `const inner = { [Symbol.asyncIterator]() { return this }, next() { return Promise.resolve({ done: false, value: Promise.resolve(1) }) } }; async function* g() { yield* inner } const r = await g().next(); return r.value instanceof Promise`, `true`},
	{"yield* of what gives no objects", `const inner = { [Symbol.asyncIterator]() { return this }, next() { return 5 } }; async function* g() { try { yield* inner } catch (e) { yield e instanceof TypeError } } return (await g().next()).value`, `true`},
	{"yield* of an iterator without throw and return", `const inner = { n: 0, [Symbol.asyncIterator]() { return this }, async next() { return { done: false, value: this.n++ } } }; async function* g() { try { yield* inner } finally { yield "f" } } const it = g(); await it.next(); return [(await it.return("r")).value, await it.next()]`, `["f",{"value":"r","done":true}]`},
	{"super in an async generator", `class A { v() { return this.n } static s = "s" } class B extends A { n = 1; async *g() { yield super.v(); yield [1].map(() => super.v()) } async m() { return super.v() + 1 } static async *t() { yield super.s } } const b = new B(); return [(await b.g().next()).value, await b.m(), (await B.t().next()).value]`, `[1,2,"s"]`},
	{"super in an async generator of an object", `const p = { v() { return 4 } }; const o = { __proto__: p, async *g() { yield super.v() } }; for await (const x of o.g()) return x`, `4`},
	{"helpers under other names", `var __await = 1, __asyncGenerator = 2, __knownSymbol = 3, __typeError = 4, __yieldStar = 5; async function* g() { yield* (async function* () { yield __await + __asyncGenerator + __knownSymbol + __typeError + __yieldStar })() } for await (const x of g()) return x`, `15`},
	{"pages", `async function* pages() { let next = 1; while (next) { const r = await Promise.resolve({ items: [next, next * 10], next: next < 3 ? next + 1 : null }); yield* r.items; next = r.next } } const out = []; for await (const x of pages()) { if (x > 25) break; out.push(x) } return out`, `[1,10,2,20,3]`},
	{"using", `const log = []; { using a = { [Symbol.dispose]() { log.push("a") } }, b = { [Symbol.dispose]() { log.push("b") } }; log.push("in") } return log`, `["in","b","a"]`},
	{"using null", `using a = null, b = undefined; return [a, b === undefined]`, `[null,true]`},
	{"using on a throw", `const log = []; try { using a = { [Symbol.dispose]() { log.push("d") } }; throw new Error("x") } catch (e) { log.push(e.message) } return log`, `["d","x"]`},
	{"using that throws too", `try { using a = { [Symbol.dispose]() { throw new Error("inner") } }; throw new Error("outer") } catch (e) { return [e.name, e.error.message, e.suppressed.message] }`, `["SuppressedError","inner","outer"]`},
	{"await using", `const log = []; { await using a = { async [Symbol.asyncDispose]() { await null; log.push("a") } }; log.push("in") } log.push("out"); return log`, `["in","a","out"]`},
	{"using in a loop", `const log = []; for (using x of [1, 2].map(n => ({ n, [Symbol.dispose]() { log.push(-n) } }))) log.push(x.n); return log`, `[1,-1,2,-2]`},
	{"private name in object", `class A { #x; static has(o) { return #x in o } } return [A.has(new A()), A.has({})]`, `[true,false]`},
	{"private method in object", `class A { #m() {} static has(o) { return #m in o } } return [A.has(new A()), A.has([])]`, `[true,false]`},
	{"private name in class with fields", `class A { #x = 1; y = 2; get x() { return this.#x } set x(v) { this.#x = v } static is(o) { return #x in o && o.#x === 5 } inc() { return ++this.#x } } const a = new A(); a.x = 4; return [a.inc(), a.x, a.y, A.is(a)]`, `[5,5,2,true]`},
	{"decorators", `const log = []; const d = (v, c) => { log.push(c.kind + " " + c.name) }; @d class A { @d m() {} @d x = 1; @d static s() {} } return [log, new A().x]`, `[["method s","method m","field x","class A"],1]`},
	{"decorator that replaces", `const twice = (f) => function (...a) { return f.apply(this, a) * 2 }; class A { k = 3; @twice m(n) { return this.k + n } } return new A().m(1)`, `8`},
	{"accessor", `class A { accessor x = 1; static accessor y = 2 } const a = new A(); a.x++; return [a.x, A.y, Object.keys(a)]`, `[2,2,[]]`},
	{"last code point in a string", `return "\u{10FFFF}".codePointAt(0) + "\u{000041}"`, `"1114111A"`},
	{"strict mode stays", `"use strict"; for await (const x of [1]); return (function () { return this === undefined })()`, `true`},
	{"sloppy mode stays", `for await (const x of [1]); return (function () { return typeof this })()`, `"object"`},
	{"a comment at the end", `for await (const x of [1]); return 1 // }`, `1`},
	{"regular expressions and templates stay", "for await (const x of [1]); return [`a\\n${1}\\u{41}`, /[/\\]]+\\//.test(']/'), String.raw`\\u`]", `["a\n1A",true,"\\u"]`},
	{"results of nested functions", `async function* g() { yield* await Promise.all([1, 2].map(async x => x * 2)) } const out = []; for await (const x of g()) out.push(x); return out`, `[2,4]`},
}

func TestConstructs(t *testing.T) {
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			r := body(t, c.code, lower.Options{Translator: typescript.Translator()})
			assert.True(t, r.Changed, "found")
			assert.Equal(t, c.want, run(t, r.Code), "%s", r.Code)
		})
	}
}

// The same code as TypeScript means the same.
func TestConstructsAsTypeScript(t *testing.T) {
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, run(t, body(t, c.code, lower.Options{Translator: typescript.Translator(), TypeScript: true}).Code))
		})
	}
}

// Code that was translated is plain: a second time nothing is found in it.
func TestConstructsOnce(t *testing.T) {
	for _, c := range constructs {
		once := body(t, c.code, lower.Options{Translator: typescript.Translator()}).Code
		r := body(t, once, lower.Options{Translator: typescript.Translator()})
		assert.False(t, r.Changed, "%s: %s", c.name, once)
	}
}

func TestConstructsLikeNode(t *testing.T) {
	codes := make([]string, len(constructs))
	for i, c := range constructs {
		codes[i] = c.code
	}
	compared := 0
	for i, got := range node(t, codes) {
		if strings.HasPrefix(got, "syntax ") {
			t.Logf("%s: this Node.js does not take it: %s", constructs[i].name, got)
			continue
		}
		compared++
		assert.Equal(t, got, constructs[i].want, constructs[i].name)
	}
	assert.Greater(t, compared, len(constructs)*3/4)
}

var typescriptCases = []construct{
	{"annotations", `function f(a: number, b?: string): string { return a + (b ?? "-") } const x: Record<string, number[]> = { a: [1] }; let y!: number; y = 2; return [f(1), x.a, y]`, `["1-",[1],2]`},
	{"generics", `function id<T>(x: T): T { return x } const m = new Map<string, Array<Map<string, number>>>(); class Box<T extends object = {}> { constructor(public v: T) {} map<U extends object>(f: (x: T) => U): Box<U> { return new Box<U>(f(this.v)) } } const arrow = <T,>(x: T): T[] => [x]; return [id<number>(1), m.size, new Box({ a: 1 }).map(x => ({ b: x.a + 1 })).v, arrow<string>("s")]`, `[1,0,{"b":2},["s"]]`},
	{"interfaces and types", `interface A { x: number; m?(): void; readonly [k: string]: unknown } type B = A & { y: string } | null; type C<T> = T extends (infer U)[] ? U : never; type D = { [K in keyof A]?: A[K] }; declare const q: number; declare function g(): void; const b: B = { x: 1, y: "2" }; return b`, `{"x":1,"y":"2"}`},
	{"enum", `enum E { A, B = 5, C, D = "d".length, F = A | C } return [E.A, E.B, E.C, E.D, E.F, E[5]]`, `[0,5,6,1,6,"B"]`},
	{"enum of strings", "enum S { A = 'a', B = `${A}b` } return [S.A, S.B, Object.keys(S)]", `["a","ab",["A","B"]]`},
	{"const enum", `const enum E { A = 1 << 3, B } return [E.A, E.B]`, `[8,9]`},
	{"as, satisfies, const and not null", `const a = { x: 1 } as const; const b = [1, 2] satisfies number[]; const c = (a as any).x!; const d = <number>b[0]; const f = null as unknown as { g?: { h: number } }; return [a, b, c, d, f?.g!.h]`, `[{"x":1},[1,2],1,1,null]`},
	{"overloads", `function f(a: string): string; function f(a: number): number; function f(a: any) { return a } class A { m(x: string): void; m(x: number): void; m(x: any) { return x } } return [f("a"), f(1), new A().m(2 as any)]`, `["a",1,2]`},
	{"abstract classes", `abstract class A { abstract area(): number; protected abstract readonly k: string; describe(): string { return this.k + this.area() } } class B extends A { protected readonly k = "b"; override area(): number { return 4 } } return new B().describe()`, `"b4"`},
	{"parameter properties", `class P { constructor(private readonly a: number, public b = 2, protected c?: string) {} get sum() { return this.a + this.b } } return [new P(1).sum, Object.keys(new P(1))]`, `[3,["a","b","c"]]`},
	{"fields", `class A { x?: number; declare y: number; static z: string = "z"; readonly w = 1; [k: string]: unknown } return [Object.keys(new A()), A.z]`, `[["x","w"],"z"]`},
	{"implements and accessors", `interface I { v: number } class A implements I { private _v = 1; get v(): number { return this._v } set v(x: number) { this._v = x } } const a = new A(); a.v = 3; return a.v`, `3`},
	{"this parameter and predicates", `function f(this: { n: number }, k: number): number { return this.n + k } function is(x: unknown): x is string { return typeof x === "string" } function must(x: unknown): asserts x {} return [f.call({ n: 1 }, 2), is("s")]`, `[3,true]`},
	{"optional chaining and nullish", `const o: { a?: { b: number } } = {}; return [o.a?.b ?? "none", o?.["a"]]`, `["none",null]`},
	{"arrow return types", `const f = async (x: number): Promise<number> => x * 2; const g = (x: number): x is 5 => x === 5; const c = true ? (1) : (x: number): number => x; return [await f(2), g(5), c]`, `[4,true,1]`},
	{"catch unknown and tuples", `const p: [a: number, b?: string, ...rest: boolean[]] = [1]; try { throw new Error("e") } catch (e: unknown) { return [p, (e as Error).message] }`, `[[1],"e"]`},
	{"keyof, typeof, template types", "type K = `on${Capitalize<'click'>}`; const o = { a: 1 }; type T = typeof o; const k: keyof T = 'a'; const n: K = 'onClick'; return [o[k], n]", `[1,"onClick"]`},
	{"async generators with types", `async function* range(n: number): AsyncGenerator<number, void, unknown> { for (let i = 0; i < n; i++) yield i } const out: number[] = []; for await (const x of range(3)) out.push(x); return out`, `[0,1,2]`},
	{"decorators", `function tag(value: Function, c: ClassDecoratorContext) { (value as any).tag = c.name } @tag class A {} return (A as any).tag`, `"A"`},
	{"unicode properties", `const re: RegExp = /^\p{Lu}\p{Ll}+$/u; return [re.test("Émile"), re.test("émile")]`, `[true,false]`},
	{"types of imports vanish", `let x: import("y").T; return typeof x`, `"undefined"`},
	{"comparison that could be types", `const a = 1, b = 2, c = 3; return [a < b, (a < b) > (c as any)]`, `[true,false]`},
	{"a parameter of the tool", `return typeof city === "undefined" ? "no city" : (city as string).length`, `"no city"`},
	{"accessor and using", `class A { accessor x: number = 1 } { using r = { [Symbol.dispose](): void {} } } return new A().x`, `1`},
	{"unused values stay", `const log: string[] = []; const f = (s: string): void => { log.push(s) }; const unused = f("ran"); return log`, `["ran"]`},
}

func TestTypeScript(t *testing.T) {
	for _, c := range typescriptCases {
		t.Run(c.name, func(t *testing.T) {
			r := body(t, c.code, lower.Options{Translator: typescript.Translator(), TypeScript: true})
			assert.Equal(t, c.want, run(t, r.Code), "%s", r.Code)
		})
	}
}

// What the engine's parser stumbles over, and only that parser.
func TestForce(t *testing.T) {
	for _, c := range []construct{
		{"a number with a zero in front", `return 08 + 010`, `16`},
		{"an old loop", `for (var i = 0 in { a: 1 }); return i`, `"a"`},
		{"comments between", "let n = 0; for /* all */ // of them\n await (const x of [1, 2]) n += x; return n", `3`},
		{"plain code", `return [1, 2].map(x => x * 2)`, `[2,4]`},
	} {
		r := body(t, c.code, lower.Options{Translator: typescript.Translator(), Force: true})
		assert.Equal(t, c.want, run(t, r.Code), "%s", c.name)
	}
}
