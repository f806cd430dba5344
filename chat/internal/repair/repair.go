// Package repair repairs invalid JSON that models write.
//
// kaptinlin/jsonrepair 0.2.15 is not suitable. It guesses if several interpretations are
// possible: {"a":12x} becomes a string, {"a":rm -rf,"b":1} two members, and "C:\temp"
// loses its tab. Refusing such texts beforehand would require a reader like this one. It
// also takes quadratic time: 48 seconds for 100,000 brackets, which a model may write.
package repair

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/canon"
)

// Arguments converts what a model wrote as the arguments of a call to a JSON object.
// Empty text becomes an empty object. Invalid JSON is repaired if only one interpretation
// is possible: extra commas, unclosed brackets and strings, single quotes, a code fence
// around the object, an object inside a string, and Python's words for true, false and
// null.
func Arguments(raw string) (arguments json.RawMessage, repaired bool, err error) {
	text := strings.TrimSpace(raw)
	if text == "" {
		return json.RawMessage("{}"), false, nil
	}
	if object, ok := asObject(text); ok {
		return object, false, nil
	}
	if text == "null" {
		return json.RawMessage("{}"), true, nil
	}
	inner := Unfence(text)
	var doubled string
	if json.Unmarshal([]byte(inner), &doubled) == nil {
		inner = strings.TrimSpace(doubled)
		if inner == "" {
			return json.RawMessage("{}"), true, nil
		}
	}
	if object, ok := asObject(inner); ok {
		return object, true, nil
	}
	m := mender{in: inner}
	if mended, bad := m.mend(); bad == nil {
		if object, ok := asObject(string(mended)); ok {
			return object, true, nil
		}
		return nil, false, errors.New("they must be a JSON object")
	}
	var syntax *json.SyntaxError
	var any json.RawMessage
	if bad := json.Unmarshal([]byte(text), &any); errors.As(bad, &syntax) {
		return nil, false, fmt.Errorf("they are no JSON: at byte %d: %w", syntax.Offset, bad)
	}
	return nil, false, errors.New("they must be a JSON object")
}

// asObject returns s if it consists of exactly one JSON object.
func asObject(s string) (json.RawMessage, bool) {
	b := []byte(s)
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) || !utf8.Valid(b) {
		return nil, false
	}
	return b, true
}

// Unfence removes a Markdown code fence around s.
func Unfence(s string) string {
	inner, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	if _, rest, ok := strings.Cut(inner, "\n"); ok {
		inner = rest
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
}

// mendDepth is the maximum nesting depth of arguments.
const mendDepth = 100

// mender reads JSON with mistakes and writes valid JSON.
type mender struct {
	in  string
	at  int
	out bytes.Buffer
}

var errNotJSON = errors.New("this is no JSON")

func (m *mender) mend() ([]byte, error) {
	if err := m.value(0); err != nil {
		return nil, err
	}
	m.space()
	if m.at < len(m.in) && strings.Trim(m.in[m.at:], "}] \t\r\n") != "" { // extra closing brackets are ignored
		return nil, errNotJSON
	}
	return m.out.Bytes(), nil
}

func (m *mender) space() {
	for m.at < len(m.in) && strings.IndexByte(" \t\r\n", m.in[m.at]) >= 0 {
		m.at++
	}
}

// peek returns the next byte that is not whitespace, 0 at the end.
func (m *mender) peek() byte {
	m.space()
	if m.at >= len(m.in) {
		return 0
	}
	return m.in[m.at]
}

func (m *mender) value(depth int) error {
	if depth > mendDepth {
		return errNotJSON
	}
	switch c := m.peek(); {
	case c == '{':
		return m.list('{', '}', depth)
	case c == '[':
		return m.list('[', ']', depth)
	case c == '"', c == '\'':
		return m.text()
	case c == 0:
		m.out.WriteString("null") // cut off before the value
		return nil
	}
	return m.word()
}

// list reads an object or an array. The closing bracket may be missing, and there may be
// extra commas.
func (m *mender) list(begin, end byte, depth int) error {
	m.at++
	m.out.WriteByte(begin)
	for first := true; ; {
		for m.peek() == ',' {
			m.at++
		}
		switch c := m.peek(); {
		case c == end:
			m.at++
			fallthrough
		case c == 0:
			m.out.WriteByte(end)
			return nil
		case c == '}', c == ']': // the wrong closing bracket
			return errNotJSON
		}
		if !first {
			m.out.WriteByte(',')
		}
		first = false
		if begin == '{' {
			if err := m.name(); err != nil {
				return err
			}
			m.out.WriteByte(':')
		}
		if err := m.value(depth + 1); err != nil {
			return err
		}
		if c := m.peek(); c != ',' && c != end && c != 0 {
			return errNotJSON
		}
	}
}

func (m *mender) name() error {
	if c := m.peek(); c != '"' && c != '\'' {
		return errNotJSON
	}
	if err := m.text(); err != nil {
		return err
	}
	switch m.peek() {
	case ':':
		m.at++
		return nil
	case 0: // cut off after the name
		return nil
	}
	return errNotJSON
}

// text reads a string in single or double quotes. Line breaks in it are accepted.
func (m *mender) text() error {
	quote := m.in[m.at]
	m.at++
	var s strings.Builder
	for m.at < len(m.in) {
		c := m.in[m.at]
		switch {
		case c == quote:
			m.at++
			m.out.Write(canon.AppendString(nil, strings.ToValidUTF8(s.String(), "\uFFFD")))
			return nil
		case c == '\\' && m.at+1 < len(m.in):
			n, err := m.escape(&s)
			if err != nil {
				return err
			}
			m.at += n
			continue
		}
		s.WriteByte(c)
		m.at++
	}
	// Not closed: keep the text so far, without an incomplete escape at its end.
	m.out.Write(canon.AppendString(nil, strings.ToValidUTF8(strings.TrimSuffix(s.String(), `\`), "\uFFFD")))
	return nil
}

// escape reads the escape at m.at and returns its length.
func (m *mender) escape(s *strings.Builder) (int, error) {
	switch c := m.in[m.at+1]; c {
	case 'n', 't', 'r', 'b', 'f', '"', '\\', '/':
		var one string
		if err := json.Unmarshal([]byte(`"`+m.in[m.at:m.at+2]+`"`), &one); err != nil {
			return 0, errNotJSON
		}
		s.WriteString(one)
		return 2, nil
	case '\'':
		s.WriteByte('\'')
		return 2, nil
	case 'u':
		n := 6
		if m.at+12 <= len(m.in) && m.in[m.at+6] == '\\' && m.in[m.at+7] == 'u' {
			n = 12 // possibly a surrogate pair
		}
		for ; n > 0; n -= 6 {
			if m.at+n > len(m.in) {
				return len(m.in) - m.at, nil // cut off in the middle of the escape
			}
			var one string
			if json.Unmarshal([]byte(`"`+m.in[m.at:m.at+n]+`"`), &one) == nil {
				s.WriteString(one)
				return n, nil
			}
		}
	}
	return 0, errNotJSON
}

// word reads a number or a literal.
func (m *mender) word() error {
	start := m.at
	for m.at < len(m.in) && strings.IndexByte(",]} \t\r\n:", m.in[m.at]) < 0 {
		m.at++
	}
	word := m.in[start:m.at]
	switch word {
	case "True", "TRUE":
		word = "true"
	case "False", "FALSE":
		word = "false"
	case "None", "NULL", "undefined":
		word = "null"
	}
	if !json.Valid([]byte(word)) {
		return errNotJSON
	}
	m.out.WriteString(word)
	return nil
}
