package js

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

// Reasons for a result that cannot be converted, in addition to those of toolspec.
const (
	ReasonResultType = "result-type"
	ReasonPromise    = "result-promise"
)

// budget holds the limits of one conversion.
type budget struct {
	depth, nodes, bytes int
}

// converter converts a script value to JSON. The conversion can run script code (getters,
// proxies, toJSON), so it is used only where an interrupt and a recover are in place, and
// it counts values instead of trusting reported lengths.
type converter struct {
	vm     *goja.Runtime
	budget budget
	out    []byte
	nodes  int
	path   []*goja.Object // the objects that contain the current value
	// done is called at intervals; an error means to stop.
	done func() error
}

// convertError says why a value cannot be converted.
type convertError struct {
	kind    toolspec.Kind
	reason  string
	message string
}

func (e *convertError) Error() string { return e.message }

func tooLarge(message string) error {
	return &convertError{toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, message}
}

func badType(message string) error {
	return &convertError{toolspec.KindHelperRuntime, ReasonResultType, message}
}

// The Go types to which goja exports objects that are not plain.
var (
	typeObject  = reflect.TypeFor[map[string]any]()
	typeArray   = reflect.TypeFor[[]any]()
	typeTime    = reflect.TypeFor[time.Time]()
	typeMap     = reflect.TypeFor[[][2]any]()
	typePromise = reflect.TypeFor[*goja.Promise]()
	typeProxy   = reflect.TypeFor[goja.Proxy]()
	typeBuffer  = reflect.TypeFor[goja.ArrayBuffer]()
)

// top converts a whole result.
func (c *converter) top(v goja.Value) error {
	if err := c.value(v, ""); err != nil {
		return err
	}
	return c.fits()
}

func (c *converter) fits() error {
	if len(c.out) > c.budget.bytes {
		return tooLarge(fmt.Sprintf("it is larger than %d bytes of JSON", c.budget.bytes))
	}
	return nil
}

// node counts one value.
func (c *converter) node() error {
	if c.nodes++; c.nodes > c.budget.nodes {
		return tooLarge(fmt.Sprintf("it holds more than %d values", c.budget.nodes))
	}
	if c.nodes%512 == 0 && c.done != nil {
		if err := c.done(); err != nil {
			return err
		}
	}
	return c.fits()
}

// value appends v. key is its key in the parent, for toJSON.
func (c *converter) value(v goja.Value, key string) error {
	if err := c.node(); err != nil {
		return err
	}
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		c.out = append(c.out, "null"...)
		return nil
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		return c.primitive(v)
	}
	return c.object(obj, key)
}

func (c *converter) primitive(v goja.Value) error {
	if s, ok := v.(goja.String); ok {
		return c.str(s)
	}
	switch x := v.Export().(type) {
	case bool:
		c.out = strconv.AppendBool(c.out, x)
	case int64:
		c.out = strconv.AppendInt(c.out, x, 10)
	case float64:
		c.float(v, x)
	case *big.Int:
		return c.bigint(x)
	default:
		return badType("a symbol cannot be returned")
	}
	return nil
}

func (c *converter) float(v goja.Value, x float64) {
	if goja.IsNaN(v) || goja.IsInfinity(v) {
		c.out = append(c.out, "null"...)
		return
	}
	if x == 0 { // includes -0
		c.out = append(c.out, '0')
		return
	}
	c.out = append(c.out, v.String()...)
}

// bigint appends the decimal digits as a string. Formatting takes more than linear time,
// so the size is checked first: a digit is about 3.3 bits.
func (c *converter) bigint(x *big.Int) error {
	if x.BitLen() > 3*c.budget.bytes {
		return tooLarge("it holds a BigInt with too many digits")
	}
	c.out = append(c.out, '"')
	c.out = x.Append(c.out, 10)
	c.out = append(c.out, '"')
	return nil
}

func (c *converter) str(s goja.String) error {
	if s.Length() > c.budget.bytes {
		return tooLarge(fmt.Sprintf("it is larger than %d bytes of JSON", c.budget.bytes))
	}
	text := s.String()
	c.out = append(c.out, '"')
	plain := 0 // start of the text that needs no escape
	for i := 0; i < len(text); {
		b := text[i]
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError {
				// A lone surrogate has no UTF-8 form: continue with the UTF-16 units.
				c.out = append(c.out[:len(c.out)], text[plain:i]...)
				c.units(s, len(utf16Units(text[:i])))
				return nil
			}
			i += size
			continue
		}
		if b >= 0x20 && b != '"' && b != '\\' {
			i++
			continue
		}
		c.out = append(c.out, text[plain:i]...)
		c.out = appendEscape(c.out, uint16(b))
		i++
		plain = i
	}
	c.out = append(c.out, text[plain:]...)
	c.out = append(c.out, '"')
	return nil
}

func utf16Units(s string) []uint16 {
	var units []uint16
	for _, r := range s {
		units = appendUTF16(units, r)
	}
	return units
}

// units appends the rest of a string from its UTF-16 unit at, and the closing quote. Lone
// surrogates become \u escapes, as in JSON.stringify.
func (c *converter) units(s goja.String, at int) {
	for n := s.Length(); at < n; at++ {
		u := s.CharAt(at)
		switch {
		case u >= 0xD800 && u < 0xDC00 && at+1 < n && s.CharAt(at+1)&0xFC00 == 0xDC00:
			r := 0x10000 + (rune(u)-0xD800)<<10 + rune(s.CharAt(at+1)) - 0xDC00
			c.out = utf8.AppendRune(c.out, r)
			at++
		case u >= 0xD800 && u < 0xE000, u < 0x20, u == '"', u == '\\':
			c.out = appendEscape(c.out, u)
		default:
			c.out = utf8.AppendRune(c.out, rune(u))
		}
	}
	c.out = append(c.out, '"')
}

func appendEscape(out []byte, u uint16) []byte {
	switch u {
	case '"', '\\':
		return append(out, '\\', byte(u))
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(out, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}
