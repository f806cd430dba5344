package parser

import (
	"github.com/dop251/goja"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
)

// newPages creates the prototypes.
func newPages(h *host) *pages {
	p := &pages{host: h, selectors: map[string]*dom.Selector{}}
	p.element = h.vm.NewObject()
	p.elementMethods(p.element)
	p.editMethods(p.element)
	h.freeze(p.element)
	p.document = h.vm.CreateObject(p.element)
	p.documentMethods(p.document)
	h.freeze(p.document)
	p.list = h.vm.CreateObject(h.vm.NewArray().Prototype())
	p.listMembers(p.list)
	p.listTexts(p.list)
	p.listMarkup(p.list)
	h.freeze(p.list)
	return p
}

// on defines a method of elements.
func (p *pages) on(proto *goja.Object, name string, length int, f func(e *element, call goja.FunctionCall) goja.Value) {
	p.method(proto, name, length, func(call goja.FunctionCall) goja.Value { return f(p.target(call), call) })
}

// elementMethods defines the methods that read an element.
func (p *pages) elementMethods(proto *goja.Object) {
	p.on(proto, "select", 1, func(e *element, call goja.FunctionCall) goja.Value {
		nodes, err := e.page.doc.Select(p.compiled(call.Argument(0)), e.node)
		if err != nil {
			p.fail(err)
		}
		return e.page.list(nodes)
	})
	p.on(proto, "selectFirst", 1, func(e *element, call goja.FunctionCall) goja.Value {
		return e.page.first(p.compiled(call.Argument(0)), e.node)
	})
	p.on(proto, "getElementById", 1, func(e *element, call goja.FunctionCall) goja.Value {
		return e.page.first(dom.ByID(p.str(call.Argument(0), helperHTML, "the id")), e.node)
	})
	p.on(proto, "getElementsByTag", 1, func(e *element, call goja.FunctionCall) goja.Value {
		return e.page.all(dom.ByTag(p.str(call.Argument(0), helperHTML, "the name of the tag")), e.node)
	})
	p.on(proto, "getElementsByClass", 1, func(e *element, call goja.FunctionCall) goja.Value {
		return e.page.all(dom.ByClass(p.str(call.Argument(0), helperHTML, "the name of the class")), e.node)
	})

	p.method(proto, "text", 0, p.text)
	p.on(proto, "ownText", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.made(e.page.doc.OwnText(e.node)) })
	p.on(proto, "wholeText", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.made(e.page.doc.WholeText(e.node)) })
	p.on(proto, "hasText", 0, func(e *element, _ goja.FunctionCall) goja.Value {
		text, err := e.page.doc.Text(e.node)
		p.made("", err)
		return p.vm.ToValue(text != "")
	})
	p.on(proto, "data", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.vm.ToValue(e.page.doc.Data(e.node)) })
	p.on(proto, "html", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.made(e.page.doc.InnerHTML(e.node)) })
	for _, name := range [...]string{"outerHtml", "toString", "toJSON"} {
		p.on(proto, name, 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.made(e.page.doc.OuterHTML(e.node)) })
	}

	p.on(proto, "hasAttr", 1, func(e *element, call goja.FunctionCall) goja.Value {
		_, ok := e.page.attr(e.node, p.name(call))
		return p.vm.ToValue(ok)
	})
	p.on(proto, "absUrl", 1, func(e *element, call goja.FunctionCall) goja.Value {
		v, _ := e.page.attr(e.node, "abs:"+p.name(call))
		return p.vm.ToValue(v)
	})
	p.on(proto, "id", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.plain(e, "id") })
	p.on(proto, "className", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.plain(e, "class") })
	p.on(proto, "hasClass", 1, func(e *element, call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(dom.HasClass(e.node, p.name(call)))
	})
	p.on(proto, "tagName", 0, func(e *element, _ goja.FunctionCall) goja.Value {
		if e.node.Type == html.DocumentNode {
			return p.vm.ToValue("#root")
		}
		return p.vm.ToValue(e.node.Data)
	})
	p.on(proto, "val", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.value(e) })

	p.on(proto, "parent", 0, func(e *element, _ goja.FunctionCall) goja.Value { return e.page.wrap(e.node.Parent) })
	p.on(proto, "children", 0, func(e *element, _ goja.FunctionCall) goja.Value {
		var nodes []*html.Node
		for c := nextNode(e.node.FirstChild); c != nil; c = nextNode(c.NextSibling) {
			nodes = append(nodes, c)
		}
		return e.page.list(nodes)
	})
	p.on(proto, "childrenSize", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.vm.ToValue(children(e.node)) })
	p.on(proto, "child", 1, func(e *element, call goja.FunctionCall) goja.Value {
		c := nextNode(e.node.FirstChild)
		for range p.index(call.Argument(0), children(e.node)) {
			c = nextNode(c.NextSibling)
		}
		return e.page.wrap(c)
	})
	p.on(proto, "nextElementSibling", 0, func(e *element, _ goja.FunctionCall) goja.Value {
		return e.page.wrap(nextNode(e.node.NextSibling))
	})
	p.on(proto, "previousElementSibling", 0, func(e *element, _ goja.FunctionCall) goja.Value {
		n := e.node.PrevSibling
		for n != nil && n.Type != html.ElementNode {
			n = n.PrevSibling
		}
		return e.page.wrap(n)
	})
}

