package platform

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/sandbox/internal/charset"

	"github.com/dop251/goja"
)

func (p *host) newTextEncoder() goja.Value {
	const name = "TextEncoder"
	type encoder struct{}
	c := p.class(name, 0, false, func(goja.ConstructorCall) any { return &encoder{} })
	c.getter("encoding", func(call goja.FunctionCall) goja.Value {
		receiver[encoder](p, call, name)
		return p.vm.ToValue("utf-8")
	}, nil)
	c.method("encode", 0, func(call goja.FunctionCall) goja.Value {
		receiver[encoder](p, call, name)
		if goja.IsUndefined(call.Argument(0)) {
			return p.uint8Array(nil)
		}
		s := p.stringOf(call.Argument(0))
		p.bound(name, s.Length())
		return p.uint8Array([]byte(s.String()))
	})
	c.method("encodeInto", 2, func(call goja.FunctionCall) goja.Value {
		receiver[encoder](p, call, name)
		s := p.stringOf(call.Argument(0))
		p.bound(name, s.Length())
		dst, ok := call.Argument(1).(*goja.Object)
		if !ok || dst.ExportType() != bytesType {
			panic(p.typeError("TextEncoder.encodeInto takes a text and a Uint8Array"))
		}
		read, written := encodeInto(dst.Export().([]byte), s.String())
		out := p.vm.NewObject()
		p.check(out.Set("read", read))
		p.check(out.Set("written", written))
		return out
	})
	return c.done(name)
}

// encodeInto copies whole characters of s to dst as UTF-8. It returns how much it read,
// in UTF-16 units, and wrote, in bytes.
func encodeInto(dst []byte, s string) (read, written int) {
	for _, r := range s {
		n := utf8.RuneLen(r)
		if written+n > len(dst) {
			break
		}
		utf8.EncodeRune(dst[written:], r)
		written += n
		read += utf16.RuneLen(r)
	}
	return read, written
}

// decoder is the state of a TextDecoder.
type decoder struct {
	charset.Decoder
	fatal bool
}

func (p *host) newTextDecoder() goja.Value {
	const name = "TextDecoder"
	c := p.class(name, 0, false, func(call goja.ConstructorCall) any {
		label := "utf-8"
		if v := call.Argument(0); !goja.IsUndefined(v) {
			label = p.text(v)
		}
		encoding, ok := charset.Name(label)
		if !ok {
			panic(p.rangeError("The \"" + clip.To(label, 100) + "\" encoding is not supported"))
		}
		d := &decoder{fatal: p.flag(call.Argument(1), "fatal")}
		d.Name, d.IgnoreBOM = encoding, p.flag(call.Argument(1), "ignoreBOM")
		return d
	})
	c.getter("encoding", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[decoder](p, call, name).Name)
	}, nil)
	c.getter("fatal", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[decoder](p, call, name).fatal)
	}, nil)
	c.getter("ignoreBOM", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[decoder](p, call, name).IgnoreBOM)
	}, nil)
	c.method("decode", 0, func(call goja.FunctionCall) goja.Value {
		d := receiver[decoder](p, call, name)
		stream := p.flag(call.Argument(1), "stream")
		var data []byte
		if v := call.Argument(0); !goja.IsUndefined(v) {
			var ok bool
			if data, ok = p.viewBytes(v); !ok {
				panic(p.typeError("TextDecoder.decode takes an ArrayBuffer or a view of one"))
			}
		}
		p.bound(name, len(data))
		text, ok := d.Decode(data, !stream)
		if !ok && d.fatal {
			d.Reset()
			panic(p.encodingError(d.Name))
		}
		return p.vm.ToValue(text)
	})
	return c.done(name)
}

func (p *host) encodingError(encoding string) goja.Value {
	e := p.vm.NewTypeError("%s", "The encoded data was not valid for encoding "+encoding)
	p.check(e.DefineDataProperty("code", p.vm.ToValue("ERR_ENCODING_INVALID_ENCODED_DATA"), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	return e
}

// flag reads a boolean member of an options object.
func (p *host) flag(options goja.Value, name string) bool {
	o, ok := options.(*goja.Object)
	if !ok {
		return false
	}
	v := o.Get(name)
	return v != nil && v.ToBoolean()
}

// bound throws if an input of n bytes is too large for one call.
func (p *host) bound(helper string, n int) {
	if n > p.Limits.Bytes {
		panic(p.failure(&Failure{kindLimit, helper, "too-large",
			helper + " got " + strconv.Itoa(n) + " bytes; the limit is " + strconv.Itoa(p.Limits.Bytes)}))
	}
}
