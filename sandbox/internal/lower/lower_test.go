package lower_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/sandbox/internal/lower"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

func TestNothingToDo(t *testing.T) {
	for _, code := range []string{
		"", "return 1", "async function f() { for (const x of y) await x; } return f", "const using = 1; return using / 2 + using", "// for await (x of y)\nreturn 1",
		`return "for await (const x of y)" + '\p{L}'`, "return `for await ${1} @x \\u{10FFF}`", "return a /d/ b", "const accessor = 1; return accessor", "return a@b.c"[:8],
		`return /\p{L}/.test("p{L}")`, "class A { #x = 1; m() { return this.#x } } for (const k in new A()) ;", "return async * 2"[:12], "return \"a@b.c\"", "x = /[@#]/",
		"/* async *gen */ return 1", "return {async: 1, using: 2, await: 3}", "this is not JavaScript (", "return /[^]/.test('x')", "return '#' in o",
	} {
		r, problems := lower.Lower(code, lower.Options{Translator: typescript.Translator()})
		require.Empty(t, problems, code)
		assert.False(t, r.Changed, code)
		assert.Equal(t, code, r.Code)
		line, column := r.Map.Author(3, 7)
		assert.Equal(t, [2]int{3, 7}, [2]int{line, column})
	}
}

func TestNothingToDoCostsNothing(t *testing.T) {
	code := strings.Repeat("const x = await foo(1, 'a'); // comment\nreturn [1, 2].map(async y => y / 2);\n", 100)
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _ = lower.Lower(code, lower.Options{Translator: typescript.Translator()}) }), 1.0)
}

func TestRefused(t *testing.T) {
	ts := lower.Options{Translator: typescript.Translator(), TypeScript: true}
	js := lower.Options{Translator: typescript.Translator()}
	for _, c := range []struct {
		name, code   string
		opts         lower.Options
		reason       string
		line, column int
		message      string
	}{
		{"a type import", "let é: X;\n  import type { X } from 'y'", ts, lower.ReasonUnsupportedSyntax, 2, 3, "import is not supported"},
		{"an import", "import { X } from 'y'", ts, lower.ReasonUnsupportedSyntax, 1, 1, "import is not supported"},
		{"import and require", "import x = require('y')", ts, lower.ReasonUnsupportedSyntax, 1, 1, "import is not supported"},
		{"an export", "\n\nexport const x = 1", ts, lower.ReasonUnsupportedSyntax, 3, 1, "export is not supported"},
		{"a dynamic import", "for await (const x of y);\n  return import('x')", js, lower.ReasonUnsupportedSyntax, 2, 10, "import is not supported"},
		{"import.meta", "using x = import.meta", js, lower.ReasonUnsupportedSyntax, 1, 11, "import is not supported"},
		{"a namespace", "const a = 1\nnamespace N { export const x = 1 }", ts, lower.ReasonUnsupportedSyntax, 2, 1, "namespaces are not supported"},
		{"a decorated parameter", "class A { m(@x a: number) {} }", ts, lower.ReasonUnsupportedSyntax, 1, 13, "decorators of parameters"},
		{"a syntax error", "const a: number = 1;\nconst b: = 2", ts, lower.ReasonSyntaxError, 2, 10, `unexpected "="`},
		{"behind wide characters", "const s = '😀é'; const b: = 2", ts, lower.ReasonSyntaxError, 1, 26, `unexpected "="`},
		{"an early end", "for await (const x of [1]) {\n  return (", js, lower.ReasonSyntaxError, 2, 11, "ends too early"},
		{"a name twice", "let a = 1; for await (const x of y);\nlet a = 2", js, lower.ReasonSyntaxError, 2, 5, `"a" has already been declared`},
		{"JSX", "return <div/>", ts, lower.ReasonSyntaxError, 1, 12, "expected"},
		{"bytes that are no text", "for await (x of y); '\xff'", js, lower.ReasonSyntaxError, 0, 0, "UTF-8"},
		{"a flag", "return 1;\nreturn /a/gd", js, lower.ReasonUnsupportedSyntax, 2, 12, "flag d"},
		{"an unknown property", "return 'é' + /x\\p{Nope}/u", js, lower.ReasonSyntaxError, 1, 16, `no property \p{Nope}`},
		{"an unknown property in translated code", "for await (const x of y) {\n}\nreturn /é[a\\p{Nope}]/u", js, lower.ReasonSyntaxError, 3, 12, `no property \p{Nope}`},
		{"a property that is not known here", "return /[\\p{XIDS}]/v", js, lower.ReasonUnsupportedSyntax, 1, 10, "XIDS"},
		{"too many classes", strings.Repeat("/\\p{L}/u;", 200), js, lower.ReasonCodeTooLong, 0, 0, "written out"},
		{"too much output", strings.Repeat("for await(x of y);", 3000), js, lower.ReasonCodeTooLong, 0, 0, "when it is translated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, problems := lower.Lower(c.code, c.opts)
			require.Nil(t, r)
			require.NotEmpty(t, problems)
			p := problems[0]
			assert.Equal(t, toolspec.SeverityError, p.Severity)
			assert.Equal(t, "code", p.Pointer)
			assert.Equal(t, c.reason, p.Reason, p.Message)
			assert.Equal(t, [2]int{c.line, c.column}, [2]int{p.Line, p.Column}, p.Message)
			assert.Contains(t, p.Message, c.message)
			assert.NotEmpty(t, p.Remedy)
			assert.NotContains(t, p.Message, "async function ()", "the wrapper")
		})
	}
}

