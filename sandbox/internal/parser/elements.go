package parser

import (
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
)

// elements is a set of elements: a read-only array that creates the object of an element
// when the element is accessed.
type elements struct {
	page  *page
	nodes []*html.Node
}

var typeElements = reflect.TypeFor[*elements]()

// Len, Get, Set and SetLen implement goja.DynamicArray.
func (e *elements) Len() int { return len(e.nodes) }

// Get returns the element at index i, undefined if there is none.
func (e *elements) Get(i int) goja.Value {
	if i < 0 || i >= len(e.nodes) {
		return nil
	}
	return e.page.wrap(e.nodes[i])
}

// Set always refuses; the engine then throws a TypeError in strict code.
func (e *elements) Set(int, goja.Value) bool { return false }

// SetLen always refuses, like Set.
func (e *elements) SetLen(int) bool { return false }

// list creates the object of a set.
func (p *page) list(nodes []*html.Node) goja.Value {
	e := &elements{page: p, nodes: nodes}
	obj := p.vm.NewDynamicArray(e)
	must(obj.SetPrototype(p.pages.list))
	return obj
}

// set returns the set that a method was called on.
func (p *pages) set(call goja.FunctionCall) *elements {
	if obj, ok := call.This.(*goja.Object); ok && obj.ExportType() == typeElements {
		if e, ok := obj.Export().(*elements); ok {
			return e
		}
	}
	panic(p.vm.NewTypeError("this is no set of elements"))
}

// of defines a method for sets.
func (p *pages) of(proto *goja.Object, name string, length int, f func(e *elements, call goja.FunctionCall) goja.Value) {
	p.method(proto, name, length, func(call goja.FunctionCall) goja.Value { return f(p.set(call), call) })
}

// listMembers adds the methods that count and return the members of a set.
func (p *pages) listMembers(proto *goja.Object) {
	p.of(proto, "size", 0, func(e *elements, _ goja.FunctionCall) goja.Value { return p.vm.ToValue(len(e.nodes)) })
	p.of(proto, "isEmpty", 0, func(e *elements, _ goja.FunctionCall) goja.Value { return p.vm.ToValue(len(e.nodes) == 0) })
	p.of(proto, "get", 1, func(e *elements, call goja.FunctionCall) goja.Value {
		return e.Get(p.index(call.Argument(0), len(e.nodes)))
	})
	p.of(proto, "first", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		if len(e.nodes) == 0 {
			return goja.Null()
		}
		return e.Get(0)
	})
	p.of(proto, "last", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		if len(e.nodes) == 0 {
			return goja.Null()
		}
		return e.Get(len(e.nodes) - 1)
	})
}

// listTexts adds the methods that read and set the texts and attributes of a set.
func (p *pages) listTexts(proto *goja.Object) {
	p.of(proto, "text", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		return p.vm.ToValue(strings.Join(p.texts(e), " "))
	})
	p.of(proto, "hasText", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		for _, t := range p.texts(e) {
			if t != "" {
				return p.vm.ToValue(true)
			}
		}
		return p.vm.ToValue(false)
	})
	p.of(proto, "eachText", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		texts := p.texts(e)
		kept := texts[:0]
		for _, t := range texts {
			if t != "" {
				kept = append(kept, t)
			}
		}
		return p.strings(kept)
	})
	p.of(proto, "eachAttr", 1, func(e *elements, call goja.FunctionCall) goja.Value {
		name := p.name(call)
		var values []string
		for _, n := range e.nodes {
			if v, ok := e.page.attr(n, name); ok {
				values = append(values, v)
			}
		}
		return p.strings(values)
	})
	p.of(proto, "attr", 1, func(e *elements, call goja.FunctionCall) goja.Value {
		name := p.name(call)
		if len(call.Arguments) > 1 {
			for _, n := range e.nodes {
				p.setAttr(&element{e.page, n}, name, call.Arguments[1])
			}
			return call.This
		}
		v, _ := e.attr(name)
		return p.vm.ToValue(v)
	})
	p.of(proto, "hasAttr", 1, func(e *elements, call goja.FunctionCall) goja.Value {
		_, ok := e.attr(p.name(call))
		return p.vm.ToValue(ok)
	})
	p.of(proto, "hasClass", 1, func(e *elements, call goja.FunctionCall) goja.Value {
		name := p.name(call)
		for _, n := range e.nodes {
			if dom.HasClass(n, name) {
				return p.vm.ToValue(true)
			}
		}
		return p.vm.ToValue(false)
	})
	p.of(proto, "val", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		if len(e.nodes) == 0 {
			return p.vm.ToValue("")
		}
		return p.value(&element{e.page, e.nodes[0]})
	})
}

// listMarkup adds the methods that select, remove and write out the members of a set.
func (p *pages) listMarkup(proto *goja.Object) {
	p.of(proto, "select", 1, func(e *elements, call goja.FunctionCall) goja.Value {
		nodes, err := e.page.doc.SelectIn(p.compiled(call.Argument(0)), e.nodes)
		if err != nil {
			p.fail(err)
		}
		return e.page.list(nodes)
	})
	p.of(proto, "remove", 0, func(e *elements, call goja.FunctionCall) goja.Value {
		for _, n := range e.nodes {
			dom.Remove(n)
		}
		e.page.located = false
		return call.This
	})
	p.of(proto, "html", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		return p.made(e.page.doc.Markup(e.nodes, false))
	})
	for _, name := range [...]string{"outerHtml", "toString"} {
		p.of(proto, name, 0, func(e *elements, _ goja.FunctionCall) goja.Value {
			return p.made(e.page.doc.Markup(e.nodes, true))
		})
	}
	// As the result of a tool, a set becomes an array with the markup of each member.
	p.of(proto, "toJSON", 0, func(e *elements, _ goja.FunctionCall) goja.Value {
		var parts []string
		left := p.limits.HTML.Output
		for _, n := range e.nodes {
			part, err := e.page.doc.OuterHTML(n)
			if left -= len(part); err == nil && left < 0 {
				err = dom.ErrLimit
			}
			p.made("", err)
			parts = append(parts, part)
		}
		return p.strings(parts)
	})
}

func (p *pages) texts(e *elements) []string {
	texts, err := e.page.doc.Texts(e.nodes)
	p.made("", err)
	return texts
}

// attr returns the attribute of the first element that has it.
func (e *elements) attr(name string) (string, bool) {
	for _, n := range e.nodes {
		if v, ok := e.page.attr(n, name); ok {
			return v, true
		}
	}
	return "", false
}
