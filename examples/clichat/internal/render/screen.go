package render

import (
	"io"
	"strings"

	"github.com/localpass/localpass/internal/termtext"
)

// Screen writes to a terminal line by line. Below what is final it keeps a tail
// of a few rows that is written anew as it changes. It is for one goroutine.
type Screen struct {
	w     io.Writer
	theme Theme
	size  func() (columns, rows int)
	tail  []int // the widths of the rows on the screen
	fixed bool  // no tails: what is written cannot be erased
	err   error
}

// NewScreen returns a screen of a terminal. size tells how large it is at the
// moment; nil says that w is no terminal: there are no tails then, and a line is
// as long as it is.
func NewScreen(w io.Writer, theme Theme, size func() (columns, rows int)) *Screen {
	s := &Screen{w: w, theme: theme, size: size}
	if size == nil {
		s.fixed = true
		s.size = func() (int, int) { return 1 << 20, 1 << 20 }
	}
	return s
}

// Theme is what the terminal can do.
func (s *Screen) Theme() Theme { return s.theme }

// Columns is how many columns a row should fill at most.
func (s *Screen) Columns() int {
	columns, _ := s.size()
	return max(columns-1, 16)
}

// Err is the first error of a write.
func (s *Screen) Err() error { return s.err }

// Print writes lines that stay, in place of the tail.
func (s *Screen) Print(lines ...string) {
	var b strings.Builder
	s.back(&b)
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	s.write(b.String())
}

// Tail writes rows that the next Print or Tail replaces. What does not fit on the
// terminal is left out above.
func (s *Screen) Tail(rows ...string) {
	if s.fixed {
		return
	}
	columns, height := s.size()
	if most := max(height-2, 1); len(rows) > most {
		rows = rows[len(rows)-most:]
	}
	var b strings.Builder
	s.back(&b)
	for i, row := range rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(row)
		s.tail = append(s.tail, min(Width(unpainted(row)), columns))
	}
	s.write(b.String())
}

// back takes the tail away. Rows that were written on a wider terminal occupy several
// by now.
func (s *Screen) back(b *strings.Builder) {
	if len(s.tail) == 0 {
		return
	}
	columns, _ := s.size()
	up := -1
	for _, width := range s.tail {
		up += max((width+columns-1)/columns, 1)
	}
	b.WriteByte('\r')
	if up > 0 {
		b.WriteString("\x1b[" + itoa(up) + "A")
	}
	b.WriteString("\x1b[J")
	s.tail = s.tail[:0]
}

func (s *Screen) write(text string) {
	if text == "" {
		return
	}
	if _, err := io.WriteString(s.w, text); err != nil && s.err == nil {
		s.err = err
	}
}

// unpainted takes out the sequences that a Theme puts in.
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
