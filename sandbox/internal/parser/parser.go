package parser

import (
	"runtime"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

// Options bounds and watches the parsers. The zero value has the default
// limits.
type Options struct {
	Limits Limits
	// Stopped is called from time to time inside long work, and reports whether
	// the run has ended. It must be cheap and safe to call at any time. nil:
	// never.
	Stopped func() bool
	// Failed makes the Error to throw of a failure. nil: an Error with name,
	// kind, helper and reason.
	Failed func(*toolspec.CallError) goja.Value
	// Warn receives what was read but is probably a mistake, such as a key that
	// occurs twice in a YAML map. Optional.
	Warn func(message string)
}

// Install defines target.parser, an accessor that makes the object when it is
// first read. opts may be nil and is copied. What is installed serves the one
// goroutine of the runtime.
func Install(vm *goja.Runtime, target *goja.Object, opts *Options) error {
	var made *goja.Object
	get := func(goja.FunctionCall) goja.Value {
		if made == nil {
			made = Object(vm, opts)
		}
		return made
	}
	getter := vm.ToValue(get).(*goja.Object) // its own name would be that of the Go function
	if err := getter.DefineDataProperty("name", vm.ToValue("get parser"), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		return err
	}
	return target.DefineAccessorProperty("parser", getter, nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
}

// Object makes the object that is safety.parser.
func Object(vm *goja.Runtime, opts *Options) *goja.Object {
	h := &host{vm: vm}
	if opts != nil {
		h.opts = *opts
	}
	h.limits = h.opts.Limits.withDefaults()
	obj := vm.NewObject()
	h.method(obj, "csv", 1, h.csv)
	h.method(obj, "xml", 1, h.xml)
	h.method(obj, "yaml", 1, h.yaml)
	h.method(obj, "html", 1, h.html)
	return h.freeze(obj)
}

// host is what the functions of one runtime share.
type host struct {
	vm     *goja.Runtime
	opts   Options
	limits Limits
	pages  *pages // once html was called
}

// method defines a function on an object that is being made.
func (h *host) method(obj *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
	fn := h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		defer h.contain(name)
		return f(call)
	}).(*goja.Object)
	h.constant(fn, "name", h.vm.ToValue(name))
	h.constant(fn, "length", h.vm.ToValue(length))
	must(obj.DefineDataProperty(name, fn, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE))
}

// contain turns a mistake of ours, or of a library, that an input brought to
// light into a failure that the script can catch. Exceptions and interrupts of
// the engine pass.
func (h *host) contain(name string) {
	switch x := recover().(type) {
	case nil:
	case runtime.Error:
		h.throw(toolspec.KindHelperRuntime, helperOf(name), ReasonParseFailed, "internal error: "+x.Error())
	default:
		panic(x)
	}
}

// helperOf names the helper that a function belongs to.
func helperOf(name string) string {
	switch name {
	case "csv", "xml", "yaml":
		return name
	}
	return helperHTML
}

// constant defines a property that is neither listed nor changed.
func (h *host) constant(obj *goja.Object, name string, v goja.Value) {
	must(obj.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
}

// freeze makes obj and the functions on it unchangeable, through the script's
// Object.freeze: a script that has replaced that loses the protection of its
// own objects, nothing else.
func (h *host) freeze(obj *goja.Object) *goja.Object {
	object, ok := h.vm.Get("Object").(*goja.Object)
	if !ok {
		return obj
	}
	freeze, ok := goja.AssertFunction(object.Get("freeze"))
	if !ok {
		return obj
	}
	for _, key := range obj.GetOwnPropertyNames() {
		if fn, ok := obj.Get(key).(*goja.Object); ok {
			if _, err := freeze(goja.Undefined(), fn); err != nil {
				panic(err)
			}
		}
	}
	if _, err := freeze(goja.Undefined(), obj); err != nil {
		panic(err)
	}
	return obj
}

// must is for definitions on objects that are being made: they refuse nothing.
// A panic inside a native function becomes an exception of the script.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
