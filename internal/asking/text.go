package asking

import (
	"strings"
	"unicode/utf8"
)

// columnsOf is how many columns a character may take. How wide one is depends on the
// terminal, so that what is not ASCII counts as two: too wide is only broken early,
// while a row that the terminal breaks would begin where the frame does.
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

// fit cuts a text to so many columns, and marks the cut.
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

// Wrap breaks a line into rows of at most so many columns, behind a blank where there
// is one. Nothing of the line is left out.
func Wrap(line string, columns int) []string {
	columns = max(columns, 16)
	var rows []string
	start, blank, used := 0, 0, 0 // blank is behind the last blank of the row
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

// Answer splits a line into the word of the answer, in lower case, and what follows.
func Answer(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return strings.ToLower(word), strings.TrimSpace(rest)
}
