package weburl

import (
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// Set lists the printable ASCII characters that are percent-encoded in a part of a URL;
// all characters outside printable ASCII are always encoded (WHATWG URL, section 1.3).
type Set string

const (
	encodeControl      Set = ""
	encodeFragment     Set = " \"<>`"
	encodeQuery        Set = " \"#<>"
	encodeSpecialQuery Set = encodeQuery + "'"
	encodePath         Set = encodeQuery + "?^`{}"
	encodeUser         Set = encodePath + "/:;=@[\\]|"
	// Form lists the characters that application/x-www-form-urlencoded encodes, except
	// the space.
	Form Set = encodeUser + "$%&+,!'()~"
)

func (s Set) has(c byte) bool {
	return c <= 0x1f || c >= 0x7f || strings.IndexByte(string(s), c) >= 0
}

const upperHex = "0123456789ABCDEF"

// AppendEncoded appends s with the characters of the set percent-encoded.
func AppendEncoded(dst []byte, s string, set Set) []byte {
	for i := range len(s) {
		if c := s[i]; set.has(c) {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func appendEncodedRune(dst []byte, r rune, set Set) []byte {
	var buf [utf8.UTFMax]byte
	return AppendEncoded(dst, string(utf8.AppendRune(buf[:0], r)), set)
}

// PercentDecode decodes percent-encoding; text that is not a valid escape stays
// unchanged.
func PercentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			out = append(out, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

func isHex(c byte) bool {
	return ascii.IsDigit(c) || 'a' <= ascii.Lower(c) && ascii.Lower(c) <= 'f'
}

func hexValue(c byte) byte {
	if ascii.IsDigit(c) {
		return c - '0'
	}
	return ascii.Lower(c) - 'a' + 10
}
