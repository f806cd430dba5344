package files

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/dop251/goja"
)

// decode performs an operation whose result is a small value.
func (h *half) decode(name string, args *arguments, body []byte, into any) {
	reply := h.hostCall(name, args, body)
	if err := json.Unmarshal(reply.Value, into); err != nil {
		h.garbled(name)
	}
}

func (h *half) text(name string, args *arguments, body []byte) goja.Value {
	var s string
	h.decode(name, args, body, &s)
	return h.vm.ToValue(s)
}

func (h *half) bool(name string, args *arguments) goja.Value {
	var b bool
	h.decode(name, args, nil, &b)
	return h.vm.ToValue(b)
}

func (h *half) number(name string, args *arguments) goja.Value {
	var n int64
	h.decode(name, args, nil, &n)
	return h.vm.ToValue(n)
}

// data performs an operation whose result is data, and fetches all of it.
func (h *half) data(name string, args *arguments) (data []byte, count int64) {
	reply := h.hostCall(name, args, nil)
	var of size
	if err := json.Unmarshal(reply.Value, &of); err != nil {
		h.garbled(name)
	}
	most := max(h.limits.ReadBytes, h.limits.ResultBytes+4*int64(h.limits.Lines))
	if of.Bytes < 0 || of.Bytes > most || of.Count < 0 || int64(len(reply.Data)) > of.Bytes {
		h.garbled(name)
	}
	data = reply.Data
	if int64(len(data)) < of.Bytes {
		data = append(make([]byte, 0, of.Bytes), data...)
	}
	for int64(len(data)) < of.Bytes {
		part := h.request(opNext, &arguments{}, nil).Data
		if len(part) == 0 || int64(len(data)+len(part)) > of.Bytes {
			h.garbled(name)
		}
		data = append(data, part...)
	}
	return data, of.Count
}

// each yields the strings of a list. All bytes are converted to one string, of which the
// single strings are parts.
func (h *half) each(name string, args *arguments, yield func(string)) {
	data, count := h.data(name, args)
	whole := string(data)
	for ; count > 0; count-- {
		text, rest, ok := nextText(data)
		if !ok {
			h.garbled(name)
		}
		end := len(whole) - len(rest)
		yield(whole[end-len(text) : end])
		data = rest
	}
	if len(data) > 0 {
		h.garbled(name)
	}
}

// strings performs an operation whose result is a list.
func (h *half) strings(name string, args *arguments) goja.Value {
	var out []any
	h.each(name, args, func(s string) { out = append(out, s) })
	return h.vm.NewArray(out...)
}

// hits performs searchInFiles, whose list has three strings per hit.
func (h *half) hits(args *arguments) goja.Value {
	const name = "searchInFiles"
	var out []any
	var hit [3]string
	n := 0
	h.each(name, args, func(s string) {
		hit[n%3] = s
		if n++; n%3 != 0 {
			return
		}
		line, err := strconv.ParseInt(hit[1], 10, 64)
		if err != nil {
			h.garbled(name)
		}
		o := h.vm.NewObject()
		h.own(o, "file", hit[0])
		h.own(o, "line", line)
		h.own(o, "text", hit[2])
		out = append(out, o)
	})
	if n%3 != 0 {
		h.garbled(name)
	}
	return h.vm.NewArray(out...)
}

// bytes creates a Uint8Array with a copy of data, which code may change.
func (h *half) bytes(data []byte) goja.Value {
	buffer := h.vm.ToValue(h.vm.NewArrayBuffer(append([]byte{}, data...)))
	if constructor := h.vm.Get("Uint8Array"); constructor != nil {
		o, err := h.vm.New(constructor, buffer)
		if err == nil {
			return o
		}
		var thrown *goja.Exception
		if !errors.As(err, &thrown) {
			panic(err) // the run has ended
		}
	}
	return buffer // code has removed or replaced Uint8Array
}
