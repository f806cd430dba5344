package js_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/dop251/goja/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/internal/lower"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

func TestCompileRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, code, reason string
		line, column       int
		part               string
	}{
		{"syntax", "const a = 1;\nconst b = ;", js.ReasonSyntaxError, 2, 11, "unexpected token"},
		{"at the end", "f(", js.ReasonSyntaxError, 1, 3, "unexpected token"},
		{"found by the compiler", "let x = 1;\nlet x = 2;", js.ReasonSyntaxError, 2, 5, "already been declared"},
		{"behind wide characters", "'öö'; +", js.ReasonSyntaxError, 1, 8, ""},
		{"import", "import fs from 'fs'", js.ReasonUnsupportedSyntax, 1, 1, "import"},
		{"dynamic import", "const m = await import('fs')", js.ReasonUnsupportedSyntax, 1, 17, "import"},
		{"export", "export const a = 1", js.ReasonUnsupportedSyntax, 1, 1, "export"},
		{"regexp flag d", "\n return /a/d", js.ReasonUnsupportedSyntax, 2, 12, "flag d"},
		{"property that there is none of", `return /\p{Nonsense}/u`, js.ReasonSyntaxError, 1, 9, "Nonsense"},
		{"arrows in parameters", strings.Repeat("(a=", 7) + "1" + strings.Repeat(")=>1", 7), js.ReasonCodeTooDeep, 1, 0, "arrow functions"},
		{"closes its function", "return 1 }), (async function () {", js.ReasonSyntaxError, 0, 0, "closes the function"},
		{"closes and calls", "})(); (async function () {", js.ReasonSyntaxError, 0, 0, "closes the function"},
		{"another one first", "}, async function () {", js.ReasonSyntaxError, 0, 0, "closes the function"},
		{"closed by an arrow", "}) => (async function () {", js.ReasonSyntaxError, 1, 0, ""},
		{"closed and added to", "}) + (async function () {", js.ReasonSyntaxError, 0, 0, "closes the function"},
		{"hides the end", "return 1 }) /*", js.ReasonSyntaxError, 2, 0, ""},
		{"tree too deep", "return a" + strings.Repeat(".b", 6000), js.ReasonCodeTooDeep, 1, 0, "nests too deep"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, count := range []bool{false, true} {
				p, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: tc.code, Count: count}, limits())
				require.Nil(t, p)
				require.NotEmpty(t, problems)
				got := problems[0]
				assert.Equal(t, toolspec.CodeResolver, got.Code)
				assert.Equal(t, toolspec.SeverityError, got.Severity)
				assert.Equal(t, "code", got.Pointer)
				assert.Equal(t, tc.reason, got.Reason, "%v", got)
				if tc.column > 0 {
					assert.Equal(t, [2]int{tc.line, tc.column}, [2]int{got.Line, got.Column}, "%v", got)
				}
				assert.Contains(t, got.Message, tc.part)
				assert.NotEmpty(t, got.Remedy)
			}
		})
	}
}

