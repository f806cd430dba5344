package lower

import (
	"strconv"
	"strings"
	"unicode"
)

// shorthand returns the set of \d, \s, \w and their opposites.
func shorthand(c byte, fold bool) (set, bool) {
	var s set
	switch c {
	case 'd', 'D':
		s = set{{'0', '9'}}
	case 's', 'S':
		s = set{{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
			{0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}}
	case 'w', 'W':
		s = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
		if fold {
			s = append(s, span{0x17F, 0x17F}, span{0x212A, 0x212A}) // these fold to s and k
		}
	default:
		return nil, false
	}
	if c < 'a' {
		s = s.complement()
	}
	return s, true
}

// escape reads an escape in a class that denotes one character.
func (w *rewriter) escape() (rune, error) {
	c := w.src[w.pos+1]
	switch i := strings.IndexByte("bfnrtv", c); {
	case i >= 0:
		w.pos += 2
		return rune("\b\f\n\r\t\v"[i]), nil
	case c == '0':
		w.pos += 2
		return 0, nil
	case c == 'c' && w.pos+2 < len(w.src) && isLetter(w.src[w.pos+2]):
		r := rune(w.src[w.pos+2] & 31)
		w.pos += 3
		return r, nil
	case c == 'x':
		r, err := w.hex(w.pos+2, 2)
		w.pos += 4
		return r, err
	case c == 'u':
		return w.unicodeEscape()
	}
	punctuation := `^$\.*+?()[]{}|/-`
	if w.sets {
		punctuation += "&!#%,:;<=>@`~"
	}
	if strings.IndexByte(punctuation, c) < 0 {
		return 0, invalid(`the regular expression has an unknown escape in a class`)
	}
	w.pos += 2
	return rune(c), nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// hex reads n hexadecimal digits at i.
func (w *rewriter) hex(i, n int) (rune, error) {
	if i+n <= len(w.src) {
		if v, err := strconv.ParseUint(w.src[i:i+n], 16, 32); err == nil && v <= unicode.MaxRune {
			return rune(v), nil
		}
	}
	return 0, invalid("the regular expression has an escape that is not complete")
}

// unicodeEscape reads \u{X}, \uXXXX, or two \uXXXX that form one character.
func (w *rewriter) unicodeEscape() (rune, error) {
	if text, ok := w.braced(w.pos + 2); ok {
		digits := strings.TrimLeft(text, "0")
		if text != "" && digits == "" {
			digits = "0"
		}
		v, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || v > unicode.MaxRune {
			return 0, invalid("the regular expression has an escape of no character")
		}
		w.pos += len(text) + 4
		return rune(v), nil
	}
	r, err := w.hex(w.pos+2, 4)
	if err != nil {
		return 0, err
	}
	w.pos += 6
	if r&^0x3FF == 0xD800 && strings.HasPrefix(w.src[w.pos:], `\u`) {
		if low, err := w.hex(w.pos+2, 4); err == nil && low&^0x3FF == 0xDC00 {
			w.pos += 6
			return 0x10000 + (r-0xD800)<<10 + low - 0xDC00, nil
		}
	}
	return r, nil
}
