package canon

import "strconv"

// appendNumber writes a valid number token by its exact decimal value, in the
// layout of ECMAScript's Number::toString. It reports false when the exponent
// is too long to work with.
func appendNumber(dst, token []byte) ([]byte, bool) {
	rest := token
	negative := rest[0] == '-'
	if negative {
		rest = rest[1:]
	}
	// digits holds the digits without the decimal point; the value is 0.digits times
	// 10^point.
	var few [32]byte
	digits := few[:0]
	point := 0
	fraction := false
	i := 0
	for ; i < len(rest) && rest[i]|0x20 != 'e'; i++ {
		if rest[i] == '.' {
			fraction = true
			continue
		}
		if len(digits) == 0 && rest[i] == '0' { // leading zero
			if fraction {
				point--
			}
			continue
		}
		digits = append(digits, rest[i])
		if !fraction {
			point++
		}
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits) == 0 {
		return append(dst, '0'), true // also for -0, as in ECMAScript
	}
	if i < len(rest) {
		exponent, ok := parseExponent(rest[i+1:])
		if !ok {
			return dst, false
		}
		point += exponent
	}
	if negative {
		dst = append(dst, '-')
	}
	return layout(dst, digits, point), true
}

func parseExponent(text []byte) (int, bool) {
	negative := text[0] == '-'
	if text[0] == '+' || text[0] == '-' {
		text = text[1:]
	}
	for len(text) > 1 && text[0] == '0' {
		text = text[1:]
	}
	if len(text) > 9 {
		return 0, false
	}
	n, err := strconv.Atoi(string(text))
	if negative {
		n = -n
	}
	return n, err == nil
}

// layout writes 0.digits times 10^n (ECMA-262, Number::toString, where k is the
// number of digits).
func layout(dst, digits []byte, n int) []byte {
	k := len(digits)
	switch {
	case k <= n && n <= 21:
		dst = append(dst, digits...)
		return zeros(dst, n-k)
	case 0 < n && n <= 21:
		dst = append(dst, digits[:n]...)
		dst = append(dst, '.')
		return append(dst, digits[n:]...)
	case -6 < n && n <= 0:
		dst = append(dst, '0', '.')
		return append(zeros(dst, -n), digits...)
	}
	dst = append(dst, digits[0])
	if k > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if n-1 >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(n-1), 10)
}

func zeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
