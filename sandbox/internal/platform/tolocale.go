package platform

import (
	"math"
	"time"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

// numberToLocale replaces toLocaleString of numbers and BigInts, since that of the engine
// takes the locale for a radix.
func (p *host) numberToLocale(string) {
	for _, class := range [...]string{"Number", "BigInt"} {
		proto := p.prototypeOf(class)
		valueOf, _ := goja.AssertFunction(proto.Get("valueOf"))
		p.replace(proto, "toLocaleString", 0, func(call goja.FunctionCall) goja.Value {
			v, err := valueOf(call.This) // throws for a value that is not a number
			p.check(err)
			return p.vm.ToValue(p.numberSettings(call.Argument(0), call.Argument(1)).Format(p.numeric(v)))
		})
	}
}

// dateToLocale replaces the engine's methods of dates that ignore locale and time zone.
func (p *host) dateToLocale(string) {
	proto := p.prototypeOf("Date")
	getTime, _ := goja.AssertFunction(proto.Get("getTime"))
	for name, defaults := range map[string]intl.Defaults{
		"toLocaleString": intl.AllDefaults, "toLocaleDateString": intl.DateRequired, "toLocaleTimeString": intl.TimeRequired,
	} {
		p.replace(proto, name, 0, func(call goja.FunctionCall) goja.Value {
			v, err := getTime(call.This) // throws for a value that is not a date
			p.check(err)
			ms := v.ToFloat()
			if math.IsNaN(ms) {
				return p.vm.ToValue("Invalid Date")
			}
			f := p.dateFormatter(call.Argument(0), call.Argument(1), defaults)
			return p.vm.ToValue(f.Text(time.UnixMilli(int64(ms)).In(f.Location)))
		})
	}
}
