package platform

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// numberFormat is the state of an Intl.NumberFormat.
type numberFormat struct {
	*numberSettings
	bound goja.Value // the function that format gives
}

// numberClass makes Intl.NumberFormat.
func (p *host) numberClass() *class {
	if p.numbers != nil {
		return p.numbers
	}
	const name = "Intl.NumberFormat"
	c := p.class("NumberFormat", 0, true, func(call goja.ConstructorCall) any {
		return &numberFormat{numberSettings: p.numberSettings(call.Argument(0), call.Argument(1))}
	})
	p.numbers = c
	p.formatGetter(c, func(call goja.FunctionCall) (*goja.Value, func(goja.Value) goja.Value) {
		s := receiver[numberFormat](p, call, name)
		return &s.bound, func(v goja.Value) goja.Value { return p.vm.ToValue(s.format(p.numeric(v))) }
	})
	p.intlMethod(c, "formatToParts", 1, func(call goja.FunctionCall) goja.Value {
		s := receiver[numberFormat](p, call, name)
		return p.partList(s.parts(p.numeric(call.Argument(0))))
	})
	p.intlMethod(c, "resolvedOptions", 0, func(call goja.FunctionCall) goja.Value {
		return p.resolvedOptions(receiver[numberFormat](p, call, name).resolved)
	})
	p.supportedLocalesOf(c, func(tag string) bool { return languageOf(tag) == "en" })
	c.done(name)
	return c
}

// numberSettings reads the arguments of the constructor.
func (p *host) numberSettings(localesArg, optionsArg goja.Value) *numberSettings {
	s := &numberSettings{locale: matchNumbers(p.locales(localesArg))}
	r := p.options(optionsArg, "Intl.NumberFormat")
	r.text("localeMatcher", "lookup", "best fit")
	r.latinDigits()
	r.numberStyle(s)
	if s.notation = r.choice("notation", "standard", "scientific", "engineering", "compact"); s.notation == "compact" {
		r.unsupported("notation: 'compact'")
	}
	minFraction, maxFraction := 0, 3
	switch {
	case s.style == "currency" && s.notation == "standard":
		minFraction = currencyDigits(s.currency)
		maxFraction = minFraction
	case s.style == "percent":
		maxFraction = 0
	}
	r.numberDigits(&s.digits, minFraction, maxFraction)
	s.grouping = r.grouping()
	s.signDisplay = r.choice("signDisplay", "auto", "never", "always", "exceptZero", "negative")
	return s
}

// latinDigits refuses digits other than 0 to 9.
func (r optionReader) latinDigits() {
	if n := r.text("numberingSystem"); n != "" && n != "latn" {
		r.unsupported("numberingSystem: '" + clip.To(n, 100) + "'")
	}
}

func (r optionReader) numberStyle(s *numberSettings) {
	if s.style = r.choice("style", "decimal", "percent", "currency", "unit"); s.style == "unit" {
		r.unsupported("style: 'unit'")
	}
	currency := r.text("currency")
	if currency != "" && (len(currency) != 3 || strings.Trim(ascii.LowerString(currency), "abcdefghijklmnopqrstuvwxyz") != "") {
		panic(r.p.rangeError("Invalid currency code : " + clip.To(currency, 100)))
	}
	if s.style == "currency" && currency == "" {
		panic(r.p.typeError("Currency code is required with currency style."))
	}
	s.currency = strings.ToUpper(currency)
	s.currencyDisplay = r.choice("currencyDisplay", "symbol", "code", "narrowSymbol", "name")
	s.currencySign = r.choice("currencySign", "standard", "accounting")
}

// grouping reads useGrouping, which is a text or a boolean.
func (r optionReader) grouping() string {
	const standard = "auto"
	v, ok := r.value("useGrouping")
	switch {
	case !ok:
		return standard
	case v.StrictEquals(r.p.vm.ToValue(true)):
		return "always"
	case !v.ToBoolean():
		return ""
	}
	switch s := r.p.text(v); s {
	case "true", "false":
		return standard
	case "auto", "always", "min2":
		return s
	default:
		r.outOfRange("useGrouping", s)
	}
	return standard
}

