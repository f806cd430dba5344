package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// This file is the part of the tree construction of HTML (WHATWG, section
// 13.2.6) that text depends on.

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
func listScope(a atom.Atom) bool   { return a == atom.Ol || a == atom.Ul }

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

// crosses reports whether a block stands open inside the element at i.
func (q *quick) crosses(i int) bool {
	for _, e := range q.stack[i+1:] {
		if isSpecial(e.atom) {
			return true
		}
	}
	return false
}

// svg takes a drawing, as long as it holds nothing but shapes and text.
func (q *quick) svg(t *tag) {
	if q.kept > 0 || q.apart > 0 {
		q.lost = true
		return
	}
	q.boundary()
	if !t.self {
		q.shapes()
	} else if strings.HasSuffix(t.raw, "/") && unquotedSlash(t.raw) {
		q.lost = true
	}
	q.boundary()
}

// unquotedSlash reports whether the slash at the end may belong to a value.
func unquotedSlash(attributes string) bool {
	s := strings.TrimSuffix(attributes, "/")
	return s != "" && !isSpace(s[len(s)-1]) && s[len(s)-1] != '"' && s[len(s)-1] != '\''
}

// shapes goes behind the end tag of a drawing.
func (q *quick) shapes() {
	open := []string{"svg"}
	for q.pos < len(q.src) && q.step() {
		i := strings.IndexByte(q.src[q.pos:], '<')
		if i < 0 {
			break
		}
		if i > 0 {
			q.drawn(q.src[q.pos : q.pos+i])
			q.pos += i
		}
		if !q.markup(q.pos) {
			break
		}
		switch c := q.src[q.pos+1]; {
		case c == '!' && strings.HasPrefix(q.src[q.pos:], "<!--"):
			q.declaration()
			continue
		case c == '!' || c == '?':
			q.lost = true
			return
		case c == '/':
			if !isLetter(q.src[q.pos+2]) {
				q.lost = true
				return
			}
			name := q.tagName(q.pos + 2)
			if _, ok := q.tag(q.pos + 2); !ok || !strings.EqualFold(name, open[len(open)-1]) {
				q.lost = true
				return
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return
			}
			continue
		}
		name := q.tagName(q.pos + 1)
		t, ok := q.tag(q.pos + 1)
		lower := strings.ToLower(name)
		if !ok || !isShape(lower) || t.self && unquotedSlash(t.raw) && t.raw != "/" {
			q.lost = true
			return
		}
		switch {
		case t.self:
		case lower == "title" || lower == "style":
			if !q.shapeText(lower) {
				q.lost = true
				return
			}
		default:
			open = append(open, lower)
			if len(open) > 100 {
				q.lost = true
				return
			}
		}
	}
	q.lost = true
}

func (q *quick) tagName(start int) string {
	i := start
	for i < len(q.src) && q.src[i] != '>' && q.src[i] != '/' && !isSpace(q.src[i]) {
		i++
	}
	return q.src[start:i]
}

func (q *quick) drawn(t string) { q.text(html.UnescapeString(lineFeeds(t)), false) }

// shapeText takes a title or style in a drawing, when only text is in it.
func (q *quick) shapeText(name string) bool {
	rest := q.src[q.pos:]
	i := strings.IndexByte(rest, '<')
	if i < 0 || len(rest) < i+3+len(name) || rest[i+1] != '/' || !strings.EqualFold(rest[i+2:i+2+len(name)], name) || rest[i+2+len(name)] != '>' {
		return false
	}
	q.boundary()
	if name == "title" {
		q.text(html.UnescapeString(lineFeeds(rest[:i])), true)
	}
	q.boundary()
	q.pos += i + 3 + len(name)
	return true
}

// isShape reports whether an element of a drawing is one without surprises.
func isShape(name string) bool {
	switch name {
	case "svg", "g", "path", "circle", "ellipse", "line", "polygon", "polyline", "rect", "use", "defs", "symbol", "text",
		"tspan", "textpath", "image", "lineargradient", "radialgradient", "stop", "clippath", "mask", "pattern", "marker",
		"filter", "animate", "animatetransform", "title", "style", "a", "fegaussianblur", "feoffset", "feblend",
		"feflood", "fecolormatrix", "femerge", "femergenode", "fecomposite":
		return true
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
