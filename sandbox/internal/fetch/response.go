package fetch

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/charset"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// statusText returns the reason phrase of a status, if the specification lists one.
func statusText(status int) string {
	switch status {
	case 200:
		return "OK"
	case 201:
		return "Created"
	case 204:
		return "No Content"
	case 301:
		return "Moved Permanently"
	case 302:
		return "Found"
	case 304:
		return "Not Modified"
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 500:
		return "Internal Server Error"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	}
	return ""
}

// content is the window of a body: the part received so far, and a reference to the rest,
// which the service holds.
type content struct {
	half *half
	id   int
	size int
	have []byte
	kind string // the content type
	text goja.String
}

// response builds the response object for code.
func (h *half) response(r *response, first []byte) *goja.Object {
	body := &content{half: h, id: r.ID, size: r.Size, have: first}
	var contentType, next goja.Value = goja.Null(), goja.Null()
	if r.ContentType != nil {
		body.kind, contentType = *r.ContentType, h.vm.ToValue(*r.ContentType)
	}
	if r.Truncated {
		next = h.vm.ToValue(r.NextStartIndex)
	}
	o := h.vm.NewObject()
	h.set(o, "status", h.vm.ToValue(r.Status))
	h.set(o, "ok", h.vm.ToValue(r.Status >= 200 && r.Status <= 299))
	h.set(o, "statusText", h.vm.ToValue(statusText(r.Status)))
	h.set(o, "url", h.vm.ToValue(r.URL))
	h.set(o, "redirected", h.vm.ToValue(r.Redirected))
	h.set(o, "contentType", contentType)
	h.set(o, "truncated", h.vm.ToValue(r.Truncated))
	h.set(o, "nextStartIndex", next)
	h.set(o, "bodyUsed", h.vm.ToValue(false))
	h.set(o, "headers", h.headersObject(r.Headers))
	h.method(o, "text", func(goja.FunctionCall) goja.Value { return body.string() })
	h.method(o, "json", func(goja.FunctionCall) goja.Value { return body.json() })
	h.method(o, "arrayBuffer", func(goja.FunctionCall) goja.Value {
		return h.vm.ToValue(h.vm.NewArrayBuffer(append([]byte(nil), body.bytes()...)))
	})
	return o
}

// set and method add to an object under construction, which cannot fail and runs no code
// of the script.
func (h *half) set(o *goja.Object, name string, v goja.Value) {
	settle(o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
}

func (h *half) method(o *goja.Object, name string, f func(goja.FunctionCall) goja.Value) {
	settle(o.DefineDataProperty(name, h.function(name, f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

func (h *half) function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	fn := h.vm.ToValue(f).(*goja.Object)
	settle(fn.DefineDataProperty("name", h.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	return fn
}

// bytes returns the whole window, after fetching the missing part.
func (c *content) bytes() []byte {
	for len(c.have) < c.size {
		args := json.RawMessage(`{"id":` + strconv.Itoa(c.id) + `,"offset":` + strconv.Itoa(len(c.have)) + `}`)
		reply := c.half.call(hostcall.Request{Op: opBody, Args: args})
		if len(reply.Data) == 0 || len(reply.Data) > c.size-len(c.have) {
			c.half.throw(toolspec.KindHelperRuntime, egress.ReasonIO, "the body ended early")
		}
		c.have = append(c.have, reply.Data...)
	}
	return c.have
}

func (c *content) string() goja.String {
	if c.text == nil {
		name, ok := charsetOf(c.kind)
		if !ok {
			c.text = c.half.decoded(c.id)
		} else {
			c.text = c.half.vm.ToValue(charset.Decode(name, c.bytes())).(goja.String)
		}
	}
	return c.text
}

// decoded has the program decode a body, whose charset only it may know.
func (h *half) decoded(id int) goja.String {
	reply := h.call(hostcall.Request{Op: opText, Args: json.RawMessage(`{"id":` + strconv.Itoa(id) + `}`)})
	var answer response
	if err := json.Unmarshal(reply.Value, &answer); err != nil {
		h.throw(toolspec.KindHelperRuntime, egress.ReasonIO, "the text cannot be read")
	}
	text := &content{half: h, id: answer.ID, size: answer.Size, have: reply.Data}
	return h.vm.ToValue(charset.Decode(charset.UTF8, text.bytes())).(goja.String)
}

// json parses the text with the engine's own parser.
func (c *content) json() goja.Value {
	h := c.half
	text := strings.TrimPrefix(c.string().String(), "\ufeff")
	if nesting(text) > h.limits.JSONDepth {
		h.throw(toolspec.KindHelperRuntime, ReasonInvalidJSON, "the body is JSON that nests deeper than "+strconv.Itoa(h.limits.JSONDepth)+" levels")
	}
	var parse goja.Callable
	if object, ok := h.vm.Get("JSON").(*goja.Object); ok {
		parse, _ = goja.AssertFunction(object.Get("parse"))
	}
	if parse == nil {
		panic(h.vm.NewTypeError("JSON.parse is not a function"))
	}
	v, err := parse(goja.Undefined(), h.vm.ToValue(text))
	if err != nil {
		var thrown *goja.Exception
		if !errors.As(err, &thrown) {
			panic(err) // the run has ended
		}
		h.throw(toolspec.KindHelperRuntime, ReasonInvalidJSON, "the body is not JSON")
	}
	return v
}

// headersObject creates the headers object of a response, with names in lower case and in
// order.
func (h *half) headersObject(list [][2]string) *goja.Object {
	o := h.vm.NewObject()
	find := func(name goja.Value) (string, bool) {
		want := strings.ToLower(h.short(name, h.limits.HeaderBytes, egress.ReasonInvalidHeader, "the name of a header is too long"))
		for _, pair := range list {
			if pair[0] == want {
				return pair[1], true
			}
		}
		return "", false
	}
	h.method(o, "get", func(call goja.FunctionCall) goja.Value {
		if v, ok := find(call.Argument(0)); ok {
			return h.vm.ToValue(v)
		}
		return goja.Null()
	})
	h.method(o, "has", func(call goja.FunctionCall) goja.Value {
		_, ok := find(call.Argument(0))
		return h.vm.ToValue(ok)
	})
	h.method(o, "forEach", func(call goja.FunctionCall) goja.Value {
		each, ok := goja.AssertFunction(call.Argument(0))
		if !ok {
			panic(h.vm.NewTypeError("headers.forEach takes a function"))
		}
		for _, pair := range list {
			if _, err := each(call.Argument(1), h.vm.ToValue(pair[1]), h.vm.ToValue(pair[0]), o); err != nil {
				panic(err)
			}
		}
		return goja.Undefined()
	})
	iterator := func(item func(pair [2]string) any) func(goja.FunctionCall) goja.Value {
		return func(goja.FunctionCall) goja.Value {
			items := make([]any, len(list))
			for i, pair := range list {
				items[i] = item(pair)
			}
			array := h.vm.NewArray(items...)
			start, ok := goja.AssertFunction(array.GetSymbol(goja.SymIterator))
			if !ok {
				panic(h.vm.NewTypeError("arrays cannot be iterated"))
			}
			v, err := start(array)
			settle(err)
			return v
		}
	}
	entries := iterator(func(pair [2]string) any { return h.vm.NewArray(pair[0], pair[1]) })
	h.method(o, "keys", iterator(func(pair [2]string) any { return pair[0] }))
	h.method(o, "values", iterator(func(pair [2]string) any { return pair[1] }))
	h.method(o, "entries", entries)
	settle(o.DefineDataPropertySymbol(goja.SymIterator, h.function("entries", entries), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	return o
}
