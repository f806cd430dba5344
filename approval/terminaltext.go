package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapeHidden writes every character that a person cannot see, or that changes
// how others look, as an escape of JavaScript and JSON: what is shown is what is
// there. JSON stays the same JSON. Line breaks and tabs are escaped too.
func escapeHidden(s string) string { return escape(s, false) }

// escapeText is [escapeHidden] for a text of several lines.
func escapeText(s string) string { return escape(s, true) }

func escape(s string, lines bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return (r != '\n' || !lines) && (hidden(r) || unicode.Is(unicode.Mn, r)) }) {
		return s
	}
	var b strings.Builder
	marks := 0 // on the character before
	for i, r := range s {
		if unicode.Is(unicode.Mn, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n' && lines, !hidden(r) && marks <= maxMarks:
			b.WriteRune(r)
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				fmt.Fprintf(&b, `\x%02x`, s[i])
			} else {
				b.WriteRune(r)
			}
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// maxMarks is how many marks a character may bear: as many as languages put
// there, and too few to paint over its neighbours.
const maxMarks = 2

// hidden reports whether a character is not to be shown as it is: controls,
// formats (bidirectional ones among them), separators, private and unassigned
// ones, and letters that look like nothing.
func hidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case r < utf8.RuneSelf:
		return r < 0x20 || r == 0x7f
	case r == utf8.RuneError: // or a byte that is no UTF-8
		return true
	}
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0', // blank letters
		'\ufe0e', '\ufe0f': // variation selectors
		return true
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Zs, unicode.Me, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// wrap breaks text into lines of at most width columns, so that no line of it
// can begin where the frame around it does. Whatever is not ASCII counts as two
// columns: too wide is only broken early.
func wrap(text string, width int) []string {
	width = max(width, 16)
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		start, columns := 0, 0
		for i, r := range line {
			w := 1
			if r >= utf8.RuneSelf {
				w = 2
			}
			if columns+w > width {
				out = append(out, line[start:i])
				start, columns = i, 0
			}
			columns += w
		}
		out = append(out, line[start:])
	}
	return out
}
