package poison

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// view is a text in another form, with the way back: at[i] is the offset in the
// original of what stands at text[i], and at[len(text)] its end.
type view struct {
	text []byte
	at   []int32
}

func (v *view) add(s string, at int32) {
	for i := range len(s) {
		v.text = append(v.text, s[i])
		v.at = append(v.at, at)
	}
}

func newView(size int) *view {
	return &view{text: make([]byte, 0, size), at: make([]int32, 0, size+1)}
}

// plain is the text as it is.
func plain(text string) *view {
	v := newView(len(text))
	for i := range len(text) {
		v.text = append(v.text, text[i])
		v.at = append(v.at, int32(i))
	}
	v.at = append(v.at, int32(len(text)))
	return v
}

// fold brings a text into the one form that the rules are written for: lower
// case, compatibility forms and typographic signs made plain, runs of blanks one
// blank or one line break, and without the characters that nobody sees and the
// asterisks of emphasis.
func (v *view) fold() *view {
	out := newView(len(v.text))
	var it norm.Iter
	it.Init(norm.NFKC, v.text)
	blank, line := false, false
	for !it.Done() {
		at := v.at[it.Pos()]
		segment := it.Next()
		for len(segment) > 0 {
			r, n := utf8.DecodeRune(segment)
			segment = segment[n:]
			switch {
			case unicode.IsSpace(r):
				blank, line = true, line || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
				continue
			case r == '*' || isInvisible(r):
				continue
			}
			if blank && len(out.text) > 0 {
				out.add(blankOrLine(line), at)
			}
			blank, line = false, false
			out.add(string(unicode.ToLower(plainSign(r))), at)
		}
	}
	out.at = append(out.at, v.at[len(v.text)])
	return out
}

func blankOrLine(line bool) string {
	if line {
		return "\n"
	}
	return " "
}

// plainSign maps quotes and dashes to those of ASCII.
func plainSign(r rune) rune {
	switch r {
	case '‘', '’', 'ʼ', '‛':
		return '\''
	case '“', '”', '„':
		return '"'
	case '‐', '‑', '–', '—', '−':
		return '-'
	}
	return r
}

// span maps a match back: a range of whole characters of the original.
func (v *view) span(original string, from, to int) (offset, length int) {
	start, end := int(v.at[from]), int(v.at[to])
	// What was folded together begins at the same place.
	if end <= start {
		_, n := utf8.DecodeRuneInString(original[start:])
		end = start + n
	}
	for end > start+1 && end < len(original) && !utf8.RuneStart(original[end]) {
		end++
	}
	return start, len(strings.TrimRightFunc(original[start:end], unicode.IsSpace))
}

// Visible writes characters that cannot be seen, or that change how the text
// beside them is shown, as \u{200B}; blanks and line breaks too, as \n. The rest
// stays as it is.
func Visible(text string) string {
	hidden := func(r rune) bool {
		return r != ' ' && (unicode.IsControl(r) || isInvisible(r) || r == utf8.RuneError || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r))
	}
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			writeEscape(&b, rune(text[i]))
		case r == utf8.RuneError || !hidden(r):
			b.WriteRune(r)
		default:
			writeEscape(&b, r)
		}
	}
	return b.String()
}

func writeEscape(b *strings.Builder, r rune) {
	const hex = "0123456789ABCDEF"
	b.WriteString(`\u{`)
	started := false
	for shift := 20; shift >= 0; shift -= 4 {
		digit := r >> shift & 0xf
		if digit != 0 || started || shift <= 12 {
			started = true
			b.WriteByte(hex[digit])
		}
	}
	b.WriteByte('}')
}

// excerpt is what a finding shows.
func excerpt(text string) string {
	const most = 120
	shown := Visible(text)
	if utf8.RuneCountInString(shown) <= most {
		return shown
	}
	return string([]rune(shown)[:most-1]) + "…"
}
