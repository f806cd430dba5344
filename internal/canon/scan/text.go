package scan

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the text of a valid string token. A lone surrogate, which
// has no UTF-8 form, becomes U+FFFD.
func Unquote(token []byte) string {
	body := token[1 : len(token)-1]
	if Plain(token) {
		return string(body)
	}
	buf := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			buf = append(buf, body[i])
			i++
			continue
		}
		r, n := Unescape(body, i)
		buf = utf8.AppendRune(buf, r) // writes U+FFFD for a surrogate
		i += n
	}
	return string(buf)
}

// Plain reports whether a valid string token holds no escape, so that its text
// is exactly the bytes between the quotes.
func Plain(token []byte) bool {
	for _, c := range token {
		if c == '\\' {
			return false
		}
	}
	return true
}

// Unescape decodes the valid escape at body[i] and returns how many bytes it
// takes. Two escapes that are a surrogate pair count as one; a lone surrogate
// comes back as it is.
func Unescape(body []byte, i int) (rune, int) {
	switch c := body[i+1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ := hex4(body, i+2)
		if utf16.IsSurrogate(r) && i+7 < len(body) && body[i+6] == '\\' && body[i+7] == 'u' {
			if low, ok := hex4(body, i+8); ok {
				if pair := utf16.DecodeRune(r, low); pair != unicode.ReplacementChar {
					return pair, 12
				}
			}
		}
		return r, 6
	default:
		return rune(c), 2
	}
}

// IsBlank reports whether the text of a valid string token is empty or only
// white space.
func IsBlank(token []byte) bool {
	body := token[1 : len(token)-1]
	for i := 0; i < len(body); {
		var r rune
		var n int
		if body[i] == '\\' {
			r, n = Unescape(body, i)
		} else {
			r, n = utf8.DecodeRune(body[i:])
		}
		if !unicode.IsSpace(r) {
			return false
		}
		i += n
	}
	return true
}

// Compact appends a valid text to dst without the white space between tokens; the tokens
// stay unchanged.
func Compact(dst, data []byte) []byte {
	for i := 0; i < len(data); {
		switch c := data[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end := i + 1
			for data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			dst = append(dst, data[i:end+1]...)
			i = end + 1
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}
