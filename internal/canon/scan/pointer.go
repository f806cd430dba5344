package scan

import "strconv"

// Join adds a member to a pointer of the style params[2].testValue. A name that
// is not a word of letters, digits, '_' and '-' is quoted.
func Join(pointer, name string) string {
	if !isWord(name) {
		return pointer + "[" + strconv.Quote(cut(name)) + "]"
	}
	if pointer == "" {
		return name
	}
	return pointer + "." + name
}

// Index adds an array position to a pointer.
func Index(pointer string, i int) string { return pointer + "[" + strconv.Itoa(i) + "]" }

func isWord(s string) bool {
	if s == "" || len(s) > 100 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '_' && c != '-' && !digit(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

func cut(s string) string {
	if len(s) <= 100 {
		return s
	}
	return s[:97] + "..."
}
