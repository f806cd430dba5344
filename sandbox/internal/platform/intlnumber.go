package platform

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

// numberFormat is the state of an Intl.NumberFormat.
type numberFormat struct {
	*intl.NumberSettings
	bound goja.Value // the function that the accessor format returns
}

// numberClass creates Intl.NumberFormat.
func (p *host) numberClass() *class {
	if p.numbers != nil {
		return p.numbers
	}
	const name = "Intl.NumberFormat"
	c := p.class("NumberFormat", 0, true, func(call goja.ConstructorCall) any {
		return &numberFormat{NumberSettings: p.numberSettings(call.Argument(0), call.Argument(1))}
	})
	p.numbers = c
	p.formatGetter(c, func(call goja.FunctionCall) (*goja.Value, func(goja.Value) goja.Value) {
		s := receiver[numberFormat](p, call, name)
		return &s.bound, func(v goja.Value) goja.Value { return p.vm.ToValue(s.Format(p.numeric(v))) }
	})
	p.intlMethod(c, "formatToParts", 1, func(call goja.FunctionCall) goja.Value {
		s := receiver[numberFormat](p, call, name)
		return p.partList(s.Parts(p.numeric(call.Argument(0))))
	})
	p.intlMethod(c, "resolvedOptions", 0, func(call goja.FunctionCall) goja.Value {
		return p.resolvedOptions(receiver[numberFormat](p, call, name).Resolved)
	})
	p.supportedLocalesOf(c, func(tag string) bool { return intl.LanguageOf(tag) == "en" })
	c.done(name)
	return c
}

// numberSettings reads the arguments of the constructor.
func (p *host) numberSettings(localesArg, optionsArg goja.Value) *intl.NumberSettings {
	s := &intl.NumberSettings{Locale: intl.MatchNumbers(p.locales(localesArg))}
	r := p.options(optionsArg, "Intl.NumberFormat")
	r.text("localeMatcher", "lookup", "best fit")
	r.latinDigits()
	r.numberStyle(s)
	if s.Notation = r.choice("notation", "standard", "scientific", "engineering", "compact"); s.Notation == "compact" {
		r.unsupported("notation: 'compact'")
	}
	minFraction, maxFraction := 0, 3
	switch {
	case s.Style == "currency" && s.Notation == "standard":
		minFraction = intl.CurrencyDigits(s.Currency)
		maxFraction = minFraction
	case s.Style == "percent":
		maxFraction = 0
	}
	r.numberDigits(&s.Digits, minFraction, maxFraction)
	s.Grouping = r.grouping()
	s.SignDisplay = r.choice("signDisplay", "auto", "never", "always", "exceptZero", "negative")
	return s
}

// latinDigits refuses digits other than 0 to 9.
func (r optionReader) latinDigits() {
	if n := r.text("numberingSystem"); n != "" && n != "latn" {
		r.unsupported("numberingSystem: '" + clip.To(n, 100) + "'")
	}
}

func (r optionReader) numberStyle(s *intl.NumberSettings) {
	if s.Style = r.choice("style", "decimal", "percent", "currency", "unit"); s.Style == "unit" {
		r.unsupported("style: 'unit'")
	}
	currency := r.text("currency")
	if currency != "" && (len(currency) != 3 || strings.Trim(ascii.LowerString(currency), "abcdefghijklmnopqrstuvwxyz") != "") {
		panic(r.p.rangeError("Invalid currency code : " + clip.To(currency, 100)))
	}
	if s.Style == "currency" && currency == "" {
		panic(r.p.typeError("Currency code is required with currency style."))
	}
	s.Currency = strings.ToUpper(currency)
	s.CurrencyDisplay = r.choice("currencyDisplay", "symbol", "code", "narrowSymbol", "name")
	s.CurrencySign = r.choice("currencySign", "standard", "accounting")
}

// grouping reads useGrouping, which is a string or a boolean.
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

