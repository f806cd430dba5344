package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inlineState is what of a paragraph's marks is open.
type inlineState struct {
	bold, italic, strike bool
	code                 uint8 // the backquotes that opened it; 0: none
	mark                 byte  // that opened the italics: * or _
}

func (st inlineState) style() Style {
	var s Style
	if st.bold {
		s |= Bold
	}
	if st.italic {
		s |= Italic
	}
	if st.strike {
		s |= Strike
	}
	if st.code > 0 {
		s |= Code
	}
	return s
}

// maxLink is how far a link may reach, in bytes, until its beginning counts as
// text.
const maxLink = 600

// inline makes cells of a paragraph's text. open says that more may follow; then
// cells from settled on may still become others.
func inline(src string, st inlineState, before rune, open bool) (cells []cell, settled int) {
	settled = -1
	unsure := func() {
		if open && settled < 0 {
			settled = len(cells)
		}
	}
	add := func(r rune, s Style, end int) {
		cells = appendRune(cells, r, s)
		cells[len(cells)-1].end, cells[len(cells)-1].after = end, st
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRuneInString(src[i:])
		rest := src[i:]
		if st.code > 0 {
			if n := run(rest, '`'); n > 0 {
				if i+n == len(src) {
					unsure()
				}
				if n == int(st.code) {
					st.code = 0
					i += n
					touch(cells, i, st)
					continue
				}
			}
			add(r, st.style(), i+size)
			i, before = i+size, r
			continue
		}
		switch r {
		case '`':
			n := run(rest, '`')
			if i+n == len(src) {
				unsure()
			}
			if n <= 3 {
				st.code = uint8(n)
				i, before = i+n, '`'
				touch(cells, i, st)
				continue
			}
		case '\\':
			if i+1 == len(src) {
				unsure()
			} else if strings.IndexByte("\\`*_{}[]()#+-.!~|<>", src[i+1]) >= 0 {
				add(rune(src[i+1]), st.style(), i+2)
				i, before = i+2, rune(src[i+1])
				continue
			}
		case '*', '_', '~':
			n := run(rest, byte(r))
			if i+n == len(src) {
				unsure()
			}
			if n <= 3 && st.toggle(byte(r), n, before, following(rest[n:])) {
				i, before = i+n, r
				touch(cells, i, st)
				continue
			}
			for range n { // they stand for themselves
				i++
				add(r, st.style(), i)
			}
			before = r
			continue
		case '[':
			text, url, n, more := link(rest)
			if more && len(rest) < maxLink {
				unsure()
			}
			if n > 0 {
				st := st
				for _, c := range text {
					cells = appendRune(cells, c, st.style()|Link)
				}
				if url != "" && url != text {
					for _, c := range " (" + url + ")" {
						cells = appendRune(cells, c, st.style()|Dim)
					}
				}
				i, before = i+n, ')'
				touch(cells, i, st)
				continue
			}
		}
		add(r, st.style(), i+size)
		i, before = i+size, r
	}
	if settled < 0 || !open {
		settled = len(cells)
	}
	return cells, settled
}

// touch records the source position after the last cell.
func touch(cells []cell, end int, st inlineState) {
	if n := len(cells); n > 0 {
		cells[n-1].end, cells[n-1].after = end, st
	}
}

// toggle opens or closes a mark of n characters, where it can.
func (st *inlineState) toggle(mark byte, n int, before, after rune) bool {
	opens := after != 0 && !unicode.IsSpace(after) && (mark != '_' || !word(before))
	closes := before != 0 && !unicode.IsSpace(before) && (mark != '_' || !word(after))
	switch {
	case mark == '~':
		if n != 2 || st.strike && !closes || !st.strike && !opens {
			return false
		}
		st.strike = !st.strike
	case n == 3:
		if st.bold && st.italic && closes {
			st.bold, st.italic = false, false
		} else if !st.bold && !st.italic && opens {
			st.bold, st.italic, st.mark = true, true, mark
		} else {
			return false
		}
	case n == 2:
		if st.bold && !closes || !st.bold && !opens {
			return false
		}
		st.bold = !st.bold
	case st.italic:
		if !closes || st.mark != mark {
			return false
		}
		st.italic = false
	default:
		if !opens || mark == '*' && word(before) {
			return false
		}
		st.italic, st.mark = true, mark
	}
	return true
}

// link reads [text](url) or ![text](url); more says that it may yet become one.
func link(s string) (text, url string, n int, more bool) {
	end := strings.IndexAny(s[1:], "[]\n") + 1
	if end == 0 {
		return "", "", 0, true
	}
	if s[end] != ']' {
		return "", "", 0, false
	}
	if end+1 == len(s) {
		return "", "", 0, true
	}
	if s[end+1] != '(' {
		return "", "", 0, false
	}
	depth := 0
	for i := end + 1; i < len(s) && i < maxLink; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				url, _, _ = strings.Cut(strings.TrimSpace(s[end+2:i]), " ")
				return s[1:end], url, i + 1, false
			}
		case '\n':
			return "", "", 0, false
		}
	}
	return "", "", 0, len(s) < maxLink
}

// run counts how often c occurs at the beginning.
func run(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

func following(s string) rune {
	if s == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
