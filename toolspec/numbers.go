package toolspec

import (
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/canon"
)

// maxSafeInteger is 2^53-1: the whole numbers up to it are exact in JavaScript.
const maxSafeInteger = 1<<53 - 1

// wholeNumber returns the exact value of a valid JSON number without a fractional part,
// such as 5, 5.0 and 5e0, if it fits into 64 bits.
func wholeNumber(token []byte) (int64, bool) {
	plain := len(token) <= 18
	for i := 0; plain && i < len(token); i++ {
		plain = token[i] >= '0' && token[i] <= '9'
	}
	if plain { // the usual spelling
		var v int64
		for _, c := range token {
			v = v*10 + int64(c-'0')
		}
		return v, true
	}
	exact, err := canon.Transform(token) // 5 for 5.0, 500 for 5e2
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseInt(string(exact), 10, 64)
	return v, err == nil
}

// isWhole reports whether a valid JSON number that does not fit 64 bits has no
// fractional part.
func isWhole(token []byte) bool {
	exact, err := canon.Transform(token)
	if err != nil {
		return false
	}
	mantissa, exponent, _ := strings.Cut(string(exact), "e+")
	if exponent == "" {
		return !strings.ContainsAny(mantissa, ".e")
	}
	_, fraction, _ := strings.Cut(mantissa, ".")
	n, err := strconv.Atoi(exponent)
	return err == nil && n >= len(fraction)
}