// numberDigits reads the options for the number of digits (ECMA-402,
// SetNumberFormatDigitOptions).
func (r optionReader) numberDigits(d *intl.DigitSettings, minFraction, maxFraction int) {
	d.MinInteger = 1
	if n, ok := r.number("minimumIntegerDigits", 1, 21); ok {
		d.MinInteger = n
	}
	// ECMA-402 requires this order of reading; the values are checked below.
	lowF, hasLowF := r.value("minimumFractionDigits")
	highF, hasHighF := r.value("maximumFractionDigits")
	lowS, hasLowS := r.value("minimumSignificantDigits")
	highS, hasHighS := r.value("maximumSignificantDigits")
	if n, ok := r.number("roundingIncrement", 1, 5000); ok && n != 1 {
		r.unsupported("roundingIncrement")
	}
	d.Mode = intl.Rounding(slices.Index(intl.RoundingNames, r.choice("roundingMode", intl.RoundingNames...)))
	d.Priority = r.choice("roundingPriority", "auto", "morePrecision", "lessPrecision")
	d.StripInteger = r.choice("trailingZeroDisplay", "auto", "stripIfInteger") == "stripIfInteger"

	d.MinFraction, d.MaxFraction, d.MinSignificant, d.MaxSignificant = -1, -1, -1, -1
	significant := hasLowS || hasHighS
	needS, needF := true, true
	if d.Priority == "auto" {
		needS, needF = significant, !significant
	}
	if needS {
		d.MinSignificant, d.MaxSignificant = 1, 21
		if hasLowS {
			d.MinSignificant = r.p.boundedNumber("minimumSignificantDigits", lowS, 1, 21)
		}
		if hasHighS {
			d.MaxSignificant = r.p.boundedNumber("maximumSignificantDigits", highS, d.MinSignificant, 21)
		}
	}
	if needF {
		d.MinFraction, d.MaxFraction = minFraction, maxFraction
		if hasLowF {
			d.MinFraction = r.p.boundedNumber("minimumFractionDigits", lowF, 0, 100)
			d.MaxFraction = max(maxFraction, d.MinFraction)
		}
		if hasHighF {
			d.MaxFraction = r.p.boundedNumber("maximumFractionDigits", highF, 0, 100)
			if !hasLowF {
				d.MinFraction = min(minFraction, d.MaxFraction)
			}
		}
		if d.MinFraction > d.MaxFraction {
			panic(r.p.rangeError("maximumFractionDigits value is out of range."))
		}
	}
}

// numeric converts the argument of format without losing digits.
func (p *host) numeric(v goja.Value) intl.Decimal {
	if o, ok := v.(*goja.Object); ok {
		v = o.ToNumber()
	}
	switch v := v.(type) {
	case *goja.Symbol:
		panic(p.typeError("Cannot convert a Symbol value to a number"))
	case goja.String:
		if v.Length() > intl.MaxDigits {
			return intl.FloatDecimal(v.ToFloat())
		}
		d, ok := intl.ParseDecimal(v.String())
		if !ok {
			return intl.Decimal{NaN: true}
		}
		if d.Exponent > 309 {
			return intl.Decimal{Inf: true, Negative: d.Negative}
		}
		return d
	}
	if x, ok := v.Export().(*big.Int); ok && goja.IsBigInt(v) {
		if x.BitLen() > 3*intl.MaxDigits {
			panic(p.rangeError("a BigInt of " + strconv.Itoa(x.BitLen()) + " bits is too big to format"))
		}
		d, _ := intl.ParseDecimal(x.String())
		return d
	}
	return intl.FloatDecimal(v.ToFloat())
}

func (p *host) partList(parts []intl.Part) goja.Value {
	out := make([]any, len(parts))
	for i, one := range parts {
		o := p.vm.NewObject()
		p.check(o.Set("type", one.Kind))
		p.check(o.Set("value", one.Text))
		out[i] = o
	}
	return p.vm.NewArray(out...)
}
