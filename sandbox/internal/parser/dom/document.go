package dom

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Document is a parsed page with its limits.
type Document struct {
	// Root is the document node.
	Root *html.Node

	limits  Limits
	stopped func() bool
	nodes   int
	added   int    // bytes since the page was parsed
	given   string // the address the page was parsed with
}

// Options configures [Parse]. The zero value means the default limits and no base
// address.
type Options struct {
	Limits Limits
	// Base is the address of the page, for its relative links.
	Base string
	// Stopped is called at intervals and reports whether to stop. It must be cheap.
	Stopped func() bool
}

// Parse parses a page. Any text is a valid page: the only errors are an exceeded limit
// ([ErrLimit]) and a stopped run ([ErrStopped]).
func Parse(text string, opts *Options) (*Document, error) {
	d := &Document{}
	if opts != nil {
		d.limits, d.stopped, d.given = opts.Limits, opts.Stopped, opts.Base
	}
	d.limits = d.limits.WithDefaults()
	err := d.guarded(text, 0, func(r io.Reader) (err error) {
		// Parse markup inside noscript, as a program that runs no scripts does.
		d.Root, err = html.ParseWithOptions(r, html.ParseOptionEnableScripting(false))
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := d.admit([]*html.Node{d.Root}, 0); err != nil {
		return nil, err
	}
	return d, nil
}

// Size returns the number of nodes that the document has had so far, including removed
// ones.
func (d *Document) Size() int { return d.nodes }

// Limits returns the limits of the document.
func (d *Document) Limits() Limits { return d.limits }

// Fragment parses markup as the content of parent and counts its nodes. The
// nodes are not yet part of the document.
func (d *Document) Fragment(text string, parent *html.Node) ([]*html.Node, error) {
	context := parent
	if context == nil || context.Type != html.ElementNode {
		context = &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	}
	var nodes []*html.Node
	err := d.guarded(text, d.nodes, func(r io.Reader) (err error) {
		nodes, err = html.ParseFragmentWithOptions(r, context, html.ParseOptionEnableScripting(false))
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := d.admit(nodes, depth(parent)); err != nil {
		return nil, err
	}
	return nodes, nil
}

// guarded checks the text, runs a parse and converts a panic of the library into an
// error: the library panics if elements nest too deeply.
func (d *Document) guarded(text string, nodes int, parse func(io.Reader) error) (err error) {
	if len(text) > d.limits.Bytes {
		return fmt.Errorf("%w: the text has %d bytes; at most %d are parsed", ErrLimit, len(text), d.limits.Bytes)
	}
	if err := forecast(text, d.limits.Nodes-nodes); err != nil {
		return err
	}
	source := &reader{text: text, stopped: d.stopped}
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%w: %v", ErrLimit, x)
		}
	}()
	err = parse(source)
	switch {
	case source.ended:
		return ErrStopped
	case err != nil:
		return fmt.Errorf("%w: %v", ErrLimit, err)
	}
	return nil
}

// reader returns a text in pieces until the run is stopped. A running parse can be ended
// only here.
type reader struct {
	text    string
	stopped func() bool
	ended   bool
}

func (r *reader) Read(p []byte) (int, error) {
	if r.stopped != nil && r.stopped() {
		r.ended = true
		return 0, ErrStopped
	}
	if r.text == "" {
		return 0, io.EOF
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// admit counts nodes, which begin at depth at, against the limits.
func (d *Document) admit(nodes []*html.Node, at int) error {
	c := census{meter: meter{stopped: d.stopped}, room: d.limits.Nodes - d.nodes, deepest: d.limits.Depth}
	for _, n := range nodes {
		c.count(n, at)
	}
	if c.err != nil {
		return c.err
	}
	d.nodes += c.nodes
	return nil
}

// census counts nodes until they exceed the limits.
type census struct {
	meter
	nodes, room, deepest int
}

func (c *census) count(n *html.Node, at int) {
	if at > c.deepest {
		c.err = fmt.Errorf("%w: elements nest deeper than %d levels", ErrLimit, c.deepest)
	}
	if c.nodes++; c.nodes > c.room && c.err == nil {
		c.err = fmt.Errorf("%w: the page has too many nodes", ErrLimit)
	}
	for child := n.FirstChild; child != nil && c.step(); child = child.NextSibling {
		c.count(child, at+1)
	}
}

// depth returns the number of nodes above the content of n.
func depth(n *html.Node) int {
	levels := 0
	for ; n != nil; n = n.Parent {
		levels++
	}
	return levels
}

// Element returns the first element with the tag in document order, nil if there is none.
func (d *Document) Element(tag atom.Atom) *html.Node { return firstElement(d.Root, tag) }

func firstElement(n *html.Node, tag atom.Atom) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if c.DataAtom == tag && c.Namespace == "" {
			return c
		}
		if found := firstElement(c, tag); found != nil {
			return found
		}
	}
	return nil
}

// Head returns the head element, nil if it was removed.
func (d *Document) Head() *html.Node { return d.part(atom.Head, atom.Head) }

// Body returns the body element or, in a page with frames, the frameset; nil if it was
// removed.
func (d *Document) Body() *html.Node { return d.part(atom.Body, atom.Frameset) }

func (d *Document) part(tag, other atom.Atom) *html.Node {
	for root := d.Root.FirstChild; root != nil; root = root.NextSibling {
		if root.Type != html.ElementNode {
			continue
		}
		for c := root.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && (c.DataAtom == tag || c.DataAtom == other) {
				return c
			}
		}
	}
	return nil
}

// Title returns the text of the first title element, trimmed, with each run of whitespace
// as one space.
func (d *Document) Title() string {
	n := d.Element(atom.Title)
	if n == nil {
		return ""
	}
	s := sink{limit: d.limits.Output}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			s.text(c.Data, false)
		}
	}
	return s.string()
}

