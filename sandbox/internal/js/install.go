package js

import (
	crand "crypto/rand"
	"fmt"
	"io"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

// function creates a native function with this name; otherwise it would show the name of
// the Go function.
func function(vm *goja.Runtime, name string, f func(goja.FunctionCall) goja.Value) (*goja.Object, error) {
	fn := vm.ToValue(f).ToObject(vm)
	return fn, fn.DefineDataProperty("name", vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// method adds a native method to an object under construction.
func method(vm *goja.Runtime, obj *goja.Object, name string, f func(goja.FunctionCall) goja.Value) {
	fn, err := function(vm, name, f)
	if err == nil {
		err = obj.DefineDataProperty(name, fn, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
	}
	if err != nil { // cannot fail on a fresh object
		panic(err)
	}
}

// frozen defines obj as a global and freezes it together with its methods.
func frozen(vm *goja.Runtime, global *goja.Object, name string, obj *goja.Object) error {
	freeze, ok := vm.Get("Object").ToObject(vm).Get("freeze").Export().(func(goja.FunctionCall) goja.Value)
	if !ok {
		return fmt.Errorf("no Object.freeze")
	}
	for _, key := range obj.Keys() {
		freeze(goja.FunctionCall{Arguments: []goja.Value{obj.Get(key)}})
	}
	freeze(goja.FunctionCall{Arguments: []goja.Value{obj}})
	return global.DefineDataProperty(name, obj, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// seed returns 32 random bytes, from the source of the run if it has one.
func (r *run) seed() (seed [32]byte) {
	if r.input.Random != nil {
		if _, err := io.ReadFull(r.input.Random, seed[:]); err == nil {
			return seed
		}
	}
	crand.Read(seed[:]) // never fails: crypto/rand ends the program instead
	return seed
}

// guard caps the native calls that most often crash a worker, so that the author gets an
// error message instead. It wraps only the methods that the code mentions, since
// accessing a prototype has a cost; the worker limits everything else.
func (r *run) guard() error {
	if r.program.fill {
		if err := r.cap("Array", "fill", r.fillSize, r.limits.FillLength, "fill on an array of %d elements; the limit is %d"); err != nil {
			return err
		}
	}
	if r.program.repeat {
		const text = "a string of %d characters; the limit is %d"
		if err := r.cap("String", "repeat", repeatSize, r.limits.StringLength, text); err != nil {
			return err
		}
		for _, name := range [...]string{"padStart", "padEnd"} {
			if err := r.cap("String", name, padSize, r.limits.StringLength, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// cap wraps a method of a prototype, so that a call whose size exceeds the limit ends the
// run.
func (r *run) cap(class, name string, size func(goja.FunctionCall) int64, limit int, message string) error {
	proto := r.vm.Get(class).ToObject(r.vm).Get("prototype").ToObject(r.vm)
	original, ok := proto.Get(name).Export().(func(goja.FunctionCall) goja.Value)
	if !ok {
		return fmt.Errorf("no %s.prototype.%s", class, name)
	}
	fn, err := function(r.vm, name, func(call goja.FunctionCall) goja.Value {
		if n := size(call); n > int64(limit) {
			r.vm.Interrupt(&toolspec.CallError{
				Kind: toolspec.KindResourceLimit, Reason: toolspec.ReasonMemory, Component: componentUser,
				Message: "the code asks for " + fmt.Sprintf(message, n, limit),
			})
			return goja.Undefined()
		}
		return original(call)
	})
	if err != nil {
		return err
	}
	return proto.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// fillSize returns the length of a real array. The length of array-like objects is not
// read, since that would run their code; the worker limits these.
func (r *run) fillSize(call goja.FunctionCall) int64 {
	if obj, ok := call.This.(*goja.Object); ok && obj.ExportType() == typeArray && obj.ClassName() == "Array" {
		return obj.Get("length").ToInteger()
	}
	return 0
}

// The arguments are inspected only if they are primitives, since code of the script
// cannot change those before the actual call.

func repeatSize(call goja.FunctionCall) int64 {
	s, ok := call.This.(goja.String)
	if !ok || !primitive(call.Argument(0)) {
		return 0
	}
	times := call.Argument(0).ToInteger()
	if n := int64(s.Length()); n > 0 && times > 1<<40/n {
		return 1 << 40
	} else {
		return n * max(times, 0)
	}
}

func padSize(call goja.FunctionCall) int64 {
	if _, ok := call.This.(goja.String); !ok || !primitive(call.Argument(0)) {
		return 0
	}
	return call.Argument(0).ToInteger()
}

func primitive(v goja.Value) bool {
	switch v.(type) {
	case *goja.Object, *goja.Symbol, nil:
		return false
	}
	return !goja.IsBigInt(v)
}
