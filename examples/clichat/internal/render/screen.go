package render

import (
	"io"
	"strings"

	"github.com/localpass/localpass/internal/termtext"
)

// Screen writes to a terminal line by line. Below the final lines it keeps a tail of a
// few rows, which it rewrites when they change. Screen must be used from one goroutine.
type Screen struct {
	w     io.Writer
	theme Theme
	size  func() (columns, rows int)
	tail  []row // the tail on the screen
	wide  int   // the number of columns when the tail was written
	fixed bool  // no tails, because output cannot be erased
	err   error
}

// row is a row of the tail.
type row struct {
	text  string
	width int
}

// NewScreen returns a screen for a terminal. size returns the current size of the
// terminal; nil means that w is not a terminal: there are no tails then, and lines are
// not wrapped.
func NewScreen(w io.Writer, theme Theme, size func() (columns, rows int)) *Screen {
	s := &Screen{w: w, theme: theme, size: size}
	if size == nil {
		s.fixed = true
		s.size = func() (int, int) { return 1 << 20, 1 << 20 }
	}
	return s
}

// Theme returns the capabilities of the terminal.
func (s *Screen) Theme() Theme { return s.theme }

// Columns returns the maximum number of columns that a row should fill.
func (s *Screen) Columns() int {
	columns, _ := s.size()
	return max(columns-1, 16)
}

// Err returns the first error of a write.
func (s *Screen) Err() error { return s.err }

// Print replaces the tail with final lines.
func (s *Screen) Print(lines ...string) {
	var b strings.Builder
	s.back(&b, 0)
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	s.write(b.String())
}

// Tail writes rows that the next Print or Tail replaces. Unchanged rows at the top are
// not rewritten. If the rows do not fit on the terminal, the first ones are left out.
func (s *Screen) Tail(rows ...string) {
	if s.fixed {
		return
	}
	columns, height := s.size()
	if most := max(height-2, 1); len(rows) > most {
		rows = rows[len(rows)-most:]
	}
	keep := 0
	for s.wide == columns && keep < min(len(rows), len(s.tail)) && s.tail[keep].text == rows[keep] {
		keep++
	}
	if keep == len(rows) && keep < len(s.tail) {
		keep = max(keep-1, 0) // the cursor is placed after the last row
	}
	var b strings.Builder
	s.back(&b, keep)
	s.wide = columns
	for i, text := range rows[keep:] {
		if i > 0 || b.Len() == 0 && keep > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		s.tail = append(s.tail, row{text, min(Width(unpainted(text)), columns)})
	}
	s.write(b.String())
}

// back erases the tail except its first keep rows, and moves to the beginning of the next
// row; if all rows are kept, the cursor stays after the last one. Rows that were written
// on a wider terminal may now occupy several rows.
func (s *Screen) back(b *strings.Builder, keep int) {
	if len(s.tail) == keep {
		return
	}
	columns, _ := s.size()
	up := -1
	for _, r := range s.tail[keep:] {
		up += max((r.width+columns-1)/columns, 1)
	}
	b.WriteByte('\r')
	if up > 0 {
		b.WriteString("\x1b[" + itoa(up) + "A")
	}
	b.WriteString("\x1b[J")
	s.tail = s.tail[:keep]
}

func (s *Screen) write(text string) {
	if text == "" {
		return
	}
	if _, err := io.WriteString(s.w, text); err != nil && s.err == nil {
		s.err = err
	}
}

// unpainted removes the escape sequences that a Theme writes.
func unpainted(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return termtext.Clean(s)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