// Code cannot leave the function that it is the body of.
func TestInjection(t *testing.T) {
	for _, code := range []string{
		"}); evil(); (async function () {", "}, evil(), async function () {", "}); var x = evil(); (async function () {", "}); let x = evil(); (async function () {",
		"}); function evil() {} (async function () {", "}); import 'x'; (async function () {", "}); export default 1; (async function () {", "})(), (async function () {",
		"}).call(evil), (async function () {", "} + async function () {", "}); if (evil()) (async function () {", "}); { (async function () {", "}); } (async function () {",
		"} }); (async () => {", "}); evil(); //", "}); evil(); /*", "}), evil(`", "}); class A {} (async function () {", "}); label: (async function () {", "}); /x/.test((async function () {",
		"}, async function () {", "}); (async function () {", "}); var x = (async function () {", "}); 'use strict'; (async function () {", "*/ }); evil(); (async function () { /*",
		"}) /* ", "})//", "}; evil(); (async function () {", "})\n(async function () {", "}) ? 1 : (async function () {", "}, x = async function () {", "}) => (async function () {",
	} {
		for _, with := range []string{"for await (const x of y);\n", ""} {
			for _, opts := range []lower.Options{{Force: true}, {TypeScript: true}} {
				for _, source := range []string{with + code, code + with, with + code + with} {
					r, problems := lower.Lower(source, opts)
					if r == nil {
						assert.NotEmpty(t, problems)
						continue
					}
					t.Errorf("%q became %q", source, r.Code)
				}
			}
		}
	}
}

