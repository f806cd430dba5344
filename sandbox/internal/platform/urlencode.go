package platform

import (
	"strings"
	"unicode/utf8"
)

// encodeSet lists which printable ASCII characters are percent-encoded in a
// part of a URL; everything outside printable ASCII always is (WHATWG URL,
// section 1.3).
type encodeSet string

const (
	encodeControl      encodeSet = ""
	encodeFragment     encodeSet = " \"<>`"
	encodeQuery        encodeSet = " \"#<>"
	encodeSpecialQuery encodeSet = encodeQuery + "'"
	encodePath         encodeSet = encodeQuery + "?^`{}"
	encodeUser         encodeSet = encodePath + "/:;=@[\\]|"
	encodeForm         encodeSet = encodeUser + "$%&+,!'()~"
)

func (s encodeSet) has(c byte) bool {
	return c <= 0x1f || c >= 0x7f || strings.IndexByte(string(s), c) >= 0
}

const upperHex = "0123456789ABCDEF"

// appendEncoded appends s with the characters of the set percent-encoded.
func appendEncoded(dst []byte, s string, set encodeSet) []byte {
	for i := range len(s) {
		if c := s[i]; set.has(c) {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func appendEncodedRune(dst []byte, r rune, set encodeSet) []byte {
	var buf [utf8.UTFMax]byte
	return appendEncoded(dst, string(utf8.AppendRune(buf[:0], r)), set)
}

// percentDecode undoes percent-encoding; what is no escape stays.
func percentDecode(s string) string {
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
	return isDigit(c) || 'a' <= lowerByte(c) && lowerByte(c) <= 'f'
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return lowerByte(c) - 'a' + 10
}
