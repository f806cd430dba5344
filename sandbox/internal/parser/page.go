package parser

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dop251/goja"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
	"github.com/localpass/localpass/toolspec"
)

// pages holds what all documents of a runtime share. An element is a dynamic object of
// the engine: it has no own properties, its methods are on the prototype, and only Go can
// access the node that it represents.
type pages struct {
	*host
	// The prototypes of elements, documents and sets of elements.
	element, document, list *goja.Object
	selectors               map[string]*dom.Selector
}

// element is the Go state of an element object.
type element struct {
	page *page
	node *html.Node
}

var typeElement = reflect.TypeFor[*element]()

// Get, Set, Has, Delete and Keys implement goja.DynamicObject: an element has no own
// properties, and none can be added.
func (*element) Get(string) goja.Value { return nil }

// Set always refuses; the engine then throws a TypeError in strict code.
func (*element) Set(string, goja.Value) bool { return false }

// Has always reports false.
func (*element) Has(string) bool { return false }

// Delete always succeeds, since there is nothing to delete.
func (*element) Delete(string) bool { return true }

// Keys returns no keys.
func (*element) Keys() []string { return nil }

// page is one parsed document.
type page struct {
	*pages
	doc     *dom.Document
	objects map[*html.Node]*goja.Object // created so far
	body    *html.Node
	address string // base address of relative links
	located bool   // address has been determined
}

const helperHTML = "html"

// maxSelectors is the maximum number of compiled selectors that a runtime caches.
const maxSelectors = 64

// html implements safety.parser.html(text, baseUri).
func (h *host) html(call goja.FunctionCall) goja.Value {
	text := h.input(call, helperHTML)
	base, _ := h.optional(call.Argument(1), helperHTML, "the base address")
	if err := tooLong(text, h.limits.HTML.Bytes); err != nil {
		h.failed(helperHTML, err)
	}
	if h.pages == nil {
		h.pages = newPages(h)
	}
	doc, err := dom.Parse(text, &dom.Options{Limits: h.limits.HTML, Base: base, Stopped: h.opts.Stopped})
	if err != nil {
		h.pages.fail(err)
	}
	p := &page{pages: h.pages, doc: doc, body: doc.Body(), objects: map[*html.Node]*goja.Object{}}
	if p.body == nil { // a page can end before its body begins
		p.body = &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	}
	p.objects[doc.Root] = p.object(doc.Root, p.document)
	return p.objects[doc.Root]
}

// object creates the object of a node.
func (p *page) object(n *html.Node, proto *goja.Object) *goja.Object {
	obj := p.vm.NewDynamicObject(&element{p, n})
	must(obj.SetPrototype(proto))
	return obj
}

// fail throws the failure that corresponds to an error of package dom.
func (p *pages) fail(err error) {
	switch {
	case errors.Is(err, dom.ErrStopped):
		p.failed(helperHTML, errStopped)
	case errors.Is(err, dom.ErrSelector):
		p.invalid(helperHTML, ReasonInvalidSelector, err.Error())
	case errors.Is(err, dom.ErrNoParent):
		p.throw(toolspec.KindHelperRuntime, helperHTML, ReasonNoParent, err.Error())
	}
	p.failed(helperHTML, err)
}

// made returns text that was generated from a page, or throws err.
func (p *pages) made(text string, err error) goja.Value {
	if err != nil {
		if errors.Is(err, dom.ErrLimit) {
			p.throw(toolspec.KindHelperRuntime, helperHTML, ReasonOutput, err.Error())
		}
		p.fail(err)
	}
	return p.vm.ToValue(text)
}

// wrap returns the object of a node, null for nil.
func (p *page) wrap(n *html.Node) goja.Value {
	if n == nil {
		return goja.Null()
	}
	if obj, ok := p.objects[n]; ok {
		return obj
	}
	obj := p.object(n, p.element)
	p.objects[n] = obj
	return obj
}

// compiled returns a compiled selector, from the cache if possible.
func (p *pages) compiled(v goja.Value) *dom.Selector {
	css := p.str(v, helperHTML, "the selector")
	if s, ok := p.selectors[css]; ok {
		return s
	}
	s, err := dom.Compile(css, p.limits.HTML.Selector)
	if err != nil {
		p.fail(err)
	}
	if len(p.selectors) >= maxSelectors {
		clear(p.selectors)
	}
	p.selectors[css] = s
	return s
}

// target returns the element that a method was called on. Checking the type runs no code
// of the script.
func (p *pages) target(call goja.FunctionCall) *element {
	if obj, ok := call.This.(*goja.Object); ok && obj.ExportType() == typeElement {
		if e, ok := obj.Export().(*element); ok {
			return e
		}
	}
	panic(p.vm.NewTypeError("this is no element of a page"))
}

// index reads the index of an element.
func (p *pages) index(v goja.Value, length int) int {
	switch v.(type) {
	case *goja.Object, *goja.Symbol, nil:
		p.invalid(helperHTML, ReasonInvalidArgument, "the index is no number")
	}
	if goja.IsUndefined(v) {
		p.invalid(helperHTML, ReasonMissingInput, "the index is missing")
	}
	f := v.ToFloat()
	if !(f >= 0 && f < float64(length)) || goja.IsBigInt(v) {
		p.invalid(helperHTML, ReasonIndex, fmt.Sprintf("there are %d elements, counted from 0", length))
	}
	return int(f)
}
