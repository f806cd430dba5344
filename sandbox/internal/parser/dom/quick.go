package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text gives the text of a page, or with body only that of its body: what
// [Parse] and [Document.Text] give. Where the markup allows it no tree is built.
func Text(text string, body bool, opts *Options) (string, error) {
	if opts == nil {
		opts = &Options{}
	}
	if out, ok := QuickText(text, body, opts); ok {
		return out, nil
	}
	d, err := Parse(text, opts)
	if err != nil {
		return "", err
	}
	n := d.Root
	if body {
		if n = d.Body(); n == nil {
			return "", nil
		}
	}
	return d.Text(n)
}

// QuickText gives the text of a page without building a tree, or reports false
// when the page holds something whose place in the tree takes the whole
// algorithm to find: text between the cells of a table, frames, templates, and
// the like. It follows the elements that are open as far as text depends on
// them.
func QuickText(text string, body bool, opts *Options) (string, bool) {
	limits := opts.Limits.WithDefaults()
	if len(text) > limits.Bytes || strings.IndexByte(text, 0) >= 0 {
		return "", false
	}
	q := &quick{src: text, bodyOnly: body}
	q.meter.stopped = opts.Stopped
	q.sink.limit = limits.Output
	q.sink.buf = make([]byte, 0, len(text)/4+64)
	var stack [64]open
	q.stack = stack[:0]
	q.scan()
	if body && q.phase != inBody { // the page ended before
		q.buf = q.buf[:0]
	}
	if q.lost || q.full || q.err != nil || q.tags > limits.Nodes {
		return "", false
	}
	return q.string(), true
}

// quick is one pass over a page.
type quick struct {
	meter
	sink
	src      string
	pos      int
	tags     int
	bodyOnly bool
	lost     bool // the pass cannot know how it goes on

	phase phase
	plain bool // the page begins with <!doctype html>
	begun bool // something but space and comments has been seen
	stack []open
	kept  int  // open elements that keep whitespace
	apart int  // open elements that are blocks for text, inline for the parser
	form  bool // a form is open for the parser
	fresh bool // a line feed at the start of a pre does not count
	// unsure: inline elements are not closed as they were opened, so which are
	// open is not known exactly.
	unsure bool
}

// phase is how far the page has come.
type phase uint8

const (
	inHead phase = iota // and before
	inHeadNoscript
	afterHead
	inBody
)

// open is an element that is open.
type open struct {
	atom atom.Atom
	name string // of one without an atom
}

// tag is a start or end tag.
type tag struct {
	open
	raw  string // the attributes
	self bool
}

func (q *quick) scan() {
	for q.pos < len(q.src) && !q.lost && q.step() {
		i := strings.IndexByte(q.src[q.pos:], '<')
		for i >= 0 && !q.markup(q.pos+i) { // a "<" that is text
			next := strings.IndexByte(q.src[q.pos+i+1:], '<')
			if next < 0 {
				i = -1
				break
			}
			i += 1 + next
		}
		if i < 0 {
			q.chars(q.src[q.pos:])
			q.pos = len(q.src)
			return
		}
		if i > 0 {
			q.chars(q.src[q.pos : q.pos+i])
			q.pos += i
			continue
		}
		fresh, depth := q.fresh, len(q.stack)
		q.fresh = false
		q.token()
		if fresh && len(q.stack) == depth {
			q.lost = true // a pre may still be without content
		}
	}
}

// markup reports whether the "<" at i begins markup. The end of the page right
// after it makes it text.
func (q *quick) markup(i int) bool {
	if i+1 >= len(q.src) {
		return false
	}
	c := q.src[i+1]
	return isLetter(c) || c == '!' || c == '?' || c == '/' && i+2 < len(q.src)
}

// token takes the markup at pos.
func (q *quick) token() {
	q.tags++
	rest := q.src[q.pos+1:]
	switch {
	case rest[0] == '!':
		q.declaration()
	case rest[0] == '?':
		q.skipTo('>')
	case rest[0] != '/':
		start := q.pos + 1
		if t, ok := q.tag(start); ok {
			q.startTag(&t)
		}
	case isLetter(rest[1]):
		start := q.pos + 2
		if t, ok := q.tag(start); ok {
			q.endTag(&t)
		}
	default: // </> or a comment
		q.skipTo('>')
	}
}

// skipTo goes behind the next c, or to the end.
func (q *quick) skipTo(c byte) {
	i := strings.IndexByte(q.src[q.pos:], c)
	if i < 0 {
		q.pos = len(q.src)
		return
	}
	q.pos += i + 1
}

func (q *quick) declaration() {
	rest := q.src[q.pos:]
	if body, ok := strings.CutPrefix(rest, "<!--"); ok {
		q.pos += 4 + commentEnd(body)
		return
	}
	if !q.begun && len(rest) > 9 && strings.EqualFold(rest[2:9], "doctype") {
		kind, _, _ := strings.Cut(rest[9:], ">")
		q.plain = strings.EqualFold(strings.TrimSpace(kind), "html")
	}
	q.begun = true
	q.skipTo('>')
}

