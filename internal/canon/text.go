package canon

import (
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/canon/scan"
)

const upperHex = "0123456789ABCDEF"

// AppendString appends s as a canonical JSON string. Bytes that are not UTF-8
// become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	return appendText(dst, strings.ToValidUTF8(s, "\uFFFD"))
}

// Compare orders strings by their UTF-16 code units, as member names are
// sorted. For text without characters beyond U+FFFF that is byte order.
func Compare(a, b string) int { return compare(a, b) }

// appendText writes generalised UTF-8 (lone surrogates as three bytes) as a
// string token.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != 0xED {
			i++
			continue
		}
		n := 1
		if c == 0xED {
			if s[i+1] < 0xA0 { // an ordinary character below U+D800
				i += 3
				continue
			}
			n = 3
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		case 0xED:
			r := surrogate(s[i:])
			dst = append(dst, '\\', 'u', upperHex[r>>12], upperHex[r>>8&15], upperHex[r>>4&15], upperHex[r&15])
		default:
			dst = append(dst, '\\', 'u', '0', '0', upperHex[c>>4], upperHex[c&15])
		}
		i += n
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// appendToken writes a valid string token in its canonical form.
func appendToken(dst, token []byte) []byte {
	if scan.Plain(token) {
		return append(dst, token...)
	}
	return appendText(dst, decodeString(token))
}

// decodeString decodes a valid string token into generalised UTF-8.
func decodeString(token []byte) string {
	body := token[1 : len(token)-1]
	if scan.Plain(token) {
		return string(body)
	}
	buf := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			buf = append(buf, body[i])
			i++
			continue
		}
		r, n := scan.Unescape(body, i)
		if r >= 0xD800 && r <= 0xDFFF {
			buf = append(buf, 0xED, 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
		} else {
			buf = utf8.AppendRune(buf, r)
		}
		i += n
	}
	return string(buf)
}

func surrogate(s string) rune { return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F) }

// compare orders generalised UTF-8 by UTF-16 code units.
func compare(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case i == len(a) && i == len(b):
		return 0
	case i == len(a):
		return -1
	case i == len(b):
		return 1
	}
	for i > 0 && !utf8.RuneStart(a[i]) { // both strings are equal up to here
		i--
	}
	high, low := units(a[i:])
	otherHigh, otherLow := units(b[i:])
	if high != otherHigh {
		return int(high) - int(otherHigh)
	}
	return int(low) - int(otherLow)
}

// units returns the one or two UTF-16 code units of the first character.
func units(s string) (first, second uint16) {
	if s[0] == 0xED && len(s) > 2 && s[1] >= 0xA0 {
		return uint16(surrogate(s)), 0
	}
	r, _ := utf8.DecodeRuneInString(s)
	if r < 0x10000 {
		return uint16(r), 0
	}
	r -= 0x10000
	return 0xD800 | uint16(r>>10), 0xDC00 | uint16(r&0x3FF)
}
