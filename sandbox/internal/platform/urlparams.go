package platform

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/sandbox/internal/charset"
	"github.com/localpass/localpass/sandbox/internal/platform/weburl"
)

// pair is a name and a value of search parameters.
type pair struct{ name, value string }

// paramList is the state of a URLSearchParams object: its pairs, and the URL that they
// are part of.
type paramList struct {
	pairs []pair
	url   *urlObject
}

// parseForm reads application/x-www-form-urlencoded text (WHATWG URL, section
// 5.1).
func parseForm(s string) []pair {
	var out []pair
	for s != "" {
		var part string
		part, s, _ = strings.Cut(s, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, pair{formDecode(name), formDecode(value)})
	}
	return out
}

func formDecode(s string) string {
	s = weburl.PercentDecode(strings.ReplaceAll(s, "+", " "))
	text, _ := (&charset.Decoder{Name: charset.UTF8, IgnoreBOM: true}).Decode([]byte(s), true)
	return text
}

// formText encodes pairs in the form that parseForm reads.
func formText(pairs []pair) string {
	var b []byte
	for i, one := range pairs {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(appendForm(b, one.name), '=')
		b = appendForm(b, one.value)
	}
	return string(b)
}

func appendForm(dst []byte, s string) []byte {
	start := 0
	for i := range len(s) {
		if s[i] == ' ' {
			dst = append(weburl.AppendEncoded(dst, s[start:i], weburl.Form), '+')
			start = i + 1
		}
	}
	return weburl.AppendEncoded(dst, s[start:], weburl.Form)
}

// changed writes the pairs back to the URL they belong to.
func (l *paramList) changed() {
	if l.url == nil {
		return
	}
	record := l.url.record
	record.Query = nil
	if text := formText(l.pairs); text != "" {
		record.Query = &text
	} else {
		record.TrimOpaque()
	}
}

func (p *host) searchParams(u *urlObject) goja.Value {
	if u.params == nil {
		u.list = &paramList{url: u}
		u.updateList()
		u.params = p.paramsClass().create(u.list)
	}
	return u.params
}

func (p *host) newParams() goja.Value { return p.paramsClass().ctor }

func (p *host) paramsClass() *class {
	if p.params != nil {
		return p.params
	}
	const name = "URLSearchParams"
	c := p.class(name, 0, false, func(call goja.ConstructorCall) any {
		return &paramList{pairs: p.readPairs(call.Argument(0))}
	})
	p.params = c
	// method adds a method that needs at least least arguments, all of which are strings.
	method := func(method string, least int, f func(l *paramList, call goja.FunctionCall) goja.Value) {
		c.method(method, least, func(call goja.FunctionCall) goja.Value {
			l := receiver[paramList](p, call, name)
			if len(call.Arguments) < least {
				panic(p.typeError(name + "." + method + " takes " + strconv.Itoa(least) + " arguments"))
			}
			return f(l, call)
		})
	}
	text := func(call goja.FunctionCall, i int) string { return p.urlText(call.Argument(i)) }
	match := func(call goja.FunctionCall) func(pair) bool {
		name := text(call, 0)
		if second := call.Argument(1); !goja.IsUndefined(second) {
			value := p.urlText(second)
			return func(one pair) bool { return one == pair{name, value} }
		}
		return func(one pair) bool { return one.name == name }
	}
	method("append", 2, func(l *paramList, call goja.FunctionCall) goja.Value {
		one := pair{text(call, 0), text(call, 1)}
		l.pairs = append(l.pairs, one)
		l.changed()
		return goja.Undefined()
	})
	method("delete", 1, func(l *paramList, call goja.FunctionCall) goja.Value {
		l.pairs = slices.DeleteFunc(l.pairs, match(call))
		l.changed()
		return goja.Undefined()
	})
	method("get", 1, func(l *paramList, call goja.FunctionCall) goja.Value {
		name := text(call, 0)
		for _, one := range l.pairs {
			if one.name == name {
				return p.vm.ToValue(one.value)
			}
		}
		return goja.Null()
	})
	method("getAll", 1, func(l *paramList, call goja.FunctionCall) goja.Value {
		name, out := text(call, 0), []any{}
		for _, one := range l.pairs {
			if one.name == name {
				out = append(out, one.value)
			}
		}
		return p.vm.NewArray(out...)
	})
	method("has", 1, func(l *paramList, call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(slices.ContainsFunc(l.pairs, match(call)))
	})
	method("set", 2, func(l *paramList, call goja.FunctionCall) goja.Value {
		l.Set(text(call, 0), text(call, 1))
		l.changed()
		return goja.Undefined()
	})
	method("sort", 0, func(l *paramList, _ goja.FunctionCall) goja.Value {
		slices.SortStableFunc(l.pairs, func(a, b pair) int { return compareUnits(a.name, b.name) })
		l.changed()
		return goja.Undefined()
	})
	method("forEach", 1, func(l *paramList, call goja.FunctionCall) goja.Value {
		f, ok := goja.AssertFunction(call.Argument(0))
		if !ok {
			panic(p.typeError("URLSearchParams.forEach takes a function"))
		}
		for i := 0; i < len(l.pairs); i++ {
			_, err := f(call.Argument(1), p.vm.ToValue(l.pairs[i].value), p.vm.ToValue(l.pairs[i].name), call.This)
			p.check(err)
		}
		return goja.Undefined()
	})
	method("toString", 0, func(l *paramList, _ goja.FunctionCall) goja.Value { return p.vm.ToValue(formText(l.pairs)) })
	for kind, method := range [...]string{iterateEntries: "entries", iterateKeys: "keys", iterateValues: "values"} {
		c.method(method, 0, func(call goja.FunctionCall) goja.Value {
			return p.iterateParams(receiver[paramList](p, call, name), kind)
		})
	}
	p.check(c.proto.DefineDataPropertySymbol(goja.SymIterator, c.proto.Get("entries"), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	c.getter("size", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(len(receiver[paramList](p, call, name).pairs))
	}, nil)
	c.done(name)
	return c
}

// Set sets the value of the first pair with the name and removes the others.
func (l *paramList) Set(name, value string) {
	found := false
	l.pairs = slices.DeleteFunc(l.pairs, func(one pair) bool { return one.name == name && !first(&found) })
	for i := range l.pairs {
		if l.pairs[i].name == name {
			l.pairs[i].value = value
			return
		}
	}
	l.pairs = append(l.pairs, pair{name, value})
}

// first reports whether it is called for the first time with this variable.
func first(asked *bool) bool {
	was := *asked
	*asked = true
	return !was
}

// compareUnits compares strings by their UTF-16 units, as JavaScript does.
func compareUnits(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			x1, x2 := utf16.EncodeRune(x)
			y1, y2 := utf16.EncodeRune(y)
			if x1 == utf8.RuneError {
				x1 = x
			}
			if y1 == utf8.RuneError {
				y1 = y
			}
			if x1 != y1 {
				return int(x1 - y1)
			}
			return int(x2 - y2)
		}
		a, b = a[n:], b[m:]
	}
	return len(a) - len(b)
}