// TestProblems: what the analysis finds, and what it leaves alone. A want
// begins with "!" for an error and "?" for a warning, then reason, place, and a
// part of the message.
func TestProblems(t *testing.T) {
	const bare = `new Intl.DateTimeFormat('en-US').format(new Date()); crypto.randomUUID(); console.log(Math.max(1), JSON, globalThis, undefined)`
	for _, tc := range []struct {
		name, code string
		globals    []string
		want       []string
	}{
		{name: "what is there", code: bare},
		{name: "fetch", code: "const a = 1;\nreturn (await fetch('x')).json()", want: []string{"!capability-not-granted 2:15 fetch"}},
		{name: "safety", code: "return safety.fs.read('x')", want: []string{"!capability-not-granted 1:8 safety.fs"}},
		{name: "safety that was granted", code: "return safety.fs.read('x')", globals: []string{"safety.fs"}},
		{name: "safety that there is none of", code: "return safety.http.get('x')", want: []string{"!unsupported-global 1:8 safety.http"}},
		{name: "timers", code: "await new Promise(r => setTimeout(r, 10)); setImmediate(f)", globals: []string{"f"}, want: []string{"!unsupported-global 1:44 setImmediate"}},
		{name: "node", code: "const x = require('fs'); process.exit(1)", want: []string{"!unsupported-global 1:11 require", "!unsupported-global 1:26 process"}},
		{name: "java", code: "Java.type('x')", want: []string{"!host-interop-unavailable 1:1 Java"}},
		{name: "eval", code: "eval('1')", want: []string{"!unsupported-global 1:1 eval"}},
		{name: "Function", code: "new Function('a')", want: []string{"!unsupported-global 1:5 the Function"}},
		{name: "Function not called", code: "return x instanceof Function", globals: []string{"x"}},
		{name: "Temporal", code: "Temporal.Now", want: []string{"!unsupported-global 1:1 Temporal"}},
		{name: "Intl.Segmenter", code: "new Intl.Segmenter('en'); new Intl.Segmenter('de')", want: []string{"!unsupported-global 1:5 Intl.Segmenter"}},
		{name: "Intl.PluralRules", code: "new Intl.PluralRules('en')", want: []string{"!unsupported-global 1:5 Intl.PluralRules"}},

		{name: "typeof", code: "return typeof fetch"},
		{name: "typeof as a guard", code: "if (typeof fetch === 'function') return fetch('x'); return null"},
		{name: "a member looked at", code: "if (Intl.Segmenter) return new Intl.Segmenter()"},
		{name: "bound as a parameter", code: "return fetch + process + URL", globals: []string{"fetch", "process", "URL"}},
		{name: "base bound as a parameter", code: "return Intl.Segmenter()", globals: []string{"Intl"}},
		{name: "declared: const", code: "const URL = 1; return URL"},
		{name: "declared: var below, in a block", code: "f(); function f() { return process } if (1) { var process = 2 }"},
		{name: "declared: function in a block", code: "{ function atob() {} } atob()"},
		{name: "declared: class", code: "class Buffer {} new Buffer()"},
		{name: "declared: parameter", code: "return (fetch => fetch(1))(x => x)"},
		{name: "declared: pattern", code: "const {a: URL = 1, ...btoa} = {}, [self, ...window] = []; return [URL, btoa, self, window]"},
		{name: "declared: catch", code: "try { f() } catch ({process}) { return process } function f() {}"},
		{name: "declared: for", code: "for (const module of []) module(); for (let exports in {}) exports(); for (let global = 0; global < 1; global++) global.x; for (var process of []); return process"},
		{name: "declared: own name", code: "return (function fetch(n) { return n && fetch(n - 1) })(1)"},
		{name: "declared: class own name", code: "return new (class URL { a = URL; static { URL.b = 1 } m() { return URL } })()"},
		{name: "declared: assigned", code: "process = {a: 1}; return process.a"},
		{name: "declared: assigned by pattern", code: "[URL, {a: self}] = [1, {a: 2}]; return URL + self"},
		{name: "declared: counted", code: "n++; --m"},
		{name: "not an identifier: members, keys, labels", code: "fetch: for (;;) { break fetch } return {fetch: 1, process() {}, get URL() { return 1 }}.fetch"},
		{name: "private members", code: "class A { #x = 1; has(o) { return o.#x && this.#x } } return new A()"},

		{name: "scope ends: block", code: "{ const fetch = 1 } return fetch", want: []string{"!capability-not-granted 1:28 fetch"}},
		{name: "scope ends: catch", code: "try {} catch (self) {} return self", want: []string{"!unsupported-global 1:31 self"}},
		{name: "scope ends: loop", code: "for (let self of []); self", want: []string{"!unsupported-global 1:23 self"}},
		{name: "scope ends: function", code: "function f(fetch) {} fetch()", want: []string{"!capability-not-granted 1:22 fetch"}},
		{name: "in a default", code: "return ((a = fetch) => a)()", want: []string{"!capability-not-granted 1:14 fetch"}},
		{name: "in a computed key", code: "const {[fetch]: a} = {}; class A { [process] = 1; [self]() {} } return {[URL]: 1, atob}",
			want: []string{"!capability-not-granted 1:9 fetch", "!unsupported-global 1:37 process", "!unsupported-global 1:52 self"}},
		{name: "generators and await", code: "function* g() { yield x1; yield* x2; yield } await x3; return g()",
			want: []string{"?undeclared-name 1:23 x1", "?undeclared-name 1:34 x2", "?undeclared-name 1:52 x3"}},
		{name: "undeclared", code: "return foo + fooo", globals: []string{"foo"}, want: []string{"?undeclared-name 1:14 fooo"}},
		{name: "errors before warnings", code: "foo(); fetch()", want: []string{"!capability-not-granted 1:8 fetch", "?undeclared-name 1:1 foo"}},
		{name: "escaped property escape", code: `return /\\p{L}/u.test('x')`},
		{name: "no unicode flag", code: `return /\p{L}/.test('p{L}')`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := compile(t, tc.code, false)
			var got []string
			for _, problem := range p.Problems(tc.globals) {
				mark := map[toolspec.Severity]string{toolspec.SeverityError: "!", toolspec.SeverityWarning: "?"}[problem.Severity]
				got = append(got, mark+problem.Reason+" "+place(problem)+" "+problem.Message)
				assert.NotEmpty(t, problem.Remedy)
			}
			require.Len(t, got, len(tc.want), "%s", strings.Join(got, "\n"))
			for i, want := range tc.want {
				assert.True(t, strings.HasPrefix(got[i], want), "want %s\n got %s", want, got[i])
			}
		})
	}
}

