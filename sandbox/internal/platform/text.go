package platform

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/sandbox/internal/platform/ascii"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding/charmap"
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
	encoding         string
	fatal, ignoreBOM bool

	started bool   // past the start, where a byte order mark is allowed
	rest    []byte // an incomplete character from the previous call
}

// encodingOf returns the encoding for a label (Encoding Standard, section 4.2), if it is
// a supported one.
func encodingOf(label string) (string, bool) {
	switch ascii.LowerString(strings.Trim(label, "\t\n\f\r ")) {
	case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8":
		return "utf-8", true
	case "utf-16le", "utf-16", "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff":
		return "utf-16le", true
	case "utf-16be", "unicodefffe":
		return "utf-16be", true
	case "windows-1252", "latin1", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100",
		"l1", "csisolatin1", "ibm819", "cp819", "cp1252", "x-cp1252", "ascii", "us-ascii", "ansi_x3.4-1968":
		return "windows-1252", true
	}
	return "", false
}

func (p *host) newTextDecoder() goja.Value {
	const name = "TextDecoder"
	c := p.class(name, 0, false, func(call goja.ConstructorCall) any {
		label := "utf-8"
		if v := call.Argument(0); !goja.IsUndefined(v) {
			label = p.text(v)
		}
		encoding, ok := encodingOf(label)
		if !ok {
			panic(p.rangeError("The \"" + clip.To(label, 100) + "\" encoding is not supported"))
		}
		d := &decoder{encoding: encoding}
		d.fatal, d.ignoreBOM = p.flag(call.Argument(1), "fatal"), p.flag(call.Argument(1), "ignoreBOM")
		return d
	})
	c.getter("encoding", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[decoder](p, call, name).encoding)
	}, nil)
	c.getter("fatal", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[decoder](p, call, name).fatal)
	}, nil)
	c.getter("ignoreBOM", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[decoder](p, call, name).ignoreBOM)
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
		text, ok := d.decode(data, !stream)
		if !ok {
			panic(p.encodingError(d.encoding))
		}
		return text
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

// decode converts bytes to text. With flush, an incomplete character at the end is an
// error, and the decoder starts again.
func (d *decoder) decode(data []byte, flush bool) (goja.String, bool) {
	if len(d.rest) > 0 {
		data = append(d.rest, data...)
		d.rest = nil
	}
	if d.encoding == "windows-1252" {
		units := make([]uint16, len(data))
		for i, c := range data {
			units[i] = uint16(charmap.Windows1252.DecodeByte(c))
			if units[i] == uint16(utf8.RuneError) {
				units[i] = uint16(c) // one of the five bytes that the standard maps to themselves
			}
		}
		return goja.StringFromUTF16(units), true
	}
	var units []uint16
	var ok bool
	if d.encoding == "utf-8" {
		got := decodeUTF8(make([]uint16, 0, len(data)), data, flush)
		units, ok = got.text16, !got.bad
		d.rest = append([]byte(nil), got.rest...)
	} else {
		units, ok = d.decode16(data, flush)
	}
	if d.fatal && !ok {
		d.rest, d.started = nil, false
		return nil, false
	}
	if !d.started && len(units) > 0 {
		d.started = true
		if units[0] == 0xfeff && !d.ignoreBOM {
			units = units[1:]
		}
	}
	if flush {
		d.rest, d.started = nil, false
	}
	return goja.StringFromUTF16(units), true
}

func (d *decoder) decode16(data []byte, flush bool) (units []uint16, ok bool) {
	unit := func(i int) uint16 {
		if d.encoding == "utf-16be" {
			return uint16(data[i])<<8 | uint16(data[i+1])
		}
		return uint16(data[i+1])<<8 | uint16(data[i])
	}
	units, ok = make([]uint16, 0, len(data)/2+1), true
	i := 0
	for ; i+1 < len(data); i += 2 {
		switch u := unit(i); {
		case u < 0xd800 || u > 0xdfff:
			units = append(units, u)
		case u >= 0xdc00: // a low surrogate without a high one
			units, ok = append(units, utf8.RuneError), false
		case i+3 < len(data):
			if next := unit(i + 2); next >= 0xdc00 && next <= 0xdfff {
				units = append(units, u, next)
				i += 2
			} else {
				units, ok = append(units, utf8.RuneError), false
			}
		case flush:
			units, ok = append(units, utf8.RuneError), false
			return units, ok // an odd byte after it belongs to the same error
		default:
			d.rest = append([]byte(nil), data[i:]...)
			return units, ok
		}
	}
	if i < len(data) {
		if !flush {
			d.rest = append([]byte(nil), data[i:]...)
			return units, ok
		}
		units, ok = append(units, utf8.RuneError), false
	}
	return units, ok
}

// decoded is the result of decoding bytes as UTF-8.
type decoded struct {
	text   []byte
	text16 []uint16
	rest   []byte // an incomplete character at the end, if more may follow
	bad    bool
}

// decodeUTF8 decodes UTF-8 as the Encoding Standard does: each longest prefix of a
// character that is then invalid becomes one U+FFFD. If into is not nil the result is
// UTF-16, otherwise UTF-8.
func decodeUTF8(into []uint16, data []byte, flush bool) decoded {
	out := decoded{text16: into}
	put := func(r rune) {
		if into != nil {
			out.text16 = utf16.AppendRune(out.text16, r)
		} else {
			out.text = utf8.AppendRune(out.text, r)
		}
	}
	for i := 0; i < len(data); {
		if c := data[i]; c < utf8.RuneSelf {
			if into != nil {
				out.text16 = append(out.text16, uint16(c))
			} else {
				out.text = append(out.text, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r != utf8.RuneError || n > 1 {
			put(r)
			i += n
			continue
		}
		n = startLength(data[i:])
		if !flush && i+n == len(data) && !utf8.FullRune(data[i:]) {
			out.rest = data[i:]
			break
		}
		put(utf8.RuneError)
		out.bad = true
		i += n
	}
	return out
}

// startLength returns the number of bytes at the start of s that begin a character
// without completing it.
func startLength(s []byte) int {
	need, lo, hi := 0, byte(0x80), byte(0xbf)
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		need = 1
	case c >= 0xe0 && c <= 0xef:
		need = 2
		if c == 0xe0 {
			lo = 0xa0
		} else if c == 0xed {
			hi = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		need = 3
		if c == 0xf0 {
			lo = 0x90
		} else if c == 0xf4 {
			hi = 0x8f
		}
	}
	n := 1
	for n <= need && n < len(s) && s[n] >= lo && s[n] <= hi {
		n++
		lo, hi = 0x80, 0xbf
	}
	return n
}

// bound throws if an input of n bytes is too large for one call.
func (p *host) bound(helper string, n int) {
	if n > p.Limits.Bytes {
		panic(p.failure(&Failure{kindLimit, helper, "too-large",
			helper + " got " + strconv.Itoa(n) + " bytes; the limit is " + strconv.Itoa(p.Limits.Bytes)}))
	}
}
