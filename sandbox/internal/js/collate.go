package js

import (
	"errors"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// localeCompare replaces String.prototype.localeCompare with one that supports the locale
// and the options numeric and sensitivity, which the engine ignores.
func (r *run) localeCompare() error {
	proto := r.vm.Get("String").ToObject(r.vm).Get("prototype").ToObject(r.vm)
	original, ok := proto.Get("localeCompare").Export().(func(goja.FunctionCall) goja.Value)
	if !ok {
		return errors.New("no String.prototype.localeCompare")
	}
	type key struct{ locale, sensitivity, numeric string }
	made := map[key]*collate.Collator{}
	fn, err := function(r.vm, "localeCompare", func(call goja.FunctionCall) goja.Value {
		locales, options := call.Argument(1), call.Argument(2)
		if goja.IsUndefined(locales) && goja.IsUndefined(options) || goja.IsNull(call.This) || goja.IsUndefined(call.This) {
			return original(call)
		}
		k := key{locale: "und"}
		switch l := locales.(type) {
		case goja.String:
			k.locale = l.String()
		case *goja.Object: // a list: use its first locale
			if first := l.Get("0"); first != nil && !goja.IsUndefined(first) {
				k.locale = first.String()
			}
		}
		if o, ok := options.(*goja.Object); ok {
			if v := o.Get("numeric"); v != nil && v.ToBoolean() {
				k.numeric = "numeric"
			}
			if v := o.Get("sensitivity"); v != nil && !goja.IsUndefined(v) {
				k.sensitivity = v.String()
			}
		}
		c := made[k]
		if c == nil {
			tag, err := language.Parse(k.locale)
			if err != nil {
				panic(r.rangeError("Incorrect locale information provided"))
			}
			var opts []collate.Option
			if k.numeric != "" {
				opts = append(opts, collate.Numeric)
			}
			switch k.sensitivity {
			case "base":
				opts = append(opts, collate.IgnoreCase, collate.IgnoreDiacritics)
			case "accent":
				opts = append(opts, collate.IgnoreCase)
			case "case":
				opts = append(opts, collate.IgnoreDiacritics)
			case "", "variant":
			default:
				panic(r.rangeError("Value " + cutRunes(k.sensitivity, 40) + " out of range for Intl.Collator options property sensitivity"))
			}
			if len(made) >= 16 {
				clear(made)
			}
			c = collate.New(tag, opts...)
			made[k] = c
		}
		return r.vm.ToValue(c.CompareString(call.This.String(), call.Argument(0).String()))
	})
	if err != nil {
		return err
	}
	return proto.DefineDataProperty("localeCompare", fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

func (r *run) rangeError(message string) goja.Value {
	e, err := r.vm.New(r.vm.Get("RangeError"), r.vm.ToValue(message))
	if err != nil {
		return r.vm.NewTypeError("%s", message) // the code has removed or replaced the class
	}
	return e
}
