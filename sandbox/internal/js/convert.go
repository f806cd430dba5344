package js

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

// Reasons of a result that cannot be converted, beside those of toolspec.
const (
	ReasonResultType = "result-type"
	ReasonPromise    = "result-promise"
)

// budget bounds one conversion.
type budget struct {
	depth, nodes, bytes int
}

// converter turns a script value into JSON. Script code runs while it does
// (getters, proxies, toJSON), so it is used only where an interrupt and a
// recover are in place, and it counts what it is given instead of trusting it.
type converter struct {
	vm     *goja.Runtime
	budget budget
	out    []byte
	nodes  int
	path   []*goja.Object // the objects around the current value
	// done is asked now and then whether to stop.
	done func() error
}

// convertError is why a value cannot be converted.
type convertError struct {
	kind    toolspec.Kind
	reason  string
	message string
}

func (e *convertError) Error() string { return e.message }

func tooLarge(message string) error {
	return &convertError{toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, message}
}

func badType(message string) error {
	return &convertError{toolspec.KindHelperRuntime, ReasonResultType, message}
}

// The Go types that goja gives for what it does not call a plain object.
var (
	typeObject  = reflect.TypeFor[map[string]any]()
	typeArray   = reflect.TypeFor[[]any]()
	typeTime    = reflect.TypeFor[time.Time]()
	typeMap     = reflect.TypeFor[[][2]any]()
	typePromise = reflect.TypeFor[*goja.Promise]()
	typeProxy   = reflect.TypeFor[goja.Proxy]()
	typeBuffer  = reflect.TypeFor[goja.ArrayBuffer]()
)

// top converts a whole result.
func (c *converter) top(v goja.Value) error {
	if err := c.value(v, ""); err != nil {
		return err
	}
	return c.fits()
}

func (c *converter) fits() error {
	if len(c.out) > c.budget.bytes {
		return tooLarge(fmt.Sprintf("it is larger than %d bytes of JSON", c.budget.bytes))
	}
	return nil
}

// node counts one value.
func (c *converter) node() error {
	if c.nodes++; c.nodes > c.budget.nodes {
		return tooLarge(fmt.Sprintf("it holds more than %d values", c.budget.nodes))
	}
	if c.nodes%512 == 0 && c.done != nil {
		if err := c.done(); err != nil {
			return err
		}
	}
	return c.fits()
}

// value appends v. key is where it stands, for toJSON.
func (c *converter) value(v goja.Value, key string) error {
	if err := c.node(); err != nil {
		return err
	}
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		c.out = append(c.out, "null"...)
		return nil
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		return c.primitive(v)
	}
	return c.object(obj, key)
}

func (c *converter) primitive(v goja.Value) error {
	if s, ok := v.(goja.String); ok {
		return c.str(s)
	}
	switch x := v.Export().(type) {
	case bool:
		c.out = strconv.AppendBool(c.out, x)
	case int64:
		c.out = strconv.AppendInt(c.out, x, 10)
	case float64:
		c.float(v, x)
	case *big.Int:
		return c.bigint(x)
	default:
		return badType("a symbol cannot be returned")
	}
	return nil
}

func (c *converter) float(v goja.Value, x float64) {
	if goja.IsNaN(v) || goja.IsInfinity(v) {
		c.out = append(c.out, "null"...)
		return
	}
	if x == 0 { // -0 too
		c.out = append(c.out, '0')
		return
	}
	c.out = append(c.out, v.String()...)
}

// bigint appends the decimal digits as a string. Printing takes more than
// linear time, so the size is looked at first: 1 digit is 3.3 bits.
func (c *converter) bigint(x *big.Int) error {
	if x.BitLen() > 3*c.budget.bytes {
		return tooLarge("it holds a BigInt with too many digits")
	}
	c.out = append(c.out, '"')
	c.out = x.Append(c.out, 10)
	c.out = append(c.out, '"')
	return nil
}

func (c *converter) str(s goja.String) error {
	if s.Length() > c.budget.bytes {
		return tooLarge(fmt.Sprintf("it is larger than %d bytes of JSON", c.budget.bytes))
	}
	text := s.String()
	c.out = append(c.out, '"')
	plain := 0 // start of what needs no escape
	for i := 0; i < len(text); {
		b := text[i]
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError {
				// Half a surrogate pair has no UTF-8: take the units instead.
				c.out = append(c.out[:len(c.out)], text[plain:i]...)
				c.units(s, len(utf16Units(text[:i])))
				return nil
			}
			i += size
			continue
		}
		if b >= 0x20 && b != '"' && b != '\\' {
			i++
			continue
		}
		c.out = append(c.out, text[plain:i]...)
		c.out = appendEscape(c.out, uint16(b))
		i++
		plain = i
	}
	c.out = append(c.out, text[plain:]...)
	c.out = append(c.out, '"')
	return nil
}

func utf16Units(s string) []uint16 {
	var units []uint16
	for _, r := range s {
		units = appendUTF16(units, r)
	}
	return units
}

