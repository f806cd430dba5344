package files

import (
	"github.com/localpass/localpass/internal/clip"
	"regexp"
	"strings"
	"unicode/utf8"
)

// glob is a compiled pattern for file names.
type glob struct{ re *regexp.Regexp }

func (g *glob) matches(name string) bool { return g.re.MatchString(name) }

// compileGlob compiles a glob. In the pattern, * matches any text, ? one character, [abc]
// or [a-c] one character of a set, [!abc] or [^abc] one character outside the set, {a,b}
// one of several patterns, and \ quotes the next character. A glob matches whole names,
// is case-sensitive and takes time linear in the length of the name, since the pattern is
// converted to a regular expression.
func (s *Service) compileGlob(text, reason string) (*glob, error) {
	expr, problem := "", "it is empty"
	switch {
	case len(text) > s.limits.GlobBytes:
		problem = "it is too long"
	case !utf8.ValidString(text):
		problem = "it is not UTF-8 text"
	case text != "":
		expr, problem = translate(text)
	}
	if problem != "" {
		return nil, invalid(reason, "%s is no glob: %s", clip.Quote(text, 200), problem)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, invalid(reason, "%s is no glob that can be used", clip.Quote(text, 200))
	}
	return &glob{re}, nil
}

// maxBraces is the maximum nesting depth of braces.
const maxBraces = 10

// translate returns the regular expression for a glob, or a description of what is wrong
// with the glob.
func translate(text string) (expr, problem string) {
	var b strings.Builder
	b.WriteString(`(?s)\A(?:`)
	depth := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r == '*':
			b.WriteString(".*")
			for i < len(text) && text[i] == '*' { // ** means the same as *
				i++
			}
		case r == '?':
			b.WriteByte('.')
		case r == '[':
			n, problem := class(&b, text[i:])
			if problem != "" {
				return "", problem
			}
			i += n
		case r == '{':
			if depth++; depth > maxBraces {
				return "", "braces nest too deep"
			}
			b.WriteString("(?:")
		case r == '}' && depth > 0:
			depth--
			b.WriteByte(')')
		case r == ',' && depth > 0:
			b.WriteByte('|')
		case r == '\\':
			if i == len(text) {
				return "", `nothing follows \`
			}
			r, n = utf8.DecodeRuneInString(text[i:])
			i += n
			b.WriteString(regexp.QuoteMeta(string(r)))
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if depth > 0 {
		return "", "a { is not closed"
	}
	b.WriteString(`)\z`)
	return b.String(), ""
}

// class translates the set that follows a [, and returns its length in text.
func class(b *strings.Builder, text string) (length int, problem string) {
	i := 0
	b.WriteByte('[')
	if text != "" && (text[0] == '!' || text[0] == '^') {
		b.WriteByte('^')
		i++
	}
	one := func() (r rune, ok bool) {
		if i < len(text) && text[i] == '\\' {
			i++
		}
		if i >= len(text) {
			return 0, false
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		return r, true
	}
	for empty := true; ; empty = false {
		if i < len(text) && text[i] == ']' {
			if empty {
				return 0, "[] is empty"
			}
			b.WriteByte(']')
			return i + 1, ""
		}
		from, ok := one()
		if !ok {
			return 0, "a [ is not closed"
		}
		to := from
		if i+1 < len(text) && text[i] == '-' && text[i+1] != ']' {
			i++
			if to, ok = one(); !ok {
				return 0, "a [ is not closed"
			}
		}
		if to < from {
			return 0, "a range in [] runs backwards"
		}
		writeHex(b, from)
		b.WriteByte('-')
		writeHex(b, to)
	}
}

func writeHex(b *strings.Builder, r rune) {
	const digits = "0123456789ABCDEF"
	b.WriteString(`\x{`)
	for shift := 20; shift >= 0; shift -= 4 {
		b.WriteByte(digits[r>>shift&15])
	}
	b.WriteByte('}')
}
