// Package clip shortens texts of unknown origin and size for messages, titles and
// records: by characters, never in the middle of one, and marked where something is
// missing.
package clip

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// To returns s as valid UTF-8 of at most n characters. Of a longer text the first
// n-1 are followed by an ellipsis. Its cost grows with n, not with s.
func To(s string, n int) string {
	if most := n * utf8.UTFMax; len(s) > most {
		s = s[:most] // n characters and more are still in it
		return First(strings.ToValidUTF8(s, "\uFFFD"), n-1) + "…"
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return First(s, n-1) + "…"
}

// OneLine is To of s with every run of white space as one space and none at its ends.
func OneLine(s string, n int) string {
	cut := false
	if most := 8 * n * utf8.UTFMax; len(s) > most { // white space apart, there is enough left
		s, cut = s[:most], true
	}
	s = strings.Join(strings.Fields(s), " ")
	if cut && utf8.RuneCountInString(s) <= n {
		return First(strings.ToValidUTF8(s, "\uFFFD"), n-1) + "…"
	}
	return To(s, n)
}

// Quote is To of s as a Go string literal, for the middle of a message.
func Quote(s string, n int) string { return strconv.Quote(To(s, n)) }

// First returns the first n characters of s, without a mark.
func First(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Bytes returns at most n bytes of the beginning of s, and no part of a character.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}