// numberDigits reads how many digits there are (ECMA-402, SetNumberFormatDigitOptions).
func (r optionReader) numberDigits(d *digitSettings, minFraction, maxFraction int) {
	d.minInteger = 1
	if n, ok := r.number("minimumIntegerDigits", 1, 21); ok {
		d.minInteger = n
	}
	// Read in this order, judged below.
	lowF, hasLowF := r.value("minimumFractionDigits")
	highF, hasHighF := r.value("maximumFractionDigits")
	lowS, hasLowS := r.value("minimumSignificantDigits")
	highS, hasHighS := r.value("maximumSignificantDigits")
	if n, ok := r.number("roundingIncrement", 1, 5000); ok && n != 1 {
		r.unsupported("roundingIncrement")
	}
	d.mode = rounding(slices.Index(roundingNames, r.choice("roundingMode", roundingNames...)))
	d.priority = r.choice("roundingPriority", "auto", "morePrecision", "lessPrecision")
	d.stripInteger = r.choice("trailingZeroDisplay", "auto", "stripIfInteger") == "stripIfInteger"

	d.minFraction, d.maxFraction, d.minSignificant, d.maxSignificant = -1, -1, -1, -1
	significant := hasLowS || hasHighS
	needS, needF := true, true
	if d.priority == "auto" {
		needS, needF = significant, !significant
	}
	if needS {
		d.minSignificant, d.maxSignificant = 1, 21
		if hasLowS {
			d.minSignificant = r.p.boundedNumber("minimumSignificantDigits", lowS, 1, 21)
		}
		if hasHighS {
			d.maxSignificant = r.p.boundedNumber("maximumSignificantDigits", highS, d.minSignificant, 21)
		}
	}
	if needF {
		d.minFraction, d.maxFraction = minFraction, maxFraction
		if hasLowF {
			d.minFraction = r.p.boundedNumber("minimumFractionDigits", lowF, 0, 100)
			d.maxFraction = max(maxFraction, d.minFraction)
		}
		if hasHighF {
			d.maxFraction = r.p.boundedNumber("maximumFractionDigits", highF, 0, 100)
			if !hasLowF {
				d.minFraction = min(minFraction, d.maxFraction)
			}
		}
		if d.minFraction > d.maxFraction {
			panic(r.p.rangeError("maximumFractionDigits value is out of range."))
		}
	}
}

// numeric converts the argument of format without losing digits.
func (p *host) numeric(v goja.Value) decimal {
	if o, ok := v.(*goja.Object); ok {
		v = o.ToNumber()
	}
	switch v := v.(type) {
	case *goja.Symbol:
		panic(p.typeError("Cannot convert a Symbol value to a number"))
	case goja.String:
		if v.Length() > maxDigits {
			return floatDecimal(v.ToFloat())
		}
		d, ok := parseDecimal(v.String())
		if !ok {
			return decimal{nan: true}
		}
		if d.exponent > 309 {
			return decimal{inf: true, negative: d.negative}
		}
		return d
	}
	if x, ok := v.Export().(*big.Int); ok && goja.IsBigInt(v) {
		if x.BitLen() > 3*maxDigits {
			panic(p.rangeError("a BigInt of " + strconv.Itoa(x.BitLen()) + " bits is too big to format"))
		}
		d, _ := parseDecimal(x.String())
		return d
	}
	return floatDecimal(v.ToFloat())
}

func (p *host) partList(parts []part) goja.Value {
	out := make([]any, len(parts))
	for i, one := range parts {
		o := p.vm.NewObject()
		p.check(o.Set("type", one.kind))
		p.check(o.Set("value", one.text))
		out[i] = o
	}
	return p.vm.NewArray(out...)
}
