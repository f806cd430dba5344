package intl

import (
	"strings"
)

// NumberSettings holds the settings requested from a NumberFormat; see the steps of the
// constructor in ECMA-402, section 16.1.
type NumberSettings struct {
	Locale *NumberLocale

	Style                                   string // decimal, percent, currency
	Currency, CurrencyDisplay, CurrencySign string
	Notation                                string // standard, scientific, engineering
	Grouping                                string // auto, always, min2, or "" for none
	SignDisplay                             string
	Digits                                  DigitSettings
}

// DigitSettings says how many digits a number shows and how it is rounded.
type DigitSettings struct {
	MinInteger                     int
	MinFraction, MaxFraction       int    // -1: fraction digits not used
	MinSignificant, MaxSignificant int    // -1: significant digits not used
	Priority                       string // auto, morePrecision, lessPrecision
	Mode                           Rounding
	StripInteger                   bool
}

// round rounds x and returns its digits before and after the decimal point.
func (d *DigitSettings) round(x *Decimal) (whole, fraction string) {
	bySignificant := d.MinSignificant >= 0
	significantPower := x.magnitude() - d.MaxSignificant + 1
	if bySignificant && d.MaxFraction >= 0 {
		bySignificant = significantPower <= -d.MaxFraction
		if d.Priority == "lessPrecision" {
			bySignificant = !bySignificant
		}
	}
	least := 0
	if bySignificant {
		x.round(significantPower, d.Mode)
		least = max(d.MinSignificant-1-x.magnitude(), 0)
	} else {
		x.round(-d.MaxFraction, d.Mode)
		least = d.MinFraction
	}
	whole, fraction = x.text(d.MinInteger, least)
	if d.StripInteger && strings.Trim(fraction, "0") == "" {
		fraction = ""
	}
	return whole, fraction
}

// show passes the digit settings to set, for resolvedOptions.
func (d *DigitSettings) show(set func(string, any)) {
	set("minimumIntegerDigits", d.MinInteger)
	if d.MinSignificant >= 0 {
		set("minimumSignificantDigits", d.MinSignificant)
		set("maximumSignificantDigits", d.MaxSignificant)
	}
	if d.MaxFraction >= 0 {
		set("minimumFractionDigits", d.MinFraction)
		set("maximumFractionDigits", d.MaxFraction)
	}
}

// Resolved passes to set what resolvedOptions shows, in the order of the standard.
func (s *NumberSettings) Resolved(set func(name string, value any)) {
	set("locale", s.Locale.tag)
	set("numberingSystem", "latn")
	set("style", s.Style)
	switch s.Style {
	case "currency":
		set("currency", s.Currency)
		set("currencyDisplay", s.CurrencyDisplay)
		set("currencySign", s.CurrencySign)
	}
	s.Digits.show(set)
	if s.Grouping == "" {
		set("useGrouping", false)
	} else {
		set("useGrouping", s.Grouping)
	}
	set("notation", s.Notation)
	set("signDisplay", s.SignDisplay)
	s.Digits.showRounding(set)
}

func (d *DigitSettings) showRounding(set func(string, any)) {
	set("roundingMode", RoundingNames[d.Mode])
	set("roundingIncrement", 1)
	zeros := "auto"
	if d.StripInteger {
		zeros = "stripIfInteger"
	}
	set("trailingZeroDisplay", zeros)
	set("roundingPriority", d.Priority)
}
