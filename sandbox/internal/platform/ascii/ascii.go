// Package ascii handles ASCII letters and digits and leaves all other bytes unchanged.
package ascii

// Lower returns c in lower case if it is a letter.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// LowerString returns s with its ASCII letters in lower case.
func LowerString(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = Lower(b[i])
			}
			return string(b)
		}
	}
	return s
}

// IsDigit reports whether c is 0 to 9.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLetter reports whether c is A to Z or a to z.
func IsLetter(c byte) bool { return 'a' <= Lower(c) && Lower(c) <= 'z' }
