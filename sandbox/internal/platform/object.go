package platform

import (
	"github.com/dop251/goja"
)

// lazy defines an accessor on the global object that replaces itself with the result of
// build on first use.
func (p *host) lazy(name string, build func() goja.Value) {
	getter := p.function("get "+name, 0, func(goja.FunctionCall) goja.Value {
		v := build()
		p.check(p.global.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
		return v
	})
	p.check(p.global.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// lazyMember defines an accessor on an object that is about to be frozen; it builds its
// value on first use and keeps it.
func (p *host) lazyMember(o *goja.Object, name string, build func() goja.Value) {
	var built goja.Value
	getter := p.freeze(p.function("get "+name, 0, func(goja.FunctionCall) goja.Value {
		if built == nil {
			built = build()
		}
		return built
	}))
	p.check(o.DefineAccessorProperty(name, getter, nil, goja.FLAG_FALSE, goja.FLAG_TRUE))
}

// function creates a host function with this name and length; otherwise goja would show
// the name of the Go function.
func (p *host) function(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	fn := p.vm.ToValue(f).(*goja.Object)
	p.hidden(fn, "name", p.vm.ToValue(name))
	if length > 0 {
		p.hidden(fn, "length", p.vm.ToValue(length))
	}
	return fn
}

// hidden defines a property that is read-only and not enumerable.
func (p *host) hidden(o *goja.Object, name string, v goja.Value) {
	p.check(o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// builtin adds a method to a built-in object. Like the existing methods it is writable
// and not enumerable. A method that the engine already has is kept.
func (p *host) builtin(o *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
	if v := o.Get(name); v != nil && !goja.IsUndefined(v) {
		return
	}
	p.replace(o, name, length, f)
}

func (p *host) replace(o *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
	p.check(o.DefineDataProperty(name, p.function(name, length, f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// intrinsic returns a global object of the language, such as Array.
func (p *host) intrinsic(name string) *goja.Object {
	o, ok := p.vm.Get(name).(*goja.Object)
	if !ok { // only if a script has replaced it
		panic(p.typeError(name + " is not there"))
	}
	return o
}

func (p *host) prototypeOf(name string) *goja.Object {
	proto, ok := p.intrinsic(name).Get("prototype").(*goja.Object)
	if !ok {
		panic(p.typeError(name + " has no prototype"))
	}
	return proto
}

// tag sets the name that Object.prototype.toString shows for o.
func (p *host) tag(o *goja.Object, name string) {
	p.check(o.DefineDataPropertySymbol(goja.SymToStringTag, p.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// freeze makes o immutable. It calls the script's Object.freeze: a script that has
// replaced that function only loses the protection of its own objects.
func (p *host) freeze(o *goja.Object) *goja.Object {
	object, ok := p.vm.Get("Object").(*goja.Object)
	if !ok {
		return o
	}
	if freeze, ok := goja.AssertFunction(object.Get("freeze")); ok {
		if _, err := freeze(goja.Undefined(), o); err != nil {
			panic(err)
		}
	}
	return o
}

// class is a constructor whose instances have state in Go; see [slots].
type class struct {
	name        string
	ctor, proto *goja.Object
	p           *host
}

// class creates a constructor. build returns the state of a new instance. If callable, a
// call without new also creates an instance; otherwise such a call throws.
func (p *host) class(name string, length int, callable bool, build func(call goja.ConstructorCall) any) *class {
	c := &class{name: name, p: p}
	if callable {
		c.ctor = p.vm.ToValue(func(call goja.ConstructorCall) *goja.Object {
			o := call.This
			if call.NewTarget == nil { // called without new, or with new but not by a class that extends this one
				o = p.vm.CreateObject(c.proto)
			}
			p.attach(o, build(call))
			return o
		}).(*goja.Object)
	} else {
		c.ctor = p.strictClass(build)
	}
	c.proto = c.ctor.Get("prototype").(*goja.Object)
	p.hidden(c.ctor, "name", p.vm.ToValue(name))
	p.hidden(c.ctor, "length", p.vm.ToValue(length))
	return c
}

// maxParameters is the maximum number of arguments of a constructor.
const maxParameters = 3

// A class of the language itself is used since it cannot be called without new; goja does
// not report to a native constructor how it was called.
var classProgram = program(`(function (build) {
	return class { constructor(a, b, c) { build(this, arguments.length, a, b, c) } }
})`)

func (p *host) strictClass(build func(call goja.ConstructorCall) any) *goja.Object {
	v, err := p.vm.RunProgram(classProgram())
	p.check(err)
	extend, _ := goja.AssertFunction(v)
	ctor, err := extend(goja.Undefined(), p.function("", 0, func(call goja.FunctionCall) goja.Value {
		o := call.Argument(0).(*goja.Object)
		n := min(int(call.Argument(1).ToInteger()), maxParameters)
		p.attach(o, build(goja.ConstructorCall{This: o, Arguments: call.Arguments[2 : 2+n]}))
		return goja.Undefined()
	}))
	p.check(err)
	return ctor.(*goja.Object)
}

// method adds an enumerable method to the class, as methods of Web interfaces are.
func (c *class) method(name string, length int, f func(goja.FunctionCall) goja.Value) {
	fn := c.p.freeze(c.p.function(name, length, f))
	c.p.check(c.proto.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
}

// getter adds an accessor; set may be nil.
func (c *class) getter(name string, get func(goja.FunctionCall) goja.Value, set func(goja.FunctionCall) goja.Value) {
	var setter goja.Value
	if set != nil {
		setter = c.p.freeze(c.p.function("set "+name, 1, set))
	}
	getter := c.p.freeze(c.p.function("get "+name, 0, get))
	c.p.check(c.proto.DefineAccessorProperty(name, getter, setter, goja.FLAG_TRUE, goja.FLAG_TRUE))
}

// done freezes the class and returns its constructor.
func (c *class) done(tag string) *goja.Object {
	c.p.tag(c.proto, tag)
	c.p.freeze(c.proto)
	return c.p.freeze(c.ctor)
}

// create creates an instance from Go.
func (c *class) create(state any) *goja.Object {
	o := c.p.vm.CreateObject(c.proto)
	c.p.attach(o, state)
	return o
}

// slots attaches Go state to objects in a private member. A script cannot see, forge or
// replace it, and it is garbage-collected together with its object.
type slots struct {
	put, get goja.Callable
}

// The base class returns its argument, so that the class that extends it can add its
// private member to any object.
var slotProgram = program(`(function () {
	class Same { constructor(object) { return object } }
	class Slot extends Same {
		#state
		constructor(object, state) { super(object); this.#state = state }
		static get(object) { return #state in object ? object.#state : undefined }
	}
	return [function (object, state) { new Slot(object, state) }, Slot.get]
})()`)

func (p *host) openSlots() *slots {
	if p.slots == nil {
		v, err := p.vm.RunProgram(slotProgram())
		p.check(err)
		pair := v.(*goja.Object)
		p.slots = &slots{}
		p.slots.put, _ = goja.AssertFunction(pair.Get("0"))
		p.slots.get, _ = goja.AssertFunction(pair.Get("1"))
	}
	return p.slots
}

// attach sets the state of an object; it may be called only once per object.
func (p *host) attach(o *goja.Object, state any) {
	_, err := p.openSlots().put(goja.Undefined(), o, p.vm.ToValue(state))
	p.check(err)
}

// state returns the state that was attached to v, nil if none was.
func (p *host) state(v goja.Value) any {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	state, err := p.openSlots().get(goja.Undefined(), o)
	p.check(err)
	if state == nil || goja.IsUndefined(state) {
		return nil
	}
	return state.Export()
}

// receiver returns the state of the object that a method is called on.
func receiver[T any](p *host, call goja.FunctionCall, name string) *T {
	s, ok := p.state(call.This).(*T)
	if !ok {
		panic(p.typeError("Illegal invocation: this is no " + name))
	}
	return s
}
