package js

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

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
	case typeArray: // also the type of a Set
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

// special appends objects that goja exports to special Go types: typed arrays, boxed
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

// plain appends the own enumerable properties of an object whose keys are strings, or the
// result of its toJSON.
func (c *converter) plain(obj *goja.Object, key string) error {
	if toJSON := obj.Get("toJSON"); toJSON != nil {
		if fn, ok := toJSON.(*goja.Object); ok {
			if call, ok := fn.Export().(func(goja.FunctionCall) goja.Value); ok {
				return c.value(call(goja.FunctionCall{This: obj, Arguments: []goja.Value{c.vm.ToValue(key)}}), key)
			}
		}
	}
	class := obj.ClassName()
	if class == "String" { // goja treats a boxed string as a plain object
		return c.primitive(obj.ToString())
	}
	c.out = append(c.out, '{')
	first := true
	isError := class == "Error"
	if isError { // its name and message matter most, but are not enumerable
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

// droppable reports whether a value has no JSON form; such a value is left out of an
// object and becomes null in an array.
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
	if n := obj.Get("length"); n != nil { // a proxy can return anything
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

// proxy appends a proxy, read through its traps: as an array if its target is one,
// otherwise as an object.
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
		case reflect.Int64: // BigInt64Array: as strings, like any BigInt
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
