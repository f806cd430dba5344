package js

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// binder converts JSON to native values of a runtime. It uses neither JSON.parse of the
// runtime nor Go maps, which goja would wrap instead of copying.
type binder struct {
	vm    *goja.Runtime
	data  []byte
	pos   int
	depth int
	limit int
}

var errJSON = errors.New("not valid JSON")

// bind returns the value that data encodes.
func bind(vm *goja.Runtime, data json.RawMessage, limit int) (goja.Value, error) {
	b := binder{vm: vm, data: data, limit: limit}
	b.space()
	v, err := b.value()
	if err != nil {
		return nil, err
	}
	b.space()
	if b.pos != len(b.data) {
		return nil, errJSON
	}
	return v, nil
}

func (b *binder) space() {
	for b.pos < len(b.data) {
		switch b.data[b.pos] {
		case ' ', '\t', '\n', '\r':
			b.pos++
		default:
			return
		}
	}
}

func (b *binder) peek() byte {
	if b.pos < len(b.data) {
		return b.data[b.pos]
	}
	return 0
}

func (b *binder) value() (goja.Value, error) {
	switch c := b.peek(); c {
	case '{', '[':
		if b.depth++; b.depth > b.limit {
			return nil, fmt.Errorf("nests deeper than %d levels", b.limit)
		}
		defer func() { b.depth-- }()
		b.pos++
		if c == '{' {
			return b.object()
		}
		return b.array()
	case '"':
		return b.str()
	case 't':
		return b.word("true", true)
	case 'f':
		return b.word("false", false)
	case 'n':
		return b.word("null", nil)
	default:
		return b.number()
	}
}

func (b *binder) word(w string, v any) (goja.Value, error) {
	if !bytes.HasPrefix(b.data[b.pos:], []byte(w)) {
		return nil, errJSON
	}
	b.pos += len(w)
	return b.vm.ToValue(v), nil
}

func (b *binder) object() (goja.Value, error) {
	obj := b.vm.NewObject()
	b.space()
	if b.peek() == '}' {
		b.pos++
		return obj, nil
	}
	for {
		b.space()
		if b.peek() != '"' {
			return nil, errJSON
		}
		key, err := b.str()
		if err != nil {
			return nil, err
		}
		b.space()
		if b.peek() != ':' {
			return nil, errJSON
		}
		b.pos++
		b.space()
		v, err := b.value()
		if err != nil {
			return nil, err
		}
		if err := define(obj, key.String(), v); err != nil {
			return nil, err
		}
		b.space()
		switch b.peek() {
		case ',':
			b.pos++
		case '}':
			b.pos++
			return obj, nil
		default:
			return nil, errJSON
		}
	}
}

// define sets an own data property, even if its name is "__proto__", whose assignment
// would do something else, and even in place of a read-only property.
func define(obj *goja.Object, name string, v goja.Value) error {
	if name != "__proto__" && obj.Set(name, v) == nil {
		return nil
	}
	return obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

func (b *binder) array() (goja.Value, error) {
	var items []any
	b.space()
	if b.peek() == ']' {
		b.pos++
		return b.vm.NewArray(), nil
	}
	for {
		b.space()
		v, err := b.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
		b.space()
		switch b.peek() {
		case ',':
			b.pos++
		case ']':
			b.pos++
			return b.vm.NewArray(items...), nil
		default:
			return nil, errJSON
		}
	}
}

// number reads a JSON number as a double, as JavaScript does.
func (b *binder) number() (goja.Value, error) {
	start := b.pos
	simple := true
scan:
	for ; b.pos < len(b.data); b.pos++ {
		switch c := b.data[b.pos]; {
		case c >= '0' && c <= '9':
		case c == '-' && b.pos == start:
		case c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E':
			simple = false
		default:
			break scan
		}
	}
	text := string(b.data[start:b.pos])
	if !validNumber(text) {
		return nil, errJSON
	}
	if simple && len(text) <= 15 && text != "-0" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errJSON
		}
		return b.vm.ToValue(n), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // a number out of range is infinite, as in JSON.parse
		return nil, errJSON
	}
	return b.vm.ToValue(f), nil
}

// validNumber reports whether text is a number in the grammar of JSON, which is stricter
// than that of Go.
func validNumber(text string) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	if text == "" || text[0] < '0' || text[0] > '9' || len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' {
		return false
	}
	last := text[len(text)-1]
	return last >= '0' && last <= '9' && json.Valid([]byte(text))
}

// str reads a JSON string. Lone surrogates are kept.
func (b *binder) str() (goja.Value, error) {
	b.pos++
	start := b.pos
	for b.pos < len(b.data) {
		switch c := b.data[b.pos]; {
		case c == '"':
			text := b.data[start:b.pos]
			b.pos++
			if !utf8.Valid(text) {
				return nil, errJSON
			}
			return b.vm.ToValue(string(text)), nil
		case c == '\\':
			return b.escaped(start)
		case c < 0x20:
			return nil, errJSON
		default:
			b.pos++
		}
	}
	return nil, errJSON
}

// escaped reads a string that contains escapes, as UTF-16.
func (b *binder) escaped(start int) (goja.Value, error) {
	b.pos = start
	var units []uint16
	for b.pos < len(b.data) {
		switch c := b.data[b.pos]; {
		case c == '"':
			b.pos++
			return goja.StringFromUTF16(units), nil
		case c == '\\':
			unit, ok := b.escape()
			if !ok {
				return nil, errJSON
			}
			units = append(units, unit)
		case c < 0x20:
			return nil, errJSON
		default:
			r, size := utf8.DecodeRune(b.data[b.pos:])
			if r == utf8.RuneError && size == 1 {
				return nil, errJSON
			}
			b.pos += size
			units = appendUTF16(units, r)
		}
	}
	return nil, errJSON
}

func appendUTF16(units []uint16, r rune) []uint16 {
	if r >= 0x10000 {
		r -= 0x10000
		return append(units, uint16(0xD800+r>>10), uint16(0xDC00+r&0x3FF))
	}
	return append(units, uint16(r))
}

// escape reads one escape sequence.
func (b *binder) escape() (uint16, bool) {
	if b.pos+1 >= len(b.data) {
		return 0, false
	}
	c := b.data[b.pos+1]
	b.pos += 2
	switch c {
	case '"', '\\', '/':
		return uint16(c), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'u':
		if b.pos+4 > len(b.data) {
			return 0, false
		}
		n, err := strconv.ParseUint(string(b.data[b.pos:b.pos+4]), 16, 16)
		b.pos += 4
		return uint16(n), err == nil
	}
	return 0, false
}
