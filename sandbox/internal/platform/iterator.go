package platform

import (
	_ "embed"
	"sync"

	"github.com/dop251/goja"
)

var (
	//go:embed iterator.js
	iteratorSource string
	//go:embed fromasync.js
	fromAsyncSource string

	iteratorProgram  = program(iteratorSource)
	fromAsyncProgram = program(fromAsyncSource)
)

// program compiles a part of the platform that is written in JavaScript when a run first
// needs it: most runs need none.
func program(source string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return goja.MustCompile("platform", source, true) })
}

// iteratorHelper defines one helper on the prototype of all iterators: a function that
// looks up the actual implementation when it is called.
func (p *host) iteratorHelper(name string) {
	if p.iteratorProto == nil {
		p.iteratorProto = p.iteratorPrototype()
	}
	length := 1
	if name == "toArray" {
		length = 0
	}
	p.builtin(p.iteratorProto, name, length, func(call goja.FunctionCall) goja.Value {
		impl, _ := goja.AssertFunction(p.iterators().Get("helpers").(*goja.Object).Get(name))
		v, err := impl(call.This, call.Arguments...)
		p.check(err)
		return v
	})
}

func (p *host) newIterator() goja.Value { return p.iterators().Get("Iterator") }

// iterators returns the object that the helpers' program iterator.js creates.
func (p *host) iterators() *goja.Object {
	if p.iterator == nil {
		if p.iteratorProto == nil {
			p.iteratorProto = p.iteratorPrototype()
		}
		v, err := p.vm.RunProgram(iteratorProgram())
		p.check(err)
		build, _ := goja.AssertFunction(v)
		both, err := build(goja.Undefined(), p.iteratorProto)
		p.check(err)
		p.iterator = both.(*goja.Object)
	}
	return p.iterator
}

// arrayFromAsync adds Array.fromAsync, whose program runs on the first call.
func (p *host) arrayFromAsync(string) {
	var impl goja.Callable
	p.builtin(p.intrinsic("Array"), "fromAsync", 1, func(call goja.FunctionCall) goja.Value {
		if impl == nil {
			v, err := p.vm.RunProgram(fromAsyncProgram())
			p.check(err)
			impl, _ = goja.AssertFunction(v)
		}
		v, err := impl(call.This, call.Arguments...)
		p.check(err)
		return v
	})
}
