package render_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/clichat/internal/render"
)

func TestStrip(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"text":            {"plain\ttext\nand more", "plain\ttext\nand more"},
		"colour":          {"\x1b[31mred\x1b[0m", "red"},
		"title":           {"a\x1b]0;owned\x07b", "ab"},
		"clipboard":       {"a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"},
		"device control":  {"a\x1bP1$r0m\x1b\\b", "ab"},
		"C1 CSI":          {"a\u009b2Jb", "ab"},
		"C1 OSC":          {"a\u009d0;x\u009cb", "ab"},
		"charset":         {"a\x1b(0b", "ab"},
		"reset":           {"a\x1bcb", "ab"},
		"cursor up":       {"line\x1b[2A\x1b[2Kfake", "linefake"},
		"backspace":       {"ab\b\bX", "abX"},
		"carriage return": {"safe\rrepainted", "saferepainted"},
		"windows lines":   {"a\r\nb", "a\nb"},
		"never ended":     {"a\x1b]0;hidden\nshown", "a\nshown"},
		"sequence broken": {"a\x1b[3é", "aé"},
		"bidi":            {"a\u202eb\u2066c", `a\u202eb\u2066c`},
		"zero width":      {"a\u200bb\ufeffc", `a\u200bb\ufeffc`},
		"tags":            {"a\U000e0041b", `a\ue0041b`},
		"emoji":           {"👩\u200d💻 ok", "👩\u200d💻 ok"},
		"korean":          {"안녕하세요", "안녕하세요"},
		"bad bytes":       {"a\xffb", "a\ufffdb"},
		"delete":          {"a\x7fb", "ab"},
		"twice escape":    {"a\x1b\x1b[31mb", "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, render.Clean(c.in))
			var s render.Strip
			var b strings.Builder
			for i := range len(c.in) {
				b.WriteString(s.String(c.in[i : i+1]))
			}
			assert.Equal(t, c.want, b.String(), "split at every byte")
		})
	}
	var s render.Strip
	s.String("a\x1b]")
	s.Reset()
	assert.Equal(t, "b", s.String("b"))
	assert.Equal(t, `a\nb\tc`, render.Line("a\nb\tc"))
	assert.Equal(t, "a\ufffd", render.Clean("a\xe2\x80"))
	assert.Equal(t, "a\\u001b[2J\\u202e\\xff\nb\\u00a0", render.Visible("a\x1b[2J\u202e\xff\nb\u00a0", true))
	assert.Equal(t, `a\nb\tc`, render.Visible("a\nb\tc", false))
}

// harmless reports whether a terminal would take text as text.
func harmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == '\u202e' || r == '\u2066') {
			t.Fatalf("%q has %U", text, r)
		}
	}
	require.True(t, utf8.ValidString(text))
}

func FuzzStrip(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[31mred", "\x1b]0;t\x07x", "\x1b]52;c;x\x1b\\y", "\u009b2J", "a\u202eb", "\xc2", "\x1bP\x1b\x1b\\z", "é\x1b("} {
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, in string, at int) {
		whole := render.Clean(in)
		harmless(t, whole)
		harmless(t, render.Visible(in, true))
		if len(in) > 0 {
			at = (at%len(in) + len(in)) % len(in)
			var s render.Strip
			out := s.String(in[:at]) + s.String(in[at:])
			if out != whole && out+"\ufffd" != whole {
				t.Fatalf("split at %d: %q, whole: %q", at, out, whole)
			}
		}
	})
}

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "안녕": 4, "é": 1, "e\u0301": 1, "✓": 1, "😀": 2, "１": 2} {
		assert.Equal(t, want, render.Width(text), text)
	}
	assert.Equal(t, "안…", render.Fit("안녕하세요", 4, "…"))
	assert.Equal(t, "abc", render.Fit("abc", 3, "…"))
	assert.Empty(t, render.Fit("abc", 0, "…"))
	assert.Equal(t, []string{"one two ", "three", "four"}, render.Wrap("one two three\nfour", 9))
	assert.Equal(t, []string{"abcde", "fgh"}, render.Wrap("abcdefgh", 5))
}