func TestLimits(t *testing.T) {
	leak.Check(t)
	nest := func(open, in, shut string, n int) string {
		return strings.Repeat(open, n) + in + strings.Repeat(shut, n)
	}
	for _, c := range []struct{ name, code, message string }{
		{"brackets", nest("(", "1", ")", 501), "nests deeper than 500"},
		{"blocks", nest("{", "", "}", 501), "nests deeper than 500"},
		{"templates", nest("`${", "1", "}`", 501), "nests deeper than 500"},
		{"members", "return a" + strings.Repeat(".b", 2001), "chains more than 2000"},
		{"calls", "return a" + strings.Repeat("()", 2001), "chains more than 2000"},
		{"indexes", "return a" + strings.Repeat("[0]", 2001), "chains more than 2000"},
		{"tags", "return a" + strings.Repeat("`b`", 2001), "chains more than 2000"},
		{"sums", "return 1" + strings.Repeat("+a", 2001), "chains more than 2000"},
		{"nots", "return " + strings.Repeat("!", 2001) + "a", "chains more than 2000"},
		{"branches", "return " + strings.Repeat("a?b:", 2001) + "c", "chains more than 2000"},
		{"branches on lines", "return " + strings.Repeat("a\n?\nb\n:\n", 2001) + "c", "chains more than 2000"},
		{"ifs", strings.Repeat("if(a)", 2001) + ";", "chains more than 2000"},
		{"elses", strings.Repeat("if(a){}\nelse ", 2001) + ";", "chains more than 2000"},
		{"keyofs", "let x: " + strings.Repeat("keyof ", 2001) + "A", "chains more than 2000"},
		{"keyofs on lines", "let x: " + strings.Repeat("keyof\n", 2001) + "A", "chains more than 2000"},
		{"classes", "x = " + strings.Repeat("class extends ", 2001) + "A", "chains more than 2000"},
		{"sequences", "return (1" + strings.Repeat(",a", 2001) + ")", "more than 2000 commas"},
		{"arrows", "return " + strings.Repeat("a=>", 201) + "1", "more than 200 arrow"},
		{"types", "return a" + strings.Repeat("<b", 501), "more than 500 <"},
		{"doubtful arrows", "return " + nest("a?(b):c=>(", "d", ")", 30), "arrow functions in conditions"},
		{"doubtful arrows in a row", "return " + strings.Repeat("a?(b):c=>", 30) + "d", "arrow functions in conditions"},
		{"doubtful arrows with types", "return " + nest("a?(b):(c:D<E>)=>F=>{return ", "d", "}", 30), "arrow functions in conditions"},
		{"parameters", nest("(a=", "1", ")=>1", 30), "in parameters of arrow functions"},
		{"parameters in patterns", nest("([a=", "1", "])=>1", 30), "in parameters of arrow functions"},
		{"parameters of async functions", nest("async(a=", "1", "):b=>1", 30), "in parameters of arrow functions"},
		{"parameters in bodies", nest("(a=()=>{", "1", "})=>1", 30), "in parameters of arrow functions"},
		{"strings in enums", func() string {
			var b strings.Builder
			b.WriteString("enum A { a0 = 'xxxxxxxx',")
			for i := 1; i < 40; i++ {
				fmt.Fprintf(&b, "a%d = `${a%d}${a%d}`,", i, i-1, i-1)
			}
			return b.String() + "}"
		}(), "strings in enums"},
		{"sums in enums", "enum A { a = 'x', b = " + nest("(", "a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a", ")", 2) + "}", "strings in enums"},
		{"decorators", "class A {" + strings.Repeat("@b c;", 1001) + "}", "more than 1000 decorators"},
		{"length", strings.Repeat(" ", 64<<10+1), "the limit for TypeScript"},
		{"length of anything", strings.Repeat(" ", 1<<20+1), "the limit is 1048576"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, problems := lower.Lower(c.code, lower.Options{Translator: typescript.Translator(), TypeScript: true})
			require.Nil(t, r)
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].Message, c.message)
		})
	}
}

// Code that is large but ordinary passes.
func TestLimitsLeaveRoom(t *testing.T) {
	for _, c := range []struct{ name, code string }{
		{"an array", "return [" + strings.Repeat("1, ", 20_000) + "]"},
		{"an object", "return {" + strings.Repeat("a: 1, ", 8000) + "}"},
		{"strings in an array", "const a: string[] = [" + strings.Repeat(`"x", `, 10_000) + "]"},
		{"lines without semicolons", strings.Repeat("foo.bar(1).baz[2] = a + b\n", 2000)},
		{"functions without semicolons", strings.Repeat("if (a) { foo.bar() }\n", 2500)},
		{"conditions", strings.Repeat("x = a ? (b) : (c); f(x => x);\n", 1500)},
		{"conditions without semicolons", strings.Repeat("x = a ? (b) : y => y\n", 1500)},
		{"callbacks", strings.Repeat("f((a, b) => { g((c) => ", 100) + "1" + strings.Repeat(") })", 100)},
		{"callbacks behind calls", strings.Repeat("f(g(z => z), a => ", 50) + "1" + strings.Repeat(")", 50)},
		{"many callbacks", strings.Repeat("f((a, b = () => 1) => { g((c) => d((e) => e)) });", 1000)},
		{"comparisons", strings.Repeat("if (a < b && c < d) e();\n", 2000)},
		{"declarations", strings.Repeat("{ let a: Map<string, Array<number>> = new Map() }\n", 1200)},
		{"an enum", "enum A {" + func() string {
			var b strings.Builder
			for i := range 3000 {
				fmt.Fprintf(&b, "a%d = 1 << 2,\n", i)
			}
			return b.String()
		}() + "}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := lower.Lower(c.code, lower.Options{Translator: typescript.Translator(), TypeScript: true})
			assert.Empty(t, problems)
		})
	}
}

