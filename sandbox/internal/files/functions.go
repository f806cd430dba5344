package files

import (
	"math"
	"reflect"
	"strconv"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

// The functions of fs turn JavaScript arguments into requests. They never call a method
// of an argument: objects are accepted only as options or arrays, and are only read.

func (h *half) readText(args []goja.Value) goja.Value {
	data, _ := h.data("readText", &arguments{Path: h.path("readText", args, 0)})
	return h.vm.ToValue(string(data))
}

func (h *half) readBytes(args []goja.Value) goja.Value {
	data, _ := h.data("readBytes", &arguments{Path: h.path("readBytes", args, 0)})
	return h.bytes(data)
}

func (h *half) list(args []goja.Value) goja.Value {
	return h.strings("list", &arguments{Path: h.dir("list", args, 0)})
}

func (h *half) exists(args []goja.Value) goja.Value {
	return h.bool("exists", &arguments{Path: h.path("exists", args, 0)})
}

func (h *half) stat(args []goja.Value) goja.Value {
	var st status
	h.decode("stat", &arguments{Path: h.path("stat", args, 0)}, nil, &st)
	o := h.vm.NewObject()
	h.own(o, "size", st.Size)
	h.own(o, "mtime", st.Modified)
	h.own(o, "directory", st.Directory)
	return o
}

func (h *half) grep(args []goja.Value) goja.Value {
	if len(args) < 2 {
		h.throw("grep", "missing-args", "it takes a pattern and a path")
	}
	a := &arguments{Pattern: h.string("grep", args, 0, "grep-pattern-required", ""), Path: h.path("grep", args, 1)}
	if o := h.options("grep", args, 2); o != nil {
		a.CaseInsensitive = flag(o, "caseInsensitive")
		a.Limit = h.countOption("grep", o, "limit")
		a.Numbered = flag(o, "numbered")
	}
	return h.strings("grep", a)
}

func (h *half) lineCount(args []goja.Value) goja.Value {
	return h.number("lineCount", &arguments{Path: h.path("lineCount", args, 0)})
}

func (h *half) slice(args []goja.Value) goja.Value {
	return h.strings("slice", &arguments{Path: h.path("slice", args, 0), Start: h.index("slice", args, 1), End: h.index("slice", args, 2)})
}

func (h *half) cut(args []goja.Value) goja.Value {
	a := &arguments{Path: h.path("cut", args, 0)}
	o := h.options("cut", args, 1)
	if o == nil {
		h.throw("cut", "fields-required", "the option fields is required, such as {fields: [1, 3]}")
	}
	a.Fields = h.fields(o.Get("fields"))
	if d := o.Get("delimiter"); !absent(d) {
		s := h.string("cut", []goja.Value{d}, 0, "cut-invalid-delimiter", "")
		a.Delimiter = &s
	}
	a.Regex = flag(o, "regex")
	return h.strings("cut", a)
}

// fields reads an array of numbers.
func (h *half) fields(v goja.Value) []int64 {
	if absent(v) {
		h.throw("cut", "fields-required", "the option fields is required, such as {fields: [1, 3]}")
	}
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != reflect.TypeFor[[]any]() || o.ClassName() != "Array" {
		h.throw("cut", "fields-not-array", "fields must be an array of numbers")
	}
	n := o.Get("length").ToInteger()
	if n > int64(h.limits.Fields) {
		h.throw("cut", "cut-too-many-fields", "there are too many fields")
	}
	out := make([]int64, 0, max(n, 0))
	for i := range n {
		x, ok := integer(o.Get(strconv.FormatInt(i, 10)))
		if !ok {
			h.throw("cut", "fields-not-array", "fields must be an array of numbers")
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		h.throw("cut", "cut-fields-required", "fields must hold at least one number, counted from 1")
	}
	return out
}

func (h *half) sort(args []goja.Value) goja.Value {
	a := &arguments{Path: h.path("sort", args, 0)}
	if o := h.options("sort", args, 1); o != nil {
		a.Reverse = flag(o, "reverse")
		a.Numeric = flag(o, "numeric")
		a.CaseInsensitive = flag(o, "caseInsensitive")
		a.Unique = flag(o, "unique")
	}
	return h.strings("sort", a)
}

func (h *half) find(args []goja.Value) goja.Value {
	a := &arguments{Path: h.dir("find", args, 0), Glob: h.glob("find", "find-invalid-glob", args, 1)}
	if o := h.options("find", args, 2); o != nil {
		a.MaxDepth = h.countOption("find", o, "maxDepth")
		if t := o.Get("type"); !absent(t) {
			a.Type = h.string("find", []goja.Value{t}, 0, "find-invalid-type", "")
		}
	}
	return h.strings("find", a)
}

func (h *half) searchInFiles(args []goja.Value) goja.Value {
	a := &arguments{Path: h.dir("searchInFiles", args, 0), Glob: h.glob("searchInFiles", "search-invalid-glob", args, 1),
		Pattern: h.string("searchInFiles", args, 2, "search-pattern-required", "")}
	if o := h.options("searchInFiles", args, 3); o != nil {
		a.CaseInsensitive = flag(o, "caseInsensitive")
		a.MaxDepth = h.countOption("searchInFiles", o, "maxDepth")
		a.Limit = h.countOption("searchInFiles", o, "limit")
	}
	return h.hits(a)
}

func (h *half) writeText(args []goja.Value) goja.Value {
	return h.text("writeText", &arguments{Path: h.path("writeText", args, 0)}, []byte(h.content("writeText", args, 1)))
}

func (h *half) writeBytes(args []goja.Value) goja.Value {
	a := &arguments{Path: h.path("writeBytes", args, 0)}
	return h.text("writeBytes", a, h.raw("writeBytes", at(args, 1)))
}

func (h *half) appendText(args []goja.Value) goja.Value {
	return h.text("appendText", &arguments{Path: h.path("appendText", args, 0)}, []byte(h.content("appendText", args, 1)))
}

func (h *half) editText(args []goja.Value) goja.Value {
	if len(args) < 3 {
		h.throw("editText", "missing-args", "it takes a path, the text to replace and the text to put there")
	}
	a := &arguments{Path: h.path("editText", args, 0)}
	old, with := h.content("editText", args, 1), h.content("editText", args, 2)
	a.Old = int64(len(old))
	a.ReplaceAll = at(args, 3).ToBoolean()
	var done edited
	h.decode("editText", a, []byte(old+with), &done)
	o := h.vm.NewObject()
	h.own(o, "path", done.Path)
	h.own(o, "replacements", done.Replacements)
	return o
}

func (h *half) copy(args []goja.Value) goja.Value {
	return h.text("copy", &arguments{Path: h.path("copy", args, 0), To: h.path("copy", args, 1)}, nil)
}

func (h *half) move(args []goja.Value) goja.Value {
	return h.text("move", &arguments{Path: h.path("move", args, 0), To: h.path("move", args, 1)}, nil)
}

func (h *half) delete(args []goja.Value) goja.Value {
	return h.bool("delete", &arguments{Path: h.path("delete", args, 0)})
}

func (h *half) deleteDir(args []goja.Value) goja.Value {
	return h.number("deleteDir", &arguments{Path: h.path("deleteDir", args, 0)})
}

// at returns argument i, undefined if it is absent.
func at(args []goja.Value, i int) goja.Value {
	if i < len(args) && args[i] != nil {
		return args[i]
	}
	return goja.Undefined()
}

func absent(v goja.Value) bool { return v == nil || goja.IsUndefined(v) || goja.IsNull(v) }

// path reads an argument that is a path. The service checks that it is not empty.
func (h *half) path(name string, args []goja.Value, i int) string {
	return h.string(name, args, i, ReasonInvalidPath, "")
}

// dir reads an argument that is a path; the default is the workspace.
func (h *half) dir(name string, args []goja.Value, i int) string {
	return h.string(name, args, i, ReasonInvalidPath, ".")
}

func (h *half) glob(name, reason string, args []goja.Value, i int) string {
	return h.string(name, args, i, reason, "*")
}

// string reads an argument that is a short text.
func (h *half) string(name string, args []goja.Value, i int, reason, otherwise string) string {
	v := at(args, i)
	if absent(v) {
		return otherwise
	}
	s, ok := h.primitive(v)
	if !ok {
		h.throw(name, reason, "an argument is not a string")
	}
	if s.Length() > h.limits.PathBytes {
		h.throw(name, reason, "an argument is too long")
	}
	return s.String()
}

// content reads an argument that is a text of any length.
func (h *half) content(name string, args []goja.Value, i int) string {
	v := at(args, i)
	if absent(v) {
		return ""
	}
	s, ok := h.primitive(v)
	if !ok {
		h.throw(name, "content-not-text", "the text is not a string; make one with JSON.stringify")
	}
	// A character takes at least one byte.
	if int64(s.Length()) > h.limits.WriteBytes {
		h.tooLarge(name)
	}
	return s.String()
}

func (h *half) tooLarge(name string) {
	panic(h.failure(&toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: ReasonFileTooLarge, Component: Helper, Message: name + ": it is too much to write"}))
}

// primitive returns the text of a string, a number or a boolean.
func (h *half) primitive(v goja.Value) (goja.String, bool) {
	if s, ok := v.(goja.String); ok {
		return s, true
	}
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return nil, false
	}
	if goja.IsBigInt(v) {
		return nil, false
	}
	s, ok := h.vm.ToValue(v.String()).(goja.String)
	return s, ok
}

