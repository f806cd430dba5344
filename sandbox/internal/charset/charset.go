// Package charset decodes text in the charsets that code gets without a package of its
// own: UTF-8, UTF-16 and windows-1252. Package sandbox/charsets has the others.
package charset

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// The charsets, by their names in the Encoding Standard.
const (
	UTF8        = "utf-8"
	UTF16LE     = "utf-16le"
	UTF16BE     = "utf-16be"
	Windows1252 = "windows-1252"
)

// Name returns the charset for a label (Encoding Standard, section 4.2), if it is one of
// this package.
func Name(label string) (name string, ok bool) {
	switch ascii.LowerString(strings.Trim(label, "\t\n\f\r ")) {
	case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8":
		return UTF8, true
	case "utf-16le", "utf-16", "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff":
		return UTF16LE, true
	case "utf-16be", "unicodefffe":
		return UTF16BE, true
	case "windows-1252", "latin1", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100",
		"l1", "csisolatin1", "ibm819", "cp819", "cp1252", "x-cp1252", "ascii", "us-ascii", "ansi_x3.4-1968":
		return Windows1252, true
	}
	return "", false
}

// Decode decodes a whole text and drops its byte order mark. What is invalid becomes
// U+FFFD.
func Decode(name string, data []byte) string {
	text, _ := (&Decoder{Name: name}).Decode(data, true)
	return text
}

// Decoder decodes a text that comes in parts.
type Decoder struct {
	Name      string
	IgnoreBOM bool // a byte order mark is part of the text

	started bool   // past the start, where a byte order mark is allowed
	rest    []byte // an incomplete character from the previous call
}

// Decode converts bytes to text and reports whether all of them are valid; each longest
// prefix of a character that is then invalid becomes U+FFFD. With flush, an incomplete
// character at the end is invalid, and the decoder starts again.
func (d *Decoder) Decode(data []byte, flush bool) (text string, ok bool) {
	if len(d.rest) > 0 {
		data = append(d.rest, data...)
		d.rest = nil
	}
	switch d.Name {
	case Windows1252:
		return decode1252(data), true
	case UTF8:
		text, ok = d.decode8(data, flush)
	default:
		text, ok = d.decode16(data, flush)
	}
	if !d.started && text != "" {
		d.started = true
		if !d.IgnoreBOM {
			text = strings.TrimPrefix(text, "\ufeff")
		}
	}
	if flush {
		d.Reset()
	}
	return text, ok
}

// Reset starts a new text.
func (d *Decoder) Reset() { d.rest, d.started = nil, false }

func decode1252(data []byte) string {
	text := make([]byte, 0, len(data)+len(data)/8)
	for _, c := range data {
		r := charmap.Windows1252.DecodeByte(c)
		if r == utf8.RuneError {
			r = rune(c) // one of the five bytes that the standard maps to themselves
		}
		text = utf8.AppendRune(text, r)
	}
	return string(text)
}

func (d *Decoder) decode8(data []byte, flush bool) (text string, ok bool) {
	if utf8.Valid(data) {
		return string(data), true
	}
	out := make([]byte, len(data)*len("\ufffd"))
	n, read, _ := unicode.UTF8.NewDecoder().Transform(out, data, flush)
	d.rest = append(d.rest, data[read:]...)
	return string(out[:n]), utf8.Valid(data[:read])
}

// decode16 is ours, since x/text takes two low surrogates for one error.
func (d *Decoder) decode16(data []byte, flush bool) (text string, ok bool) {
	unit := func(i int) rune {
		if d.Name == UTF16BE {
			return rune(data[i])<<8 | rune(data[i+1])
		}
		return rune(data[i+1])<<8 | rune(data[i])
	}
	out, ok := make([]byte, 0, len(data)), true
	for len(data) >= 2 {
		r, size := unit(0), 2
		if utf16.IsSurrogate(r) {
			if len(data) < 4 && r < lowSurrogates {
				break // an odd byte after it belongs to the same error
			}
			pair := utf8.RuneError
			if len(data) >= 4 {
				pair = utf16.DecodeRune(r, unit(2))
			}
			if pair == utf8.RuneError {
				ok = false
			} else {
				size = 4
			}
			r = pair
		}
		out = utf8.AppendRune(out, r)
		data = data[size:]
	}
	if len(data) > 0 {
		if !flush {
			d.rest = append(d.rest, data...)
			return string(out), ok
		}
		out, ok = utf8.AppendRune(out, utf8.RuneError), false
	}
	return string(out), ok
}

const lowSurrogates = 0xdc00 // up to 0xdfff; each follows a high one
