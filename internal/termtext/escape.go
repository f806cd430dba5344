package termtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape writes every character that a person cannot see, or that changes how
// others look, as an escape of JavaScript and JSON, such as \u202e; line feeds
// and tabs as \n and \t, a byte that is not UTF-8 as \xff. What is shown is the
// actual content. JSON stays the same JSON.
func Escape(text string) string { return escape(text, false) }

// EscapeLines is [Escape] for a text of several lines: line feeds stay.
func EscapeLines(text string) string { return escape(text, true) }

// maxMarks is how many marks a character may bear: as many as languages put
// there, and too few to paint over its neighbours.
const maxMarks = 2

func escape(s string, lines bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return (r != '\n' || !lines) && (unseen(r) || unicode.Is(unicode.Mn, r)) }) {
		return s
	}
	var b []byte
	marks := 0 // on the character before
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

// appendEscape writes a character as \u202e, one beyond the first 65,536 as two
// of them: the form of JSON.
func appendEscape(b []byte, r rune) []byte {
	if r > 0xffff {
		b = appendEscape(b, (r-0x10000)>>10+0xd800)
		r = (r-0x10000)&0x3ff + 0xdc00
	}
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// IsLine reports whether a text is printed as it is and on one line: it holds no
// control, no line break, and nothing that turns or hides text.
func IsLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unsafe)
}
