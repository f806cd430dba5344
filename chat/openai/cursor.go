package openai

import (
	"bytes"
	"errors"
	"iter"
	"unicode/utf8"
)

// cursor reads JSON text in place, member by member. It builds only the requested values,
// since most of each chunk of a stream is identical. It is less strict than encoding/json
// where that is harmless: invalid UTF-8 stays unchanged, since some servers send half a
// character at a time.
type cursor struct {
	b   []byte
	i   int
	bad bool
}

var errJSON = errors.New("it is no JSON")

// mostDepth is the maximum nesting depth of values.
const mostDepth = 512

func (c *cursor) fail() { c.bad, c.i = true, len(c.b) }

// peek returns the next byte that is not whitespace, 0 at the end.
func (c *cursor) peek() byte {
	for c.i < len(c.b) {
		switch b := c.b[c.i]; b {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return b
		}
	}
	return 0
}

// skipByte skips the next byte if it is b, and reports whether it was.
func (c *cursor) skipByte(b byte) bool {
	if c.peek() == b {
		c.i++
		return true
	}
	return false
}

// members enters an object and yields the names of its members; it skips any other value.
// The loop must read the value of each member.
func (c *cursor) members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for range c.values('{', '}') {
			if c.peek() != '"' {
				c.fail()
				return
			}
			name, escaped := c.token()
			if escaped {
				name = unescape(nil, name)
			}
			if !c.skipByte(':') {
				c.fail()
			}
			if c.bad || !yield(name) {
				return
			}
		}
	}
}

// elements enters a list and yields at each element, which the loop must read; it skips any
// other value.
func (c *cursor) elements() func(yield func() bool) { return c.values('[', ']') }

// values yields at each element of a list, or at each member of an object.
func (c *cursor) values(open, end byte) func(yield func() bool) {
	return func(yield func() bool) {
		if !c.skipByte(open) {
			c.skip()
			return
		}
		for first := true; !c.skipByte(end); first = false {
			if !first && !c.skipByte(',') || c.peek() == 0 {
				c.fail()
			}
			if c.bad || !yield() {
				return
			}
		}
	}
}

// token returns the content of the string at the cursor, without its quotes, and
// whether it contains escapes.
func (c *cursor) token() (body []byte, escaped bool) {
	start := c.i + 1
	for at := start; ; {
		n := bytes.IndexByte(c.b[at:], '"')
		if n < 0 {
			c.fail()
			return nil, false
		}
		body = c.b[start : at+n]
		slashes := 0
		for slashes < len(body) && body[len(body)-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			c.i = at + n + 1
			return body, escaped || bytes.IndexByte(body, '\\') >= 0
		}
		escaped = true
		at += n + 1
	}
}

// text returns a string, and "" for any other value.
func (c *cursor) text() string {
	if c.peek() != '"' {
		c.skip()
		return ""
	}
	body, escaped := c.token()
	if escaped {
		return string(unescape(make([]byte, 0, len(body)), body))
	}
	return string(body)
}

// raw returns the text of a value, nil for null.
func (c *cursor) raw() []byte {
	c.peek()
	start := c.i
	c.skip()
	if c.bad || bytes.Equal(c.b[start:c.i], []byte("null")) {
		return nil
	}
	return c.b[start:c.i]
}

// number returns a non-negative integer; ok is false for any other value.
func (c *cursor) number() (n int, ok bool) {
	raw := c.raw()
	if len(raw) == 0 || len(raw) > 9 {
		return 0, false
	}
	for _, d := range raw {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}

// skip skips a value.
func (c *cursor) skip() {
	depth := 0
	for {
		switch b := c.peek(); b {
		case 0:
			c.fail()
			return
		case '"':
			c.token()
		case '{', '[':
			if depth++; depth > mostDepth {
				c.fail()
				return
			}
			c.i++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				c.fail()
				return
			}
			c.i++
		case ',', ':':
			if depth == 0 {
				c.fail()
				return
			}
			c.i++
			continue
		default:
			c.word()
		}
		if depth == 0 || c.bad {
			return
		}
	}
}

// word skips a number, true, false or null.
func (c *cursor) word() {
	start := c.i
	for c.i < len(c.b) {
		switch b := c.b[c.i]; {
		case b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'E':
			c.i++
			continue
		}
		break
	}
	if c.i == start {
		c.fail()
		return
	}
	switch w := c.b[start:c.i]; {
	case w[0] == '-' || w[0] >= '0' && w[0] <= '9':
	case string(w) == "true", string(w) == "false", string(w) == "null":
	default:
		c.fail()
	}
}

// checkEnd returns an error unless the whole text was read and is valid.
func (c *cursor) checkEnd() error {
	if c.bad || c.peek() != 0 {
		return errJSON
	}
	return nil
}

// unescape appends the text of a string to dst. A lone surrogate becomes three bytes,
// since the other half may arrive with the next chunk.
func unescape(dst, body []byte) []byte {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			dst = append(dst, body[i])
			continue
		}
		i++
		switch e := body[i]; e {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r, ok := hex4(body[i+1:])
			if !ok {
				dst = utf8.AppendRune(dst, utf8.RuneError)
				continue
			}
			i += 4
			if r < 0xD800 || r > 0xDFFF {
				dst = utf8.AppendRune(dst, r)
				continue
			}
			if r < 0xDC00 && i+2 < len(body) && body[i+1] == '\\' && body[i+2] == 'u' {
				if low, ok := hex4(body[i+3:]); ok && low >= 0xDC00 && low <= 0xDFFF {
					dst = utf8.AppendRune(dst, (r-0xD800)<<10+(low-0xDC00)+0x10000)
					i += 6
					continue
				}
			}
			dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
		default:
			dst = append(dst, e)
		}
	}
	return dst
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
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
