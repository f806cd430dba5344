package jstext_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox/internal/jstext"
)

// Where each literal ends; | marks the place.
func TestEnds(t *testing.T) {
	for _, c := range []string{`"a"|b"`, `'a\'b'|`, `"a` + "|\n" + `b"`, `"a\`, `'`} {
		code := strings.ReplaceAll(c, "|", "")
		assert.Equal(t, max(strings.Index(c, "|"), -1), endOr(c, jstext.StringEnd(code, 0, nil), len(code)), c)
	}
	for c, want := range map[string]jstext.TemplateEnd{"a`|b": jstext.Closed, "a\\`b`|": jstext.Closed, "a${|b": jstext.Substitution, "a\\${b": jstext.Unclosed, "a$": jstext.Unclosed} {
		code := strings.ReplaceAll(c, "|", "")
		at, end := jstext.TemplateText(code, 0, nil)
		assert.Equal(t, want, end, c)
		assert.Equal(t, strings.Index(c, "|"), endOr(c, at, len(code)), c)
	}
	for _, c := range []string{"//a|\nb", "//a", "/*a*/|b", "/*a", "/**/|", "/*/", "|/a", "|a"} {
		code := strings.ReplaceAll(c, "|", "")
		assert.Equal(t, strings.Index(c, "|"), endOr(c, jstext.CommentEnd(code, 0), len(code)), c)
	}
	for c, ok := range map[string]bool{"a|/g": true, `a\/b|/`: true, "[/]|/": true, "a\n/": false, "a": false, `a\`: false} {
		at, found := jstext.PatternEnd(strings.ReplaceAll(c, "|", ""), 0)
		assert.Equal(t, ok, found, c)
		assert.Equal(t, max(strings.Index(c, "|"), 0), at, c)
	}
}

// endOr is an end, or -1 for the end of a code without a mark.
func endOr(marked string, at, length int) int {
	if at == length && !strings.Contains(marked, "|") {
		return -1
	}
	return at
}

func TestEscapesAndPosition(t *testing.T) {
	var at []int
	jstext.StringEnd(`"a\n\\b"`, 0, func(i int) { at = append(at, i) })
	assert.Equal(t, []int{2, 4}, at)
	line, column := jstext.Position("a\né=b", 5)
	assert.Equal(t, []int{2, 3}, []int{line, column})
	line, column = jstext.Position("a\nb", 99)
	assert.Equal(t, []int{2, 2}, []int{line, column})
	line, column = jstext.Position("a", -1)
	assert.Equal(t, []int{1, 1}, []int{line, column})
}

// Whatever the code is, each end is after the beginning and within the code.
func FuzzEnds(f *testing.F) {
	for _, seed := range []string{`"a\"b"`, "`a${b}`", "/*a", "//", `/[/]\/`, "\\", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if code == "" {
			return
		}
		at, _ := jstext.TemplateText(code, 0, nil)
		for name, end := range map[string]int{"string": jstext.StringEnd(code, 0, nil), "template": at, "comment": jstext.CommentEnd(code, 0)} {
			if end < 0 || end > len(code) || name != "comment" && end < 1 {
				t.Errorf("%s ends at %d of %d", name, end, len(code))
			}
		}
		if end, ok := jstext.PatternEnd(code, 0); ok && code[end] != '/' {
			t.Errorf("a pattern ends with %q", code[end])
		}
	})
}
