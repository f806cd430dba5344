package files_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		glob, yes, no string // names, separated by blanks
	}{
		{"*", "a .hidden a.b", ""},
		{"*.go", "x.go .go", "x.goo x.Go go"},
		{"?", "a é \U0001F600", "ab"},
		{"a?c", "abc a.c", "ac abbc"},
		{"[abc]", "a b c", "d ab"},
		{"[a-cx]*", "a1 cc x", "d"},
		{"[!a-c]", "d -", "a"},
		{"[^a]", "b ^", "a"},
		{"[-a]", "- a", "b"},
		{"[a-]", "- a", "b"},
		{`[\]]`, "]", `\`},
		{`[\a-\c]`, "b", `\ -`},
		{"*.{go,txt}", "a.go a.txt", "a.md a.{go,txt}"},
		{"{a,b{c,d}}e", "ae bce bde", "be ace"},
		{"{,x}a", "a xa", "ya"},
		{"a,b}", "a,b}", "a"},
		{`\*`, "*", "a"},
		{`a\{b`, "a{b", "ab"},
		{"a.b+c(d)$^|", "a.b+c(d)$^|", "aab+c(d)$^|"},
		{"***a***", "a bab", "b"},
		{"[[]", "[", "a"},
		{"[[:alpha:]]", "[] :] a]", "b a"},
		{"]", "]", "["},
	} {
		match, err := files.Glob(c.glob)
		require.NoError(t, err, c.glob)
		for _, name := range strings.Fields(c.yes) {
			assert.True(t, match(name), "%s matches %s", c.glob, name)
		}
		for _, name := range strings.Fields(c.no) {
			assert.False(t, match(name), "%s does not match %s", c.glob, name)
		}
	}
	for _, bad := range []string{"", "[", "[a", "[]", "[!]", "[b-a]", "[a-", `[a\`, "{", "{a,b", `\`, `a\`, "\xff", strings.Repeat("{", 11) + strings.Repeat("}", 11), strings.Repeat("a", 1001)} {
		_, err := files.Glob(bad)
		assert.Error(t, err, "%q", bad)
	}
}

// The time of a match does not explode with the pattern.
func TestGlobIsLinear(t *testing.T) {
	match, err := files.Glob(strings.Repeat("*a", 400) + "b")
	require.NoError(t, err)
	start := time.Now()
	assert.False(t, match(strings.Repeat("a", 255)))
	nested, err := files.Glob(strings.Repeat("{a,a", 10) + strings.Repeat("}", 10) + strings.Repeat("{*,*a}", 100))
	require.NoError(t, err)
	assert.True(t, nested(strings.Repeat("a", 255)))
	assert.Less(t, time.Since(start), 2*time.Minute)
}

// FuzzGlob compares with a matcher that tries everything.
func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{
		{"*.go", "x.go"}, {"[a-c]?*", "abc"}, {"{a,b{c,d}}", "bc"}, {`\[x\]`, "[x]"}, {"[!a]*", "ba"}, {"**", ""}, {"[^é-ü]", "é"}, {"{,}", ""}, {"a{b,*}c", "aXc"}, {`[\--a]`, "-"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		match, err := files.Glob(glob)
		if err != nil || len(glob) > 24 || len(name) > 12 || !utf8.ValidString(name) || strings.Count(glob, "{") > 3 || strings.Count(glob, "*") > 4 {
			return
		}
		want := slow([]rune(glob), []rune(name))
		if got := match(name); got != want {
			t.Fatalf("%q of %q: %t, and %t by trying", glob, name, got, want)
		}
	})
}

// slow matches by trying every way there is: braces are written out first.
func slow(glob, name []rune) bool {
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(glob, i)
		case '{':
			options, end := braces(glob, i)
			for _, option := range options {
				whole := append(append(append([]rune{}, glob[:i]...), option...), glob[end:]...)
				if slow(whole, name) {
					return true
				}
			}
			return false
		}
	}
	return flat(glob, name)
}

// classEnd is where the ] of a class stands.
func classEnd(glob []rune, i int) int {
	i++
	if glob[i] == '!' || glob[i] == '^' {
		i++
	}
	for ; glob[i] != ']'; i++ {
		if glob[i] == '\\' {
			i++
		}
	}
	return i
}

func braces(glob []rune, at int) (options [][]rune, end int) {
	depth, from := 0, at+1
	for i := at; ; i++ {
		switch glob[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(glob, i)
		case '{':
			depth++
		case ',':
			if depth == 1 {
				options = append(options, glob[from:i])
				from = i + 1
			}
		case '}':
			if depth--; depth == 0 {
				return append(options, glob[from:i]), i + 1
			}
		}
	}
}

func flat(glob, name []rune) bool {
	if len(glob) == 0 {
		return len(name) == 0
	}
	switch glob[0] {
	case '*':
		return flat(glob[1:], name) || len(name) > 0 && flat(glob, name[1:])
	case '?':
		return len(name) > 0 && flat(glob[1:], name[1:])
	case '[':
		end := classEnd(glob, 0)
		return len(name) > 0 && inClass(glob[1:end], name[0]) && flat(glob[end+1:], name[1:])
	case '\\':
		glob = glob[1:]
	}
	return len(name) > 0 && glob[0] == name[0] && flat(glob[1:], name[1:])
}

func inClass(class []rune, r rune) bool {
	not := len(class) > 0 && (class[0] == '!' || class[0] == '^')
	if not {
		class = class[1:]
	}
	one := func() rune {
		if class[0] == '\\' {
			class = class[1:]
		}
		x := class[0]
		class = class[1:]
		return x
	}
	in := false
	for len(class) > 0 {
		from := one()
		to := from
		if len(class) > 1 && class[0] == '-' {
			class = class[1:]
			to = one()
		}
		in = in || from <= r && r <= to
	}
	return in != not
}
