package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each byte is looked at a few times, however many links begin and never end.
func TestLinksAreReadInLinearTime(t *testing.T) {
	for name, text := range map[string]string{
		"never closed": strings.Repeat("[a](", 5000), "closed by the last byte": strings.Repeat("[a](", 5000) + ")",
		"nested": strings.Repeat("[a](", 2500) + strings.Repeat(")", 2500), "no parenthesis": strings.Repeat("[a", 5000), "no end": strings.Repeat("[", 5000),
	} {
		l := links{src: text}
		for at := range len(text) {
			if text[at] == '[' {
				l.read(at)
			}
		}
		assert.LessOrEqual(t, l.steps, 3*len(text), name)
	}
}

// A link reaches to the parenthesis that closes it, on its line and within 600 bytes.
func TestLinksEnd(t *testing.T) {
	long := "[a](" + strings.Repeat("x", maxLink)
	for _, c := range []struct {
		src, text, url string
		n              int
		more           bool
	}{
		{"[a](b) c", "a", "b", 6, false},
		{"[a](b(c)d) e", "a", "b(c)d", 10, false},
		{"[a]( b \"title\")", "a", "b", 15, false},
		{"[a](b", "", "", 0, true},
		{"[a](b\n)", "", "", 0, false},
		{"[a](b(c)", "", "", 0, true},
		{"[a]", "", "", 0, true},
		{"[a] (b)", "", "", 0, false},
		{"[a[b](c)", "", "", 0, false},
		{long, "", "", 0, false},
		{long + ")", "", "", 0, false},
	} {
		l := links{src: c.src}
		text, url, n, more := l.read(0)
		assert.Equal(t, c.text, text, c.src)
		assert.Equal(t, c.url, url, c.src)
		assert.Equal(t, c.n, n, c.src)
		assert.Equal(t, c.more, more, c.src)
	}
}
