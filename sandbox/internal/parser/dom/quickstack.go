package dom

import "golang.org/x/net/html/atom"

// push opens an element.
func (q *quick) push(o open) {
	if len(q.stack) >= 256 { // long before the parser itself gives up
		q.lost = true
		return
	}
	q.stack = append(q.stack, o)
	if keepsSpace(o.atom) {
		q.kept++
	}
	if isApart(o.atom) {
		q.apart++
	}
	if isBlock(o.atom) {
		q.boundary()
	}
}

// popTo closes the elements from index i on.
func (q *quick) popTo(i int) {
	for j := len(q.stack) - 1; j >= i; j-- {
		q.closed(q.stack[j].atom)
		if isFormatting(q.stack[j].atom) {
			q.unsure = q.unsure || j > i // it will be opened again
		}
	}
	q.stack = q.stack[:i]
}

func (q *quick) closed(a atom.Atom) {
	if keepsSpace(a) {
		q.kept--
	}
	if isApart(a) {
		q.apart--
	}
	if isBlock(a) {
		q.boundary()
	}
}

// scoped finds the innermost of the elements, unless a boundary of scope stands
// before it; -1 when there is none.
func (q *quick) scoped(extra func(atom.Atom) bool, wanted ...atom.Atom) int {
	for i := len(q.stack) - 1; i >= 0; i-- {
		a := q.stack[i].atom
		for _, w := range wanted {
			if a == w {
				return i
			}
		}
		switch a {
		case atom.Applet, atom.Caption, atom.Table, atom.Td, atom.Th, atom.Marquee, atom.Object, atom.Select:
			return -1
		}
		if extra != nil && extra(a) {
			return -1
		}
	}
	return -1
}

func buttonScope(a atom.Atom) bool { return a == atom.Button }

func listScope(a atom.Atom) bool { return a == atom.Ol || a == atom.Ul }

// closeP closes an open paragraph.
func (q *quick) closeP() {
	if i := q.scoped(buttonScope, atom.P); i >= 0 {
		q.popTo(i)
	}
}

// table gives the index of the innermost part of a table; -1 outside.
func (q *quick) table() int {
	for i := len(q.stack) - 1; i >= 0; i-- {
		switch q.stack[i].atom {
		case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
			return i
		}
	}
	return -1
}

// inTable reports whether the innermost open element is a table, or a part of
// one that holds only parts.
func (q *quick) inTable() bool {
	if len(q.stack) == 0 {
		return false
	}
	switch q.stack[len(q.stack)-1].atom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
		return true
	}
	return false
}

// clearTo closes elements until one of these is the innermost.
func (q *quick) clearTo(atoms ...atom.Atom) {
	for i := len(q.stack) - 1; i >= 0; i-- {
		for _, a := range atoms {
			if q.stack[i].atom == a {
				q.popTo(i + 1)
				return
			}
		}
	}
	q.lost = true
}

func (q *quick) imply(inside, missing atom.Atom) {
	if n := len(q.stack); n > 0 && q.stack[n-1].atom == inside {
		q.push(open{atom: missing})
	}
}

func (q *quick) closeTable() {
	for i := len(q.stack) - 1; i >= 0; i-- {
		if q.stack[i].atom == atom.Table {
			q.popTo(i)
			return
		}
	}
}

// crosses reports whether a block stands open inside the element at i.
func (q *quick) crosses(i int) bool {
	for _, e := range q.stack[i+1:] {
		if isSpecial(e.atom) {
			return true
		}
	}
	return false
}

// isApart reports whether the element is a block for text while the parser
// treats it as inline.
func isApart(a atom.Atom) bool {
	switch a {
	case atom.Ins, atom.Del, atom.Video, atom.Audio, atom.Canvas:
		return true
	}
	return false
}

func isFormatting(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike,
		atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// isSpecial reports whether the parser takes the element for more than inline.
// Of those that are never open here not all are named.
func isSpecial(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Applet, atom.Article, atom.Aside, atom.Blockquote, atom.Button, atom.Caption, atom.Center,
		atom.Dd, atom.Details, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Li,
		atom.Listing, atom.Main, atom.Marquee, atom.Menu, atom.Nav, atom.Noscript, atom.Object, atom.Ol, atom.P,
		atom.Pre, atom.Section, atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th,
		atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}
