package asking

import (
	"strings"
	"unicode/utf8"
)

// columnsOf returns the maximum number of columns that a character may occupy. The real
// width depends on the terminal, so every non-ASCII character counts as two columns. If
// that is too many, a row is only broken early; if it were too few, the terminal would
// wrap the row itself and continue it in the column of the frame.
func columnsOf(r rune) int {
	if r >= utf8.RuneSelf {
		return 2
	}
	return 1
}

func width(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// fit truncates a text to the given number of columns, and marks the cut.
func fit(text string, columns int, mark string) string {
	if width(text) <= columns {
		return text
	}
	keep := max(columns-len(mark), 0)
	for i, r := range text {
		if keep -= columnsOf(r); keep < 0 {
			return text[:i] + mark
		}
	}
	return text
}

// Wrap breaks a line into rows of at most the given number of columns, after a space if
// there is one. It drops nothing.
func Wrap(line string, columns int) []string {
	columns = max(columns, 16)
	var rows []string
	start, blank, used := 0, 0, 0 // blank is the offset after the last space of the row
	for i, r := range line {
		w := columnsOf(r)
		if used+w > columns {
			if blank == start {
				blank = i
			}
			rows = append(rows, line[start:blank])
			used = width(line[blank:i])
			start = blank
		}
		if used += w; r == ' ' {
			blank = i + 1
		}
	}
	return append(rows, line[start:])
}

// Answer splits a line into the first word, in lower case, and the text after it.
func Answer(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return strings.ToLower(word), strings.TrimSpace(rest)
}
