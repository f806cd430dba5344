package platform

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/localpass/localpass/internal/clip"

	"github.com/dop251/goja"
)

// cloner is the state of one call of structuredClone (HTML Standard, section 2.7).
type cloner struct {
	p     *host
	seen  map[*goja.Object]*goja.Object
	depth int
	// The methods that read and fill maps and sets.
	mapSet, mapEach, setAdd goja.Callable
}

func (p *host) newClone() goja.Value {
	return p.freeze(p.function("structuredClone", 1, func(call goja.FunctionCall) goja.Value {
		if len(call.Arguments) == 0 {
			panic(p.typeError("The \"value\" argument must be specified"))
		}
		c := &cloner{p: p, seen: map[*goja.Object]*goja.Object{}}
		return c.value(call.Argument(0))
	}))
}

func (c *cloner) value(v goja.Value) goja.Value {
	switch v := v.(type) {
	case *goja.Symbol:
		panic(c.refuse("Symbol(" + clip.To(v.String(), 100) + ") could not be cloned."))
	case *goja.Object:
		return c.object(v)
	}
	return v
}

func (c *cloner) refuse(message string) goja.Value {
	return c.p.domException("DataCloneError", message, 25)
}

// object copies an object, once per call: objects may refer to themselves.
func (c *cloner) object(o *goja.Object) goja.Value {
	if copied, ok := c.seen[o]; ok {
		return copied
	}
	l := &c.p.Limits
	if len(c.seen) >= l.CloneValues || c.depth >= l.CloneDepth {
		panic(c.p.failure(&Failure{kindLimit, "structuredClone", "too-large",
			fmt.Sprintf("structuredClone copies at most %d objects that nest at most %d deep", l.CloneValues, l.CloneDepth)}))
	}
	c.depth++
	defer func() { c.depth-- }()
	t := o.ExportType()
	switch t {
	case reflect.TypeFor[goja.Proxy](), reflect.TypeFor[*goja.Promise]():
		panic(c.refuse("#<" + shortType(t) + "> could not be cloned."))
	case reflect.TypeFor[time.Time]():
		return c.date(o)
	case bufferType:
		return c.keep(o, c.p.vm.ToValue(c.p.vm.NewArrayBuffer(append([]byte{}, o.Export().(goja.ArrayBuffer).Bytes()...))))
	}
	if typedArray(t) || c.p.dataView(o, t) {
		return c.view(o)
	}
	switch class := o.ClassName(); {
	case t == mapType:
		return c.mapObject(o)
	case t == arrayType && class == "Array":
		return c.array(o)
	case t == arrayType:
		return c.setObject(o)
	case class == "RegExp":
		return c.keep(o, c.construct("RegExp", o.Get("source"), o.Get("flags")))
	case class == "Error":
		return c.errorObject(o)
	case class == "Boolean", class == "Number":
		return c.keep(o, c.construct(class, c.p.vm.ToValue(o.Export())))
	case class == "String":
		return c.keep(o, c.construct(class, o.ToString()))
	}
	if _, ok := goja.AssertFunction(o); ok {
		panic(c.refuse("a function could not be cloned."))
	}
	if c.p.slots != nil && c.p.state(o) != nil {
		panic(c.refuse("an object of the platform could not be cloned."))
	}
	if tag := o.GetSymbol(goja.SymToStringTag); tag != nil && goja.IsString(tag) {
		switch s := tag.String(); s { // the engine does not distinguish these from plain objects
		case "WeakMap", "WeakSet", "WeakRef", "Generator", "Array Iterator", "Map Iterator", "Set Iterator", "String Iterator", "RegExp String Iterator":
			panic(c.refuse("#<" + s + "> could not be cloned."))
		}
	}
	out := c.p.vm.NewObject()
	c.seen[o] = out
	c.members(o, out)
	return out
}

