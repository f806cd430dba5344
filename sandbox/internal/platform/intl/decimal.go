package intl

import (
	"math/big"
	"strconv"
	"strings"
)

// Decimal is a decimal number: 0.digits times ten to the power of the exponent. The
// digits have no leading or trailing zeros. Zero, NaN and infinity have no digits.
type Decimal struct {
	digits   []byte // '0' to '9'
	Exponent int
	Negative bool
	NaN, Inf bool
}

// MaxDigits is the maximum of the digits and of the exponent of a Decimal, since
// formatting writes out all digits.
const MaxDigits = 10_000

// ParseDecimal parses a number with all of its digits: the output of FormatFloat, or a
// string that Number accepts in JavaScript. ok is false if s is not a number.
func ParseDecimal(s string) (d Decimal, ok bool) {
	s = strings.TrimFunc(s, whiteSpace)
	switch {
	case s == "":
		return d, true
	case len(s) > 2 && s[0] == '0' && strings.IndexByte("xXoObB", s[1]) >= 0:
		n, ok := new(big.Int).SetString(s, 0)
		if !ok || strings.ContainsRune(s, '_') {
			return d, false
		}
		s = n.String()
	}
	if s[0] == '-' || s[0] == '+' {
		d.Negative = s[0] == '-'
		s = s[1:]
	}
	if s == "Infinity" {
		d.Inf = true
		return d, true
	}
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil && (s[i+1:] == "" || strings.Trim(s[i+1:], "+-0123456789") != "") {
			return d, false
		}
		mantissa, exponent = s[:i], max(min(n, 10*MaxDigits), -10*MaxDigits)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" && fraction == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "" {
		return d, false
	}
	d.digits = []byte(whole + fraction)
	d.Exponent = len(whole) + exponent
	d.trim()
	return d, true
}

// whiteSpace reports whether JavaScript's trim removes r.
func whiteSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

// FloatDecimal returns the shortest digits that represent x, as JavaScript writes it:
// 1.005 has four digits.
func FloatDecimal(x float64) Decimal {
	switch {
	case x != x:
		return Decimal{NaN: true}
	case x > 1.7976931348623157e308:
		return Decimal{Inf: true}
	case x < -1.7976931348623157e308:
		return Decimal{Inf: true, Negative: true}
	}
	var buf [32]byte
	d, _ := ParseDecimal(string(strconv.AppendFloat(buf[:0], x, 'e', -1, 64)))
	return d
}

func (d *Decimal) trim() {
	lead := 0
	for lead < len(d.digits) && d.digits[lead] == '0' {
		lead++
	}
	d.digits = d.digits[lead:]
	d.Exponent -= lead
	n := len(d.digits)
	for n > 0 && d.digits[n-1] == '0' {
		n--
	}
	if d.digits = d.digits[:n]; n == 0 {
		d.Exponent = 0
	}
}

func (d *Decimal) zero() bool { return len(d.digits) == 0 && !d.NaN && !d.Inf }

// magnitude returns the power of ten of the first digit, 0 for zero.
func (d *Decimal) magnitude() int {
	if len(d.digits) == 0 {
		return 0
	}
	return d.Exponent - 1
}

// shift multiplies by a power of ten.
func (d *Decimal) shift(n int) {
	if len(d.digits) > 0 {
		d.Exponent += n
	}
}

// digit returns the digit for ten to this power, '0' if there is none.
func (d *Decimal) digit(power int) byte {
	if i := d.Exponent - 1 - power; i >= 0 && i < len(d.digits) {
		return d.digits[i]
	}
	return '0'
}

// Rounding is a rounding mode of ECMA-402.
type Rounding uint8

const (
	roundHalfExpand Rounding = iota
	roundCeil
	roundFloor
	roundExpand
	roundTrunc
	roundHalfCeil
	roundHalfFloor
	roundHalfTrunc
	roundHalfEven
)

var RoundingNames = []string{"halfExpand", "ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfTrunc", "halfEven"}

// round rounds to a multiple of ten to this power.
func (d *Decimal) round(power int, mode Rounding) {
	keep := d.Exponent - power
	if keep >= len(d.digits) {
		return
	}
	var rest []byte
	half := -1 // compares the dropped part with one half: -1, 0 or 1
	if keep >= 0 {
		rest = d.digits[keep:]
		switch {
		case rest[0] > '5', rest[0] == '5' && len(rest) > 1:
			half = 1
		case rest[0] == '5':
			half = 0
		}
	}
	odd := keep > 0 && (d.digits[keep-1]-'0')%2 == 1
	up := false
	switch mode {
	case roundExpand:
		up = true
	case roundCeil:
		up = !d.Negative
	case roundFloor:
		up = d.Negative
	case roundHalfExpand:
		up = half >= 0
	case roundHalfTrunc:
		up = half > 0
	case roundHalfCeil:
		up = half > 0 || half == 0 && !d.Negative
	case roundHalfFloor:
		up = half > 0 || half == 0 && d.Negative
	case roundHalfEven:
		up = half > 0 || half == 0 && odd
	}
	if keep < 0 {
		keep = 0
		d.Exponent = power
	}
	d.digits = append([]byte(nil), d.digits[:keep]...)
	if up {
		i := keep - 1
		for ; i >= 0 && d.digits[i] == '9'; i-- {
			d.digits[i] = '0'
		}
		if i >= 0 {
			d.digits[i]++
		} else {
			d.digits = append([]byte{'1'}, d.digits...)
			d.Exponent++
		}
	}
	d.trim()
}

// text returns the digits before and after the decimal point, padded with zeros to at
// least the given numbers.
func (d *Decimal) text(wholeDigits, fractionDigits int) (whole, fraction string) {
	n := max(d.Exponent, wholeDigits)
	w := make([]byte, 0, n)
	for power := n - 1; power >= 0; power-- {
		w = append(w, d.digit(power))
	}
	f := make([]byte, 0, max(fractionDigits, len(d.digits)-d.Exponent, 0))
	for power := -1; power >= -cap(f); power-- {
		f = append(f, d.digit(power))
	}
	return string(w), string(f)
}
