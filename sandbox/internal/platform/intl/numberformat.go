package intl

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Part is a part of a formatted number or date, as formatToParts returns it.
type Part struct{ Kind, Text string }

// Format formats a number.
func (s *NumberSettings) Format(d Decimal) string {
	var b strings.Builder
	for _, one := range s.Parts(d) {
		b.WriteString(one.Text)
	}
	return b.String()
}

// Parts formats a number as a list of parts.
func (s *NumberSettings) Parts(d Decimal) []Part {
	if s.Style == "percent" {
		d.shift(2)
	}
	power := 0
	whole, fraction := "", ""
	if !d.NaN && !d.Inf {
		power = s.power(d)
		d.shift(-power)
		whole, fraction = s.Digits.round(&d)
	}
	one := strings.TrimLeft(whole, "0") == "1" && fraction == ""
	return s.around(s.number(nil, &d, whole, fraction, power), s.sign(&d), one)
}

// power returns the power of ten by which the notation divides the number.
func (s *NumberSettings) power(d Decimal) int {
	magnitude := d.magnitude()
	power := s.powerFor(magnitude)
	rounded := d
	rounded.shift(-power)
	s.Digits.round(&rounded)
	if !rounded.zero() && rounded.magnitude()+power > magnitude {
		return s.powerFor(magnitude + 1) // 999,999 can round up to a million
	}
	return power
}

func (s *NumberSettings) powerFor(magnitude int) int {
	switch s.Notation {
	case "scientific":
		return magnitude
	case "engineering":
		if magnitude < 0 {
			return -((-magnitude + 2) / 3 * 3)
		}
		return magnitude / 3 * 3
	}
	return 0
}

// sign returns the sign to show: '-', '+' or 0 for none.
func (s *NumberSettings) sign(d *Decimal) byte {
	zero := d.zero() || d.NaN
	switch s.SignDisplay {
	case "never":
		return 0
	case "negative":
		if d.Negative && !zero {
			return '-'
		}
		return 0
	case "exceptZero":
		if zero {
			return 0
		}
	}
	switch {
	case d.Negative:
		return '-'
	case s.SignDisplay == "always", s.SignDisplay == "exceptZero":
		return '+'
	}
	return 0
}

// number appends the digits.
func (s *NumberSettings) number(dst []Part, d *Decimal, whole, fraction string, power int) []Part {
	switch {
	case d.NaN:
		return append(dst, Part{"nan", "NaN"})
	case d.Inf:
		return append(dst, Part{"infinity", "∞"})
	}
	first := len(whole)
	if s.Grouping != "" && (s.Grouping != "min2" || len(whole) > 4) {
		first = (len(whole)-1)%3 + 1
	}
	dst = append(dst, Part{"integer", whole[:first]})
	for whole = whole[first:]; whole != ""; whole = whole[3:] {
		dst = append(dst, Part{"group", ","}, Part{"integer", whole[:3]})
	}
	if fraction != "" {
		dst = append(dst, Part{"decimal", "."}, Part{"fraction", fraction})
	}
	if s.Notation == "scientific" || s.Notation == "engineering" {
		dst = append(dst, Part{"exponentSeparator", "E"})
		if power < 0 {
			dst = append(dst, Part{"exponentMinusSign", "-"})
			power = -power
		}
		dst = append(dst, Part{"exponentInteger", strconv.Itoa(power)})
	}
	return dst
}

// around adds the sign and the currency or percent sign to the digits. one says that the
// number is exactly 1.
func (s *NumberSettings) around(number []Part, sign byte, one bool) []Part {
	named := s.Style == "currency" && s.CurrencyDisplay == "name"
	parens := sign == '-' && s.Style == "currency" && s.CurrencySign == "accounting" && !named
	var out []Part
	switch {
	case parens:
		out = append(out, Part{"literal", "("})
	case sign == '-':
		out = append(out, Part{"minusSign", "-"})
	case sign == '+':
		out = append(out, Part{"plusSign", "+"})
	}
	if s.Style == "currency" && !named {
		mark := s.Currency
		if s.CurrencyDisplay != "code" {
			mark = s.Locale.symbol(s.Currency, s.CurrencyDisplay == "narrowSymbol")
		}
		out = append(out, Part{"currency", mark})
		// Symbols need no space before a digit, letters do.
		if last, _ := utf8.DecodeLastRuneInString(mark); !unicode.IsSymbol(last) && !unicode.IsSpace(last) {
			out = append(out, Part{"literal", "\u00a0"})
		}
	}
	out = append(out, number...)
	switch {
	case s.Style == "percent":
		out = append(out, Part{"percentSign", "%"})
	case named:
		out = append(out, Part{"literal", " "}, Part{"currency", currencyName(s.Currency, one)})
	case parens:
		out = append(out, Part{"literal", ")"})
	}
	return out
}
