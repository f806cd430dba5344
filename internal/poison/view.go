package poison

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/localpass/localpass/internal/termtext"
)

// view is a converted text with a map to the original: at[i] is the offset in the
// original of the byte text[i], and at[len(text)] is the end of the original.
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

// unchangedView returns a view of the unchanged text.
func unchangedView(text string) *view {
	v := newView(len(text))
	for i := range len(text) {
		v.text = append(v.text, text[i])
		v.at = append(v.at, int32(i))
	}
	v.at = append(v.at, int32(len(text)))
	return v
}

// fold converts a text to the form that the rules match: in lower case, with
// compatibility forms and typographic signs replaced by plain characters, runs of white
// space by one space or line break, and without invisible characters and asterisks for
// emphasis.
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

// plainSign maps quotes and dashes to ASCII.
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

// span maps a match to a range of whole characters of the original.
func (v *view) span(original string, from, to int) (offset, length int) {
	start, end := int(v.at[from]), int(v.at[to])
	// Characters that were folded together begin at the same place.
	if end <= start {
		_, n := utf8.DecodeRuneInString(original[start:])
		end = start + n
	}
	for end > start+1 && end < len(original) && !utf8.RuneStart(original[end]) {
		end++
	}
	return start, len(strings.TrimRightFunc(original[start:end], unicode.IsSpace))
}

// Excerpt returns the text as a finding shows it.
func Excerpt(text string) string {
	const most = 120
	shown := termtext.Escape(text)
	if utf8.RuneCountInString(shown) <= most {
		return shown
	}
	return string([]rune(shown)[:most-1]) + "…"
}