// raw reads an argument of bytes: a Uint8Array or an ArrayBuffer.
func (h *half) raw(name string, v goja.Value) []byte {
	o, ok := v.(*goja.Object)
	if ok {
		// The type is checked first, since exporting other objects runs code of the
		// script.
		switch o.ExportType() {
		case reflect.TypeFor[[]byte]():
			data, ok := o.Export().([]byte)
			if ok {
				return h.sized(name, data)
			}
		case reflect.TypeFor[goja.ArrayBuffer]():
			if buffer, ok := o.Export().(goja.ArrayBuffer); ok && !buffer.Detached() {
				return h.sized(name, buffer.Bytes())
			}
		}
	}
	h.throw(name, "content-not-bytes", "the content is no Uint8Array and no ArrayBuffer")
	return nil
}

func (h *half) sized(name string, data []byte) []byte {
	if int64(len(data)) > h.limits.WriteBytes {
		h.tooLarge(name)
	}
	return data
}

// options reads an argument that is an options object, nil if it is absent.
func (h *half) options(name string, args []goja.Value, i int) *goja.Object {
	v := at(args, i)
	if absent(v) {
		return nil
	}
	o, ok := v.(*goja.Object)
	if !ok {
		h.throw(name, "invalid-options", "the options are not an object")
	}
	return o
}

