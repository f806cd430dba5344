package termtext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/termtext"
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
		"tags":            {"a\U000e0041b", `a\udb40\udc41b`},
		"emoji":           {"👩\u200d💻 ok", "👩\u200d💻 ok"},
		"korean":          {"안녕하세요", "안녕하세요"},
		"bad bytes":       {"a\xffb", "a\ufffdb"},
		"delete":          {"a\x7fb", "ab"},
		"twice escape":    {"a\x1b\x1b[31mb", "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, termtext.Clean(c.in))
			var s termtext.Strip
			var b strings.Builder
			for i := range len(c.in) {
				b.WriteString(s.String(c.in[i : i+1]))
			}
			assert.Equal(t, c.want, b.String(), "split at every byte")
		})
	}
	var s termtext.Strip
	s.String("a\x1b]")
	s.Reset()
	assert.Equal(t, "b", s.String("b"))
	assert.Equal(t, `a\nb\tc`, termtext.Line("a\nb\tc"))
	assert.Equal(t, "a\ufffd", termtext.Clean("a\xe2\x80"))
	assert.Equal(t, "a\\u001b[2J\\u202e\\xff\nb\\u00a0", termtext.EscapeLines("a\x1b[2J\u202e\xff\nb\u00a0"))
	assert.Equal(t, `a\nb\tc`, termtext.Escape("a\nb\tc"))
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
		whole := termtext.Clean(in)
		harmless(t, whole)
		harmless(t, termtext.EscapeLines(in))
		if len(in) > 0 {
			at = (at%len(in) + len(in)) % len(in)
			var s termtext.Strip
			out := s.String(in[:at]) + s.String(in[at:])
			if out != whole && out+"\ufffd" != whole {
				t.Fatalf("split at %d: %q, whole: %q", at, out, whole)
			}
		}
	})
}
