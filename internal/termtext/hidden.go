package termtext

import (
	"unicode"
	"unicode/utf8"
)

// unseen reports whether a character is invisible or changes how others look: control and
// format characters (including the bidirectional ones), separators, private and
// unassigned characters, and blank letters.
func unseen(r rune) bool {
	switch {
	case r == ' ':
		return false
	case r < utf8.RuneSelf:
		return r < 0x20 || r == 0x7f
	case r == utf8.RuneError: // also a byte that is not UTF-8
		return true
	}
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0', // blank letters
		'\ufe0e', '\ufe0f': // variation selectors
		return true
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Zs, unicode.Me, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// unsafe reports whether a character must not be printed in a text that is only read and
// not decided on: a control character, or one that reverses or hides text. The joiners
// and variation selectors that emoji and some scripts need are allowed.
func unsafe(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r <= 0x9f:
		return true
	case r < 0xad:
		return false
	case r == 0x200d, r == 0x200c, r >= 0xfe00 && r <= 0xfe0f:
		return false
	case r == 0x2028, r == 0x2029, r == 0x3164, r == 0x115f, r == 0x1160, r == 0xffa0, r == 0x2800:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// plain reports whether a text is ASCII without control characters other than line feed
// and tab.
func plain[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}
