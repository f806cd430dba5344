package dom

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// sink collects text the way jsoup does: a run of whitespace becomes one space, a
// no-break space counts as whitespace, soft hyphens and zero-width spaces are dropped,
// and blocks are separated.
type sink struct {
	buf   []byte
	limit int
	lower bool // write in lower case, for searching
	full  bool
}

// boundary separates the text so far from the text that follows.
func (s *sink) boundary() {
	if n := len(s.buf); n > 0 && s.buf[n-1] != ' ' {
		s.buf = append(s.buf, ' ')
	}
}

// text appends a text node; if keep, its whitespace stays unchanged.
func (s *sink) text(t string, keep bool) {
	if len(s.buf)+len(t) > s.limit {
		s.full = true
		return
	}
	switch {
	case s.lower:
		s.lowered(t)
	case keep:
		s.buf = append(s.buf, t...)
	default:
		s.normal(t)
	}
}

func (s *sink) normal(t string) {
	buf := s.buf
	for i := 0; i < len(t); {
		c := t[i]
		if class[c] == plainByte {
			start := i
			for i++; i < len(t) && class[t[i]] == plainByte; i++ {
			}
			buf = append(buf, t[start:i]...)
			continue
		}
		size := 1
		if class[c] == leadByte {
			var special rune
			if special, size = specialRune(t[i:]); special == 0 {
				buf = append(buf, t[i:i+size]...)
				i += size
				continue
			} else if special != noBreakSpace {
				i += size
				continue
			}
		}
		if n := len(buf); n > 0 && buf[n-1] != ' ' {
			buf = append(buf, ' ')
		}
		i += size
	}
	s.buf = buf
}

// The kinds of bytes in a text.
const (
	plainByte = iota
	spaceByte
	leadByte // may begin a character that needs special treatment
)

// class maps each byte to its kind; it is constant.
var class = [256]byte{' ': spaceByte, '\n': spaceByte, '\t': spaceByte, '\r': spaceByte, '\f': spaceByte, 0xC2: leadByte, 0xE2: leadByte}

const noBreakSpace = '\u00a0'

// specialRune returns the character at the start of t if it needs special treatment,
// otherwise 0, and the number of bytes to advance.
func specialRune(t string) (rune, int) {
	if strings.HasPrefix(t, "\u00a0") {
		return noBreakSpace, 2
	}
	if strings.HasPrefix(t, "\u00ad") {
		return '\u00ad', 2
	}
	if strings.HasPrefix(t, "\u200b") {
		return '\u200b', 3
	}
	return 0, 1
}

// lowered appends normal text in lower case.
func (s *sink) lowered(t string) {
	for _, r := range t {
		switch {
		case r < utf8.RuneSelf && class[r] == spaceByte || r == noBreakSpace:
			s.boundary()
		case r == '\u00ad' || r == '\u200b':
		default:
			s.buf = utf8.AppendRune(s.buf, unicode.ToLower(r))
		}
	}
}

func (s *sink) string() string { return trim(string(s.buf)) }

// trim removes spaces and control characters at both ends, as Java's trim does.
func trim(t string) string {
	start, end := 0, len(t)
	for start < end && t[start] <= ' ' {
		start++
	}
	for end > start && t[end-1] <= ' ' {
		end--
	}
	return t[start:end]
}

// walk is the state of one pass over a part of a tree.
type walk struct {
	meter
	sink
	// spans, if not nil, receives the position of the text of each element.
	spans map[*html.Node]span
}

type span struct{ start, end int }

func (d *Document) walk() *walk {
	return &walk{meter: meter{stopped: d.stopped}, sink: sink{limit: d.limits.Output}}
}

// done returns the error of the walk, if any.
func (w *walk) done() error {
	if w.full && w.err == nil {
		return fmt.Errorf("%w: the text is longer than %d bytes", ErrLimit, w.limit)
	}
	return w.err
}

func (w *walk) ok() bool { return w.step() && !w.full }

// Text returns the visible text of a node and its descendants: each run of whitespace
// becomes one space, except in pre, textarea and title; blocks and line breaks are
// separated by a space; scripts and styles have no text.
func (d *Document) Text(n *html.Node) (string, error) {
	w := d.walk()
	w.node(n, keeps(n))
	return w.string(), w.done()
}

