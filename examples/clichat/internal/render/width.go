package render

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// RuneWidth returns the number of columns of a character: 0, 1 or 2.
func RuneWidth(r rune) int {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return 0
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), r >= 0x1160 && r <= 0x11ff:
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Width returns the number of columns of a text on one line.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += RuneWidth(r)
	}
	return n
}

// Fit truncates a text to a number of columns, and marks the cut with ellipsis.
func Fit(s string, columns int, ellipsis string) string {
	if Width(s) <= columns {
		return s
	}
	keep := columns - Width(ellipsis)
	if keep < 0 {
		return ""
	}
	for i, r := range s {
		if keep -= RuneWidth(r); keep < 0 {
			return s[:i] + ellipsis
		}
	}
	return s
}

// Wrap breaks a text into lines of at most the given number of columns, at blanks if
// possible. Line feeds are kept.
func Wrap(text string, columns int) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		cells := styledCells(nil, strings.ReplaceAll(line, "\t", "    "), 0)
		for _, row := range wrapCells(cells, columns, columns) {
			out = append(out, textOf(row))
		}
	}
	return out
}
