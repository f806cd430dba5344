// Package writer composes the text of a file as Markdown, under a limit, and notes the
// places in it.
package writer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/rag"
)

// Writer composes a text. What is written beyond the limit is left out, and Done returns
// an error.
type Writer struct {
	text    strings.Builder
	limit   int
	over    bool
	parts   []rag.Part
	open    map[string]int // the index of the open part of a key
	columns int            // of the open table; 0: none
}

// New returns a writer of at most limit bytes.
func New(limit int) *Writer { return &Writer{limit: limit, open: map[string]int{}} }

// Full reports that the limit is reached, so that a caller can stop early.
func (w *Writer) Full() bool { return w.over }

// Len is the number of bytes so far.
func (w *Writer) Len() int { return w.text.Len() }

// Done ends all parts and returns the text with its parts.
func (w *Writer) Done() (string, []rag.Part, error) {
	if w.over {
		return "", nil, fmt.Errorf("its text has more than %d bytes: %w", w.limit, rag.ErrBudget)
	}
	for key := range w.open {
		w.End(key)
	}
	return w.text.String(), w.parts, nil
}

// Begin begins a part, and ends the one with the same key.
func (w *Writer) Begin(key string, value any) {
	w.End(key)
	w.open[key] = len(w.parts)
	w.parts = append(w.parts, rag.Part{Start: -1, Key: key, Value: value})
}

// End ends the part with this key, if there is one. A part without text is left out.
func (w *Writer) End(key string) {
	i, ok := w.open[key]
	if !ok {
		return
	}
	delete(w.open, key)
	if w.parts[i].End = w.text.Len(); w.parts[i].Start >= 0 {
		return
	}
	w.parts = slices.Delete(w.parts, i, i+1)
	for k, at := range w.open {
		if at > i {
			w.open[k] = at - 1
		}
	}
}

// Raw writes text as it is.
func (w *Writer) Raw(s string) {
	if w.over = w.over || w.text.Len()+len(s) > w.limit; w.over || s == "" {
		return
	}
	for _, i := range w.open {
		if w.parts[i].Start < 0 {
			w.parts[i].Start = w.text.Len()
		}
	}
	w.text.WriteString(s)
}

// gap writes the white space between two blocks, which belongs to no new part.
func (w *Writer) gap(s string) {
	w.columns = 0
	if w.text.Len() > 0 && !w.over {
		w.text.WriteString(s)
	}
}

// Block writes a block of Markdown with an empty line before it.
func (w *Writer) Block(markdown string) {
	if markdown = strings.Trim(markdown, "\n"); strings.TrimSpace(markdown) == "" {
		return
	}
	w.gap("\n\n")
	w.Raw(markdown)
}

// Paragraph writes a paragraph of plain text.
func (w *Writer) Paragraph(text string) { w.Block(Escape(text)) }

// Item writes an item of a list; level counts from 0.
func (w *Writer) Item(level int, text string) {
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		w.gap("\n")
		w.Raw(strings.Repeat("  ", min(max(level, 0), 8)) + "- " + text)
	}
}

// Heading writes a heading. The level is brought between 1 and 6.
func (w *Writer) Heading(level int, text string) {
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		w.Block(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
	}
}

// Row writes a row of a table; the first one after something else is its head. Empty rows
// are left out.
func (w *Writer) Row(cells []string) {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 || w.over {
		return
	}
	head := w.columns == 0
	if head {
		w.gap("\n\n")
		w.columns = len(cells)
	} else {
		w.text.WriteString("\n")
	}
	var row strings.Builder
	for i := range max(len(cells), w.columns) {
		row.WriteString("| ")
		if i < len(cells) {
			if cell := strings.Join(strings.Fields(cells[i]), " "); cell != "" {
				row.WriteString(strings.ReplaceAll(cell, "|", `\|`) + " ")
			}
		}
	}
	row.WriteByte('|')
	if head {
		row.WriteString("\n|" + strings.Repeat(" --- |", w.columns))
	}
	w.Raw(row.String())
}

// EndTable says that the next row belongs to another table.
func (w *Writer) EndTable() { w.columns = 0 }

// Nested writes the text of a file in this one, with its parts.
func (w *Writer) Nested(e *rag.Extract) {
	w.gap("\n\n")
	at := w.text.Len()
	if w.Raw(e.Text); w.over {
		return
	}
	for _, p := range e.Parts {
		p.Start, p.End = p.Start+at, p.End+at
		w.parts = append(w.parts, p)
	}
}

// Escape makes the lines of a plain text a paragraph of Markdown: what would begin a
// heading or a block of code does not.
func Escape(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			line = `\` + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// Clean returns text as an extract may have it: valid UTF-8, \n as the line break, and no
// control characters but tabs.
func Clean(text string) string {
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
			return r
		case r == '\f' || r == '\v' || r == 0x85:
			return '\n'
		case unicode.IsControl(r) || r == 0xfeff:
			return -1
		}
		return r
	}, text)
}
