package poison

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decodeInline decodes HTML entities and percent escapes once; nil if there are none.
func decodeInline(v *view) *view {
	text := string(v.text)
	if !strings.ContainsAny(text, "&%") {
		return nil
	}
	out := newView(len(text))
	changed := false
	for i := 0; i < len(text); {
		decoded, n := "", 0
		switch text[i] {
		case '&':
			decoded, n = entity(text[i:])
		case '%':
			decoded, n = percent(text[i:])
		}
		if n == 0 {
			out.text = append(out.text, text[i])
			out.at = append(out.at, v.at[i])
			i++
			continue
		}
		changed = true
		out.add(decoded, v.at[i])
		i += n
	}
	if !changed {
		return nil
	}
	out.at = append(out.at, v.at[len(text)])
	return out
}

// entity decodes a character reference at the start of text; n is its length, 0 if there
// is none.
func entity(text string) (decoded string, n int) {
	const longest = 10
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return "", 0
	}
	name := text[1:end]
	switch name {
	case "lt":
		return "<", end + 1
	case "gt":
		return ">", end + 1
	case "amp":
		return "&", end + 1
	case "quot":
		return `"`, end + 1
	case "apos":
		return "'", end + 1
	case "nbsp":
		return " ", end + 1
	}
	digits, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		return "", 0
	}
	base := 10
	if rest, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
		digits, base = rest, 16
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil || code > unicode.MaxRune || !utf8.ValidRune(rune(code)) {
		return "", 0
	}
	return string(rune(code)), end + 1
}

// percent decodes one percent escape.
func percent(text string) (decoded string, n int) {
	if len(text) < 3 {
		return "", 0
	}
	b, err := hex.DecodeString(text[1:3])
	if err != nil {
		return "", 0
	}
	return string(b), 3
}

const (
	shortBlob = 24 // characters; anything shorter is too short for an instruction
	longBlob  = 100
)

// runs returns the stretches that could be base64 or hexadecimal.
func runs(text string) [][2]int {
	var out [][2]int
	for i := 0; i < len(text); {
		if !isBlobByte(text[i]) {
			i++
			continue
		}
		end := i
		for end < len(text) && isBlobByte(text[end]) {
			end++
		}
		for end < len(text) && text[end] == '=' {
			end++
		}
		if end-i >= shortBlob {
			out = append(out, [2]int{i, end})
		}
		i = end
	}
	return out
}

func isBlobByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '/' || c == '-' || c == '_'
}

// decodeRun decodes hexadecimal or base64, in either alphabet, padded or not. It returns
// false if the result is no text.
func decodeRun(run string) (string, bool) {
	run = strings.TrimRight(run, "=")
	if b, err := hex.DecodeString(run); err == nil && isReadable(b) {
		return string(b), true
	}
	run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	if b, err := base64.RawStdEncoding.DecodeString(run); err == nil && isReadable(b) {
		return string(b), true
	}
	return "", false
}

// isReadable reports whether bytes are text, nearly all of it printable.
func isReadable(b []byte) bool {
	if len(b) == 0 || !utf8.Valid(b) {
		return false
	}
	odd, all := 0, 0
	for _, r := range string(b) {
		all++
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			odd++
		}
	}
	return odd*10 <= all
}

// isProse reports whether a text is made of words rather than of data.
func isProse(text string) bool {
	words := 0
	for word := range strings.FieldsSeq(text) {
		if strings.IndexFunc(strings.TrimRight(word, ".,;:!?'\")"), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) < 0 {
			words++
		}
	}
	return words >= 8
}
