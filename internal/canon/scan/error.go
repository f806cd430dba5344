package scan

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says where a text stops being JSON, what was found there and what was expected.
type Error struct {
	// Offset is the index of the first wrong byte.
	Offset int
	// Found and Want are phrases: "'}'", "a member name in double quotes".
	Found, Want string
	// Hint says what the author probably meant; often empty.
	Hint string
	// TooDeep says that the text up to here is well formed but nests too deeply.
	TooDeep bool
}

// Error returns what was found and what was expected, without the position.
func (e *Error) Error() string {
	switch {
	case e.TooDeep:
		return "objects and arrays nest too deep"
	case e.Want == "":
		return "found " + e.Found
	}
	return fmt.Sprintf("found %s where %s should be", e.Found, e.Want)
}

// Position returns the line and the column of an offset, both counted from 1. Columns
// count characters (code points); lines end with a line feed.
func Position(data []byte, offset int) (line, column int) {
	before := data[:min(max(offset, 0), len(data))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

func expected(data []byte, i int, want string) *Error {
	return &Error{Offset: i, Found: found(data, i), Want: want, Hint: hint(data, i, want)}
}

func trailing(data []byte, comma, i int) *Error {
	return &Error{Offset: comma, Found: fmt.Sprintf("a comma before %q", rune(data[i])), Hint: "remove the comma: JSON has none after the last entry"}
}

func found(data []byte, i int) string {
	if i >= len(data) {
		return "the end of the text"
	}
	r, n := utf8.DecodeRune(data[i:])
	switch {
	case r == utf8.RuneError && n == 1:
		return "a byte that is not UTF-8"
	case r == '\n' || r == '\r':
		return "a line break"
	case r == '\t':
		return "a tab"
	case r == '\'':
		return `"'"`
	case letter(r):
		return fmt.Sprintf("%q", token(data[i:]))
	case unicode.IsGraphic(r):
		return fmt.Sprintf("'%c'", r)
	}
	return fmt.Sprintf("the character %U", r)
}

func letter(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) }

// token returns the word at the start of data, cut if it is long.
func token(data []byte) string {
	end := 0
	for end < len(data) && end < 20 {
		r, n := utf8.DecodeRune(data[end:])
		if !letter(r) && !unicode.IsDigit(r) {
			break
		}
		end += n
	}
	return string(data[:end])
}

// hint suggests what the author of invalid JSON probably meant.
func hint(data []byte, i int, want string) string {
	if i >= len(data) {
		return "the text is cut short: complete it"
	}
	switch c := data[i]; {
	case strings.HasPrefix(want, "a comma") && KindOf(data[i:]) != Invalid:
		return "put a comma between the two"
	case c == '\'':
		return "write strings and names in double quotes"
	case c == '/' || c == '#':
		return "remove the comment: JSON has none"
	case c == '`':
		return "write strings in double quotes, line breaks in them as \\n"
	case c == '\n' || c == '\r':
		return "write the line break as \\n, or close the string"
	case c == '\t':
		return "write the tab as \\t"
	}
	if r, _ := utf8.DecodeRune(data[i:]); !letter(r) {
		return ""
	}
	switch token(data[i:]) {
	case "True", "False", "TRUE", "FALSE":
		return "write true and false in lower case"
	case "None", "undefined", "nil", "NULL", "Null":
		return "write null"
	case "NaN", "Infinity":
		return "JSON has no such number: write null or a string"
	}
	return "write names and texts in double quotes"
}
