package fetch

import (
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// charset returns the decoder for a Content-Type, nil for UTF-8. An unknown charset is
// treated as UTF-8.
func charset(contentType string) *encoding.Decoder {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["charset"] == "" {
		return nil
	}
	enc, err := htmlindex.Get(params["charset"])
	if err != nil {
		return nil
	}
	if name, err := htmlindex.Name(enc); err != nil || name == "utf-8" {
		return nil
	}
	return enc.NewDecoder()
}

// decodeText decodes a body to text.
func decodeText(body []byte, contentType string) string {
	if d := charset(contentType); d != nil {
		if out, err := d.Bytes(body); err == nil {
			return string(out)
		}
	}
	return decodeUTF8(body)
}

// decodeUTF8 decodes UTF-8 as the Encoding Standard defines: a byte order mark is
// dropped, and each longest prefix of a character that is then invalid becomes U+FFFD.
func decodeUTF8(b []byte) string {
	if len(b) >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf {
		b = b[3:]
	}
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + 16)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = broken(b)
		}
		out.WriteRune(r)
		b = b[size:]
	}
	return out.String()
}

// broken returns the length of the invalid sequence at the start of b that is the prefix
// of a character: at least 1.
func broken(b []byte) int {
	need, low, high := 0, byte(0x80), byte(0xbf)
	switch c := b[0]; {
	case c >= 0xc2 && c <= 0xdf:
		need = 1
	case c >= 0xe0 && c <= 0xef:
		need = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		need = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for n <= need && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

// nesting returns the nesting depth of the brackets in a JSON text, without parsing the
// rest.
func nesting(text string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