// markdown renders a text onto a terminal of some width, in pieces, and returns
// what stands there in the end.
func markdown(text string, columns, piece int, theme render.Theme) string {
	var out bytes.Buffer
	term := newGrid(columns + 1)
	m := render.NewMarkdown(render.NewScreen(&out, theme, func() (int, int) { return columns + 1, 50 }))
	for len(text) > 0 {
		n := min(piece, len(text))
		m.Write(text[:n])
		text = text[n:]
		term.write(out.String())
		out.Reset()
	}
	m.Close()
	term.write(out.String())
	return term.text()
}

const sample = `# Weather in **Seoul**

It is *fine*, ` + "`23 °C`" + `, and will stay so. See [the forecast](http://example.com/f) for more than fits on one line of this terminal.

- first
- second item that is a good deal longer than the terminal is wide, so it wraps
  1. nested
- [x] done
- [ ] open

> quoted
> text

| City | Temp |
|------|-----:|
| Seoul | 23 |
| 부산 | 25 |

` + "```go\nfunc main() {\n\tprintln(\"*not* bold\")\n}\n```" + `

---
2 * 3 * 4 = 24, snake_case_name stays, ~~gone~~, \*literal\*, **bold *and* more**.
| not a table
`

const rendered = `Weather in Seoul

It is fine, 23 °C, and will stay so. See
the forecast (http://example.com/f) for
more than fits on one line of this
terminal.

• first
• second item that is a good deal longer
  than the terminal is wide, so it wraps
  1. nested
☑ done
☐ open

│ quoted
│ text

City  │ Temp
──────┼─────
Seoul │   23
부산  │   25

    go
    func main() {
        println("*not* bold")
    }

────────────────────────────────────────
2 * 3 * 4 = 24, snake_case_name stays,
gone, *literal*, bold and more.
| not a table`

func TestMarkdownHoweverItIsSplit(t *testing.T) {
	for piece := 1; piece < 60; piece++ {
		got := markdown(sample, 40, piece, render.Theme{UTF8: true})
		require.Equal(t, rendered, got, "in pieces of %d bytes", piece)
		require.Equal(t, rendered, markdown(sample, 40, piece, render.Theme{UTF8: true, Color: true}), "in colour, in pieces of %d bytes", piece)
	}
}

func TestMarkdownASCII(t *testing.T) {
	got := markdown("- a\n- [x] b\n> c\n\n|x|y|\n|-|-|\n|1|2|\n\n***\n", 20, 3, render.Theme{})
	assert.Equal(t, "- a\n[x] b\n| c\n\nx | y\n--+--\n1 | 2\n\n--------------------", got)
}

func TestWideTableIsClipped(t *testing.T) {
	row := "| " + strings.Repeat("long ", 20) + " | b | " + strings.Repeat("x", 50) + " |\n"
	got := markdown("| h1 | h2 | h3 |\n|---|---|---|\n"+row, 40, 7, render.Theme{UTF8: true})
	for line := range strings.SplitSeq(got, "\n") {
		assert.LessOrEqual(t, render.Width(line), 40, line)
	}
	assert.Contains(t, got, "…")
	many := markdown("|"+strings.Repeat("a|", 60)+"\n|"+strings.Repeat("-|", 60)+"\n", 40, 9, render.Theme{UTF8: true})
	for line := range strings.SplitSeq(many, "\n") {
		assert.LessOrEqual(t, render.Width(line), 40, line)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add(sample, 5, 40)
	f.Add("[a](b\n**x\x1b[2J", 1, 20)
	f.Add("```\n|\u202e|\n~~~", 2, 17)
	f.Fuzz(func(t *testing.T, text string, piece, columns int) {
		if len(text) > 4000 {
			return
		}
		piece, columns = max(piece&63, 1), 16+columns&63
		whole := markdown(text, columns, len(text)+1, render.Theme{UTF8: true, Color: true})
		split := markdown(text, columns, piece, render.Theme{UTF8: true, Color: true})
		for _, r := range split {
			if r != '\n' && unicode.IsControl(r) {
				t.Fatalf("%U got through", r)
			}
		}
		if letters(whole) != letters(split) {
			t.Fatalf("text was lost or doubled: whole %q, split %q", whole, split)
		}
	})
}

// letters are what must be there whatever was marked up while it streamed.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
