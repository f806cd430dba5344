package fetch

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
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
	if utf8.Valid(b) && !bytes.HasPrefix(b, []byte(byteOrderMark)) {
		return string(b)
	}
	out, err := unicode.UTF8BOM.NewDecoder().Bytes(b)
	if err != nil { // it replaces what is invalid
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(out)
}

const byteOrderMark = "\ufeff"

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
