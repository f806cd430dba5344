package platform

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/dop251/goja"
)

// Options says where time, randomness and zones come from. The zero value is
// the real ones.
type Options struct {
	// Now is what Intl.DateTimeFormat formats when it is given no date. nil:
	// time.Now. It does not move Date: see goja's SetTimeSource.
	Now func() time.Time
	// Random is read for crypto. nil: crypto/rand.
	Random io.Reader
	// Zones loads a time zone by the name it has in the IANA database, in its
	// proper case. It is asked once per zone and runtime. nil: time.LoadLocation.
	// [Zones.Load] keeps zones from one runtime to the next.
	Zones func(name string) (*time.Location, error)
}

// Install puts crypto and Intl on the global object of vm. Each is built at its
// first use; until then it is an accessor without a setter, and from then on a
// read-only property. Both stay configurable, so that an owner of the runtime
// can define something else in their place. Like the runtime, what is installed
// serves one goroutine at a time. opts may be nil and is copied.
func Install(vm *goja.Runtime, opts *Options) {
	p := &host{vm: vm}
	if opts != nil {
		p.Options = *opts
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Random == nil {
		p.Random = rand.Reader
	}
	if p.Zones == nil {
		p.Zones = time.LoadLocation
	}
	global := vm.GlobalObject()
	p.lazy(global, "crypto", p.newCrypto)
	p.lazy(global, "Intl", p.newIntl)
}

// host is what the installed functions of one runtime share.
type host struct {
	Options
	vm    *goja.Runtime
	zones map[string]*time.Location // loaded so far, by proper name
}

// lazy defines an accessor that replaces itself by what build makes.
func (p *host) lazy(global *goja.Object, name string, build func() *goja.Object) {
	getter := p.function("get "+name, 0, func(goja.FunctionCall) goja.Value {
		v := build()
		p.check(global.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
		return v
	})
	p.check(global.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// function makes a host function with the name and length that a script sees;
// goja would show the name of the Go function.
func (p *host) function(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	fn := p.vm.ToValue(f).(*goja.Object)
	p.hidden(fn, "name", p.vm.ToValue(name))
	if length > 0 {
		p.hidden(fn, "length", p.vm.ToValue(length))
	}
	return fn
}

// hidden defines a property that is neither listed nor changed.
func (p *host) hidden(o *goja.Object, name string, v goja.Value) {
	p.check(o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// tag sets what Object.prototype.toString shows for o.
func (p *host) tag(o *goja.Object, name string) {
	p.check(o.DefineDataPropertySymbol(goja.SymToStringTag, p.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// freeze makes o unchangeable. It goes through the script's Object.freeze: a
// script that has replaced that only loses the protection of its own objects.
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

// check turns an error of the engine into an exception in the script. It is
// called only while a script runs or on a fresh runtime, where there is none.
func (p *host) check(err error) {
	if err != nil {
		panic(err)
	}
}

// rangeError makes the RangeError to throw with panic.
func (p *host) rangeError(message string) goja.Value {
	if ctor := p.vm.Get("RangeError"); ctor != nil {
		if e, err := p.vm.New(ctor, p.vm.ToValue(message)); err == nil {
			return e
		}
	}
	return p.typeError(message) // the script has taken RangeError away
}

// typeError makes the TypeError to throw with panic.
func (p *host) typeError(message string) goja.Value {
	return p.vm.NewTypeError("%s", message)
}
