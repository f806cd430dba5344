package termtext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/termtext"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünïcode 한글":           "plain ünïcode 한글",
		"a\nb\tc":                    `a\nb\tc`,
		"a\u200bb\u202e\U000e0041":   `a\u200bb\u202e\udb40\udc41`,
		"\x1b[0m\x00":                `\u001b[0m\u0000`,
		"bad \xff byte, \ufffd sign": "bad \\xff byte, \ufffd sign",
		"\u2028":                     `\u2028`,
		"e\u0301\u0301\u0301":        "e\u0301\u0301\\u0301",
		"\u3164":                     `\u3164`,
	} {
		assert.Equal(t, want, termtext.Escape(text))
	}
	assert.Equal(t, "a\n\\u001b", termtext.EscapeLines("a\n\x1b"))
}

// What is shown holds nothing that is not seen, and JSON stays the same JSON.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"plain", "a\u202eb", "\x1b[2J", `"\u202e"`, "\xff\xfe", "e\u0301\u0301\u0301\u0301", "\U000e0041", "\u3164", "a\nb\tc", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := termtext.Escape(s)
		harmless(t, out)
		for _, r := range out {
			require.True(t, r == ' ' || r == utf8.RuneError || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r), "%q is in %q", r, out)
		}
		require.Equal(t, out, termtext.Escape(out))
		if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
			quoted, err := json.Marshal(s)
			require.NoError(t, err)
			var back string
			require.NoError(t, json.Unmarshal([]byte(termtext.Escape(string(quoted))), &back))
			require.Equal(t, s, back)
		}
	})
}
