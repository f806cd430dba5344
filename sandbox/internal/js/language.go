package js

import (
	"errors"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/lower"
)

// regexpSource wraps the RegExp constructor, so that patterns created at run time are
// rewritten like those in the code were at compile time. It keeps references to the
// functions that it needs, in case code replaces them.
var regexpSource = goja.MustCompile("regexp", `(function (Original, rewrite, construct, define) {
	"use strict";
	const isString = x => typeof x === "string";
	const RegExp = function RegExp(pattern, flags) {
		const made = new.target;
		if (made === undefined && flags === undefined && pattern instanceof Original) return pattern;
		let p = pattern, f = flags;
		if (isString(p) && isString(f)) [p, f] = rewrite(p, f);
		return construct(Original, f === undefined ? [p] : [p, f], made === undefined || made === RegExp ? Original : made);
	};
	define(RegExp, "prototype", {value: Original.prototype, writable: false});
	define(RegExp, "length", {value: 2});
	define(Original.prototype, "constructor", {value: RegExp, writable: true, configurable: true});
	define(RegExp, Symbol.species, {get() { return this }, configurable: true});
	return RegExp;
})`, true)

// language installs language features that the engine lacks and that code can use at run
// time.
func (r *run) language(global *goja.Object) error {
	if r.program.symbols {
		if err := r.symbols(); err != nil {
			return err
		}
	}
	if r.program.collate {
		if err := r.localeCompare(); err != nil {
			return err
		}
	}
	if !r.program.regexp {
		return nil
	}
	v, err := r.vm.RunProgram(regexpSource)
	if err != nil {
		return err
	}
	wrap, ok := goja.AssertFunction(v)
	if !ok {
		return errors.New("no function")
	}
	reflect := r.vm.Get("Reflect").ToObject(r.vm)
	wrapped, err := wrap(goja.Undefined(), r.vm.Get("RegExp"), r.vm.ToValue(r.rewrite), reflect.Get("construct"), r.vm.Get("Object").ToObject(r.vm).Get("defineProperty"))
	if err != nil {
		return err
	}
	return global.DefineDataProperty("RegExp", wrapped, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// rewrite returns pattern and flags in the form that the engine supports. They stay
// unchanged without a flag that requires rewriting.
func (r *run) rewrite(call goja.FunctionCall) goja.Value {
	pattern, flags := call.Argument(0), call.Argument(1)
	f := flags.String()
	relevant := false
	for _, c := range []byte(f) {
		relevant = relevant || c == 'u' || c == 'v' || c == 'd'
	}
	if relevant && pattern.(goja.String).Length() <= lower.MaxPattern {
		p, f, err := lower.RewritePattern(pattern.String(), f)
		if err != nil {
			panic(r.syntaxError("Invalid regular expression: " + err.Error()))
		}
		pattern, flags = r.vm.ToValue(p), r.vm.ToValue(f)
	}
	return r.vm.NewArray(pattern, flags)
}

func (r *run) syntaxError(message string) goja.Value {
	e, err := r.vm.New(r.vm.Get("SyntaxError"), r.vm.ToValue(message))
	if err != nil {
		return r.vm.NewTypeError("%s", message) // the code has removed or replaced the class
	}
	return e
}

// symbols defines the well-known symbols that the engine lacks, with the same values that
// translated code uses.
func (r *run) symbols() error {
	symbol := r.vm.Get("Symbol").ToObject(r.vm)
	lookup, ok := goja.AssertFunction(symbol.Get("for"))
	if !ok {
		return errors.New("no Symbol.for")
	}
	for _, name := range [...]string{"asyncIterator", "dispose", "asyncDispose"} {
		if have := symbol.Get(name); have != nil && !goja.IsUndefined(have) {
			continue
		}
		v, err := lookup(symbol, r.vm.ToValue("Symbol."+name))
		if err != nil {
			return err
		}
		if err := symbol.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	return nil
}
