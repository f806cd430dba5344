package render_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/clichat/internal/render"
)

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

── go
func main() {
    println("*not* bold")
}
──

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

func TestWideTableIsWrapped(t *testing.T) {
	row := "| " + strings.Repeat("long ", 20) + " | b | " + strings.Repeat("x", 50) + " |\n"
	got := markdown("| h1 | h2 | h3 |\n|---|---|---|\n"+row, 40, 7, render.Theme{UTF8: true})
	for line := range strings.SplitSeq(got, "\n") {
		assert.LessOrEqual(t, render.Width(line), 40, line)
	}
	assert.NotContains(t, got, "…")
	assert.Equal(t, 50, strings.Count(got, "x"), "nothing is lost")
	many := markdown("|"+strings.Repeat("a|", 60)+"\n|"+strings.Repeat("-|", 60)+"\n", 40, 9, render.Theme{UTF8: true})
	for line := range strings.SplitSeq(many, "\n") {
		assert.LessOrEqual(t, render.Width(line), 40, line)
	}
}

// A tail replaces the one before, and what of it is as it was is not written again.
func TestTail(t *testing.T) {
	var out bytes.Buffer
	columns := 21
	term, screen := newGrid(columns), render.NewScreen(&out, render.Theme{}, func() (int, int) { return columns, 10 })
	shows := func(want string, most int) {
		t.Helper()
		term.write(out.String())
		assert.Equal(t, want, term.text())
		assert.LessOrEqual(t, out.Len(), most, out.String())
		out.Reset()
	}
	screen.Print("said")
	screen.Tail("one", "two")
	shows("said\none\ntwo", 20)
	screen.Tail("one", "two")
	shows("said\none\ntwo", 0)
	screen.Tail("one", "two", "three")
	shows("said\none\ntwo\nthree", 6)
	screen.Tail("one", "two", "3")
	shows("said\none\ntwo\n3", 5)
	screen.Tail("one", "zwei", "3")
	shows("said\none\nzwei\n3", 14)
	screen.Tail("one", "zwei")
	shows("said\none\nzwei", 20)
	screen.Tail("one")
	shows("said\none", 20)
	screen.Tail("", "", "x")
	shows("said\n\n\nx", 20)
	screen.Tail()
	shows("said", 20)
	screen.Tail("a", "b")
	screen.Print("done")
	shows("said\ndone", 30)
	screen.Tail(strings.Split(strings.Repeat("row ", 20), " ")...)
	shows("said\ndone"+strings.Repeat("\nrow", 7), 50)
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
