package platform

import (
	"math"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/sandbox/internal/platform/ascii"

	"github.com/dop251/goja"
)

// numberSettings is what a NumberFormat was asked for, see the constructor's
// steps in ECMA-402, section 16.1.
type numberSettings struct {
	locale *numberTag
	bound  goja.Value // the function that format gives

	style                                   string // decimal, percent, currency
	currency, currencyDisplay, currencySign string
	notation                                string // standard, scientific, engineering
	grouping                                string // auto, always, min2, or "" for none
	signDisplay                             string
	digits                                  digitSettings
}

// digitSettings is how many digits a number shows.
type digitSettings struct {
	minInteger                     int
	minFraction, maxFraction       int    // -1: not by fraction digits
	minSignificant, maxSignificant int    // -1: not by significant digits
	priority                       string // auto, morePrecision, lessPrecision
	mode                           rounding
	stripInteger                   bool
}

// number reads a whole number within bounds; ok is false when it is not given.
func (r optionReader) number(name string, lo, hi int) (n int, ok bool) {
	v, ok := r.value(name)
	if !ok {
		return 0, false
	}
	return r.p.boundedNumber(name, v, lo, hi), true
}

func (p *host) boundedNumber(name string, v goja.Value, lo, hi int) int {
	if _, symbol := v.(*goja.Symbol); symbol || goja.IsBigInt(v) {
		panic(p.typeError("Cannot convert the value of " + name + " to a number"))
	}
	f := v.ToFloat()
	if math.IsNaN(f) || f < float64(lo) || f > float64(hi) {
		panic(p.rangeError(name + " value is out of range."))
	}
	return int(f)
}

// choice reads a text that must be one of allowed; without one it is the first.
func (r optionReader) choice(name string, allowed ...string) string {
	if s := r.text(name, allowed...); s != "" {
		return s
	}
	return allowed[0]
}

// options makes a reader of a constructor's second argument.
func (p *host) options(v goja.Value, constructor string) optionReader {
	r := optionReader{p: p, of: constructor}
	if v == nil || goja.IsUndefined(v) {
		return r
	}
	if goja.IsNull(v) {
		panic(p.typeError("Cannot convert undefined or null to object"))
	}
	r.o = v.ToObject(p.vm)
	return r
}

// numberSettings reads the arguments of the constructor.
func (p *host) numberSettings(localesArg, optionsArg goja.Value) *numberSettings {
	s := &numberSettings{locale: matchNumbers(p.locales(localesArg))}
	r := p.options(optionsArg, "Intl.NumberFormat")
	r.text("localeMatcher", "lookup", "best fit")
	r.latinDigits()
	s.readStyle(r)
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
	s.digits.read(r, minFraction, maxFraction)
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

func (s *numberSettings) readStyle(r optionReader) {
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

// read reads how many digits there are (ECMA-402, SetNumberFormatDigitOptions).
func (d *digitSettings) read(r optionReader, minFraction, maxFraction int) {
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

// round rounds x and gives its digits before and behind the point.
func (d *digitSettings) round(x *decimal) (whole, fraction string) {
	bySignificant := d.minSignificant >= 0
	significantPower := x.magnitude() - d.maxSignificant + 1
	if bySignificant && d.maxFraction >= 0 {
		bySignificant = significantPower <= -d.maxFraction
		if d.priority == "lessPrecision" {
			bySignificant = !bySignificant
		}
	}
	least := 0
	if bySignificant {
		x.round(significantPower, d.mode)
		least = max(d.minSignificant-1-x.magnitude(), 0)
	} else {
		x.round(-d.maxFraction, d.mode)
		least = d.minFraction
	}
	whole, fraction = x.text(d.minInteger, least)
	if d.stripInteger && strings.Trim(fraction, "0") == "" {
		fraction = ""
	}
	return whole, fraction
}

// show adds the digits to what resolvedOptions gives.
func (d *digitSettings) show(set func(string, any)) {
	set("minimumIntegerDigits", d.minInteger)
	if d.minSignificant >= 0 {
		set("minimumSignificantDigits", d.minSignificant)
		set("maximumSignificantDigits", d.maxSignificant)
	}
	if d.maxFraction >= 0 {
		set("minimumFractionDigits", d.minFraction)
		set("maximumFractionDigits", d.maxFraction)
	}
}
