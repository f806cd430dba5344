package render

import "strings"

// Style is a set of text attributes.
type Style uint16

// The attributes.
const (
	Bold Style = 1 << iota
	Dim
	Italic
	Strike
	Code
	Head
	Link
	Alarm
	Keyword
	String
	Number
)

// Theme holds the capabilities of the terminal. The zero value writes plain ASCII without
// colour.
type Theme struct {
	Color bool
	UTF8  bool
}

// Paint returns a text in a style.
func (t Theme) Paint(s Style, text string) string {
	if !t.Color || s == 0 || text == "" {
		return text
	}
	return t.on(s) + text + reset
}

const reset = "\x1b[0m"

// on returns the sequence that turns a style on, starting from no attributes.
func (t Theme) on(s Style) string {
	if !t.Color || s == 0 {
		return ""
	}
	var codes []string
	for _, c := range []struct {
		style Style
		code  string
	}{{Bold, "1"}, {Head, "1"}, {Dim, "2"}, {Italic, "3"}, {Link, "4"}, {Strike, "9"}, {Code, "36"}, {Alarm, "31"}, {Keyword, "35"}, {String, "32"}, {Number, "36"}} {
		if s&c.style != 0 {
			codes = append(codes, c.code)
		}
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// Sign returns sign, or its ASCII replacement if the terminal supports only ASCII.
func (t Theme) Sign(sign, ascii string) string {
	if t.UTF8 {
		return sign
	}
	return ascii
}

// cell is one character with its style. A character of width 0 belongs to the cell before
// it.
type cell struct {
	text  string
	width int
	style Style
	end   int         // the position after it in the source
	after inlineState // the state of the parser after it
}

func appendRune(out []cell, r rune, s Style) []cell {
	w := RuneWidth(r)
	if w == 0 && len(out) > 0 {
		out[len(out)-1].text += string(r)
		return out
	}
	return append(out, cell{text: string(r), width: w, style: s})
}

func textOf(cells []cell) string {
	var b strings.Builder
	for i := range cells {
		b.WriteString(cells[i].text)
	}
	return b.String()
}

func widthOf(cells []cell) int {
	n := 0
	for i := range cells {
		n += cells[i].width
	}
	return n
}

// paint formats cells with as few escape sequences as possible.
func (t Theme) paint(cells []cell) string {
	var b strings.Builder
	var now Style
	for i := range cells {
		if s := cells[i].style; s != now && t.Color {
			if now != 0 {
				b.WriteString(reset)
			}
			b.WriteString(t.on(s))
			now = s
		}
		b.WriteString(cells[i].text)
	}
	if now != 0 && t.Color {
		b.WriteString(reset)
	}
	return b.String()
}

// wrapCells breaks cells into rows: the first has at most first columns, the others at
// most rest. It breaks after blanks if possible. Each row is a subslice of cells. There
// is always at least one row.
func wrapCells(cells []cell, first, rest int) [][]cell {
	var rows [][]cell
	limit := max(first, 4)
	start, columns, blank := 0, 0, -1
	for i := 0; i < len(cells); i++ {
		if columns+cells[i].width > limit {
			if cells[i].text == " " { // a blank at the end of a row may exceed the width
				rows = append(rows, cells[start:i+1])
				start, columns, blank, limit = i+1, 0, -1, max(rest, 4)
				continue
			}
			at := i
			if blank >= start {
				at = blank + 1
			}
			rows = append(rows, cells[start:at])
			start, blank, limit = at, -1, max(rest, 4)
			columns = widthOf(cells[at:i])
		}
		if cells[i].text == " " {
			blank = i
		}
		columns += cells[i].width
	}
	return append(rows, cells[start:])
}
