package fetch

import (
	"encoding/binary"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

// arguments reads the arguments of fetch; each member of init is read only once, since a
// getter runs code of the script. An exception from a getter is passed on.
func (h *half) arguments(url, init goja.Value) (r request, body []byte) {
	r.URL = h.url(url)
	options, ok := init.(*goja.Object)
	if !ok {
		r.Method = "GET"
		return r, nil
	}
	if v := options.Get("method"); given(v) {
		if r.Method = h.short(v, 32, egress.ReasonInvalidMethod, "the method is not one"); r.Method != "" {
			r.Method = strings.ToUpper(r.Method)
		}
	} else {
		r.Method = "GET"
	}
	if v := options.Get("headers"); given(v) {
		r.Headers = h.headers(v)
	}
	contentType := ""
	if v := options.Get("body"); given(v) {
		body, contentType = h.body(v)
	}
	r.MaxLength, r.StartIndex = index(options.Get("maxLength")), index(options.Get("startIndex"))
	if r.Method == "GET" || r.Method == "HEAD" {
		return r, nil
	}
	if contentType != "" && !hasHeader(r.Headers, "content-type") {
		r.Headers = append(r.Headers, [2]string{"Content-Type", contentType})
	}
	return r, body
}

func given(v goja.Value) bool { return v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) }

func (h *half) url(v goja.Value) string {
	if !given(v) {
		h.throw(toolspec.KindInvalidInput, egress.ReasonMissingURL, "fetch takes a URL")
	}
	if _, ok := v.(*goja.Symbol); ok {
		h.throw(toolspec.KindInvalidInput, egress.ReasonInvalidURL, "the URL is not text")
	}
	return h.short(v, h.limits.URLBytes, egress.ReasonInvalidURL, "the URL is too long")
}

// short converts a value to a string of at most limit characters.
func (h *half) short(v goja.Value, limit int, reason, what string) string {
	v = v.ToString() // an object is converted by its own code
	s, ok := v.(goja.String)
	if ok && s.Length() > limit || goja.IsBigInt(v) { // printing one takes more than linear time
		h.throw(toolspec.KindInvalidInput, reason, what)
	}
	return v.String()
}

// index reads a position in a body; a value that is not a number, or is negative, becomes
// 0.
func index(v goja.Value) int64 {
	if !given(v) {
		return 0
	}
	return min(max(v.ToInteger(), 0), math.MaxInt64/4)
}

func hasHeader(list [][2]string, name string) bool {
	for _, h := range list {
		if strings.EqualFold(h[0], name) {
			return true
		}
	}
	return false
}

// headers reads headers from a plain object, or as pairs from any iterable.
func (h *half) headers(v goja.Value) (list [][2]string) {
	obj, ok := v.(*goja.Object)
	if !ok {
		h.throw(toolspec.KindInvalidInput, egress.ReasonInvalidHeader, "headers is not an object")
	}
	add := func(name string, value goja.Value) {
		if len(list) >= h.limits.Headers {
			h.throw(toolspec.KindInvalidInput, egress.ReasonInvalidHeader, fmt.Sprintf("a request has at most %d headers", h.limits.Headers))
		}
		switch value.(type) {
		case *goja.Object, *goja.Symbol, nil:
			h.throw(toolspec.KindInvalidInput, egress.ReasonInvalidHeader, "the value of the header "+strconv.Quote(clip.To(name, 80))+" is not a string")
		}
		if !given(value) {
			h.throw(toolspec.KindInvalidInput, egress.ReasonInvalidHeader, "the header "+strconv.Quote(clip.To(name, 80))+" has no value")
		}
		list = append(list, [2]string{name, h.short(value, h.limits.HeaderBytes, egress.ReasonInvalidHeader, "the value of a header is too long")})
	}
	if _, iterable := goja.AssertFunction(obj.GetSymbol(goja.SymIterator)); iterable {
		h.vm.ForOf(obj, func(item goja.Value) bool {
			pair, ok := item.(*goja.Object)
			if !ok {
				h.throw(toolspec.KindInvalidInput, egress.ReasonInvalidHeader, "headers holds something that is no pair of name and value")
			}
			name := pair.Get("0")
			if !given(name) {
				h.throw(toolspec.KindInvalidInput, egress.ReasonInvalidHeader, "headers holds something that is no pair of name and value")
			}
			add(h.short(name, h.limits.HeaderBytes, egress.ReasonInvalidHeader, "the name of a header is too long"), pair.Get("1"))
			return true
		})
		return list
	}
	for _, name := range obj.Keys() {
		add(name, obj.Get(name))
	}
	return list
}

var typeArrayBuffer = reflect.TypeFor[goja.ArrayBuffer]()

// body reads a body and returns it with the content type for its kind. An unknown kind
// means no body.
func (h *half) body(v goja.Value) (body []byte, contentType string) {
	if s, ok := v.(goja.String); ok {
		return h.text(s), "text/plain;charset=UTF-8"
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil, ""
	}
	kind := obj.ExportType()
	switch {
	case kind == typeArrayBuffer:
		if buffer, ok := obj.Export().(goja.ArrayBuffer); ok && !buffer.Detached() {
			h.fits(int64(len(buffer.Bytes())))
			return append([]byte(nil), buffer.Bytes()...), ""
		}
		return nil, ""
	case kind != nil && kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Interface:
		// A typed array. Exporting it runs no code of the script, unlike exporting a
		// plain array.
		values := obj.Export()
		h.fits(int64(max(binary.Size(values), 0)))
		bytes, err := binary.Append(nil, binary.NativeEndian, values)
		if err != nil {
			return nil, ""
		}
		return bytes, ""
	case obj.ClassName() == "Array":
		return h.bytes(obj), ""
	}
	if tag, ok := obj.GetSymbol(goja.SymToStringTag).(goja.String); ok && tag.String() == "URLSearchParams" {
		if s, ok := obj.ToString().(goja.String); ok {
			return h.text(s), "application/x-www-form-urlencoded;charset=UTF-8"
		}
	}
	return nil, ""
}

func (h *half) text(s goja.String) []byte {
	h.fits(int64(s.Length()))
	text := s.String()
	h.fits(int64(len(text)))
	return []byte(text)
}

func (h *half) fits(size int64) {
	if size > h.send {
		h.throw(toolspec.KindResourceLimit, egress.ReasonRequestBody, fmt.Sprintf("the body of a request has at most %d bytes", h.send))
	}
}

// bytes reads an array of numbers, each taken modulo 256.
func (h *half) bytes(array *goja.Object) []byte {
	length := array.Get("length").ToInteger()
	h.fits(length)
	var out []byte // grows with the actual data, since the claimed length may be wrong
	for i := int64(0); i < length; i++ {
		if i&0xfff == 0xfff && h.opts.Stopped != nil && h.opts.Stopped() {
			h.throw(toolspec.KindHelperRuntime, egress.ReasonInterrupted, "the run is over")
		}
		b := byte(0)
		if v := array.Get(strconv.FormatInt(i, 10)); v != nil {
			b = byte(v.ToInteger())
		}
		out = append(out, b)
	}
	return out
}
