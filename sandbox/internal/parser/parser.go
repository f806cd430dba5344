package parser

import (
	"runtime"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

// Options configures the parsers. The zero value means the default limits.
type Options struct {
	Limits Limits
	// Stopped reports whether the run has ended. It is called from time to time during
	// long work, so it must be cheap and safe to call at any time. If nil, the parsers
	// are never stopped.
	Stopped func() bool
	// Failed creates the Error to throw for a failure. If nil, it is an Error with name,
	// kind, helper and reason.
	Failed func(*toolspec.CallError) goja.Value
	// Warn receives a message about input that was accepted but is probably a mistake,
	// such as a key that occurs twice in a YAML map. Optional.
	Warn func(message string)
}

// Install defines target.parser, an accessor that creates the object when it is first
// read. opts may be nil and is copied. The installed functions must be used only by the
// goroutine of the runtime.
func Install(vm *goja.Runtime, target *goja.Object, opts *Options) error {
	var made *goja.Object
	get := func(goja.FunctionCall) goja.Value {
		if made == nil {
			made = Object(vm, opts)
		}
		return made
	}
	getter := vm.ToValue(get).(*goja.Object) // otherwise its name would be that of the Go function
	if err := getter.DefineDataProperty("name", vm.ToValue("get parser"), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		return err
	}
	return target.DefineAccessorProperty("parser", getter, nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
}

// Object creates the object safety.parser.
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

// host holds what the functions of one runtime share.
type host struct {
	vm     *goja.Runtime
	opts   Options
	limits Limits
	pages  *pages // nil until html is first called
}

// method defines a function on an object under construction.
func (h *host) method(obj *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
	fn := h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		defer h.contain(name)
		return f(call)
	}).(*goja.Object)
	h.constant(fn, "name", h.vm.ToValue(name))
	h.constant(fn, "length", h.vm.ToValue(length))
	must(obj.DefineDataProperty(name, fn, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE))
}

// contain recovers from a panic caused by a bug in this package or a library, and
// converts it to a failure that the script can catch. Exceptions and interrupts of the
// engine are passed on.
func (h *host) contain(name string) {
	switch x := recover().(type) {
	case nil:
	case runtime.Error:
		h.throw(toolspec.KindHelperRuntime, helperOf(name), ReasonParseFailed, "internal error: "+x.Error())
	default:
		panic(x)
	}
}

// helperOf returns the name of the helper that a function belongs to.
func helperOf(name string) string {
	switch name {
	case "csv", "xml", "yaml":
		return name
	}
	return helperHTML
}

// constant defines a property that is read-only and not enumerable.
func (h *host) constant(obj *goja.Object, name string, v goja.Value) {
	must(obj.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
}

// freeze makes obj and its functions immutable. It calls the script's Object.freeze: a
// script that has replaced that function only loses the protection of its own objects.
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

// must panics if err is not nil. It is used for definitions on objects under
// construction, which cannot fail. A panic inside a native function becomes an exception
// of the script.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
