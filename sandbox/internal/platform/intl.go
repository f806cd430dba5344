package platform

import (
	"math"
	"time"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

// maxTime is the last millisecond that an ECMAScript Date can represent, and -maxTime the
// first.
const maxTime = 8.64e15

func (p *host) newIntl() goja.Value {
	intl := p.vm.NewObject()
	p.lazyMember(intl, "DateTimeFormat", func() goja.Value { return p.dateClass().ctor })
	p.lazyMember(intl, "NumberFormat", func() goja.Value { return p.numberClass().ctor })
	p.check(intl.Set("getCanonicalLocales", p.freeze(p.function("getCanonicalLocales", 1, func(call goja.FunctionCall) goja.Value {
		return p.textList(p.locales(call.Argument(0)))
	}))))
	p.tag(intl, "Intl")
	return p.freeze(intl)
}

func (p *host) textList(list []string) goja.Value {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return p.vm.NewArray(out...)
}

// intlMethod adds a method that is not enumerable, as methods of Intl are.
func (p *host) intlMethod(c *class, name string, length int, f func(goja.FunctionCall) goja.Value) {
	p.check(c.proto.DefineDataProperty(name, p.freeze(p.function(name, length, f)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// formatGetter adds the accessor "format", whose value is a function that needs no
// receiver. bind returns where an instance stores this function, and its implementation.
func (p *host) formatGetter(c *class, bind func(call goja.FunctionCall) (kept *goja.Value, format func(goja.Value) goja.Value)) {
	getter := p.function("get format", 0, func(call goja.FunctionCall) goja.Value {
		kept, format := bind(call)
		if *kept == nil {
			*kept = p.function("", 1, func(call goja.FunctionCall) goja.Value { return format(call.Argument(0)) })
		}
		return *kept
	})
	p.check(c.proto.DefineAccessorProperty("format", p.freeze(getter), nil, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// supportedLocalesOf adds the static method of that name, which returns the locales for
// which known reports true: those that do not fall back to another language.
func (p *host) supportedLocalesOf(c *class, known func(tag string) bool) {
	p.check(c.ctor.DefineDataProperty("supportedLocalesOf", p.freeze(p.function("supportedLocalesOf", 1, func(call goja.FunctionCall) goja.Value {
		var out []string
		for _, tag := range p.locales(call.Argument(0)) {
			if known(tag) {
				out = append(out, tag)
			}
		}
		return p.textList(out)
	})), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// dateFormat is the state of an Intl.DateTimeFormat.
type dateFormat struct {
	*intl.DateFormatter
	bound goja.Value // the function that the accessor format returns
}

// dateClass creates Intl.DateTimeFormat.
func (p *host) dateClass() *class {
	if p.dates != nil {
		return p.dates
	}
	const name = "Intl.DateTimeFormat"
	c := p.class("DateTimeFormat", 0, true, func(call goja.ConstructorCall) any {
		return &dateFormat{DateFormatter: p.dateFormatter(call.Argument(0), call.Argument(1), intl.DateDefaults)}
	})
	p.dates = c
	p.formatGetter(c, func(call goja.FunctionCall) (*goja.Value, func(goja.Value) goja.Value) {
		f := receiver[dateFormat](p, call, name)
		return &f.bound, func(v goja.Value) goja.Value { return p.vm.ToValue(f.Text(p.moment(f.DateFormatter, v))) }
	})
	p.intlMethod(c, "formatToParts", 1, func(call goja.FunctionCall) goja.Value {
		f := receiver[dateFormat](p, call, name)
		return p.partList(f.Parts(p.moment(f.DateFormatter, call.Argument(0))))
	})
	p.intlMethod(c, "resolvedOptions", 0, func(call goja.FunctionCall) goja.Value {
		return p.resolvedOptions(receiver[dateFormat](p, call, name).Resolved)
	})
	p.supportedLocalesOf(c, func(tag string) bool { return intl.LanguageOf(tag) == "en" })
	c.done(name)
	return c
}

// dateFormatter creates the formatter that the arguments request.
func (p *host) dateFormatter(locales, options goja.Value, defaults intl.Defaults) *intl.DateFormatter {
	return intl.NewDateFormatter(p.settings(locales, options, defaults))
}

// moment converts the argument of format: a Date, a number of milliseconds, or undefined
// for the current time.
func (p *host) moment(f *intl.DateFormatter, v goja.Value) time.Time {
	if goja.IsUndefined(v) {
		return p.Clock().In(f.Location)
	}
	if s, ok := v.(*goja.Symbol); ok && s != nil {
		panic(p.typeError("Cannot convert a Symbol value to a number"))
	}
	ms := v.ToFloat()
	if math.IsNaN(ms) || math.Abs(ms) > maxTime {
		panic(p.rangeError("Invalid time value"))
	}
	return time.UnixMilli(int64(ms)).In(f.Location)
}

// resolvedOptions creates an object with the resolved options of a formatter.
func (p *host) resolvedOptions(resolved func(set func(name string, value any))) goja.Value {
	o := p.vm.NewObject()
	resolved(func(name string, v any) { p.check(o.Set(name, v)) })
	return o
}
