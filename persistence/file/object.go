package file

import "errors"

var errNotObject = errors.New("it is not a whole JSON object")

// objectReader walks the members of a JSON object and returns their values unchanged. It
// checks only what it needs to find the end of a value; its caller checks the value.
// encoding/json is not used because it reads a whole document to find its version, and
// because the envelope adds a level, so it would refuse data of the greatest depth that
// it allows.
type objectReader struct {
	b     []byte
	i     int
	begun bool
	err   error
}

// next returns the name of the next member, as written between its quotes. It returns
// false at the end and at the first error, which it stores in err.
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
			return nil, r.expectEnd()
		}
	} else {
		switch r.take() {
		case ',':
		case '}':
			r.i--
			return nil, r.expectEnd()
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

// value returns the value of the member that next returned. It must be called exactly
// once per member.
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

// scalar returns the value between from and the present place. It must not be empty.
func (r *objectReader) scalar(from int) []byte {
	if r.i == from {
		r.fail()
	}
	return r.b[from:r.i]
}

// peek returns the next byte after white space, or 0 at the end.
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

// expectEnd checks that the closing brace is the last thing.
func (r *objectReader) expectEnd() bool {
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

// skipString returns the index after the string that begins at i, or more than len(b)
// when the string does not end.
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
