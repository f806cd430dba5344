package render_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/examples/clichat/internal/render"
)

// coloured returns the lines of a code block as they are written, with k, s, n, d, a and c
// for the colours of words, strings, numbers, comments, alarms and unknown code.
func coloured(language, code string) string {
	var out bytes.Buffer
	m := render.NewMarkdown(render.NewScreen(&out, render.Theme{Color: true}, nil))
	m.Write("```" + language + "\n" + code + "\n```\n")
	m.Close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return strings.NewReplacer("\x1b[0m", ">", "\x1b[35m", "<k:", "\x1b[32m", "<s:", "\x1b[36m", "<n:", "\x1b[2m", "<d:", "\x1b[31m", "<a:").
		Replace(strings.Join(lines[1:len(lines)-1], "\n"))
}

func TestCodeIsColoured(t *testing.T) {
	for _, one := range []struct{ language, code, want string }{
		{"go", "func f(n int) { return n + 12.5 } // a \"b\"", `<k:func> f(n <k:int>) { <k:return> n + <n:12.5> } <d:// a "b">`},
		{"go", "a := `one\n/* two`\nb /* three\nfour */ c", "a := <s:`one>\n<s:/* two`>\nb <d:/* three>\n<d:four */> c"},
		{"Go title=main.go", `x := "a\"b" + 'c`, `x := <s:"a\"b"> + 'c`},
		{"python", "def f(x):\n  \"\"\"Says\n  'it'.\"\"\"\n  return x[0] # it's", "<k:def> f(x):\n  <s:\"\"\"Says>\n<s:  'it'.\"\"\">\n  <k:return> x[<n:0>] <d:# it's>"},
		{"{.sh}", "for x in a; do echo ${#x}; done", "<k:for> x <k:in> a; <k:do> echo ${#x}; <k:done>"},
		{"sql", "SELECT a FROM b -- c", "<k:SELECT> a <k:FROM> b <d:-- c>"},
		{"json", `{"a": [1e3, true]}`, `{<s:"a">: [<n:1e3>, <k:true>]}`},
		{"html", `<p class="a">it's <!-- b --></p>`, `<<k:p> class=<s:"a">>it's <d:<!-- b -->></<k:p>>`},
		{"diff", "@@ -1 +1 @@\n-a\n+b\n c", "<n:@@ -1 +1 @@>\n<a:-a>\n<s:+b>\n c"},
		{"c", "#include <a.h>", "<k:#include> <a.h>"},
		{"", "if x", "<n:if x>"},
		{"brainfuck", "if x", "<n:if x>"},
	} {
		assert.Equal(t, one.want, coloured(one.language, one.code), one.language)
	}
}

// The text is the same in every language, and a long line does not take long.
func TestColoursLoseNothing(t *testing.T) {
	code := "\"a\\\n/* 'b ``` é한\u0301 #@x 1.2.3 \"\"\" --<p =\"q */ '"
	for _, language := range []string{"go", "python", "html", "sql", "sh", "css", "lua", "diff", ""} {
		text := "~~~" + language + "\n" + code + "\n~~~"
		assert.Equal(t, markdown(text, 60, 3, render.Theme{}), markdown(text, 60, 3, render.Theme{Color: true}), language)
	}
	from := time.Now()
	coloured("go", strings.Repeat(`"\`, 2000)+"\n"+strings.Repeat(`"\`, 1<<17))
	assert.Less(t, time.Since(from), 30*time.Second)
}

func BenchmarkCode(b *testing.B) {
	text := strings.Repeat("func f(n int) { return g(n, \"text\", 12) } // why\n", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		coloured("go", text)
	}
}
