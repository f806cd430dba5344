package render

import (
	"regexp"
	"strings"
)

// maxTable is the maximum number of rows for which the end of a table is awaited.
const maxTable = 400

var delimiter = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)

// tableTail returns what is shown while a table streams in.
func (m *Markdown) tableTail() []string {
	from := max(len(m.table)-4, 0)
	var out []string
	for _, line := range m.table[from:] {
		out = append(out, m.screen.theme.Paint(Dim, Fit(line, m.screen.Columns(), "")))
	}
	return out
}

// endTable prints the complete table, or its rows as plain lines if they are not a table.
func (m *Markdown) endTable() {
	if len(m.table) == 0 {
		return
	}
	lines := m.table
	m.table = nil
	if len(lines) < 2 || !delimiter.MatchString(lines[1]) {
		for _, line := range lines {
			m.final(m.classify(line), strings.TrimLeft(line, " "))
		}
		return
	}
	m.blank = false
	right := alignments(lines[1])
	var grid [][][]cell
	for i, line := range lines {
		if i == 1 {
			continue
		}
		var row [][]cell
		for _, field := range fields(line) {
			cells, _ := inline(field, inlineState{}, 0, false)
			if i == 0 {
				for j := range cells {
					cells[j].style |= Bold
				}
			}
			row = append(row, cells)
		}
		grid = append(grid, row)
	}
	widths := columnWidths(grid, m.screen.Columns())
	t := m.screen.theme
	bar := t.Paint(Dim, t.Sign(" │ ", " | "))
	var out []string
	for i, row := range grid {
		wrapped, height := make([][][]cell, len(widths)), 1
		for j, width := range widths {
			if j < len(row) {
				wrapped[j] = wrapCells(row[j], width, width)
				height = max(height, len(wrapped[j]))
			}
		}
		for k := range height {
			var b strings.Builder
			for j, width := range widths {
				if j > 0 {
					b.WriteString(bar)
				}
				var cells []cell
				if k < len(wrapped[j]) {
					cells = wrapped[j][k]
				}
				for len(cells) > 0 && cells[len(cells)-1].text == " " {
					cells = cells[:len(cells)-1]
				}
				pad := strings.Repeat(" ", max(width-widthOf(cells), 0))
				if j < len(right) && right[j] {
					b.WriteString(pad)
					pad = ""
				}
				b.WriteString(t.paint(cells) + pad)
			}
			out = append(out, strings.TrimRight(b.String(), " "))
		}
		if i == 0 {
			out = append(out, t.Paint(Dim, ruleOf(widths, t)))
		}
	}
	m.screen.Print(out...)
}

func ruleOf(widths []int, t Theme) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat(t.Sign("─", "-"), w)
	}
	return strings.Join(parts, t.Sign("─┼─", "-+-"))
}

// alignments returns which columns are aligned right.
func alignments(line string) []bool {
	var out []bool
	for _, f := range fields(line) {
		out = append(out, strings.HasSuffix(f, ":") && !strings.HasPrefix(f, ":"))
	}
	return out
}

// fields splits a row at its vertical bars.
func fields(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	var out []string
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			b.WriteByte('|')
			i++
		case line[i] == '|':
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteByte(line[i])
		}
	}
	if rest := strings.TrimSpace(b.String()); rest != "" {
		out = append(out, rest)
	}
	return out
}

// columnWidths returns the widths of the columns: as wide as the contents, but the widest
// columns are narrowed, and their cells wrapped, until the table fits. Columns that do not fit even then are left
// out.
func columnWidths(grid [][][]cell, columns int) []int {
	var widths []int
	for _, row := range grid {
		for j, cells := range row {
			if j == len(widths) {
				widths = append(widths, 1)
			}
			widths[j] = max(widths[j], widthOf(cells))
		}
	}
	const narrowest = 3
	if most := (columns + 3) / (narrowest + 3); len(widths) > most {
		widths = widths[:max(most, 1)]
	}
	for {
		total, widest := -3, 0
		for j, w := range widths {
			total += w + 3
			if w > widths[widest] {
				widest = j
			}
		}
		if total <= columns || len(widths) == 0 || widths[widest] <= narrowest {
			return widths
		}
		widths[widest] -= min(total-columns, max(widths[widest]-narrowest, 1), max(widths[widest]/8, 1))
	}
}
