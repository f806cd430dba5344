package prompt

import (
	"fmt"
	"strings"

	"github.com/localpass/localpass/examples/clichat/internal/render"
	"github.com/localpass/localpass/internal/termtext"
)

// draw shows the text with the menu or search line below it, and places the cursor.
func (r *reading) draw() {
	columns, height := r.t.Size()
	rows, row, column := r.layout(max(columns-1, 8))
	var below []string
	switch {
	case r.searching:
		below = append(below, fmt.Sprintf("search: %s%s", r.query, suffix(r.hint)))
	case len(r.menu.list) > 0:
		below = r.menu.rows(max(columns-1, 8), r.opts.Theme)
	case r.hint != "":
		below = append(below, r.hint)
	}
	if most := max(height-1, 2); len(rows)+len(below) > most { // keep only the rows around the cursor
		below = below[:min(len(below), max(most-2, 0))]
		show := max(most-len(below), 1)
		from := min(max(row-show+1, 0), max(len(rows)-show, 0))
		rows, row = rows[from:min(from+show, len(rows))], row-from
	}
	var b strings.Builder
	r.back(&b, columns)
	r.widths = r.widths[:0]
	for i, text := range rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(text)
		r.widths = append(r.widths, render.Width(termtext.Clean(text)))
	}
	for _, text := range below {
		text = render.Fit(text, max(columns-1, 8)+len(text)-len(termtext.Clean(text)), "")
		b.WriteString("\r\n" + r.opts.Theme.Paint(render.Dim, text))
		r.widths = append(r.widths, render.Width(termtext.Clean(text)))
	}
	if up := len(rows) + len(below) - 1 - row; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteByte('\r')
	if column > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", column)
	}
	r.above, r.cursor, r.columns = row, column, columns
	_ = r.t.emit(b.String()) // if the terminal is gone, reading ends anyway
}

func suffix(hint string) string {
	if hint == "" {
		return ""
	}
	return " (" + hint + ")"
}

// layout breaks the text into rows, and returns the position of the cursor.
func (r *reading) layout(columns int) (rows []string, row, column int) {
	prompt := r.opts.Prompt
	lead := render.Width(termtext.Clean(prompt))
	rest := r.opts.Theme.Paint(render.Dim, r.opts.Theme.Sign("│ ", "| "))
	if lead != 2 {
		rest = strings.Repeat(" ", max(lead-2, 0)) + rest
	}
	line, used := []byte(prompt), lead
	flush := func() {
		rows = append(rows, string(line))
		line, used = []byte(rest), max(lead, 2)
	}
	for i, c := range r.buf.text {
		text, w := string(c), render.RuneWidth(c)
		if c == '\t' {
			text, w = "    ", 4
		}
		if c != '\n' && used+w > columns {
			flush()
		}
		if i == r.buf.pos {
			row, column = len(rows), used
		}
		if c == '\n' {
			flush()
			continue
		}
		line = append(line, text...)
		used += w
	}
	if used >= columns {
		flush()
	}
	if r.buf.pos == len(r.buf.text) {
		row, column = len(rows), used
	}
	return append(rows, string(line)), row, column
}

// back moves to the beginning of the text and erases everything from there. If the
// terminal has become narrower, one row may now occupy several.
func (r *reading) back(b *strings.Builder, columns int) {
	if len(r.widths) == 0 {
		return
	}
	up := r.above
	if columns < r.columns {
		up = r.cursor / columns
		for _, w := range r.widths[:min(r.above, len(r.widths))] {
			up += max((w+columns-1)/columns, 1)
		}
	}
	b.WriteByte('\r')
	if up > 0 {
		fmt.Fprintf(b, "\x1b[%dA", up)
	}
	b.WriteString("\x1b[J")
}

// clear removes the text from the screen.
func (r *reading) clear() {
	var b strings.Builder
	columns, _ := r.t.Size()
	r.back(&b, columns)
	r.above, r.widths = 0, nil
	_ = r.t.emit(b.String())
}

// leave keeps the text on the screen and moves to the line below it.
func (r *reading) leave() {
	r.menu, r.hint, r.searching = menu{}, "", false
	r.buf.pos = len(r.buf.text)
	r.draw()
	r.above, r.widths = 0, nil
	_ = r.t.emit("\r\n")
}
