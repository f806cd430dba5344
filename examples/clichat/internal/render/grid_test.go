package render_test

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/examples/clichat/internal/render"
)

// grid is as much of a terminal as the screen uses: rows of cells, a cursor,
// carriage return, line feed, cursor up, erase below, colours.
type grid struct {
	columns  int
	rows     [][]string
	row, col int
}

func newGrid(columns int) *grid { return &grid{columns: columns, rows: make([][]string, 1)} }

func (g *grid) write(s string) {
	for len(s) > 0 {
		if strings.HasPrefix(s, "\x1b[") {
			end := strings.IndexAny(s, "AJm")
			arg, _ := strconv.Atoi(s[2:end])
			switch s[end] {
			case 'A':
				g.row = max(g.row-arg, 0)
			case 'J':
				g.rows = g.rows[:g.row+1]
				g.rows[g.row] = g.rows[g.row][:min(g.col, len(g.rows[g.row]))]
			}
			s = s[end+1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch r {
		case '\r':
			g.col = 0
		case '\n':
			g.row, g.col = g.row+1, 0
			if g.row == len(g.rows) {
				g.rows = append(g.rows, nil)
			}
		default:
			g.put(r)
		}
	}
}

func (g *grid) put(r rune) {
	w := render.RuneWidth(r)
	if w == 0 {
		if g.col > 0 {
			g.rows[g.row][g.col-1] += string(r)
		}
		return
	}
	if g.col+w > g.columns {
		g.row, g.col = g.row+1, 0
		if g.row == len(g.rows) {
			g.rows = append(g.rows, nil)
		}
	}
	row := g.rows[g.row]
	for len(row) < g.col+w {
		row = append(row, " ")
	}
	row[g.col] = string(r)
	for i := 1; i < w; i++ {
		row[g.col+i] = ""
	}
	g.rows[g.row] = row
	g.col += w
}

func (g *grid) text() string {
	var lines []string
	for _, row := range g.rows {
		lines = append(lines, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