// commentEnd is how long a comment is after its beginning.
func commentEnd(s string) int {
	if strings.HasPrefix(s, ">") {
		return 1
	}
	if strings.HasPrefix(s, "->") {
		return 2
	}
	for from := 0; ; {
		i := strings.Index(s[from:], "--")
		if i < 0 {
			return len(s)
		}
		end := from + i + 2
		if strings.HasPrefix(s[end:], ">") {
			return end + 1
		}
		if strings.HasPrefix(s[end:], "!>") {
			return end + 2
		}
		from = end - 1
	}
}

// tag reads the tag whose name begins at start and goes behind it; false when
// the page ends in the middle.
func (q *quick) tag(start int) (t tag, ok bool) {
	src := q.src
	i := start
	for i < len(src) && src[i] != '>' && src[i] != '/' && !isSpace(src[i]) {
		i++
	}
	t.open = element(src[start:i])
	attributes := i
	for i < len(src) && src[i] != '>' {
		if isSpace(src[i]) || src[i] == '/' {
			i++
			continue
		}
		i = q.attribute(i)
	}
	if i >= len(src) {
		q.pos = len(src)
		return t, false
	}
	t.raw = src[attributes:i]
	t.self = src[i-1] == '/'
	q.pos = i + 1
	return t, true
}

// attribute goes behind the attribute at i.
func (q *quick) attribute(i int) int {
	src := q.src
	for i++; i < len(src) && src[i] != '=' && src[i] != '>' && src[i] != '/' && !isSpace(src[i]); i++ {
	}
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	if i >= len(src) || src[i] != '=' {
		return i
	}
	for i++; i < len(src) && isSpace(src[i]); i++ {
	}
	if i >= len(src) || src[i] == '>' {
		return i
	}
	if c := src[i]; c == '"' || c == '\'' {
		end := strings.IndexByte(src[i+1:], c)
		if end < 0 {
			return len(src)
		}
		return i + end + 2
	}
	for i < len(src) && src[i] != '>' && !isSpace(src[i]) {
		i++
	}
	return i
}

// element gives the element with the name, in any case.
func element(name string) open {
	var lower [16]byte
	if len(name) <= len(lower) {
		for i := 0; i < len(name); i++ {
			c := name[i]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			lower[i] = c
		}
		if a := atom.Lookup(lower[:len(name)]); a != 0 {
			return open{atom: a}
		}
	}
	return open{name: name}
}

func (o open) same(other open) bool {
	return o.atom == other.atom && (o.atom != 0 || strings.EqualFold(o.name, other.name))
}

// chars takes a text.
func (q *quick) chars(t string) {
	fresh := q.fresh
	q.fresh = false
	if strings.IndexByte(t, '&') >= 0 {
		t = html.UnescapeString(lineFeeds(t))
	} else if q.kept > 0 || fresh {
		t = lineFeeds(t)
	}
	if q.phase != inBody || q.inTable() {
		if strings.Trim(t, " \t\r\n\f") != "" {
			if q.inTable() { // it moves to before the table
				q.lost = true
				return
			}
			q.enterBody()
		}
	}
	if fresh {
		t = strings.TrimPrefix(strings.TrimPrefix(t, "\r"), "\n")
		q.fresh = t == ""
	}
	q.text(t, q.kept > 0)
}

// lineFeeds is how the parser reads the ends of lines.
func lineFeeds(t string) string {
	if strings.IndexByte(t, '\r') < 0 {
		return t
	}
	return strings.ReplaceAll(strings.ReplaceAll(t, "\r\n", "\n"), "\r", "\n")
}

// enterBody begins the body.
func (q *quick) enterBody() {
	if q.phase == inHeadNoscript {
		q.boundary()
	}
	q.begun = true
	q.phase = inBody
	q.boundary()
	if q.bodyOnly {
		q.buf = q.buf[:0]
	}
}

// rawText takes the content of an element that has no markup in it, up to its end
// tag, and gives it.
func (q *quick) rawText(name string) string {
	rest := q.src[q.pos:]
	for from := 0; ; {
		i := strings.Index(rest[from:], "</")
		if i < 0 || from+i+2+len(name) >= len(rest) {
			q.pos = len(q.src)
			return rest
		}
		at := from + i
		after := rest[at+2+len(name)]
		if strings.EqualFold(rest[at+2:at+2+len(name)], name) && (after == '>' || after == '/' || isSpace(after)) {
			q.pos += at
			q.tag(q.pos + 2)
			return rest[:at]
		}
		from = at + 2
	}
}

// rawElement takes an element without markup, from behind its start tag.
func (q *quick) rawElement(a atom.Atom) {
	if isBlock(a) {
		q.boundary()
	}
	content := q.rawText(a.String())
	switch a {
	case atom.Script:
		// In a comment, a script inside the script has its own end tag.
		if i := strings.Index(content, "<!--"); i >= 0 && strings.Contains(strings.ToLower(content[i:]), "<script") {
			q.lost = true
		}
	case atom.Style:
	case atom.Iframe:
		q.text(content, q.kept > 0)
	default: // title, textarea
		content = html.UnescapeString(lineFeeds(content))
		if a == atom.Textarea {
			content = strings.TrimPrefix(strings.TrimPrefix(content, "\r"), "\n")
		}
		q.text(content, true)
	}
	if isBlock(a) {
		q.boundary()
	}
}
