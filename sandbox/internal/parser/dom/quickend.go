package dom

import (
	"golang.org/x/net/html/atom"
)

func (q *quick) endTag(t *tag) {
	if q.phase != inBody {
		switch t.atom {
		case atom.Noscript:
			if q.phase == inHeadNoscript {
				q.boundary()
				q.phase = inHead
			}
			return
		case atom.Head:
			if q.phase == inHead {
				q.begun = true
				q.phase = afterHead
			}
			return
		case atom.Body, atom.Html:
			if q.phase != inHeadNoscript {
				q.enterBody()
			}
			return
		case atom.Br:
			q.enterBody()
		case atom.Template:
			q.lost = true
			return
		default:
			return
		}
	}
	if q.inTable() || isTablePart(t.atom) || t.atom == atom.Table {
		q.tableEnd(t)
		return
	}
	q.bodyEnd(t)
}

// tableEnd takes the end tag of a part of a table, or any in a table.
func (q *quick) tableEnd(t *tag) {
	at := q.table()
	if at < 0 {
		return
	}
	switch t.atom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
		for i := len(q.stack) - 1; i >= 0; i-- {
			a := q.stack[i].atom
			if a == t.atom {
				q.endPart(at, i)
				return
			}
			if a == atom.Table { // it is not open in this one
				return
			}
		}
	case atom.P, atom.Br, atom.Template:
		q.lost = q.inTable() || t.atom == atom.Template
	case atom.Form:
		if q.inTable() {
			q.form = false
		}
	}
}

// endPart closes the part of a table at index i. The innermost part is at. What
// does not fit is ignored by the parser.
func (q *quick) endPart(at, i int) {
	inner, ended := q.stack[at].atom, q.stack[i].atom
	if inner == atom.Caption && ended != atom.Caption && ended != atom.Table {
		return
	}
	if (ended == atom.Td || ended == atom.Th) && i != at {
		return
	}
	q.popTo(i)
}

// bodyEnd takes an end tag in the body, outside the structure of a table.
func (q *quick) bodyEnd(t *tag) {
	switch t.atom {
	case atom.Html, atom.Body:
	case atom.Template, atom.Math:
		q.lost = true
	case atom.Br:
		q.boundary()
	case atom.P:
		if i := q.scoped(buttonScope, atom.P); i >= 0 {
			q.popTo(i)
		} else {
			q.boundary() // an empty one
		}
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Button, atom.Center, atom.Details, atom.Dialog,
		atom.Dir, atom.Div, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header,
		atom.Hgroup, atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Pre, atom.Search, atom.Section,
		atom.Select, atom.Summary, atom.Ul, atom.Dd, atom.Dt, atom.Applet, atom.Marquee, atom.Object:
		if i := q.scoped(nil, t.atom); i >= 0 {
			q.popTo(i)
		}
	case atom.Li:
		if i := q.scoped(listScope, atom.Li); i >= 0 {
			q.popTo(i)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if i := q.scoped(nil, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6); i >= 0 {
			q.popTo(i)
		}
	case atom.Form:
		q.endForm()
	default:
		q.endInline(t.open)
	}
}

// endForm closes the form, which may be closed across what is open in it.
func (q *quick) endForm() {
	if !q.form {
		return
	}
	q.form = false
	at := q.scoped(nil, atom.Form)
	if at < 0 {
		return
	}
	for i := len(q.stack) - 1; i > at; i-- {
		switch q.stack[i].atom {
		case atom.P, atom.Li, atom.Dd, atom.Dt:
		default:
			q.lost = true
			return
		}
	}
	if q.unsure {
		q.lost = true
		return
	}
	q.popTo(at)
}

// endInline closes an element that the parser treats as inline.
func (q *quick) endInline(o open) {
	n := len(q.stack)
	if n > 0 && q.stack[n-1].same(o) {
		if isApart(o.atom) && q.unsure {
			q.lost = true
			return
		}
		q.popTo(n - 1)
		return
	}
	if q.apart > 0 {
		q.lost = true
		return
	}
	formatting := isFormatting(o.atom)
	for i := n - 1; i >= 0; i-- {
		e := q.stack[i]
		if e.same(o) {
			q.unsure = true
			if !q.crosses(i) {
				q.popTo(i)
			} else {
				q.stack = append(q.stack[:i], q.stack[i+1:]...)
			}
			return
		}
		switch {
		case !formatting && isSpecial(e.atom):
			return
		case e.atom == atom.Td, e.atom == atom.Th, e.atom == atom.Caption, e.atom == atom.Table,
			e.atom == atom.Object, e.atom == atom.Applet, e.atom == atom.Marquee, e.atom == atom.Select:
			return
		}
	}
	if formatting {
		q.unsure = true
	}
}
