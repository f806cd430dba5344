package wire

import "unicode/utf8"

// UTF8 joins characters that were split between two pieces of a stream, and replaces
// invalid bytes. The halves of a surrogate pair that arrive in separate pieces, each
// encoded as three bytes, become one character. The zero value is ready to use.
type UTF8 struct {
	held [5]byte
	n    int
}

// Push adds a piece, and returns the text so far without an incomplete character at its
// end.
func (u *UTF8) Push(s string) string {
	if u.n == 0 && utf8.ValidString(s) {
		return s
	}
	in := append(u.held[:u.n:u.n], s...)
	u.n = 0
	return u.mend(in, false)
}

// Flush returns the incomplete character held back, as replacement characters.
func (u *UTF8) Flush() string {
	if u.n == 0 {
		return ""
	}
	in := append([]byte(nil), u.held[:u.n]...)
	u.n = 0
	return u.mend(in, true)
}

// mend returns in as valid UTF-8. An incomplete character at the end of in is held back
// unless end is true.
func (u *UTF8) mend(in []byte, end bool) string {
	out := make([]byte, 0, len(in)+4)
	for i := 0; i < len(in); {
		if in[i] < utf8.RuneSelf {
			out = append(out, in[i])
			i++
			continue
		}
		r, size := utf8.DecodeRune(in[i:])
		if r != utf8.RuneError || size > 1 {
			out = append(out, in[i:i+size]...)
			i += size
			continue
		}
		rest := in[i:]
		half, full := surrogate(rest)
		switch {
		case full && half < 0xDC00: // a high surrogate
			low, whole := surrogate(rest[3:])
			switch {
			case whole && low >= 0xDC00:
				out = utf8.AppendRune(out, (half-0xD800)<<10+(low-0xDC00)+0x10000)
				i += 6
				continue
			case !end && !whole && maybeLow(rest[3:]):
				u.n = copy(u.held[:], rest)
				return string(out)
			}
			out = utf8.AppendRune(out, utf8.RuneError)
			i += 3
			continue
		case full: // a low surrogate alone
			out = utf8.AppendRune(out, utf8.RuneError)
			i += 3
			continue
		case !end && (!utf8.FullRune(rest) || maybeHalf(rest)):
			u.n = copy(u.held[:], rest)
			return string(out)
		}
		out = utf8.AppendRune(out, utf8.RuneError)
		i++
	}
	return string(out)
}

// surrogate decodes a surrogate that was encoded as UTF-8: ED A0..BF 80..BF.
func surrogate(b []byte) (rune, bool) {
	if len(b) < 3 || b[0] != 0xED || b[1] < 0xA0 || b[1] > 0xBF || b[2] < 0x80 || b[2] > 0xBF {
		return 0, false
	}
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F), true
}

// maybeHalf reports whether b may be the beginning of an encoded surrogate.
func maybeHalf(b []byte) bool {
	return len(b) == 2 && b[0] == 0xED && b[1] >= 0xA0 && b[1] <= 0xBF
}

// maybeLow reports whether b may be the beginning of an encoded low surrogate.
func maybeLow(b []byte) bool {
	switch len(b) {
	case 0:
		return true
	case 1:
		return b[0] == 0xED
	case 2:
		return b[0] == 0xED && b[1] >= 0xB0 && b[1] <= 0xBF
	}
	return false
}
