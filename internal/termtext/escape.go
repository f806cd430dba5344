package termtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape writes every character that is invisible, or that changes how others look, as an
// escape of JavaScript and JSON, such as \u202e, line feeds and tabs as \n and \t, and a
// byte that is not UTF-8 as \xff. So the result shows the actual content. JSON keeps its
// value.
func Escape(text string) string { return escape(text, false) }

// EscapeLines is [Escape] for a text of several lines: line feeds stay.
func EscapeLines(text string) string { return escape(text, true) }

// maxMarks is how many combining marks a character may have: as many as languages need,
// and too few to draw over its neighbours.
const maxMarks = 2

func escape(s string, lines bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return (r != '\n' || !lines) && (unseen(r) || unicode.Is(unicode.Mn, r)) }) {
		return s
	}
	var b []byte
	marks := 0 // on the previous character
	for i, r := range s {
		if unicode.Is(unicode.Mn, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n' && lines, !unseen(r) && marks <= maxMarks:
			b = utf8.AppendRune(b, r)
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				b = append(b, '\\', 'x', hex[s[i]>>4], hex[s[i]&15])
			} else {
				b = utf8.AppendRune(b, r)
			}
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		default:
			b = appendEscape(b, r)
		}
	}
	return string(b)
}

const hex = "0123456789abcdef"

// appendEscape writes a character as an escape such as \u202e, and a character above
// U+FFFF as two of them, as JSON does.
func appendEscape(b []byte, r rune) []byte {
	if r > 0xffff {
		b = appendEscape(b, (r-0x10000)>>10+0xd800)
		r = (r-0x10000)&0x3ff + 0xdc00
	}
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// IsLine reports whether a text is printed unchanged and on one line: it contains no
// control character, no line break, and no character that reverses or hides text.
func IsLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unsafe)
}
