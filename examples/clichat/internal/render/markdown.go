package render

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/termtext"
)

// Markdown renders a text that streams in. It first strips control sequences, so a model
// cannot control the terminal. A line is final when it is complete; of an incomplete
// line, the rows that no more text can change are final. A table is final when it has
// ended. Markdown must be used from one goroutine.
type Markdown struct {
	screen *Screen
	strip  termtext.Strip
	pend   string // the part of the incomplete line that is not final
	cut    bool   // some rows of that line are final: block holds its kind
	block  block
	state  inlineState
	before rune
	fence  string // the fence that ends the code block; empty: no code block
	code   highlighter
	table  []string // the rows of a table that has not ended
	blank  bool     // the last line was empty
}

// NewMarkdown returns a renderer that writes to a screen.
func NewMarkdown(screen *Screen) *Markdown { return &Markdown{screen: screen, blank: true} }

// Write adds a piece of the text.
func (m *Markdown) Write(piece string) {
	m.pend += strings.ReplaceAll(m.strip.String(piece), "\t", "    ") // so that widths are known
	for {
		line, rest, whole := strings.Cut(m.pend, "\n")
		if !whole {
			break
		}
		m.pend = line
		m.line()
		m.pend = rest
	}
	m.unfinished()
}

// Close ends the text and makes the rest of it final.
func (m *Markdown) Close() {
	if m.pend != "" || m.cut {
		m.line()
	}
	m.endTable()
	m.screen.Tail()
	*m = Markdown{screen: m.screen, blank: true}
}

// block is the kind of a line: the prefix of its text, and the style of that prefix.
type block struct {
	first, rest string // before the first row, and before the others
	style       Style
	text        string
	rule, code  bool
}