// units appends the rest of a string from its UTF-16 unit at, and the closing
// quote. Halves of pairs become \u escapes, as JSON.stringify writes them.
func (c *converter) units(s goja.String, at int) {
	for n := s.Length(); at < n; at++ {
		u := s.CharAt(at)
		switch {
		case u >= 0xD800 && u < 0xDC00 && at+1 < n && s.CharAt(at+1)&0xFC00 == 0xDC00:
			r := 0x10000 + (rune(u)-0xD800)<<10 + rune(s.CharAt(at+1)) - 0xDC00
			c.out = utf8.AppendRune(c.out, r)
			at++
		case u >= 0xD800 && u < 0xE000, u < 0x20, u == '"', u == '\\':
			c.out = appendEscape(c.out, u)
		default:
			c.out = utf8.AppendRune(c.out, rune(u))
		}
	}
	c.out = append(c.out, '"')
}

func appendEscape(out []byte, u uint16) []byte {
	switch u {
	case '"', '\\':
		return append(out, '\\', byte(u))
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(out, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}

// object appends an object of any class.
func (c *converter) object(obj *goja.Object, key string) error {
	if len(c.path) >= c.budget.depth {
		return tooLarge(fmt.Sprintf("it nests deeper than %d levels", c.budget.depth))
	}
	for _, outer := range c.path {
		if outer == obj {
			return &convertError{toolspec.KindHelperRuntime, toolspec.ReasonResultCycle, "it holds itself"}
		}
	}
	c.path = append(c.path, obj)
	defer func() { c.path = c.path[:len(c.path)-1] }()

	switch typ := obj.ExportType(); typ {
	case typeArray: // of a Set too
		if obj.ClassName() != "Array" {
			return c.set(obj)
		}
		return c.array(obj)
	case typeTime:
		return c.date(obj)
	case typePromise:
		return &convertError{toolspec.KindHelperRuntime, ReasonPromise, "it holds a promise: await it first"}
	case typeProxy:
		return c.proxy(obj, key)
	case typeMap:
		return c.mapObject(obj)
	case typeBuffer:
		buffer, _ := obj.Export().(goja.ArrayBuffer)
		return c.numbers(reflect.ValueOf(buffer.Bytes()))
	case typeObject:
		return c.plain(obj, key)
	default:
		return c.special(obj, typ, key)
	}
}

// special takes what goja tells apart by a Go type: typed arrays, boxed
// primitives, functions.
func (c *converter) special(obj *goja.Object, typ reflect.Type, key string) error {
	if _, ok := goja.AssertFunction(obj); ok {
		return badType("a function cannot be returned")
	}
	switch typ.Kind() {
	case reflect.Int64, reflect.Float64, reflect.String, reflect.Bool:
		return c.primitive(c.vm.ToValue(obj.Export()))
	case reflect.Slice:
		return c.numbers(reflect.ValueOf(obj.Export()))
	}
	if big, ok := obj.Export().(*big.Int); ok {
		return c.bigint(big)
	}
	return c.plain(obj, key)
}

// plain appends an object's own enumerable string properties, or what its
// toJSON gives.
func (c *converter) plain(obj *goja.Object, key string) error {
	if toJSON := obj.Get("toJSON"); toJSON != nil {
		if fn, ok := toJSON.(*goja.Object); ok {
			if call, ok := fn.Export().(func(goja.FunctionCall) goja.Value); ok {
				return c.value(call(goja.FunctionCall{This: obj, Arguments: []goja.Value{c.vm.ToValue(key)}}), key)
			}
		}
	}
	class := obj.ClassName()
	if class == "String" { // a boxed string is a plain object to goja
		return c.primitive(obj.ToString())
	}
	c.out = append(c.out, '{')
	first := true
	isError := class == "Error"
	if isError { // its name and message are not enumerable, and all that matters
		for _, name := range [...]string{"name", "message"} {
			if err := c.member(obj, name, &first); err != nil {
				return err
			}
		}
	}
	for _, name := range obj.Keys() {
		if isError && (name == "name" || name == "message") {
			continue
		}
		if err := c.member(obj, name, &first); err != nil {
			return err
		}
	}
	c.out = append(c.out, '}')
	return nil
}

// member appends one property; like JSON.stringify it leaves out undefined,
// functions and symbols.
func (c *converter) member(obj *goja.Object, name string, first *bool) error {
	return c.entry(c.vm.ToValue(name), obj.Get(name), first)
}

func (c *converter) entry(name, v goja.Value, first *bool) error {
	if droppable(v) {
		return c.node()
	}
	if !*first {
		c.out = append(c.out, ',')
	}
	*first = false
	if err := c.primitive(name); err != nil {
		return err
	}
	c.out = append(c.out, ':')
	return c.value(v, name.String())
}

// droppable reports what has no JSON: in an object it is left out, in an array
// it is null.
func droppable(v goja.Value) bool {
	if v == nil || goja.IsUndefined(v) {
		return true
	}
	if obj, ok := v.(*goja.Object); ok {
		_, callable := goja.AssertFunction(obj)
		return callable
	}
	_, symbol := v.(*goja.Symbol)
	return symbol
}

func (c *converter) array(obj *goja.Object) error {
	var length int64
	if n := obj.Get("length"); n != nil { // a proxy can say anything
		length = n.ToInteger()
	}
	if length > int64(c.budget.nodes-c.nodes) {
		return tooLarge(fmt.Sprintf("it holds more than %d values", c.budget.nodes))
	}
	c.out = append(c.out, '[')
	for i := range int(length) {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		key := strconv.Itoa(i)
		v := obj.Get(key)
		if droppable(v) {
			v = goja.Null()
		}
		if err := c.value(v, key); err != nil {
			return err
		}
	}
	c.out = append(c.out, ']')
	return nil
}

// proxy walks a proxy through its traps: as an array when its target is one.
func (c *converter) proxy(obj *goja.Object, key string) error {
	target := obj
	for range c.budget.depth {
		p, ok := target.Export().(goja.Proxy)
		if !ok {
			break
		}
		if target = p.Target(); target == nil {
			return badType("it holds a revoked proxy")
		}
	}
	switch target.ExportType() {
	case typeProxy:
		return tooLarge("it holds a chain of proxies that is too long")
	case typeArray:
		return c.array(obj)
	}
	if _, callable := goja.AssertFunction(obj); callable {
		return badType("a function cannot be returned")
	}
	return c.plain(obj, key)
}

// date appends the ISO form, null for an invalid date. It does not call the
// object's own methods.
func (c *converter) date(obj *goja.Object) error {
	t, ok := obj.Export().(time.Time)
	if !ok {
		c.out = append(c.out, "null"...)
		return nil
	}
	t = t.UTC()
	layout := "2006-01-02T15:04:05.000Z"
	if y := t.Year(); y < 0 || y > 9999 {
		sign := '+'
		if y < 0 {
			sign, y = '-', -y
		}
		c.out = fmt.Appendf(c.out, `"%c%06d%s"`, sign, y, t.Format(layout)[len(t.Format("2006")):])
		return nil
	}
	c.out = append(c.out, '"')
	c.out = t.AppendFormat(c.out, layout)
	c.out = append(c.out, '"')
	return nil
}

// mapObject appends a Map as an object.
func (c *converter) mapObject(obj *goja.Object) error {
	c.out = append(c.out, '{')
	first := true
	var failed error
	c.vm.ForOf(obj, func(pair goja.Value) bool {
		entry, ok := pair.(*goja.Object)
		if !ok {
			failed = badType("a Map has an entry that is no pair")
			return false
		}
		name := entry.Get("0")
		switch k := name.(type) {
		case *goja.Object, *goja.Symbol:
			failed = badType("a Map with keys that are objects or symbols cannot be returned")
			return false
		case goja.String:
		case nil:
			name = c.vm.ToValue("undefined")
		default:
			name = c.vm.ToValue(k.String())
		}
		failed = c.entry(name, entry.Get("1"), &first)
		return failed == nil
	})
	c.out = append(c.out, '}')
	return failed
}

// set appends a Set as an array.
func (c *converter) set(obj *goja.Object) error {
	c.out = append(c.out, '[')
	n := 0
	var failed error
	c.vm.ForOf(obj, func(v goja.Value) bool {
		if n > 0 {
			c.out = append(c.out, ',')
		}
		if droppable(v) {
			v = goja.Null()
		}
		failed = c.value(v, strconv.Itoa(n))
		n++
		return failed == nil
	})
	c.out = append(c.out, ']')
	return failed
}

// numbers appends the elements of a typed array.
func (c *converter) numbers(slice reflect.Value) error {
	if slice.Kind() != reflect.Slice {
		c.out = append(c.out, "[]"...)
		return nil
	}
	if slice.Len() > c.budget.nodes-c.nodes {
		return tooLarge(fmt.Sprintf("it holds more than %d values", c.budget.nodes))
	}
	c.out = append(c.out, '[')
	for i := range slice.Len() {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		if err := c.node(); err != nil {
			return err
		}
		item := slice.Index(i)
		switch item.Kind() {
		case reflect.Float32, reflect.Float64:
			c.float(c.vm.ToValue(item.Float()), item.Float())
		case reflect.Int8, reflect.Int16, reflect.Int32:
			c.out = strconv.AppendInt(c.out, item.Int(), 10)
		case reflect.Int64: // BigInt64Array: like any BigInt, as text
			c.out = fmt.Appendf(c.out, `"%d"`, item.Int())
		case reflect.Uint8, reflect.Uint16, reflect.Uint32:
			c.out = strconv.AppendUint(c.out, item.Uint(), 10)
		case reflect.Uint64:
			c.out = fmt.Appendf(c.out, `"%d"`, item.Uint())
		default:
			return badType("it holds an array of an unknown type")
		}
	}
	c.out = append(c.out, ']')
	return nil
}
