package platform

import (
	"github.com/dop251/goja"
)

// Kinds of failures (specification section 8.4).
const (
	kindInput = "INVALID_INPUT"
	kindHost  = "HELPER_RUNTIME"
	kindLimit = "RESOURCE_LIMIT"
)

// refusal creates the error for an invalid argument.
func (p *host) refusal(helper, reason, message string) goja.Value {
	return p.failure(&Failure{kindInput, helper, reason, message})
}

// failure creates the error of a host function, which the script can catch: an Error that
// says which helper failed, and why.
func (p *host) failure(f *Failure) goja.Value {
	e, err := p.vm.New(p.vm.Get("Error"), p.vm.ToValue(f.Message))
	if err != nil {
		e = p.vm.NewTypeError("%s", f.Message) // the script has removed or replaced Error
	}
	for _, m := range [...][2]string{{"name", "SafetyError"}, {"kind", f.Kind}, {"helper", f.Helper}, {"reason", f.Reason}} {
		p.check(e.DefineDataProperty(m[0], p.vm.ToValue(m[1]), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	p.attach(e, f)
	return e
}

// check turns an error of the engine into an exception in the script. It is called only
// while a script runs, or on a fresh runtime, where no error occurs.
func (p *host) check(err error) {
	if err != nil {
		panic(err)
	}
}

// rangeError creates a RangeError, to be thrown with panic.
func (p *host) rangeError(message string) goja.Value { return p.errorOf("RangeError", message) }

func (p *host) errorOf(class, message string) goja.Value {
	if ctor := p.vm.Get(class); ctor != nil {
		if e, err := p.vm.New(ctor, p.vm.ToValue(message)); err == nil {
			return e
		}
	}
	return p.typeError(message) // the script has removed or replaced the class
}

// typeError creates a TypeError, to be thrown with panic.
func (p *host) typeError(message string) goja.Value {
	return p.vm.NewTypeError("%s", message)
}

// domException creates what Web interfaces throw: an Error with that name and the legacy
// numeric code.
func (p *host) domException(name, message string, code int) goja.Value {
	e, ok := p.errorOf("Error", message).(*goja.Object)
	if !ok {
		return p.typeError(message)
	}
	p.check(e.DefineDataProperty("name", p.vm.ToValue(name), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	p.check(e.DefineDataProperty("code", p.vm.ToValue(code), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	return e
}
