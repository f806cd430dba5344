package prompt

import (
	"strings"

	"github.com/localpass/localpass/examples/clichat/internal/render"
	"github.com/localpass/localpass/internal/termtext"
)

// menu is the completion menu. at is the index of the candidate that is in the text; -1:
// none.
type menu struct {
	list []string
	from int // bytes
	at   int
}

// complete inserts the common prefix of the candidates, shows the menu, and moves through
// its candidates.
func (r *reading) complete(back bool) {
	if r.opts.Complete == nil {
		return
	}
	if len(r.menu.list) > 0 {
		step := 1
		if back {
			step = -1
		}
		n := len(r.menu.list)
		if r.menu.at < 0 && back {
			r.menu.at = 0
		}
		r.menu.at = (r.menu.at + step + n) % n
		r.put(r.menu.list[r.menu.at])
		return
	}
	before := string(r.buf.text[:r.buf.pos])
	from, list := r.opts.Complete(r.buf.String(), len(before))
	if len(list) == 0 || from < 0 || from > len(before) {
		r.hint = "nothing to complete"
		return
	}
	r.menu = menu{from: from, at: -1}
	if len(list) == 1 {
		r.put(list[0])
		r.menu = menu{}
		return
	}
	if common := commonPrefix(list); len(common) > len(before)-from {
		r.put(common)
	}
	r.menu.list = list
}

// put replaces the text being completed.
func (r *reading) put(text string) {
	before := string(r.buf.text[:r.buf.pos])
	start := len([]rune(before[:min(r.menu.from, len(before))]))
	r.buf.cut(start, r.buf.pos, false)
	r.buf.insert(text)
}

func commonPrefix(list []string) string {
	prefix := list[0]
	for _, s := range list[1:] {
		for !strings.HasPrefix(s, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return strings.ToValidUTF8(prefix, "")
}

// menuRows is the maximum number of rows of the menu.
const menuRows = 6

// rows lays the menu out in columns.
func (m *menu) rows(columns int, theme render.Theme) []string {
	widest := 0
	for _, s := range m.list {
		widest = max(widest, render.Width(s)+2)
	}
	widest = min(max(widest, 8), columns)
	across := max(columns/widest, 1)
	page := across * menuRows
	start := max(m.at, 0) / page * page
	var out []string
	for i := start; i < len(m.list) && i < start+page; i += across {
		var b strings.Builder
		for j := i; j < min(i+across, len(m.list)); j++ {
			s := render.Fit(termtext.Line(m.list[j]), widest-2, "~")
			pad := strings.Repeat(" ", widest-render.Width(s))
			if j == m.at {
				s = theme.Paint(render.Bold, s)
				if !theme.Color {
					s = ">" + s
					pad = strings.TrimPrefix(pad, " ")
				}
			}
			b.WriteString(s + pad)
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	if len(m.list) > page {
		out = append(out, "…")
	}
	return out
}
