package js_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/typescript"
)

func TestScanAccepts(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, 2000) }
	for name, code := range map[string]string{
		"nothing":                    "",
		"brackets in strings":        many(`f("((([[[{{{"); g('(((');` + "\n"),
		"brackets in templates":      many("f(`((( ${a + `[[[`} {{{`);\n"),
		"brackets in comments":       many("// ((([[[\n/* {{{ */ f();\n"),
		"brackets in regexps":        many(`x = /[(\[{"'/]/.test(y);` + "\n"),
		"regexps after words":        many("return /(/g, typeof /[`]/;\n"),
		"divisions":                  many("x = a / b / (c) / d[0] / 2; y++ / 2;\n"),
		"an operator per line":       many("x += 1;\n") + many("const y = -1\n"),
		"many elements":              "[" + many("-1, !a, ") + "]",
		"many elses, with bodies":    strings.Repeat("if (a) { f() } else ", 1000) + "{}",
		"400 deep":                   strings.Repeat("[", 400) + strings.Repeat("]", 400),
		"too many closing":           strings.Repeat("}", 1000),
		"a string that never ends":   "x = 'abc\n" + many("f(')');\n"),
		"a comment that never ends":  "/*" + many("((("),
		"a line comment at the end":  "f() // (((",
		"a template that never ends": "`" + many("((("),
		"a slash at the end":         "x = /",
		"escapes":                    `x = '\'(' + "\"(" + /\/(/ + ` + "`\\`(`",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Nil(t, js.Scan(code, limits()))
		})
	}
}

func TestScanRefuses(t *testing.T) {
	deep := func(s string) string { return strings.Repeat(s, 6000) }
	for name, tc := range map[string]struct{ code, reason string }{
		"too long":          {strings.Repeat("a", 1<<20+1), js.ReasonCodeTooLong},
		"not UTF-8":         {"return '\xff'", js.ReasonSyntaxError},
		"brackets":          {"f();\n  " + deep("["), js.ReasonCodeTooDeep},
		"braces":            {deep("{"), js.ReasonCodeTooDeep},
		"templates":         {deep("`${"), js.ReasonCodeTooDeep},
		"negations":         {deep("!"), js.ReasonCodeTooDeep},
		"words":             {deep("typeof "), js.ReasonCodeTooDeep},
		"news":              {deep("new "), js.ReasonCodeTooDeep},
		"arrows":            {deep("a=>"), js.ReasonCodeTooDeep},
		"assignments":       {deep("a="), js.ReasonCodeTooDeep},
		"conditionals":      {deep("a?b:"), js.ReasonCodeTooDeep},
		"ifs":               {deep("if(a)"), js.ReasonCodeTooDeep},
		"labels":            {deep("a:"), js.ReasonCodeTooDeep},
		"both ways at once": {strings.Repeat(strings.Repeat("!", 50)+"(", 200), js.ReasonCodeTooDeep},
	} {
		t.Run(name, func(t *testing.T) {
			p := js.Scan(tc.code, limits())
			require.NotNil(t, p)
			assert.Equal(t, tc.reason, p.Reason)
			assert.NotEmpty(t, p.Message)
			assert.NotEmpty(t, p.Remedy)
			if tc.reason == js.ReasonCodeTooDeep {
				assert.Positive(t, p.Line)
			}
		})
	}
	p := js.Scan("é;\nöö"+deep("["), limits())
	assert.Equal(t, [2]int{2, 503}, [2]int{p.Line, p.Column}, "columns are characters")
}

// FuzzScan looks for text that makes the scan loop, panic or let a parse
// through that is too deep to finish.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{"", "a/b/c", "`${`${", "/[/]/", "x = {}/1/g", "'\\", "/*", "}`", "a\n++/b/", "\xff", "(((", "if(a)else", "`$"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		lim := limits()
		lim.SourceBytes = 1 << 12 // keeps each input fast
		if p := js.Scan(code, lim); p != nil {
			assert.NotEmpty(t, p.Reason)
			return
		}
		js.Compile(js.Source{Translator: typescript.Translator(), Code: code}, lim)
		js.Compile(js.Source{Translator: typescript.Translator(), Code: code, Count: true}, lim)
	})
}
