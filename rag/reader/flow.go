package reader

import (
	"strings"

	"github.com/localpass/localpass/rag/reader/internal/writer"
)

// flow composes a text from the paragraphs and tables of a document. A paragraph may hold
// others, as those of a text box; a table in a cell becomes text of the cell.
type flow struct {
	*archive
	open    []*paragraph
	tables  int
	cells   []string
	cell    strings.Builder
	letters int // of text so far
}

type paragraph struct {
	text    strings.Builder
	heading int // 0: none
	item    bool
	level   int // of an item
}

func (f *flow) begin() *paragraph {
	p := &paragraph{}
	f.open = append(f.open, p)
	return p
}

// last is the paragraph that is open, if there is one.
func (f *flow) last() *paragraph {
	if len(f.open) == 0 {
		return &paragraph{}
	}
	return f.open[len(f.open)-1]
}

func (f *flow) write(s string) {
	if len(f.open) > 0 {
		f.letters += len(s)
		f.last().text.WriteString(s)
	}
}

func (f *flow) finish() {
	if len(f.open) == 0 {
		return
	}
	p := f.last()
	f.open = f.open[:len(f.open)-1]
	text := writer.Clean(p.text.String())
	switch {
	case f.tables > 0:
		f.cell.WriteString(" " + text)
	case p.heading > 0:
		f.out.Heading(p.heading, text)
	case p.item:
		f.out.Item(p.level, text)
	default:
		f.out.Paragraph(text)
	}
}

func (f *flow) beginTable() {
	if f.tables++; f.tables == 1 {
		f.out.EndTable()
	}
}

func (f *flow) endTable() { f.tables = max(0, f.tables-1) }

// endCell ends a cell that is so many columns wide.
func (f *flow) endCell(columns int) {
	if f.tables != 1 || len(f.cells) > 1000 {
		return
	}
	f.cells = append(f.cells, strings.TrimSpace(f.cell.String()))
	f.cell.Reset()
	for range min(columns, 1000) - 1 {
		f.cells = append(f.cells, "")
	}
}

func (f *flow) endRow() {
	if f.tables == 1 {
		f.out.Row(f.cells)
		f.cells = f.cells[:0]
	}
}