// Base returns the address against which relative links are resolved: that of the first
// base element with an address, otherwise the one that the page was parsed with.
func (d *Document) Base() string {
	base := d.given
	m := meter{stopped: d.stopped}
	var find func(n *html.Node) bool
	find = func(n *html.Node) bool {
		for c := n.FirstChild; c != nil && m.step(); c = c.NextSibling {
			if c.DataAtom == atom.Base && c.Type == html.ElementNode {
				if href, ok := Attr(c, "href"); ok {
					if address := Resolve(d.given, href); address != "" {
						base = address
						return true
					}
				}
			}
			if find(c) {
				return true
			}
		}
		return false
	}
	find(d.Root)
	return base
}

// Attr returns the value of an attribute, whatever the case of its name.
func Attr(n *html.Node, name string) (string, bool) {
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Namespace == "" && len(a.Key) == len(name) && (a.Key == name || strings.EqualFold(a.Key, name)) {
			return a.Val, true
		}
		if a.Namespace != "" && strings.EqualFold(a.Namespace+":"+a.Key, name) {
			return a.Val, true
		}
	}
	return "", false
}

func setAttr(n *html.Node, name, value string) {
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Namespace == "" && strings.EqualFold(a.Key, name) {
			a.Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: strings.ToLower(name), Val: value})
}

// RemoveAttr removes an attribute.
func RemoveAttr(n *html.Node, name string) {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		if a.Namespace != "" || !strings.EqualFold(a.Key, name) {
			kept = append(kept, a)
		}
	}
	clear(n.Attr[len(kept):])
	n.Attr = kept
}

// ValidAttr reports whether name is a valid name of an attribute, which means that it can
// be written in markup.
func ValidAttr(name string) bool {
	if name == "" || len(name) > 1024 {
		return false
	}
	for _, r := range name {
		if r <= ' ' || r >= 0x7f && r <= 0x9f || strings.ContainsRune("\"'/=<>", r) {
			return false
		}
	}
	return true
}

// HasClass reports whether the class attribute contains the name, ignoring case.
func HasClass(n *html.Node, name string) bool {
	classes, ok := Attr(n, "class")
	if !ok || len(classes) < len(name) || name == "" {
		return false
	}
	if len(classes) == len(name) {
		return strings.EqualFold(classes, name)
	}
	for start := 0; start < len(classes); {
		if isSpace(classes[start]) {
			start++
			continue
		}
		end := start
		for end < len(classes) && !isSpace(classes[end]) {
			end++
		}
		if end-start == len(name) && strings.EqualFold(classes[start:end], name) {
			return true
		}
		start = end
	}
	return false
}

// isSpace reports whether c is whitespace in HTML.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }
