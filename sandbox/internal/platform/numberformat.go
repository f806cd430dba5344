package platform

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a piece of a formatted number, as formatToParts gives it.
type part struct{ kind, text string }

func (s *numberSettings) format(d decimal) string {
	var b strings.Builder
	for _, one := range s.parts(d) {
		b.WriteString(one.text)
	}
	return b.String()
}

// parts formats a number.
func (s *numberSettings) parts(d decimal) []part {
	if s.style == "percent" {
		d.shift(2)
	}
	power := 0
	whole, fraction := "", ""
	if !d.nan && !d.inf {
		power = s.power(d)
		d.shift(-power)
		whole, fraction = s.digits.round(&d)
	}
	one := strings.TrimLeft(whole, "0") == "1" && fraction == ""
	return s.around(s.number(nil, &d, whole, fraction, power), s.sign(&d), one)
}

// power is what power of ten the number is written in.
func (s *numberSettings) power(d decimal) int {
	magnitude := d.magnitude()
	power := s.powerFor(magnitude)
	rounded := d
	rounded.shift(-power)
	s.digits.round(&rounded)
	if !rounded.zero() && rounded.magnitude()+power > magnitude {
		return s.powerFor(magnitude + 1) // 999,999 becomes a million
	}
	return power
}

func (s *numberSettings) powerFor(magnitude int) int {
	switch s.notation {
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

// sign says which sign a number shows: '-', '+' or none.
func (s *numberSettings) sign(d *decimal) byte {
	zero := d.zero() || d.nan
	switch s.signDisplay {
	case "never":
		return 0
	case "negative":
		if d.negative && !zero {
			return '-'
		}
		return 0
	case "exceptZero":
		if zero {
			return 0
		}
	}
	switch {
	case d.negative:
		return '-'
	case s.signDisplay == "always", s.signDisplay == "exceptZero":
		return '+'
	}
	return 0
}

// number appends the digits.
func (s *numberSettings) number(dst []part, d *decimal, whole, fraction string, power int) []part {
	language := s.locale.data()
	switch {
	case d.nan:
		return append(dst, part{"nan", "NaN"})
	case d.inf:
		return append(dst, part{"infinity", "∞"})
	}
	first := len(whole)
	if s.grouping != "" && (s.grouping != "min2" || len(whole) > 4) {
		first = (len(whole)-1)%3 + 1
	}
	dst = append(dst, part{"integer", whole[:first]})
	for whole = whole[first:]; whole != ""; whole = whole[3:] {
		dst = append(dst, part{"group", language.group}, part{"integer", whole[:3]})
	}
	if fraction != "" {
		dst = append(dst, part{"decimal", language.decimal}, part{"fraction", fraction})
	}
	if s.notation == "scientific" || s.notation == "engineering" {
		dst = append(dst, part{"exponentSeparator", "E"})
		if power < 0 {
			dst = append(dst, part{"exponentMinusSign", "-"})
			power = -power
		}
		dst = append(dst, part{"exponentInteger", strconv.Itoa(power)})
	}
	return dst
}

// around puts the pattern of the style and the sign around the digits. one says
// that they are exactly 1.
func (s *numberSettings) around(number []part, sign byte, one bool) []part {
	language := s.locale.data()
	pattern, kind, currency := "{0}", "", ""
	parens := false
	switch s.style {
	case "percent":
		pattern, kind = language.percent, "percentSign"
	case "currency":
		switch s.currencyDisplay {
		case "name":
			pattern, currency = language.currencyName, s.locale.name(s.currency, one)
		case "code":
			pattern, currency = language.currency, s.currency
		default:
			pattern, currency = language.currency, s.locale.symbol(s.currency, s.currencyDisplay == "narrowSymbol")
		}
		parens = sign == '-' && s.currencySign == "accounting" && strings.HasPrefix(language.accounting, "(") && s.currencyDisplay != "name"
	}
	var out []part
	switch {
	case parens:
		out = append(out, part{"literal", "("})
	case sign == '-':
		out = append(out, part{"minusSign", "-"})
	case sign == '+':
		out = append(out, part{"plusSign", "+"})
	}
	out = expand(out, pattern, kind, currency, number)
	if parens {
		out = append(out, part{"literal", ")"})
	}
	return out
}

// expand appends a pattern with the number in the place of {0} and the currency
// in that of ¤; other text is of that kind.
func expand(dst []part, pattern, kind, currency string, number []part) []part {
	before, after, counted := strings.Cut(pattern, "{0}")
	if !counted {
		number = nil
	}
	dst = expandText(dst, before, kind, currency)
	if last, _ := utf8.DecodeLastRuneInString(currency); strings.HasSuffix(before, "¤") && !standsClose(last) {
		dst = append(dst, part{"literal", "\u00a0"})
	}
	dst = append(dst, number...)
	if head, _ := utf8.DecodeRuneInString(currency); strings.HasPrefix(after, "¤") && !standsClose(head) && len(number) > 0 && pattern != "{0}¤" {
		dst = append(dst, part{"literal", "\u00a0"})
	}
	return expandText(dst, after, kind, currency)
}

// standsClose reports whether a currency that ends so needs no space before a
// digit: symbols do not, letters do.
func standsClose(r rune) bool { return unicode.IsSymbol(r) || unicode.IsSpace(r) }

// expandText appends the text on one side of the number; spaces at its ends are
// literals.
func expandText(dst []part, text, kind, currency string) []part {
	head, tail, found := strings.Cut(text, "¤")
	if found {
		dst = expandText(dst, head, kind, "")
		dst = append(dst, part{"currency", currency})
		return expandText(dst, tail, kind, "")
	}
	core := strings.TrimFunc(text, unicode.IsSpace)
	if core == "" {
		if text != "" {
			dst = append(dst, part{"literal", text})
		}
		return dst
	}
	at := strings.Index(text, core)
	if at > 0 {
		dst = append(dst, part{"literal", text[:at]})
	}
	dst = append(dst, part{kind, core})
	if rest := text[at+len(core):]; rest != "" {
		dst = append(dst, part{"literal", rest})
	}
	return dst
}
