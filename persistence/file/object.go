package file

import "errors"

var errNotObject = errors.New("it is not a whole JSON object")

// objectReader walks the members of a JSON object and gives their values
// unchanged. It checks as much as it needs to find where they end; the user of a
// value checks the value. encoding/json would do, but reads all of a
// document to find its version, and refuses data that is as deep as it allows
// in itself.
type objectReader struct {
	b     []byte
	i     int
	begun bool
	err   error
}

// next is the name of the next member, as it is written between its quotes. It
// is false at the end and at the first error, which is then in err.
func (r *objectReader) next() (name []byte, ok bool) {
	if r.err != nil {
		return nil, false
	}
	if !r.begun {
		r.begun = true
		if r.take() != '{' {
			return nil, r.fail()
		}
		if r.peek() == '}' {
			return nil, r.end()
		}
	} else {
		switch r.take() {
		case ',':
		case '}':
			r.i--
			return nil, r.end()
		default:
			return nil, r.fail()
		}
	}
	if r.peek() != '"' {
		return nil, r.fail()
	}
	from := r.i
	r.i = skipString(r.b, r.i)
	if r.i > len(r.b) {
		return nil, r.fail()
	}
	name = r.b[from+1 : r.i-1]
	if r.take() != ':' {
		return nil, r.fail()
	}
	return name, true
}

// value is the value of the member that next gave, and must be called once.
func (r *objectReader) value() []byte {
	r.peek()
	from, open := r.i, 0
	for r.i < len(r.b) {
		switch r.b[r.i] {
		case '"':
			r.i = skipString(r.b, r.i)
			if r.i > len(r.b) {
				r.fail()
				return nil
			}
			if open == 0 {
				return r.b[from:r.i]
			}
			continue
		case '{', '[':
			open++
		case '}', ']':
			if open == 0 {
				return r.scalar(from)
			}
			if open--; open == 0 {
				r.i++
				return r.b[from:r.i]
			}
		case ',', ' ', '\t', '\n', '\r':
			if open == 0 {
				return r.scalar(from)
			}
		}
		r.i++
	}
	r.fail()
	return nil
}

// scalar is the value from there to here, which must not be empty.
func (r *objectReader) scalar(from int) []byte {
	if r.i == from {
		r.fail()
	}
	return r.b[from:r.i]
}

// peek is the next byte after white space, or 0.
func (r *objectReader) peek() byte {
	for r.i < len(r.b) {
		switch c := r.b[r.i]; c {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return c
		}
	}
	return 0
}

func (r *objectReader) take() byte {
	c := r.peek()
	r.i = min(r.i+1, len(r.b))
	return c
}

// end checks that the closing brace is the last thing.
func (r *objectReader) end() bool {
	r.take()
	if r.peek() != 0 || r.i < len(r.b) {
		r.fail()
	}
	return false
}

func (r *objectReader) fail() bool {
	r.err = errNotObject
	return false
}

// skipString is the index after the string that begins at i, or more than the
// length when it does not end.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b) + 1
}
