package platform

import (
	"strconv"
	"unicode/utf16"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// This file adds features of newer ECMAScript editions, which the engine lacks, to the
// built-in objects.

// callback returns an argument that must be a function.
func (p *host) callback(v goja.Value, what string) goja.Callable {
	f, ok := goja.AssertFunction(v)
	if !ok {
		panic(p.typeError(what + " takes a function"))
	}
	return f
}

// groups calls put with each item and the key that the callback returns for it.
func (p *host) groups(call goja.FunctionCall, name string, put func(key, item goja.Value)) {
	items := call.Argument(0)
	if goja.IsUndefined(items) || goja.IsNull(items) {
		panic(p.typeError(name + " takes something to iterate over"))
	}
	f := p.callback(call.Argument(1), name)
	i := 0
	p.vm.ForOf(items, func(item goja.Value) bool {
		key, err := f(goja.Undefined(), item, p.vm.ToValue(i))
		p.check(err)
		put(key, item)
		i++
		return true
	})
}

// objectGroupBy adds Object.groupBy (ECMA-262, section 20.1.2.13).
func (p *host) objectGroupBy(string) {
	p.builtin(p.intrinsic("Object"), "groupBy", 2, func(call goja.FunctionCall) goja.Value {
		var names []any // strings and symbols
		members := map[any][]any{}
		p.groups(call, "Object.groupBy", func(key, item goja.Value) {
			var name any
			if v := p.propertyKey(key); goja.IsString(v) {
				name = v.String()
			} else {
				name = v
			}
			if _, ok := members[name]; !ok {
				names = append(names, name)
			}
			members[name] = append(members[name], item)
		})
		out := p.vm.CreateObject(nil)
		for _, name := range names {
			group := p.vm.NewArray(members[name]...)
			switch name := name.(type) {
			case string:
				p.check(out.DefineDataProperty(name, group, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
			case *goja.Symbol:
				p.check(out.DefineDataPropertySymbol(name, group, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
			}
		}
		return out
	})
}

// propertyKey converts v to a property key.
func (p *host) propertyKey(v goja.Value) goja.Value {
	if o, ok := v.(*goja.Object); ok {
		v = o.ToString()
	}
	if s, ok := v.(*goja.Symbol); ok {
		return s
	}
	return p.stringOf(v)
}

// mapGroupBy adds Map.groupBy (ECMA-262, section 24.1.2.1).
func (p *host) mapGroupBy(string) {
	ctor := p.intrinsic("Map")
	get, _ := goja.AssertFunction(p.prototypeOf("Map").Get("get"))
	set, _ := goja.AssertFunction(p.prototypeOf("Map").Get("set"))
	p.builtin(ctor, "groupBy", 2, func(call goja.FunctionCall) goja.Value {
		type group struct {
			key   goja.Value
			items []any
		}
		// This map holds the index of the group of each key; the items are added at the
		// end.
		index, err := p.vm.New(ctor)
		p.check(err)
		var all []group
		p.groups(call, "Map.groupBy", func(key, item goja.Value) {
			at, err := get(index, key)
			p.check(err)
			if goja.IsUndefined(at) {
				all = append(all, group{key: key})
				at = p.vm.ToValue(len(all) - 1)
				_, err = set(index, key, at)
				p.check(err)
			}
			g := &all[at.ToInteger()]
			g.items = append(g.items, item)
		})
		for _, g := range all {
			_, err := set(index, g.key, p.vm.NewArray(g.items...))
			p.check(err)
		}
		return index
	})
}

// capability creates a promise with the constructor this, and returns its resolving
// functions.
func (p *host) capability(this goja.Value) (promise *goja.Object, resolve, reject goja.Value) {
	ctor, ok := goja.AssertConstructor(this)
	if !ok {
		panic(p.typeError("the receiver is no constructor of promises"))
	}
	resolve, reject = goja.Undefined(), goja.Undefined()
	promise, err := ctor(nil, p.function("", 2, func(call goja.FunctionCall) goja.Value {
		if !goja.IsUndefined(resolve) || !goja.IsUndefined(reject) {
			panic(p.typeError("Promise executor has already been invoked"))
		}
		resolve, reject = call.Argument(0), call.Argument(1)
		return goja.Undefined()
	}))
	p.check(err)
	if _, ok := goja.AssertFunction(resolve); !ok {
		panic(p.typeError("Promise resolve or reject function is not callable"))
	}
	if _, ok := goja.AssertFunction(reject); !ok {
		panic(p.typeError("Promise resolve or reject function is not callable"))
	}
	return promise, resolve, reject
}

func (p *host) promiseWithResolvers(string) {
	p.builtin(p.intrinsic("Promise"), "withResolvers", 0, func(call goja.FunctionCall) goja.Value {
		promise, resolve, reject := p.capability(call.This)
		out := p.vm.NewObject()
		p.check(out.Set("promise", promise))
		p.check(out.Set("resolve", resolve))
		p.check(out.Set("reject", reject))
		return out
	})
}

func (p *host) promiseTry(string) {
	p.builtin(p.intrinsic("Promise"), "try", 1, func(call goja.FunctionCall) goja.Value {
		promise, resolve, reject := p.capability(call.This)
		var v goja.Value
		thrown := p.vm.Try(func() {
			f := p.callback(call.Argument(0), "Promise.try")
			var err error
			v, err = f(goja.Undefined(), call.Arguments[1:]...)
			p.check(err)
		})
		settle, with := resolve, v
		if thrown != nil {
			settle, with = reject, thrown.Value()
		}
		f, _ := goja.AssertFunction(settle)
		_, err := f(goja.Undefined(), with)
		p.check(err)
		return promise
	})
}

// typedArrayFrom makes TypedArray.from accept strings and other primitives; that of the
// engine accepts only objects.
func (p *host) typedArrayFrom(string) {
	base := p.intrinsic("Uint8Array").Prototype()
	original, ok := goja.AssertFunction(base.Get("from"))
	if !ok {
		return
	}
	p.replace(base, "from", 1, func(call goja.FunctionCall) goja.Value {
		args := call.Arguments
		if source := call.Argument(0); !goja.IsUndefined(source) && !goja.IsNull(source) {
			if _, ok := source.(*goja.Object); !ok {
				args = append([]goja.Value{p.vm.NewArray(p.characters(source)...)}, args[1:]...)
			}
		}
		v, err := original(call.This, args...)
		p.check(err)
		return v
	})
}

// characters returns the characters of a string, each as a string; it returns none if v
// is not a string.
func (p *host) characters(v goja.Value) []any {
	s, ok := v.(goja.String)
	if !ok {
		return nil
	}
	out := make([]any, 0, s.Length())
	for i := 0; i < s.Length(); {
		n := 1
		if i+1 < s.Length() && utf16.DecodeRune(rune(s.CharAt(i)), rune(s.CharAt(i+1))) != '\uFFFD' {
			n = 2
		}
		out = append(out, s.Substring(i, i+n))
		i += n
	}
	return out
}

// wellFormed adds isWellFormed and toWellFormed, which find and replace lone surrogates.
func (p *host) wellFormed(string) {
	receive := func(call goja.FunctionCall) goja.String {
		if goja.IsUndefined(call.This) || goja.IsNull(call.This) {
			panic(p.typeError("String.prototype.isWellFormed called on null or undefined"))
		}
		return p.stringOf(call.This)
	}
	proto := p.prototypeOf("String")
	p.builtin(proto, "isWellFormed", 0, func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(loneSurrogate(receive(call)) < 0)
	})
	p.builtin(proto, "toWellFormed", 0, func(call goja.FunctionCall) goja.Value {
		s := receive(call)
		if loneSurrogate(s) < 0 {
			return s
		}
		return p.vm.ToValue(s.String()) // a string held as UTF-8 has no lone surrogates
	})
}

// loneSurrogate returns the index of the first lone surrogate, or -1.
func loneSurrogate(s goja.String) int {
	for i := 0; i < s.Length(); i++ {
		c := rune(s.CharAt(i))
		if !utf16.IsSurrogate(c) {
			continue
		}
		if i+1 >= s.Length() || utf16.DecodeRune(c, rune(s.CharAt(i+1))) == '\uFFFD' {
			return i
		}
		i++
	}
	return -1
}

// regExpEscape adds RegExp.escape (ECMA-262 2026, section 22.2.5.1).
func (p *host) regExpEscape(string) {
	p.builtin(p.intrinsic("RegExp"), "escape", 1, func(call goja.FunctionCall) goja.Value {
		s, ok := call.Argument(0).(goja.String)
		if !ok {
			panic(p.typeError("RegExp.escape takes a text"))
		}
		units := make([]uint16, 0, s.Length()+s.Length()/4+4)
		put := func(text string) {
			for i := range len(text) {
				units = append(units, uint16(text[i]))
			}
		}
		for i := range s.Length() {
			switch c := s.CharAt(i); {
			case i == 0 && c < 0x80 && (ascii.IsLetter(byte(c)) || ascii.IsDigit(byte(c))):
				put(`\x` + hexText(c, 2))
			case c < 0x80:
				put(escapeASCII(byte(c)))
			case c == 0xa0:
				put(`\xa0`)
			case c == 0x1680 || c >= 0x2000 && c <= 0x200a || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
				c == 0x3000 || c == 0xfeff || utf16.IsSurrogate(rune(c)) && lonely(s, i):
				put(`\u` + hexText(c, 4))
			default:
				units = append(units, c)
			}
		}
		return goja.StringFromUTF16(units)
	})
}

func lonely(s goja.String, i int) bool {
	c := rune(s.CharAt(i))
	if i+1 < s.Length() && utf16.DecodeRune(c, rune(s.CharAt(i+1))) != '\uFFFD' {
		return false
	}
	return i == 0 || utf16.DecodeRune(rune(s.CharAt(i-1)), c) == '\uFFFD'
}

// escapeASCII escapes a character so that it stands for itself anywhere in a regular
// expression.
func escapeASCII(c byte) string {
	switch c {
	case '^', '$', '\\', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '/':
		return `\` + string(c)
	case '\t':
		return `\t`
	case '\n':
		return `\n`
	case '\v':
		return `\v`
	case '\f':
		return `\f`
	case '\r':
		return `\r`
	case ' ', ',', '-', '=', '<', '>', '#', '&', '!', '%', ':', ';', '@', '~', '\'', '`', '"':
		return `\x` + hexText(uint16(c), 2)
	}
	return string(rune(c))
}

func hexText(c uint16, width int) string {
	s := strconv.FormatUint(uint64(c), 16)
	for len(s) < width {
		s = "0" + s
	}
	return s
}