// TestProblemsEverywhere puts a name in every place that an expression can have.
func TestProblemsEverywhere(t *testing.T) {
	const code = "if (a1) a2; else a3; while (a4) a5; do a6; while (a7); for (a8; a9; b1) b2; switch (b3) { case b4: b5; default: b6 }\n" +
		"throw b7 ? b8 : b9; `${c1}`; c2`x`; [c3, ...c4]; ({...c5}); new c6(c7); c8?.[c9]; (d1, d2); void d4; return d5 ** d6; with (d7) d8\n" +
		"for (const x of e1) e2; for (const x in e3) e4; try { e5 } catch { e6 } finally { e7 } l: e8; class A extends e9 { f = f1; static { f2 } }\n" +
		"async () => await f3; function* g() { yield f4; yield* f5 } f6.a.b; f7[f8](); `${f9}`; !g1; [g2][0]; ({a: g3, [g4]: 1}); g5(...g6)"
	p := compile(t, code, false)
	found := map[string]string{}
	for _, problem := range p.Problems(nil) {
		name, _, _ := strings.Cut(problem.Message, " ")
		found[name] = place(problem)
	}
	for line, text := range strings.Split(code, "\n") {
		for _, at := range regexp.MustCompile(`\b[a-g][1-9]\b`).FindAllStringIndex(text, -1) {
			assert.Equal(t, itoa(line+1)+":"+itoa(at[0]+1), found[text[at[0]:at[1]]], text[at[0]:at[1]])
		}
	}
}

func place(p toolspec.Problem) string {
	return strings.TrimSpace(strings.Join([]string{itoa(p.Line), itoa(p.Column)}, ":"))
}

func itoa(n int) string {
	const digits = "0123456789"
	if n < 10 {
		return digits[n : n+1]
	}
	return itoa(n/10) + digits[n%10:n%10+1]
}

func TestProblemsAreBounded(t *testing.T) {
	var code strings.Builder
	for i := range 1000 {
		code.WriteString("name" + itoa(i) + "();\n")
	}
	assert.Len(t, compile(t, code.String(), false).Problems(nil), 100)
}