var (
	heading  = regexp.MustCompile(`^ {0,3}(#{1,6})(?:\s+|$)(.*?)\s*#*$`)
	ruleLine = regexp.MustCompile(`^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$`)
	bullet   = regexp.MustCompile(`^(\s*)[-*+]\s+(\[[ xX]\]\s+)?(.*)$`)
	numbered = regexp.MustCompile(`^(\s*)(\d{1,9}[.)])\s+(.*)$`)
	quoted   = regexp.MustCompile(`^ {0,3}((?:>\s?)+)(.*)$`)
	fenced   = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})\\s*([^`]*)$")
)

// classify determines the kind of a line.
func (m *Markdown) classify(line string) block {
	line = strings.ReplaceAll(line, "\t", "    ")
	t := m.screen.theme
	if m.fence != "" {
		return block{text: line, code: true} // without an indent, so that it can be copied
	}
	if ruleLine.MatchString(line) {
		return block{rule: true}
	}
	if g := heading.FindStringSubmatch(line); g != nil {
		return block{style: Head, text: g[2]}
	}
	if g := bullet.FindStringSubmatch(line); g != nil {
		mark := t.Sign("• ", "- ")
		if g[2] != "" {
			mark = t.Sign("☐ ", "[ ] ")
			if g[2][1] != ' ' {
				mark = t.Sign("☑ ", "[x] ")
			}
		}
		return block{first: indent(g[1]) + mark, rest: indent(g[1]) + strings.Repeat(" ", Width(mark)), text: g[3]}
	}
	if g := numbered.FindStringSubmatch(line); g != nil {
		return block{first: indent(g[1]) + g[2] + " ", rest: indent(g[1]) + strings.Repeat(" ", len(g[2])+1), text: g[3]}
	}
	if g := quoted.FindStringSubmatch(line); g != nil {
		bar := strings.Repeat(t.Sign("│ ", "| "), min(strings.Count(g[1], ">"), 8))
		return block{first: bar, rest: bar, style: Dim, text: g[2]}
	}
	trimmed := strings.TrimLeft(line, " ")
	pad := indent(line[:len(line)-len(trimmed)])
	return block{first: pad, rest: pad, text: trimmed}
}

// indent limits the indentation of a line.
func indent(blanks string) string { return strings.Repeat(" ", min(len(blanks), 24)) }

// line handles the complete line in pend.
func (m *Markdown) line() {
	line := m.pend
	defer func() { m.pend, m.cut, m.state, m.before = "", false, inlineState{}, 0 }()
	switch {
	case m.cut:
		m.final(m.block, line)
		return
	case m.fence != "":
		if g := fenced.FindStringSubmatch(line); g != nil && strings.HasPrefix(g[1], m.fence) && g[2] == "" {
			m.fence = ""
			m.screen.Print(m.edge(""))
			m.blank = false
			return
		}
		m.screen.Print(m.screen.theme.paint(m.code.line(strings.TrimRight(m.classify(line).text, " "))))
		m.blank = false
		return
	case strings.HasPrefix(strings.TrimLeft(line, " "), "|") && len(m.table) < maxTable:
		m.table = append(m.table, line)
		return
	}
	m.endTable()
	if g := fenced.FindStringSubmatch(line); g != nil {
		m.fence, m.code = g[1], highlighter{lang: languageOf(g[2])}
		m.screen.Print(m.edge(strings.TrimSpace(g[2])))
		m.blank = false
		return
	}
	if strings.TrimSpace(line) == "" {
		if !m.blank {
			m.screen.Print("")
		}
		m.blank = true
		return
	}
	m.final(m.classify(line), m.classify(line).text)
}

// edge returns the line before or after code, with the name of the language.
func (m *Markdown) edge(language string) string {
	t := m.screen.theme
	return t.Paint(Dim, strings.TrimRight(Fit(t.Sign("── ", "-- ")+language, m.screen.Columns(), ""), " "))
}

// final prints the rest of a line.
func (m *Markdown) final(b block, text string) {
	m.blank = false
	if b.rule {
		m.screen.Print(m.screen.theme.Paint(Dim, strings.Repeat(m.screen.theme.Sign("─", "-"), min(m.screen.Columns(), 40))))
		return
	}
	cells, _ := inline(text, m.state, m.before, false)
	m.screen.Print(m.rows(b, cells, m.cut)...)
}

// rows lays cells out.
func (m *Markdown) rows(b block, cells []cell, going bool) []string {
	if !going {
		for i := range cells {
			cells[i].style |= b.style
		}
	}
	first := b.first
	if going {
		first = b.rest
	}
	var out []string
	for i, row := range m.broken(b, cells) {
		prefix := b.rest
		if i == 0 {
			prefix = first
		}
		out = append(out, strings.TrimRight(m.screen.theme.Paint(Dim, prefix)+m.screen.theme.paint(row), " "))
	}
	return out
}

func (m *Markdown) broken(b block, cells []cell) [][]cell {
	columns := m.screen.Columns() - Width(b.rest)
	return wrapCells(cells, columns, columns)
}

// unfinished shows the incomplete line, and makes those of its rows final that no more
// text can change.
func (m *Markdown) unfinished() {
	if m.screen.fixed {
		return
	}
	if m.pend == "" && !m.cut {
		m.screen.Tail(m.tableTail()...)
		return
	}
	b := m.block
	text := m.pend
	if !m.cut {
		if m.held() {
			m.screen.Tail(append(m.tableTail(), m.screen.theme.Paint(Dim, Fit(m.pend, m.screen.Columns(), "")))...)
			return
		}
		m.endTable()
		b = m.classify(m.pend)
		if b.code || b.rule {
			ahead := m.code // the line is read again when it is complete
			m.screen.Tail(m.rows(b, ahead.line(b.text), false)...)
			return
		}
		text = b.text
	}
	cells, settled := inline(text, m.state, m.before, true)
	for i := range cells {
		cells[i].style |= b.style
	}
	broken := m.broken(b, cells)
	done, until := 0, 0 // the number of final rows and cells
	for i, n := 0, 0; i < len(broken)-1; i++ {
		if n += len(broken[i]); n > settled || n == 0 {
			break
		}
		if cells[n-1].end > 0 && len(broken[i+1]) > 0 {
			done, until = i+1, n
		}
	}
	rows := m.rows(b, cells, true)
	if !m.cut && len(rows) > 0 {
		rows[0] = strings.TrimRight(m.screen.theme.Paint(Dim, b.first)+m.screen.theme.paint(broken[0]), " ")
	}
	if done > 0 {
		m.screen.Print(rows[:done]...)
		last := cells[until-1]
		m.pend, m.state, m.block, m.cut, m.blank = text[last.end:], last.after, b, true, false
		m.before, _ = utf8.DecodeLastRuneInString(last.text)
		rows = rows[done:]
	}
	m.screen.Tail(rows...)
}

// held reports whether the line, judging by its beginning, can be shown only when it is
// complete.
func (m *Markdown) held() bool {
	start := strings.TrimLeft(m.pend, " ")
	return m.fence == "" && (strings.HasPrefix(start, "|") || strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~"))
}
