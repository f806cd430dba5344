// Package scan walks JSON text in place, without building values. It is strict (RFC 8259,
// valid UTF-8) and reports the position of an error. The reader of specs, the binding of
// arguments and the canonical form use it because each of them needs the text itself: the
// order of members, the spelling of numbers, the offsets.
//
// All functions are safe for concurrent use; they keep no state.
package scan

import "unicode/utf8"

// Span is a part of the text: [Start, End) in bytes.
type Span struct{ Start, End int }

// Of returns the part of data that the span names. Its capacity equals its length, so
// that an append cannot overwrite the bytes after it.
func (s Span) Of(data []byte) []byte { return data[s.Start:s.End:s.End] }

// Kind is the kind of a JSON value, determined by its first byte.
type Kind byte

// The kinds.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Object
	Array
)

// String returns the name of the kind with an article, such as "an object".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Object:
		return "an object"
	case Array:
		return "an array"
	}
	return "no JSON value"
}

// KindOf returns the kind of the value that begins with the first byte of raw.
func KindOf(raw []byte) Kind {
	if len(raw) == 0 {
		return Invalid
	}
	switch c := raw[0]; c {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return Number
		}
	}
	return Invalid
}

// Text checks that data is exactly one value, nested at most depth levels deep, with
// nothing but white space around it.
func Text(data []byte, depth int) (Span, *Error) {
	start := Blank(data, 0)
	end, err := Value(data, start, depth)
	if err != nil {
		return Span{}, err
	}
	if rest := Blank(data, end); rest < len(data) {
		return Span{}, expected(data, rest, "the end of the text")
	}
	return Span{start, end}, nil
}

// Blank returns the first index from i on that is not white space.
func Blank(data []byte, i int) int {
	for i < len(data) {
		switch data[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// Value checks the value that begins at data[i] and returns where it ends. depth bounds
// the nesting of objects and arrays, including the value itself.
func Value(data []byte, i, depth int) (int, *Error) {
	if i >= len(data) {
		return 0, expected(data, i, "a value")
	}
	switch data[i] {
	case '{':
		return Members(data, i, depth, nil)
	case '[':
		return Elements(data, i, depth, nil)
	case '"':
		return str(data, i)
	case 't':
		return word(data, i, "true")
	case 'f':
		return word(data, i, "false")
	case 'n':
		return word(data, i, "null")
	}
	if c := data[i]; c == '-' || c >= '0' && c <= '9' {
		return scanNumber(data, i)
	}
	return 0, expected(data, i, "a value")
}

// Members checks the object that begins at data[i] and calls visit, unless it
// is nil, for each member with the spans of its name (a string token, quotes
// included) and of its value. An error that visit returns ends the walk.
func Members(data []byte, i, depth int, visit func(name, value Span) *Error) (int, *Error) {
	if depth <= 0 {
		return 0, &Error{Offset: i, TooDeep: true}
	}
	i = Blank(data, i+1)
	if i < len(data) && data[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(data) || data[i] != '"' {
			return 0, expected(data, i, "a member name in double quotes")
		}
		name := Span{Start: i}
		var err *Error
		if name.End, err = str(data, i); err != nil {
			return 0, err
		}
		if i = Blank(data, name.End); i >= len(data) || data[i] != ':' {
			return 0, expected(data, i, "a colon")
		}
		value := Span{Start: Blank(data, i+1)}
		if value.End, err = Value(data, value.Start, depth-1); err != nil {
			return 0, err
		}
		if visit != nil {
			if err = visit(name, value); err != nil {
				return 0, err
			}
		}
		i = Blank(data, value.End)
		switch {
		case i < len(data) && data[i] == ',':
			comma := i
			if i = Blank(data, i+1); i < len(data) && data[i] == '}' {
				return 0, trailing(data, comma, i)
			}
		case i < len(data) && data[i] == '}':
			return i + 1, nil
		default:
			return 0, expected(data, i, "a comma or '}'")
		}
	}
}

// Elements checks the array that begins at data[i] and calls visit, unless it
// is nil, with the span of each element. An error that visit returns ends the
// walk.
func Elements(data []byte, i, depth int, visit func(value Span) *Error) (int, *Error) {
	if depth <= 0 {
		return 0, &Error{Offset: i, TooDeep: true}
	}
	i = Blank(data, i+1)
	if i < len(data) && data[i] == ']' {
		return i + 1, nil
	}
	for {
		value := Span{Start: i}
		var err *Error
		if value.End, err = Value(data, i, depth-1); err != nil {
			return 0, err
		}
		if visit != nil {
			if err = visit(value); err != nil {
				return 0, err
			}
		}
		i = Blank(data, value.End)
		switch {
		case i < len(data) && data[i] == ',':
			comma := i
			if i = Blank(data, i+1); i < len(data) && data[i] == ']' {
				return 0, trailing(data, comma, i)
			}
		case i < len(data) && data[i] == ']':
			return i + 1, nil
		default:
			return 0, expected(data, i, "a comma or ']'")
		}
	}
}

func word(data []byte, i int, want string) (int, *Error) {
	for j := range len(want) {
		if i+j >= len(data) || data[i+j] != want[j] {
			return 0, expected(data, i, "a value")
		}
	}
	return i + len(want), nil
}

func scanNumber(data []byte, i int) (int, *Error) {
	start := i
	if data[i] == '-' {
		i++
	}
	switch {
	case i < len(data) && data[i] == '0':
		if i++; i < len(data) && digit(data[i]) {
			return 0, &Error{Offset: start, Found: "a number with a leading zero", Want: "a number without one"}
		}
	case i < len(data) && digit(data[i]):
		i = digits(data, i)
	default:
		return 0, expected(data, i, "a digit")
	}
	if i < len(data) && data[i] == '.' {
		if i++; i >= len(data) || !digit(data[i]) {
			return 0, expected(data, i, "a digit")
		}
		i = digits(data, i)
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if i >= len(data) || !digit(data[i]) {
			return 0, expected(data, i, "a digit")
		}
		i = digits(data, i)
	}
	return i, nil
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func digits(data []byte, i int) int {
	for i < len(data) && digit(data[i]) {
		i++
	}
	return i
}

// str checks the string token at data[i] and returns where it ends.
func str(data []byte, i int) (int, *Error) {
	start := i
	for i++; i < len(data); {
		switch c := data[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			n, err := escape(data, i)
			if err != nil {
				return 0, err
			}
			i += n
		case c < 0x20:
			return 0, expected(data, i, "an escape such as \\n")
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return 0, &Error{Offset: i, Found: "a byte that is not UTF-8", Want: "UTF-8 text"}
			}
			i += n
		}
	}
	return 0, &Error{Offset: start, Found: "a string that does not end", Want: "a closing quote"}
}

func escape(data []byte, i int) (int, *Error) {
	if i+1 < len(data) {
		switch data[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return 2, nil
		case 'u':
			if _, ok := hex4(data, i+2); ok {
				return 6, nil
			}
		}
	}
	return 0, &Error{Offset: i, Found: "an unknown escape", Want: `one of \" \\ \/ \b \f \n \r \t or \u and four hex digits`}
}

func hex4(data []byte, i int) (rune, bool) {
	if i+4 > len(data) {
		return 0, false
	}
	var r rune
	for _, c := range data[i : i+4] {
		switch {
		case digit(c):
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