func shortType(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// keep records that v is the copy of o.
func (c *cloner) keep(o *goja.Object, v goja.Value) goja.Value {
	out := v.(*goja.Object)
	c.seen[o] = out
	return out
}

func (c *cloner) construct(class string, args ...goja.Value) goja.Value {
	for i := range args {
		if args[i] == nil {
			args[i] = goja.Undefined()
		}
	}
	v, err := c.p.vm.New(c.p.vm.Get(class), args...)
	c.p.check(err)
	return v
}

// members copies the own enumerable properties of an object whose keys are strings.
func (c *cloner) members(o, out *goja.Object) {
	for _, name := range o.Keys() {
		v := o.Get(name)
		if v == nil {
			continue // deleted in the meantime
		}
		c.p.check(out.DefineDataProperty(name, c.value(v), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	}
}

func (c *cloner) array(o *goja.Object) goja.Value {
	out := c.p.vm.NewArray()
	c.seen[o] = out
	c.p.check(out.Set("length", o.Get("length")))
	c.members(o, out)
	return out
}

func (c *cloner) date(o *goja.Object) goja.Value {
	ms := c.p.vm.ToValue(math.NaN())
	if t, ok := o.Export().(time.Time); ok {
		ms = c.p.vm.ToValue(t.UnixMilli())
	}
	return c.keep(o, c.construct("Date", ms))
}

// view copies a view together with its buffer, which other views may share.
func (c *cloner) view(o *goja.Object) goja.Value {
	class := "DataView"
	size := o.Get("byteLength")
	if tag := o.GetSymbol(goja.SymToStringTag); tag != nil && goja.IsString(tag) && o.ExportType() != objectType {
		class, size = tag.String(), o.Get("length")
	}
	buffer, ok := o.Get("buffer").(*goja.Object)
	if !ok || buffer.ExportType() != bufferType {
		panic(c.refuse("a view without a buffer could not be cloned."))
	}
	return c.keep(o, c.construct(class, c.object(buffer), o.Get("byteOffset"), size))
}

func (c *cloner) method(slot *goja.Callable, class, name string) goja.Callable {
	if *slot == nil {
		*slot = c.p.callback(c.p.prototypeOf(class).Get(name), "structuredClone")
	}
	return *slot
}

// mapObject copies a Map. It reads all current entries before it copies any of them.
func (c *cloner) mapObject(o *goja.Object) goja.Value {
	out := c.keep(o, c.construct("Map"))
	var entries [][2]goja.Value
	_, err := c.method(&c.mapEach, "Map", "forEach")(o, c.p.function("", 2, func(call goja.FunctionCall) goja.Value {
		entries = append(entries, [2]goja.Value{call.Argument(1), call.Argument(0)})
		return goja.Undefined()
	}))
	c.p.check(err)
	set := c.method(&c.mapSet, "Map", "set")
	for _, e := range entries {
		key := c.value(e[0])
		_, err := set(out, key, c.value(e[1]))
		c.p.check(err)
	}
	return out
}

func (c *cloner) setObject(o *goja.Object) goja.Value {
	out := c.keep(o, c.construct("Set"))
	var items []goja.Value
	c.p.check(c.p.vm.ExportTo(o, &items))
	add := c.method(&c.setAdd, "Set", "add")
	for _, item := range items {
		_, err := add(out, c.value(item))
		c.p.check(err)
	}
	return out
}

// errorObject copies an error: its message, stack and cause, and its class if that is one
// of the built-in ones.
func (c *cloner) errorObject(o *goja.Object) goja.Value {
	class := "Error"
	if name := o.Get("name"); name != nil && goja.IsString(name) {
		switch s := name.String(); s {
		case "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError":
			class = s
		}
	}
	var out goja.Value
	if message := o.Get("message"); message != nil && !goja.IsUndefined(message) {
		out = c.keep(o, c.construct(class, c.p.stringOf(message)))
	} else {
		out = c.keep(o, c.construct(class))
	}
	for _, name := range o.GetOwnPropertyNames() {
		if name != "stack" && name != "cause" {
			continue
		}
		c.p.check(out.(*goja.Object).DefineDataProperty(name, c.value(o.Get(name)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	return out
}
