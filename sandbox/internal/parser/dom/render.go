package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// OuterHTML returns the markup of n. Unlike jsoup it adds no line breaks and no
// indentation, so that parsing it gives the same tree.
func (d *Document) OuterHTML(n *html.Node) (string, error) {
	w := d.walk()
	w.markup(n)
	return string(w.buf), w.done()
}

// InnerHTML returns the markup of the contents of n.
func (d *Document) InnerHTML(n *html.Node) (string, error) {
	w := d.walk()
	w.content(n)
	return string(w.buf), w.done()
}

func (w *walk) markup(n *html.Node) {
	if len(w.buf) > w.limit {
		w.full = true
		return
	}
	switch n.Type {
	case html.TextNode:
		if n.Parent != nil && isRaw(n.Parent) {
			w.add(n.Data)
		} else {
			w.escape(n.Data, false)
		}
	case html.ElementNode:
		w.element(n)
	case html.CommentNode:
		w.add("<!--", n.Data, "-->")
	case html.DoctypeNode:
		w.doctype(n)
	default:
		w.content(n)
	}
}

func (w *walk) content(n *html.Node) {
	for c := n.FirstChild; c != nil && w.ok(); c = c.NextSibling {
		w.markup(c)
	}
}

func (w *walk) add(parts ...string) {
	for _, p := range parts {
		if len(w.buf)+len(p) > w.limit {
			w.full = true
			return
		}
		w.buf = append(w.buf, p...)
	}
}

func (w *walk) element(n *html.Node) {
	w.add("<", n.Data)
	for i := range n.Attr {
		if !w.ok() {
			return
		}
		a := &n.Attr[i]
		w.add(" ")
		if a.Namespace != "" {
			w.add(a.Namespace, ":")
		}
		w.add(a.Key)
		if isBoolean(a.Key) && (a.Val == "" || strings.EqualFold(a.Val, a.Key)) {
			continue
		}
		w.add(`="`)
		w.escape(a.Val, true)
		w.add(`"`)
	}
	w.add(">")
	if n.Namespace == "" && isVoid(n.DataAtom) {
		return
	}
	if c := n.FirstChild; c != nil && c.Type == html.TextNode && strings.HasPrefix(c.Data, "\n") {
		switch n.DataAtom {
		case atom.Pre, atom.Listing, atom.Textarea: // a parser drops the first line feed
			w.add("\n")
		}
	}
	w.content(n)
	w.add("</", n.Data, ">")
}

func (w *walk) doctype(n *html.Node) {
	w.add("<!doctype ", n.Data)
	var public, system string
	for _, a := range n.Attr {
		switch a.Key {
		case "public":
			public = a.Val
		case "system":
			system = a.Val
		}
	}
	if public != "" {
		w.add(` PUBLIC "`, public, `"`)
	} else if system != "" {
		w.add(" SYSTEM")
	}
	if system != "" {
		w.add(` "`, system, `"`)
	}
	w.add(">")
}

// escape appends text with characters that are special in markup escaped.
func (w *walk) escape(t string, attribute bool) {
	if len(w.buf)+len(t) > w.limit {
		w.full = true
		return
	}
	plain := 0
	for i := 0; i < len(t); i++ {
		var out string
		size := 1
		switch t[i] {
		case '&':
			out = "&amp;"
		case '<':
			out = "&lt;"
		case '>':
			out = "&gt;"
		case '"':
			if !attribute {
				continue
			}
			out = "&quot;"
		case 0xC2:
			if i+1 >= len(t) || t[i+1] != 0xA0 {
				continue
			}
			out, size = "&nbsp;", 2
		default:
			continue
		}
		w.buf = append(w.buf, t[plain:i]...)
		w.buf = append(w.buf, out...)
		i += size - 1
		plain = i + 1
	}
	w.buf = append(w.buf, t[plain:]...)
}

// isRaw reports whether the content of n is written without escaping.
func isRaw(n *html.Node) bool {
	if n.Type != html.ElementNode || n.Namespace != "" {
		return false
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes, atom.Plaintext, atom.Xmp:
		return true
	}
	return false
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Keygen, atom.Link,
		atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// isBoolean reports whether an attribute is boolean, so that its presence alone means
// true.
func isBoolean(name string) bool {
	switch name {
	case "allowfullscreen", "async", "autofocus", "checked", "compact", "declare", "default", "defer", "disabled",
		"formnovalidate", "hidden", "inert", "ismap", "itemscope", "multiple", "muted", "nohref", "noresize", "noshade",
		"novalidate", "nowrap", "open", "readonly", "required", "reversed", "seamless", "selected", "sortable",
		"truespeed", "typemustmatch":
		return true
	}
	return false
}

// Markup returns the markup of the nodes if outer, otherwise of their contents, separated
// by line feeds.
func (d *Document) Markup(nodes []*html.Node, outer bool) (string, error) {
	w := d.walk()
	for i, n := range nodes {
		if !w.ok() {
			break
		}
		if i > 0 {
			w.add("\n")
		}
		if outer {
			w.markup(n)
		} else {
			w.content(n)
		}
	}
	return string(w.buf), w.done()
}