// readPairs reads the argument of the constructor: a query string, a list of pairs, or an
// object.
func (p *host) readPairs(v goja.Value) []pair {
	o, ok := v.(*goja.Object)
	if !ok {
		if goja.IsUndefined(v) || goja.IsNull(v) {
			return nil
		}
		return parseForm(strings.TrimPrefix(p.urlText(v), "?"))
	}
	if l, ok := p.state(o).(*paramList); ok {
		return slices.Clone(l.pairs)
	}
	var out []pair
	if iterator := o.GetSymbol(goja.SymIterator); iterator != nil && !goja.IsUndefined(iterator) && !goja.IsNull(iterator) {
		p.vm.ForOf(o, func(item goja.Value) bool {
			one, ok := item.(*goja.Object)
			if !ok {
				panic(p.typeError("Each query pair must be an iterable [name, value] tuple"))
			}
			var parts []string
			p.vm.ForOf(one, func(v goja.Value) bool {
				parts = append(parts, p.urlText(v))
				return len(parts) < 3
			})
			if len(parts) != 2 {
				panic(p.typeError("Each query pair must be an iterable [name, value] tuple"))
			}
			out = append(out, pair{parts[0], parts[1]})
			return true
		})
		return out
	}
	at := map[string]int{} // names can become equal when lone surrogates are replaced
	for _, key := range o.Keys() {
		name := strings.ToValidUTF8(key, string(utf8.RuneError))
		value := p.urlText(o.Get(key))
		if i, ok := at[name]; ok {
			out[i].value = value
			continue
		}
		at[name] = len(out)
		out = append(out, pair{name, value})
	}
	return out
}

const (
	iterateEntries = iota
	iterateKeys
	iterateValues
)

// paramsIteration is the state of an iterator over search parameters, which sees changes
// made during the iteration.
type paramsIteration struct {
	list *paramList
	next int
	kind int
}

func (p *host) iterateParams(l *paramList, kind int) goja.Value {
	if p.paramsIterator == nil {
		proto := p.vm.CreateObject(p.iteratorPrototype())
		next := p.function("next", 0, func(call goja.FunctionCall) goja.Value {
			it := receiver[paramsIteration](p, call, "URLSearchParams Iterator")
			if it.next >= len(it.list.pairs) {
				return p.iteratorResult(goja.Undefined(), true)
			}
			one := it.list.pairs[it.next]
			it.next++
			switch it.kind {
			case iterateKeys:
				return p.iteratorResult(p.vm.ToValue(one.name), false)
			case iterateValues:
				return p.iteratorResult(p.vm.ToValue(one.value), false)
			}
			return p.iteratorResult(p.vm.NewArray(one.name, one.value), false)
		})
		p.check(proto.DefineDataProperty("next", p.freeze(next), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
		p.tag(proto, "URLSearchParams Iterator")
		p.paramsIterator = p.freeze(proto)
	}
	o := p.vm.CreateObject(p.paramsIterator)
	p.attach(o, &paramsIteration{list: l, kind: kind})
	return o
}

func (p *host) iteratorResult(v goja.Value, done bool) goja.Value {
	o := p.vm.NewObject()
	p.check(o.Set("value", v))
	p.check(o.Set("done", done))
	return o
}

var arrayIterator = program("[].values()")

// iteratorPrototype returns the prototype from which all built-in iterators inherit.
func (p *host) iteratorPrototype() *goja.Object {
	v, err := p.vm.RunProgram(arrayIterator())
	p.check(err)
	o, ok := v.(*goja.Object)
	if ok && o.Prototype() != nil && o.Prototype().Prototype() != nil {
		return o.Prototype().Prototype()
	}
	return p.vm.NewObject() // only if a script has changed arrays
}