func flag(o *goja.Object, name string) bool {
	v := o.Get(name)
	return v != nil && v.ToBoolean()
}

// countOption reads an option that is a number, 0 if it is absent.
func (h *half) countOption(name string, o *goja.Object, option string) int64 {
	v := o.Get(option)
	if absent(v) {
		return 0
	}
	n, ok := integer(v)
	if !ok {
		h.throw(name, "invalid-options", "the option "+option+" is not a number")
	}
	return n
}

// index reads an index argument of slice, nil if it is absent.
func (h *half) index(name string, args []goja.Value, i int) *int64 {
	v := at(args, i)
	if absent(v) {
		return nil
	}
	n, ok := integer(v)
	if !ok {
		h.throw(name, "invalid-range", "start and end must be numbers")
	}
	return &n
}

// integer returns a number without its fraction, limited to the range that JSON can
// represent.
func integer(v goja.Value) (int64, bool) {
	if v == nil {
		return 0, false
	}
	if _, ok := v.(*goja.Object); ok {
		return 0, false
	}
	const most = 1 << 53
	switch x := v.Export().(type) {
	case int64:
		return min(max(x, -most), most), true
	case float64:
		if math.IsNaN(x) {
			return 0, true
		}
		return int64(math.Trunc(min(max(x, -most), most))), true
	}
	return 0, false
}
