// Package clip shortens texts of unknown origin and size for messages, titles and
// records. It never cuts within a character, and marks the cut.
package clip

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// To returns s as valid UTF-8 of at most n characters. It cuts a longer text after n-1
// characters and adds an ellipsis. Its cost grows with n, not with the length of s.
func To(s string, n int) string {
	if most := n * utf8.UTFMax; len(s) > most {
		s = s[:most] // this still holds more than n characters
		return First(strings.ToValidUTF8(s, "\uFFFD"), n-1) + "…"
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return First(s, n-1) + "…"
}

// OneLine is like To, but first replaces every run of white space by one space and
// removes it at the ends.
func OneLine(s string, n int) string {
	cut := false
	if most := 8 * n * utf8.UTFMax; len(s) > most { // this holds enough characters besides white space
		s, cut = s[:most], true
	}
	s = strings.Join(strings.Fields(s), " ")
	if cut && utf8.RuneCountInString(s) <= n {
		return First(strings.ToValidUTF8(s, "\uFFFD"), n-1) + "…"
	}
	return To(s, n)
}

// Quote is like To, but returns a Go string literal, for use within a message.
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

// Bytes returns at most the first n bytes of s, without cutting a character.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}