// documentMethods defines the methods that only a document has.
func (p *pages) documentMethods(proto *goja.Object) {
	p.on(proto, "title", 0, func(e *element, _ goja.FunctionCall) goja.Value { return p.vm.ToValue(e.page.doc.Title()) })
	p.on(proto, "head", 0, func(e *element, _ goja.FunctionCall) goja.Value { return e.page.wrap(e.page.doc.Head()) })
	p.on(proto, "body", 0, func(e *element, _ goja.FunctionCall) goja.Value { return e.page.wrap(e.page.body) })
}

// text implements text() of an element, a document or a body.
func (p *pages) text(call goja.FunctionCall) goja.Value {
	e := p.target(call)
	return p.made(e.page.doc.Text(e.node))
}

func nextNode(n *html.Node) *html.Node {
	for n != nil && n.Type != html.ElementNode {
		n = n.NextSibling
	}
	return n
}

func children(n *html.Node) int {
	count := 0
	for c := nextNode(n.FirstChild); c != nil; c = nextNode(c.NextSibling) {
		count++
	}
	return count
}

func (p *pages) name(call goja.FunctionCall) string {
	return p.str(call.Argument(0), helperHTML, "the name")
}

// value implements val(): the value of a form field.
func (p *pages) value(e *element) goja.Value {
	if e.node.DataAtom == atom.Textarea {
		return p.made(e.page.doc.Text(e.node))
	}
	return p.plain(e, "value")
}

// plain returns an attribute, "" if it is missing.
func (p *pages) plain(e *element, name string) goja.Value {
	v, _ := dom.Attr(e.node, name)
	return p.vm.ToValue(v)
}

func (p *page) first(s *dom.Selector, root *html.Node) goja.Value {
	n, err := p.doc.SelectFirst(s, root)
	if err != nil {
		p.fail(err)
	}
	return p.wrap(n)
}

func (p *page) all(s *dom.Selector, root *html.Node) goja.Value {
	nodes, err := p.doc.Select(s, root)
	if err != nil {
		p.fail(err)
	}
	return p.list(nodes)
}

// attr returns an attribute; with the prefix "abs:" before the name, its value is
// resolved to an absolute address.
func (p *page) attr(n *html.Node, name string) (string, bool) {
	if len(name) < 4 || name[:4] != "abs:" {
		return dom.Attr(n, name)
	}
	link, ok := dom.Attr(n, name[4:])
	if !ok {
		return "", false
	}
	if !p.located {
		p.address, p.located = p.doc.Base(), true
	}
	link = dom.Resolve(p.address, link)
	return link, link != ""
}
