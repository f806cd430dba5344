package platform

import (
	"math"
	"time"

	"github.com/dop251/goja"
)

// maxTime is the last millisecond of an ECMAScript Date, and -maxTime the first.
const maxTime = 8.64e15

func (p *host) newIntl() *goja.Object {
	intl := p.vm.NewObject()
	p.check(intl.Set("DateTimeFormat", p.newDateTimeFormat()))
	p.tag(intl, "Intl")
	return p.freeze(intl)
}

// newDateTimeFormat makes the constructor. Each format it makes has its methods
// as its own: they hold the Go side of it, and go when it goes.
func (p *host) newDateTimeFormat() *goja.Object {
	var proto *goja.Object
	ctor := p.vm.ToValue(func(call goja.ConstructorCall) *goja.Object {
		f := &formatter{settings: p.settings(call.Argument(0), call.Argument(1))}
		f.pattern = layout(&f.settings)
		o := call.This
		if call.NewTarget == nil { // called without new
			o = p.vm.CreateObject(proto)
		}
		p.hidden(o, "format", p.function("", 1, func(call goja.FunctionCall) goja.Value {
			return p.format(f, call.Argument(0))
		}))
		p.hidden(o, "formatToParts", p.function("formatToParts", 1, func(call goja.FunctionCall) goja.Value {
			return p.formatToParts(f, call.Argument(0))
		}))
		p.hidden(o, "resolvedOptions", p.function("resolvedOptions", 0, func(goja.FunctionCall) goja.Value {
			return p.resolvedOptions(f)
		}))
		return o
	}).(*goja.Object)
	proto = ctor.Get("prototype").(*goja.Object)
	p.hidden(ctor, "name", p.vm.ToValue("DateTimeFormat"))
	p.tag(proto, "Intl.DateTimeFormat")
	p.freeze(proto)
	return p.freeze(ctor)
}

// moment converts the argument of format: a Date or a number of milliseconds,
// or nothing for now.
func (p *host) moment(f *formatter, v goja.Value) time.Time {
	if goja.IsUndefined(v) {
		return p.Now().In(f.location)
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
	at := p.moment(f, date)
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

// resolvedOptions tells what came of the options: with dateStyle or timeStyle
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