// Texts returns the text of each node; the limit for output applies to all texts
// together.
func (d *Document) Texts(nodes []*html.Node) ([]string, error) {
	texts := make([]string, 0, len(nodes))
	left := d.limits.Output
	for _, n := range nodes {
		w := d.walk()
		w.limit = left
		w.node(n, keeps(n))
		if err := w.done(); err != nil {
			return nil, err
		}
		left -= len(w.buf)
		texts = append(texts, w.string())
		if d.stopped != nil && d.stopped() {
			return nil, ErrStopped
		}
	}
	return texts, nil
}

// keeps reports whether n is in an element that keeps whitespace.
func keeps(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && keepsSpace(n.DataAtom) {
			return true
		}
	}
	return false
}

// node adds the text of n and its descendants.
func (w *walk) node(n *html.Node, keep bool) {
	start := len(w.buf)
	for c := n.FirstChild; c != nil && w.ok(); c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if !isData(n) {
				w.text(c.Data, keep)
			}
		case html.ElementNode:
			block := isBlock(c.DataAtom)
			if block || c.DataAtom == atom.Br {
				w.boundary()
			}
			w.node(c, keep || keepsSpace(c.DataAtom))
			if block {
				w.boundary()
			}
		}
	}
	if w.spans != nil {
		w.spans[n] = span{start, len(w.buf)}
	}
}

// OwnText returns the text directly in n, without that of child elements.
func (d *Document) OwnText(n *html.Node) (string, error) {
	w := d.walk()
	keep := keeps(n)
	for c := n.FirstChild; c != nil && w.ok(); c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && !isData(n):
			w.text(c.Data, keep)
		case c.DataAtom == atom.Br:
			w.boundary()
		}
	}
	return w.string(), w.done()
}

// WholeText returns all text below n with its whitespace unchanged; a br element becomes
// a newline.
func (d *Document) WholeText(n *html.Node) (string, error) {
	w := d.walk()
	w.whole(n)
	return string(w.buf), w.done()
}

func (w *walk) whole(n *html.Node) {
	for c := n.FirstChild; c != nil && w.ok(); c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			if !isData(n) {
				w.text(c.Data, true)
			}
		case c.Type == html.ElementNode && c.DataAtom == atom.Br:
			w.text("\n", true)
		default:
			w.whole(c)
		}
	}
}

// Data returns the contents of a script or style element, "" for other elements.
func (d *Document) Data(n *html.Node) string {
	if !isData(n) || n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

// isData reports whether the content of n is data, such as a script, and not text.
func isData(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.DataAtom == atom.Script || n.DataAtom == atom.Style)
}

// keepsSpace reports whether whitespace is significant in the element.
func keepsSpace(a atom.Atom) bool {
	switch a {
	case atom.Pre, atom.Plaintext, atom.Title, atom.Textarea:
		return true
	}
	return false
}

// isBlock reports whether the element is a block element.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Html, atom.Head, atom.Body, atom.Frameset, atom.Script, atom.Noscript, atom.Style, atom.Meta, atom.Link,
		atom.Title, atom.Frame, atom.Noframes, atom.Section, atom.Nav, atom.Aside, atom.Hgroup, atom.Header, atom.Footer,
		atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Pre, atom.Div,
		atom.Blockquote, atom.Hr, atom.Address, atom.Figure, atom.Figcaption, atom.Form, atom.Fieldset, atom.Ins,
		atom.Del, atom.Dl, atom.Dt, atom.Dd, atom.Li, atom.Table, atom.Caption, atom.Thead, atom.Tfoot, atom.Tbody,
		atom.Colgroup, atom.Col, atom.Tr, atom.Th, atom.Td, atom.Video, atom.Audio, atom.Canvas, atom.Details,
		atom.Menu, atom.Plaintext, atom.Template, atom.Article, atom.Main, atom.Svg, atom.Math, atom.Center,
		atom.Dir, atom.Applet, atom.Marquee, atom.Listing:
		return true
	}
	return false
}