// The limits that a caller sets hold; code that only has patterns is not held to
// those of the translator.
func TestLimitsSet(t *testing.T) {
	_, problems := lower.Lower("for await (x of y);", lower.Options{Translator: typescript.Translator(), Limits: lower.Limits{Translated: 10}})
	require.Len(t, problems, 1)
	_, problems = lower.Lower("for await (x of y) { z(1) }", lower.Options{Translator: typescript.Translator(), Limits: lower.Limits{Nesting: 1}})
	require.Len(t, problems, 1)
	_, problems = lower.Lower("for await (x of y);", lower.Options{Translator: typescript.Translator(), Limits: lower.Limits{Source: 10}})
	require.Len(t, problems, 1)
	r := body(t, "return /\\p{Lu}/u.test('A')"+strings.Repeat(";", 100<<10), lower.Options{Translator: typescript.Translator()})
	assert.True(t, r.Changed)
	r = body(t, "return /\\p{Lu}/u.test('A') && "+strings.Repeat("(", 501)+"1"+strings.Repeat(")", 501), lower.Options{Translator: typescript.Translator()})
	assert.False(t, r.Changed, "left to the engine's own bounds")
}

// Code that has changed the built-ins before it uses what was lowered harms
// itself only: it fails, or goes on until it is interrupted.
func TestPatchedBuiltins(t *testing.T) {
	use := "async function* g() { yield 1; yield* [2] } let n = 0; for await (const x of g()) n += x; return n"
	for _, patch := range []string{
		"Promise.prototype.then = function () { throw 1 };", "Promise.resolve = () => 5;", "Promise = class {};", "Symbol = {};", "Symbol.for = null;",
		"Object.prototype.then = f => f(1);", "Object.defineProperty(Object.prototype, 'value', { get() { throw 1 }, set() {} });", "Array.prototype[Symbol.iterator] = null;",
		"Function.prototype.call = null; Function.prototype.apply = null;", "Object.prototype.next = 1; Object.prototype.done = true;", "TypeError = null;",
	} {
		r := body(t, "try { "+patch+" "+use+" } catch (e) { return 'caught' }", lower.Options{Translator: typescript.Translator()})
		assert.NotPanics(t, func() { settle(t, r.Code) }, patch)
	}
}

func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r, problems := lower.Lower("for await (const x of [1]) return /\\p{L}/u.test('é')", lower.Options{Translator: typescript.Translator()})
			assert.Empty(t, problems)
			line, column := r.Map.Author(3, 1)
			assert.NotZero(t, line+column)
		})
	}
	wg.Wait()
}

func FuzzLower(f *testing.F) {
	for _, c := range constructs {
		f.Add(c.code, false)
	}
	for _, c := range typescriptCases {
		f.Add(c.code, true)
	}
	f.Add("return /[\\p{L}--[a-z]]/v", false)
	f.Add("}); evil(); (async function () {", true)
	f.Add("for await(", false)
	f.Add("/*", true)
	f.Add("`${`", true)
	f.Fuzz(func(t *testing.T, code string, ts bool) {
		if len(code) > 4<<10 {
			return
		}
		r, problems := lower.Lower(code, lower.Options{Translator: typescript.Translator(), TypeScript: ts})
		if r == nil {
			require.NotEmpty(t, problems)
			for _, p := range problems {
				require.LessOrEqual(t, p.Line, 1+strings.Count(code, "\n"), "%s", p.Message)
				require.LessOrEqual(t, p.Column, len(code)+1, "%s", p.Message)
			}
			return
		}
		require.Empty(t, problems)
		if !r.Changed {
			require.Equal(t, code, r.Code)
			return
		}
		for i, line := range strings.Split(r.Code, "\n") {
			for _, column := range []int{1, len(line)/2 + 1, len(line) + 1} {
				l, c := r.Map.Author(i+1, column)
				require.GreaterOrEqual(t, l, 0)
				require.LessOrEqual(t, l, 1+strings.Count(code, "\n"))
				require.LessOrEqual(t, c, len(code)+1)
			}
		}
	})
}

func BenchmarkNothingToDo(b *testing.B) {
	code := strings.Repeat("const x = await foo(1, 'a'); // a comment\nreturn [1, 2].map(async y => ({ using: y / 2 }));\n", 12)[:1024]
	b.SetBytes(int64(len(code)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = lower.Lower(code, lower.Options{Translator: typescript.Translator()})
	}
}

func BenchmarkForAwait(b *testing.B) {
	for b.Loop() {
		_, _ = lower.Lower("const out = [];\nfor await (const x of [1, 2]) out.push(x);\nreturn out", lower.Options{Translator: typescript.Translator()})
	}
}

func BenchmarkTypeScript(b *testing.B) {
	code := "interface P { q: string }\n" + strings.Repeat("function f(a: number, b?: P): Promise<string[]> { return Promise.resolve([b?.q ?? String(a)]) }\n", 20)
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		_, _ = lower.Lower(code, lower.Options{Translator: typescript.Translator(), TypeScript: true})
	}
}
