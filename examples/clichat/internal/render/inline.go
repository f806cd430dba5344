package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inlineState records which marks of a paragraph are open.
type inlineState struct {
	bold, italic, strike bool
	code                 uint8 // the number of backquotes that opened the code; 0: none
	mark                 byte  // the mark that opened the italics: * or _
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

// inliner converts the text of a paragraph to cells.
type inliner struct {
	src    string
	open   bool // more text may follow
	at     int  // how much of src has been read
	state  inlineState
	before rune // the character before at
	cells  []cell
	// settled is the number of cells that no more text can change; -1: all.
	settled int
	links   links
}

// inline converts the text of a paragraph to cells. open says that more text may follow;
// it may then change the cells from settled on.
func inline(src string, st inlineState, before rune, open bool) (cells []cell, settled int) {
	in := &inliner{src: src, open: open, state: st, before: before, settled: -1, links: links{src: src}}
	for in.at < len(src) {
		r, size := utf8.DecodeRuneInString(src[in.at:])
		if !in.mark(r) {
			in.text(r, size)
		}
	}
	if in.settled < 0 {
		in.settled = len(in.cells)
	}
	return in.cells, in.settled
}

// text reads a literal character, which occupies size bytes of the source.
func (in *inliner) text(r rune, size int) {
	in.at, in.before = in.at+size, r
	in.cells = appendRune(in.cells, r, in.state.style())
	touch(in.cells, in.at, in.state)
}

// skip reads a mark of n bytes, which is not shown.
func (in *inliner) skip(n int, last rune) {
	in.at, in.before = in.at+n, last
	touch(in.cells, in.at, in.state)
}

// unsure notes that more text may change the cells from here on.
func (in *inliner) unsure() {
	if in.open && in.settled < 0 {
		in.settled = len(in.cells)
	}
}

// mark reads a mark, and returns false for a literal character.
func (in *inliner) mark(r rune) bool {
	rest := in.src[in.at:]
	if in.state.code > 0 && r != '`' {
		return false
	}
	switch r {
	case '`':
		return in.code(run(rest, '`'))
	case '\\':
		if len(rest) == 1 {
			in.unsure()
		} else if strings.IndexByte("\\`*_{}[]()#+-.!~|<>", rest[1]) >= 0 {
			in.text(rune(rest[1]), 2)
			return true
		}
	case '*', '_', '~':
		in.emphasis(r, run(rest, byte(r)))
		return true
	case '[':
		return in.link()
	}
	return false
}

// code reads n backquotes, which begin or end a code span.
func (in *inliner) code(n int) bool {
	if in.at+n == len(in.src) {
		in.unsure()
	}
	switch {
	case in.state.code == 0 && n <= 3:
		in.state.code = uint8(n)
	case in.state.code > 0 && n == int(in.state.code):
		in.state.code = 0
	default:
		return false
	}
	in.skip(n, '`')
	return true
}

// emphasis reads n marks of bold, italics or strikethrough.
func (in *inliner) emphasis(r rune, n int) {
	if in.at+n == len(in.src) {
		in.unsure()
	}
	if n <= 3 && in.state.toggle(byte(r), n, in.before, following(in.src[in.at+n:])) {
		in.skip(n, r)
		return
	}
	for range n { // literal characters
		in.text(r, 1)
	}
}

// link reads a link, and shows its text and its address.
func (in *inliner) link() bool {
	text, url, n, more := in.links.read(in.at)
	if more && len(in.src)-in.at < maxLink {
		in.unsure()
	}
	if n == 0 {
		return false
	}
	for _, c := range text {
		in.cells = appendRune(in.cells, c, in.state.style()|Link)
	}
	if url != "" && url != text {
		for _, c := range " (" + url + ")" {
			in.cells = appendRune(in.cells, c, in.state.style()|Dim)
		}
	}
	in.skip(n, ')')
	return true
}

// touch records the source position after the last cell.
func touch(cells []cell, end int, st inlineState) {
	if n := len(cells); n > 0 {
		cells[n-1].end, cells[n-1].after = end, st
	}
}

// toggle opens or closes a mark of n characters, if its neighbours allow it.
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

// run counts how often c is repeated at the beginning of s.
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
