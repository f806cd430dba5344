package platform

import (
	"math"
	"time"

	"github.com/dop251/goja"
)

// maxTime is the last millisecond of an ECMAScript Date, and -maxTime the first.
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

// intlMethod adds a method that is not listed, as Intl has them.
func (p *host) intlMethod(c *class, name string, length int, f func(goja.FunctionCall) goja.Value) {
	p.check(c.proto.DefineDataProperty(name, p.freeze(p.function(name, length, f)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// formatGetter adds the accessor format, whose value is a function that needs
// no receiver. bind gives where an instance keeps it, and what it does.
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

// supportedLocalesOf adds the static method of that name: it keeps the locales
// for which known does not fall back to another language.
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

// dateClass makes Intl.DateTimeFormat.
func (p *host) dateClass() *class {
	if p.dates != nil {
		return p.dates
	}
	const name = "Intl.DateTimeFormat"
	c := p.class("DateTimeFormat", 0, true, func(call goja.ConstructorCall) any {
		return p.newFormatter(call.Argument(0), call.Argument(1), dateDefaults)
	})
	p.dates = c
	p.formatGetter(c, func(call goja.FunctionCall) (*goja.Value, func(goja.Value) goja.Value) {
		f := receiver[formatter](p, call, name)
		return &f.bound, func(v goja.Value) goja.Value { return p.format(f, v) }
	})
	p.intlMethod(c, "formatToParts", 1, func(call goja.FunctionCall) goja.Value {
		return p.formatToParts(receiver[formatter](p, call, name), call.Argument(0))
	})
	p.intlMethod(c, "resolvedOptions", 0, func(call goja.FunctionCall) goja.Value {
		return p.resolvedOptions(receiver[formatter](p, call, name))
	})
	p.supportedLocalesOf(c, func(tag string) bool { return languageOf(tag) == "en" })
	c.done(name)
	return c
}

// newFormatter makes a formatter of what the arguments ask for.
func (p *host) newFormatter(locales, options goja.Value, defaults fieldDefaults) *formatter {
	f := &formatter{settings: p.settings(locales, options, defaults)}
	f.pattern = layout(&f.settings)
	return f
}

// moment converts the argument of format: a Date or a number of milliseconds,
// or nothing for now.
func (p *host) moment(f *formatter, v goja.Value) time.Time {
	if goja.IsUndefined(v) {
		return p.Clock().In(f.location)
	}
	if s, ok := v.(*goja.Symbol); ok && s != nil {
		panic(p.typeError("Cannot convert a Symbol value to a number"))
	}
	ms := v.ToFloat()
	if math.IsNaN(ms) || math.Abs(ms) > maxTime {
		panic(p.rangeError("Invalid time value"))
	}
	return time.UnixMilli(int64(ms)).In(f.location)
}

func (p *host) format(f *formatter, date goja.Value) goja.Value {
	return p.formatAt(f, p.moment(f, date))
}

func (p *host) formatAt(f *formatter, at time.Time) goja.Value {
	var buf [64]byte
	text := buf[:0]
	for _, t := range f.pattern {
		if t.literal == narrowSpace {
			text = append(text, ' ')
			continue
		}
		text = f.append(text, t, at)
	}
	return p.vm.ToValue(string(text))
}

func (p *host) formatToParts(f *formatter, date goja.Value) goja.Value {
	at := p.moment(f, date)
	var buf [64]byte
	parts := make([]any, len(f.pattern))
	for i, t := range f.pattern {
		part := p.vm.NewObject()
		p.check(part.Set("type", fieldNames[t.field]))
		p.check(part.Set("value", string(f.append(buf[:0], t, at))))
		parts[i] = part
	}
	return p.vm.NewArray(parts...)
}

// resolvedOptions returns the resolved options: with dateStyle or timeStyle
// those, otherwise the fields as the pattern writes them.
func (p *host) resolvedOptions(f *formatter) goja.Value {
	o := p.vm.NewObject()
	set := func(name string, v any) { p.check(o.Set(name, v)) }
	set("locale", f.tag)
	set("calendar", "gregory")
	set("numberingSystem", "latn")
	set("timeZone", f.zone.properName())
	if f.hours != hourNone {
		set("hourCycle", hourNames[f.hours])
		set("hour12", f.hours.halfDays())
	}
	if f.dateStyle|f.timeStyle == 0 {
		for field := fieldWeekday; field <= fieldZoneName; field++ {
			for _, t := range f.pattern {
				switch {
				case t.field != field || field == fieldDayPeriod:
				case field == fieldFraction:
					set("fractionalSecondDigits", int(t.style))
				default:
					set(fieldNames[field], styleNames[t.style])
				}
			}
		}
		return o
	}
	if f.dateStyle != styleNone {
		set("dateStyle", styleNames[f.dateStyle])
	}
	if f.timeStyle != styleNone {
		set("timeStyle", styleNames[f.timeStyle])
	}
	return o
}
