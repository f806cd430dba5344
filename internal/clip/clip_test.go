package clip

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestTo(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äö…"},
		{"a\xffb", 3, "a\uFFFDb"},
		{strings.Repeat("x", 1000), 4, "xxx…"},
		{strings.Repeat("\U0001F600", 10), 2, "\U0001F600…"},
		{"abc", 1, "…"},
	} {
		assert.Equal(t, c.want, To(c.in, c.n), "To(%q, %d)", c.in, c.n)
	}
}

func TestOneLine(t *testing.T) {
	assert.Equal(t, "a b c", OneLine(" a\n\tb  c ", 10))
	assert.Equal(t, "a b…", OneLine("a b c", 4))
	assert.Equal(t, "…", OneLine(strings.Repeat(" ", 1000)+"a", 10), "what follows is not looked for, but its absence is marked")
}

func TestQuote(t *testing.T) {
	assert.Equal(t, `"a\nb"`, Quote("a\nb", 10))
	assert.Equal(t, `"ab…"`, Quote("abcdef", 3))
}

func TestFirst(t *testing.T) {
	assert.Equal(t, "äö", First("äöü", 2))
	assert.Equal(t, "", First("äöü", 0))
	assert.Equal(t, "äöü", First("äöü", 9))
	assert.Equal(t, "ä", Bytes("äöü", 3))
	assert.Equal(t, "", Bytes("äöü", 1))
	assert.Equal(t, "äöü", Bytes("äöü", 6))
}

func FuzzTo(f *testing.F) {
	f.Add("a\xff\n b", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = 1 + (n&0xff+256)%256
		for _, out := range []string{To(s, n), OneLine(s, n)} {
			assert.True(t, utf8.ValidString(out) && utf8.RuneCountInString(out) <= n, "%q, %d: %q", s, n, out)
		}
		assert.LessOrEqual(t, len(Bytes(s, n)), n)
	})
}
