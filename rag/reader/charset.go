package reader

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/localpass/localpass/rag/reader/internal/writer"
)

// declared is a charset that the first lines of HTML or XML name.
var declared = pattern(`(?i)<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?([a-z0-9_:.-]+)`)

// decode returns the text of data and the charset that it was in, or "" if it is no text:
// if more than one in a hundred characters are controls or have no meaning in the charset.
func decode(data []byte) (text, charset string) {
	charset = guess(data)
	switch charset {
	case "utf-8":
		text = string(data)
	case "utf-32le", "utf-32be":
		order := utf32.LittleEndian
		if charset == "utf-32be" {
			order = utf32.BigEndian
		}
		text = decodeBy(utf32.UTF32(order, utf32.UseBOM), data)
	default:
		by, err := htmlindex.Get(charset)
		if err != nil {
			return "", ""
		}
		text = decodeBy(by, data)
	}
	bad := 0
	for _, r := range text {
		if r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\f\v\b\x1b\x1a\u0085", r) {
			bad++
		}
	}
	if bad*100 > len(text) && bad*100 > utf8.RuneCountInString(text) {
		return "", ""
	}
	return writer.Clean(text), charset
}

func decodeBy(by encoding.Encoding, data []byte) string {
	text, err := by.NewDecoder().Bytes(data)
	if err != nil {
		return ""
	}
	return string(text)
}

// guess returns the charset of data: by its byte order mark, by being valid UTF-8, by the
// zeros of UTF-16, by what a markup language declares, and else by its statistics.
func guess(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return "utf-8"
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")):
		return "utf-32le"
	case bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return "utf-32be"
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "utf-16be"
	}
	begin := data[:min(len(data), 4<<10)]
	var zeros [2]int
	for i, c := range begin {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch half := len(begin) / 2; {
	case zeros[1]*10 > half*3 && zeros[0]*20 < half:
		return "utf-16le"
	case zeros[0]*10 > half*3 && zeros[1]*20 < half:
		return "utf-16be"
	case utf8.Valid(data), brokenUTF8(data):
		return "utf-8"
	}
	if m := declared().FindSubmatch(begin); m != nil {
		if by, err := htmlindex.Get(string(m[1])); err == nil {
			if name, err := htmlindex.Name(by); err == nil && name != "utf-8" {
				return name
			}
		}
	}
	// The statistics need characters that are not ASCII.
	sample := data[max(0, bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })-1<<10):]
	sample = sample[:min(len(sample), 64<<10)]
	best, err := chardet.NewTextDetector().DetectBest(sample)
	if err == nil && best.Confidence >= 20 {
		if by, err := htmlindex.Get(best.Charset); err == nil {
			if name, err := htmlindex.Name(by); err == nil && name != "utf-8" {
				return name
			}
		}
	}
	return "windows-1252"
}

// brokenUTF8 reports that data is UTF-8 in which some bytes are wrong.
func brokenUTF8(data []byte) bool {
	bad, good := 0, 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			bad++
		} else if n > 1 {
			good++
		}
		data = data[n:]
	}
	return good > bad*10
}
