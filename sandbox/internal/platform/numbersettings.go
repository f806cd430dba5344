package platform

import (
	"strings"
)

// numberSettings is what a NumberFormat was asked for, see the constructor's
// steps in ECMA-402, section 16.1.
type numberSettings struct {
	locale *numberTag

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

// resolved gives what resolvedOptions shows, in the order of the standard.
func (s *numberSettings) resolved(set func(name string, value any)) {
	set("locale", s.locale.tag)
	set("numberingSystem", "latn")
	set("style", s.style)
	switch s.style {
	case "currency":
		set("currency", s.currency)
		set("currencyDisplay", s.currencyDisplay)
		set("currencySign", s.currencySign)
	}
	s.digits.show(set)
	if s.grouping == "" {
		set("useGrouping", false)
	} else {
		set("useGrouping", s.grouping)
	}
	set("notation", s.notation)
	set("signDisplay", s.signDisplay)
	s.digits.showRounding(set)
}

func (d *digitSettings) showRounding(set func(string, any)) {
	set("roundingMode", roundingNames[d.mode])
	set("roundingIncrement", 1)
	zeros := "auto"
	if d.stripInteger {
		zeros = "stripIfInteger"
	}
	set("trailingZeroDisplay", zeros)
	set("roundingPriority", d.priority)
}
