package parser

import (
	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
)

// editMethods defines the methods that change an element. All but remove return the
// element.
func (p *pages) editMethods(proto *goja.Object) {
	p.on(proto, "attr", 1, func(e *element, call goja.FunctionCall) goja.Value {
		name := p.name(call)
		if len(call.Arguments) < 2 {
			v, _ := e.page.attr(e.node, name)
			return p.vm.ToValue(v)
		}
		p.setAttr(e, name, call.Arguments[1])
		return call.This
	})
	p.on(proto, "removeAttr", 1, func(e *element, call goja.FunctionCall) goja.Value {
		dom.RemoveAttr(e.node, p.name(call))
		e.page.located = false
		return call.This
	})
	p.on(proto, "remove", 0, func(e *element, _ goja.FunctionCall) goja.Value {
		dom.Remove(e.node)
		e.page.located = false
		return goja.Undefined()
	})
	p.on(proto, "empty", 0, func(e *element, call goja.FunctionCall) goja.Value {
		dom.Empty(e.node)
		e.page.located = false
		return call.This
	})
	for name, where := range map[string]dom.Where{"append": dom.Append, "prepend": dom.Prepend, "before": dom.Before, "after": dom.After} {
		p.on(proto, name, 1, func(e *element, call goja.FunctionCall) goja.Value {
			markup := p.str(call.Argument(0), helperHTML, "the markup")
			if err := e.page.doc.Insert(e.node, where, markup); err != nil {
				p.fail(err)
			}
			e.page.located = false
			return call.This
		})
	}
}

// setAttr implements attr(name, value). As in jsoup, true makes an attribute without a
// value and false removes the attribute.
func (p *pages) setAttr(e *element, name string, v goja.Value) {
	if e.node.Type != html.ElementNode {
		return
	}
	e.page.located = false
	var value string
	if b, ok := v.Export().(bool); ok {
		if !b {
			dom.RemoveAttr(e.node, name)
			return
		}
	} else {
		value, _ = p.optional(v, helperHTML, "the value")
	}
	if !dom.ValidAttr(name) {
		p.invalid(helperHTML, ReasonInvalidArgument, "an attribute cannot have this name")
	}
	if err := e.page.doc.SetAttr(e.node, name, value); err != nil {
		p.fail(err)
	}
}
