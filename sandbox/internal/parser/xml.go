package parser

import (
	"github.com/dop251/goja"
)

// xml implements safety.parser.xml(text).
func (h *host) xml(call goja.FunctionCall) goja.Value {
	const helper = "xml"
	root, err := parseXML(h.input(call, helper), h.limits, h.opts.Stopped)
	if err != nil {
		h.failed(helper, err)
	}
	c := clock{stopped: h.opts.Stopped}
	v, err := h.element(root, &c)
	if err != nil {
		h.failed(helper, err)
	}
	return v
}

// element creates {tag, attrs, text, children}.
func (h *host) element(e *xmlElement, c *clock) (goja.Value, error) {
	if err := c.tick(); err != nil {
		return nil, err
	}
	obj, attrs := h.vm.NewObject(), h.vm.NewObject()
	for _, a := range e.attrs {
		setProperty(attrs, a.name, h.vm.ToValue(a.value))
	}
	children := make([]any, len(e.children))
	for i, child := range e.children {
		v, err := h.element(child, c)
		if err != nil {
			return nil, err
		}
		children[i] = v
	}
	setProperty(obj, "tag", h.vm.ToValue(e.tag))
	setProperty(obj, "attrs", attrs)
	setProperty(obj, "text", h.vm.ToValue(e.text))
	setProperty(obj, "children", h.vm.NewArray(children...))
	return obj, nil
}
