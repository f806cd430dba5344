package js_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

// TestConsolePlaces: each line says where in the author's code it was printed,
// whatever the code went through before it ran. In translated code the column is
// that of the nearest thing before it that was kept.
func TestConsolePlaces(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		typescript bool
		want       string // line:column of each line
	}{
		{"the first character", "console.log(1)", false, "1:12"},
		{"later lines", "\n\n  console.log(1);\n\tconsole.warn(2)\n", false, "3:14 4:14"},
		{"characters, not bytes", "const é = '😀'; console.log(é)", false, "1:27"},
		{"several lines of one call", "console.log(\n  1,\n  2\n)", false, "1:12"},
		{"a loop", "for (let i = 0; i < 3; i++)\n  console.log(i)", false, "2:14 2:14 2:14"},
		{"a function", "function f(x) {\n  console.log(x)\n}\nf(1)\nf(2)", false, "2:14 2:14"},
		{"after an await", "await null\nconsole.log(1)\nawait 0; console.log(2)", false, "2:12 3:21"},
		{"in a timer", "setTimeout(() => {\n  console.log(1)\n}, 1)\nawait new Promise(r => setTimeout(r, 5))", false, "2:14"},
		{"given to a native function", "\n[1].forEach(console.log)", false, "2:12"},
		{"in a getter of what is printed", "console.log({\n  get a() { console.log(1); return 2 }\n})", false, "2:24 1:12"},
		{"given to a timer", "setTimeout(console.log, 1)\nawait new Promise(r => setTimeout(r, 5))", false, "0:0"},
		{"bound", "const f = console.log.bind(console)\nf(1)", false, "2:2"},
		{"types are gone", "type A = {\n  a: number\n}\nconst a: A = {a: 1}\nconsole.log(a.a as number)", true, "5:9"},
		{"an enum became code", "enum E { A, B }\n\nclass C {\n  constructor(private e: E) {\n    console.log(this.e)\n  }\n}\nnew C(E.B)\nconsole.log('end')", true, "5:13 9:9"},
		{"an async generator became code", "async function* g() {\n  yield 1\n  console.log('in')\n}\nfor await (const x of g()) {\n  console.log(x)\n}", false, "6:11 3:11"},
		{"a pattern was rewritten", "const r = /\\p{L}+/u; console.log(r.test('é'))\nconsole.log(2)", false, "1:33 2:12"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, count := range []bool{false, true} {
				lim := limits()
				p, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: tc.code, TypeScript: tc.typescript, Count: count}, lim)
				require.Empty(t, problems)
				out := p.Run(context.Background(), &js.Input{})
				require.Nil(t, out.Err)
				var got []string
				for _, l := range out.Console {
					got = append(got, fmt.Sprintf("%d:%d", l.Line, l.Column))
				}
				assert.Equal(t, tc.want, strings.Join(got, " "))
			}
		})
	}

	out := run(t, "for (let i = 0; i < 30; i++) console.log(i)")
	require.Len(t, out.Console, 21)
	assert.Equal(t, 1, out.Console[19].Line)
	assert.Zero(t, out.Console[20].Line, "no line of the code says that others were cut")

	deep := run(t, "function f(n) { if (n) [n].forEach(() => f(n - 1)); else console.log('deep') }\nf(500)")
	require.Nil(t, deep.Err)
	assert.Equal(t, 1, deep.Console[0].Line, "however deep the calls are")
}

// BenchmarkConsole prints as much as is kept, from one place and from as many as
// there can be, in code as long as it can be.
func BenchmarkConsole(b *testing.B) {
	lim := limits()
	lim.ConsoleLines, lim.ConsoleBytes = 1000, 64<<10
	const lines = 1000
	for name, code := range map[string]string{
		"OnePlace":   fmt.Sprintf("for (let i = 0; i < %d; i++) console.log(i)", lines),
		"ManyPlaces": strings.Repeat("/* "+strings.Repeat("x", 1000)+" */\nconsole.log(1)\n", lines),
		"None":       fmt.Sprintf("for (let i = 0; i < %d; i++) String(i)", lines),
	} {
		b.Run(name, func(b *testing.B) {
			p, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: code}, lim)
			require.Empty(b, problems)
			var out *toolspec.Outcome
			b.ReportAllocs()
			for b.Loop() {
				out = p.Run(context.Background(), &js.Input{})
			}
			require.Nil(b, out.Err)
		})
	}
}
