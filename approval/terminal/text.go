package terminal

import (
	"strings"
	"unicode/utf8"
)

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
