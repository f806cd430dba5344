package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func (t tagTest) match(_ *matcher, n *html.Node) bool {
	return n.Data == t.name || n.Namespace != "" && strings.EqualFold(n.Data, t.name)
}

func (t suffixTest) match(_ *matcher, n *html.Node) bool {
	return n.Data == t.suffix[1:] || strings.HasSuffix(n.Data, t.suffix)
}

func (t idTest) match(_ *matcher, n *html.Node) bool {
	id, ok := Attr(n, "id")
	return ok && id == t.id
}

func (t classTest) match(_ *matcher, n *html.Node) bool { return HasClass(n, t.name) }

func (t attrTest) match(m *matcher, n *html.Node) bool {
	_, ok := m.value(n, t.name)
	return ok
}

func (t attrStartTest) match(_ *matcher, n *html.Node) bool {
	for i := range n.Attr {
		if hasPrefixFold(n.Attr[i].Key, t.prefix) {
			return true
		}
	}
	return false
}

// value returns an attribute; with the prefix "abs:", resolved to an absolute address.
func (m *matcher) value(n *html.Node, name string) (string, bool) {
	if key, ok := strings.CutPrefix(name, "abs:"); ok {
		link, ok := Attr(n, key)
		if !ok {
			return "", false
		}
		link = Resolve(m.base(), link)
		return link, link != ""
	}
	return Attr(n, name)
}

// base returns the base address of the document, determined once.
func (m *matcher) base() string {
	if !m.based {
		m.address, m.based = m.doc.Base(), true
	}
	return m.address
}

func (t valueTest) match(m *matcher, n *html.Node) bool {
	v, ok := m.value(n, t.name)
	if !m.cost(len(v) / 256) {
		return false
	}
	switch t.op {
	case '=':
		return ok && strings.EqualFold(strings.TrimSpace(v), strings.TrimSpace(t.value))
	case '!':
		return !ok || !strings.EqualFold(v, t.value)
	case '|':
		return ok && hasPrefixFold(v, t.value) && (len(v) == len(t.value) || v[len(t.value)] == '-')
	}
	if !ok || t.value == "" {
		return false
	}
	switch t.op {
	case '^':
		return hasPrefixFold(v, t.value)
	case '$':
		return len(v) >= len(t.value) && strings.EqualFold(v[len(v)-len(t.value):], t.value)
	case '*':
		return strings.Contains(v, t.value) || strings.Contains(strings.ToLower(v), strings.ToLower(t.value))
	default: // '~'
		for word := range strings.FieldsSeq(v) {
			if strings.EqualFold(word, t.value) {
				return true
			}
		}
		return false
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// maxMatched is the length of the longest attribute that a regular expression is matched
// against.
const maxMatched = 4 << 10

func (t patternTest) match(m *matcher, n *html.Node) bool {
	v, ok := m.value(n, t.name)
	return ok && len(v) <= maxMatched && m.cost(len(v)) && t.pattern.MatchString(v)
}

func (t positionTest) match(m *matcher, n *html.Node) bool {
	p := m.place(n)
	var at int
	switch {
	case t.last && t.sameType:
		at = int(p.typeLast)
	case t.last:
		at = int(p.last)
	case t.sameType:
		at = int(p.typeIndex)
	default:
		at = int(p.index)
	}
	if at == 0 {
		return false
	}
	if t.a == 0 {
		return at == t.b
	}
	return (at-t.b)%t.a == 0 && (at-t.b)/t.a >= 0
}

func (t onlyTest) match(m *matcher, n *html.Node) bool {
	p := m.place(n)
	if t.sameType {
		return p.typeIndex == 1 && p.typeLast == 1
	}
	return p.index == 1 && p.last == 1
}

func (t indexTest) match(m *matcher, n *html.Node) bool {
	at := int(m.place(n).index) - 1
	if at < 0 {
		at = 0 // the root of a tree has no siblings
	}
	switch t.op {
	case '<':
		return n != m.root && at < t.n
	case '>':
		return at > t.n
	}
	return at == t.n
}

func (t wordTest) match(m *matcher, n *html.Node) bool {
	switch t.word {
	case "empty":
		return isEmpty(n)
	case "root":
		if m.root.Type == html.ElementNode {
			return n == m.root
		}
		return n.Parent == m.root
	case "enabled", "disabled":
		switch n.DataAtom {
		case atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Optgroup, atom.Option, atom.Fieldset:
			_, off := Attr(n, "disabled")
			return off == (t.word == "disabled")
		}
	case "checked":
		switch n.DataAtom {
		case atom.Input:
			_, on := Attr(n, "checked")
			return on
		case atom.Option:
			_, on := Attr(n, "selected")
			return on
		}
	case "link", "any-link":
		if n.DataAtom == atom.A || n.DataAtom == atom.Area {
			_, ok := Attr(n, "href")
			return ok
		}
	}
	return false
}

// isEmpty reports whether n contains only comments and whitespace.
func isEmpty(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.ElementNode:
			return false
		case html.TextNode:
			if strings.TrimLeft(c.Data, " \t\r\n\f") != "" {
				return false
			}
		}
	}
	return true
}

func (t containsTest) match(m *matcher, n *html.Node) bool {
	if !t.own {
		return m.contains(n, t.text)
	}
	s := sink{limit: m.doc.limits.Output, lower: true}
	for c := n.FirstChild; c != nil && m.step(); c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && !isData(n):
			s.text(c.Data, false)
		case c.DataAtom == atom.Br:
			s.boundary()
		}
	}
	return strings.Contains(string(s.buf), t.text)
}

func (t notTest) match(m *matcher, n *html.Node) bool { return !m.is(t.list, n) }
func (t isTest) match(m *matcher, n *html.Node) bool  { return m.is(t.list, n) }
func (t hasTest) match(m *matcher, n *html.Node) bool { return m.has(t.list, n) }
