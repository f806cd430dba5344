package dom

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// This file and those of the stack, of end tags and of drawings are the part of the
// tree construction of HTML (WHATWG, section 13.2.6) that text depends on.

func (q *quick) startTag(t *tag) {
	if q.phase != inBody && q.headStart(t) {
		return
	}
	switch t.atom {
	case atom.Frameset, atom.Frame, atom.Template, atom.Math, atom.Plaintext, atom.Xmp, atom.Noembed, atom.Noframes:
		q.lost = true
		return
	}
	if isTablePart(t.atom) || q.inTable() {
		q.tableStart(t)
		return
	}
	if i := q.scoped(nil, atom.Select); i >= 0 {
		switch t.atom {
		case atom.Option, atom.Optgroup, atom.Script:
		default:
			q.lost = true
			return
		}
	}
	q.bodyStart(t)
}

// headStart takes a start tag before the body; false when it begins the body.
func (q *quick) headStart(t *tag) bool {
	q.begun = true
	switch t.atom {
	case atom.Html, atom.Head, atom.Basefont, atom.Bgsound:
		return true
	case atom.Body:
		q.enterBody()
		return true
	case atom.Link, atom.Meta:
		q.boundary()
		return true
	case atom.Style:
		q.rawElement(atom.Style)
		return true
	case atom.Noscript:
		if q.phase == inHead {
			q.boundary()
			q.phase = inHeadNoscript
			return true
		}
		if q.phase == inHeadNoscript {
			return true
		}
	case atom.Base, atom.Script, atom.Title:
		if q.phase == inHeadNoscript {
			q.boundary()
			q.phase = inHead
		}
		if t.atom != atom.Base {
			q.rawElement(t.atom)
		}
		return true
	case atom.Frameset, atom.Template, atom.Noframes:
		q.lost = true
		return true
	}
	q.enterBody()
	return false
}

func isTablePart(a atom.Atom) bool {
	switch a {
	case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
		return true
	}
	return false
}

// tableStart takes the start tag of a part of a table, or any in a table.
func (q *quick) tableStart(t *tag) {
	at := q.table()
	if at < 0 {
		return // ignored outside
	}
	switch q.stack[at].atom {
	case atom.Caption:
		if t.atom == atom.Th {
			q.lost = true
			return
		}
		q.popTo(at)
	case atom.Td, atom.Th:
		q.popTo(at)
	}
	switch t.atom {
	case atom.Caption, atom.Col, atom.Colgroup:
		q.clearTo(atom.Table)
		if t.atom == atom.Caption {
			q.push(t.open)
		}
		q.boundary()
	case atom.Tbody, atom.Thead, atom.Tfoot:
		q.clearTo(atom.Table)
		q.push(t.open)
	case atom.Tr:
		q.clearTo(atom.Table, atom.Tbody, atom.Thead, atom.Tfoot)
		q.imply(atom.Table, atom.Tbody)
		q.push(t.open)
	case atom.Td, atom.Th:
		q.clearTo(atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr)
		q.imply(atom.Table, atom.Tbody)
		if q.stack[len(q.stack)-1].atom != atom.Tr {
			q.push(open{atom: atom.Tr})
		}
		q.push(t.open)
	case atom.Table:
		q.closeTable()
		q.startTag(t)
	case atom.Script, atom.Style:
		q.rawElement(t.atom)
	case atom.Form:
		q.form = true
	case atom.Html, atom.Body, atom.Head:
	case atom.Input:
		if !strings.Contains(strings.ToLower(t.raw), "hidden") {
			q.lost = true
		}
	default: // it moves to before the table
		q.lost = true
	}
}

// bodyStart takes a start tag in the body, outside the structure of a table.
func (q *quick) bodyStart(t *tag) {
	switch t.atom {
	case atom.Html, atom.Body, atom.Head:
	case atom.Meta, atom.Link, atom.Br:
		q.boundary()
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Area, atom.Embed, atom.Img, atom.Image, atom.Keygen, atom.Wbr,
		atom.Param, atom.Source, atom.Track, atom.Input:
	case atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Iframe:
		q.rawElement(t.atom)
	case atom.Hr:
		q.closeP()
		q.boundary()
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir,
		atom.Div, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup,
		atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Search, atom.Section, atom.Summary, atom.Ul:
		q.closeP()
		q.push(t.open)
	case atom.Pre, atom.Listing:
		q.closeP()
		q.push(t.open)
		q.fresh = true
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		q.closeP()
		if q.scoped(nil, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6) >= 0 {
			q.lost = true
			return
		}
		q.push(t.open)
	case atom.Form:
		if q.form {
			return
		}
		q.closeP()
		q.push(t.open)
		q.form = true
	case atom.Li:
		q.closeItem(atom.Li, atom.Li)
		q.push(t.open)
	case atom.Dd, atom.Dt:
		q.closeItem(atom.Dd, atom.Dt)
		q.push(t.open)
	case atom.Table:
		if q.scoped(buttonScope, atom.P) >= 0 {
			if !q.plain { // whether it closes the paragraph depends on the doctype
				q.lost = true
				return
			}
			q.closeP()
		}
		q.push(t.open)
	case atom.Button:
		if i := q.scoped(nil, atom.Button); i >= 0 {
			q.popTo(i)
		}
		q.push(t.open)
	case atom.Option, atom.Optgroup, atom.Rb, atom.Rp, atom.Rt, atom.Rtc:
		q.implied()
	case atom.Svg:
		q.svg(t)
	case atom.A, atom.Nobr:
		q.once(t.atom)
		q.push(t.open)
	default:
		q.push(t.open)
	}
}

// closeItem closes an open list item before the next one.
func (q *quick) closeItem(one, other atom.Atom) {
	for i := len(q.stack) - 1; i >= 0; i-- {
		a := q.stack[i].atom
		if a == one || a == other {
			q.popTo(i)
			break
		}
		if a != atom.Address && a != atom.Div && a != atom.P && isSpecial(a) {
			break
		}
	}
	q.closeP()
}

// implied takes the start of an option or a part of a ruby text, which closes
// what stands open before it. These are followed no further: they end with
// what is around them.
func (q *quick) implied() {
	if q.apart > 0 {
		q.lost = true
		return
	}
	for i := len(q.stack) - 1; i >= 0; i-- {
		switch q.stack[i].atom {
		case atom.Ruby, atom.Select:
			return
		case atom.P, atom.Li, atom.Dd, atom.Dt:
			q.lost = q.lost || q.scoped(nil, atom.Ruby, atom.Select) >= 0
			return
		}
	}
}

// once closes an open element of a kind that cannot stand in itself.
func (q *quick) once(a atom.Atom) {
	for i := len(q.stack) - 1; i >= 0; i-- {
		if q.stack[i].atom == a {
			q.unsure = true
			if q.apart > 0 {
				q.lost = true
			}
			q.stack = append(q.stack[:i], q.stack[i+1:]...)
			return
		}
		switch q.stack[i].atom {
		case atom.Caption, atom.Td, atom.Th, atom.Applet, atom.Marquee, atom.Object, atom.Select:
			return
		}
	}
}