func TestSourceMapsAreNotRead(t *testing.T) {
	out := run(t, "return 1\n//# sourceMappingURL=/etc/passwd")
	require.Nil(t, out.Err)
	assert.Positive(t, compile(t, "return 1", false).Size())
}

// TestTextNeverBecomesCode tries every way to a compiler that the language has.
func TestTextNeverBecomesCode(t *testing.T) {
	for _, code := range []string{
		`return (0, eval)('1')`, `return this.eval('1')`, `return globalThis['ev' + 'al']('1')`,
		`return (() => {}).constructor('return 1')()`, `return Function.prototype.constructor('return 1')()`,
		`return (async () => {}).constructor('return 1')()`, `return (function* () {}).constructor('yield 1')().next()`,
		`return Reflect.construct(Function, ['return 1'])()`, `return new (class extends Function {})('return 1')()`,
		`return Object.getPrototypeOf(Object.getPrototypeOf(async () => {})).constructor('return 1')()`,
		`return [].map.constructor('return 1')()`, `return console.log.constructor('return 1')()`,
	} {
		t.Run(code, func(t *testing.T) {
			out := run(t, code)
			require.NotNil(t, out.Err, "%s", out.Result)
			assert.Equal(t, toolspec.KindJSError, out.Err.Kind)
		})
	}
}

// FuzzWrapper looks for code that compiles and is more than the body of a
// function. What is a body of the one function is a body of another kind too:
// text that gets out of its wrapper does not fit into both.
func FuzzWrapper(f *testing.F) {
	for _, seed := range []string{
		"", "return 1", "}), (async function () {", "})(); (async function () {", "}, async function () {", "}) => (async function () {", "}) + (async function () {",
		"return 1 }) /*", "*/", "`", "//", "-->", "<!--", "}\n}", "{", "'use strict'", "return `${", "}`", "/}/", "a\n}) \u2028", "if (1) { return 2 } else {}", "\\",
	} {
		f.Add(seed)
	}
	lim := limits()
	lim.SourceBytes = 1 << 12 // keeps each input fast
	f.Fuzz(func(t *testing.T, code string) {
		p, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: code}, lim)
		if p == nil {
			assert.NotEmpty(t, problems)
			return
		}
		tree, err := parser.ParseFile(nil, "", "({async m() {\n"+code+"\n}})", 0, parser.WithDisableSourceMaps)
		if err != nil { // it was translated first
			lowered, problems := lower.Lower(code, lower.Options{Translator: typescript.Translator(), Force: true})
			require.Empty(t, problems)
			tree, err = parser.ParseFile(nil, "", "({async m() {\n"+lowered.Code+"\n}})", 0, parser.WithDisableSourceMaps)
		}
		require.NoError(t, err)
		assert.Len(t, tree.Body, 1)
	})
}

func TestHostNamesDoNotLeak(t *testing.T) {
	out := run(t, `
		const seen = [];
		for (const name of Object.getOwnPropertyNames(globalThis)) seen.push(name);
		for (const f of Object.values(console)) seen.push(f.name, String(f));
		try { console.log({get a() { throw new Error('x') }}) } catch (e) { seen.push(e.stack) }
		seen.push(typeof GoError, typeof eval);
		return seen.join('\n')`)
	require.Nil(t, out.Err)
	for _, word := range []string{"localpass", "github", "func1", "goja", ".go", "GoError"} {
		assert.NotContains(t, string(out.Result), word)
	}
}

func TestRunEndsWithContext(t *testing.T) {
	p := compile(t, "return 1", false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := p.Run(ctx, &js.Input{})
	require.NotNil(t, out.Err)
	assert.Equal(t, toolspec.KindCancelled, out.Err.Kind)
	assert.ErrorIs(t, out.Err, context.Canceled)
}
