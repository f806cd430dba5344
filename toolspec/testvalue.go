package toolspec

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// TestArguments returns the arguments for the test run of the Local Pass: a JSON object
// of all parameters with a test value, in order. An optional parameter with a blank test
// value is left out. The problems name each test value that does not match its parameter
// and each required parameter without one; if there are any, the object is nil.
func (s *Spec) TestArguments() (json.RawMessage, Problems) {
	dst := []byte{'{'}
	var v validator
	for i := range s.Params {
		p := &s.Params[i]
		value, ok := v.testValue(p, scan.Join(scan.Index("params", i), "testValue"))
		if !ok || !s.isLastParam(i) {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(canon.AppendString(dst, p.Name), ':')
		dst = append(dst, value...)
	}
	if v.problems != nil {
		return nil, v.problems
	}
	return append(dst, '}'), nil
}

// testValue converts the test value of a parameter to JSON; false means that it stays
// unset, or that a problem was reported.
func (v *validator) testValue(p *Param, pointer string) ([]byte, bool) {
	switch {
	case p.TestValue == nil:
		if p.Required {
			v.fail(pointer, "test-value-missing", "add the text that the Local Pass runs with", "is missing: %q is required", p.Name)
		}
		return nil, false
	case p.AllowEmpty && p.Type == TypeString:
	case strings.TrimSpace(*p.TestValue) == "":
		if p.Required {
			v.fail(pointer, "test-value-missing", "write the text that the Local Pass runs with", "is blank: %q is required", p.Name)
		}
		return nil, false
	}
	if !p.Type.known() {
		return nil, false // already reported with its type
	}
	value, err := fromText(p.Type, *p.TestValue)
	if err != nil {
		v.fail(pointer, "test-value", "write "+p.Type.textForm(), "%v", err)
		return nil, false
	}
	return value, true
}

func (t ParamType) known() bool {
	switch t {
	case TypeString, TypeInteger, TypeNumber, TypeBoolean, TypeObject, TypeArray:
		return true
	}
	return false
}

// textForm describes how a value of the type is written as text.
func (t ParamType) textForm() string {
	switch t {
	case TypeInteger:
		return "a whole number, such as 42"
	case TypeNumber:
		return "a number, such as 2.5"
	case TypeBoolean:
		return "true or false"
	case TypeObject:
		return `a JSON object, such as {"a": 1}`
	case TypeArray:
		return "a JSON array, such as [1, 2]"
	}
	return "text"
}

// fromText converts text to a JSON value of the type (specification section 2.2). The
// errors quote the text, cut when it is long.
func fromText(t ParamType, text string) ([]byte, error) {
	if t == TypeString {
		return canon.AppendString(nil, text), nil
	}
	text = strings.TrimSpace(text)
	switch t {
	case TypeInteger:
		if value, ok := integerText(text); ok {
			return value, nil
		}
		if _, ok := numberText(strings.TrimLeft(text, "+-")); ok && !strings.ContainsAny(text, ".eE") {
			return nil, fmt.Errorf("%s is beyond ±9007199254740991, the whole numbers that JavaScript keeps exact", excerpt(text))
		}
		return nil, fmt.Errorf("%s is no whole number", excerpt(text))
	case TypeNumber:
		value, ok := numberText(text)
		if !ok {
			return nil, fmt.Errorf("%s is no number", excerpt(text))
		}
		if !finite(value) {
			return nil, fmt.Errorf("%s is too large for a number", excerpt(text))
		}
		return value, nil
	case TypeBoolean:
		switch {
		case strings.EqualFold(text, "true"):
			return []byte("true"), nil
		case strings.EqualFold(text, "false"):
			return []byte("false"), nil
		}
		return nil, fmt.Errorf("%s is neither true nor false", excerpt(text))
	}
	want := scan.Object
	if t == TypeArray {
		want = scan.Array
	}
	data := []byte(text)
	at, bad := scan.Text(data, canon.MaxDepth)
	if bad != nil {
		return nil, fmt.Errorf("%s is not JSON: %w (at character %d)", excerpt(text), bad, 1+len([]rune(text[:bad.Offset])))
	}
	if got := scan.KindOf(data[at.Start:]); got != want {
		return nil, fmt.Errorf("%s is %v, not %v", excerpt(text), got, want)
	}
	return data, nil
}

// integerText reads an optional sign and digits.
func integerText(text string) ([]byte, bool) {
	digits := strings.TrimPrefix(text, "+")
	if digits == text {
		digits = strings.TrimPrefix(text, "-")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v > maxSafeInteger || v < -maxSafeInteger {
		return nil, false
	}
	return strconv.AppendInt(nil, v, 10), true
}

// numberText reads a JSON number, or a plain decimal such as +1, .5, 5. or 007, and
// returns it as a JSON number.
func numberText(text string) ([]byte, bool) {
	if scan.KindOf([]byte(text)) == scan.Number {
		if _, bad := scan.Text([]byte(text), 1); bad == nil {
			return []byte(text), true
		}
	}
	var out []byte
	rest := strings.TrimPrefix(text, "+")
	if rest == text && strings.HasPrefix(text, "-") {
		out, rest = append(out, '-'), text[1:]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	if whole+fraction == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "" {
		return nil, false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	out = append(out, whole...)
	if fraction != "" {
		out = append(append(out, '.'), fraction...)
	}
	return out, true
}

// finite reports whether a valid JSON number fits into a double.
func finite(token []byte) bool {
	if len(token) < 300 && !containsExponent(token) {
		return true
	}
	f, err := strconv.ParseFloat(string(token), 64)
	return err == nil && !math.IsInf(f, 0)
}

func containsExponent(token []byte) bool {
	for _, c := range token {
		if c|0x20 == 'e' {
			return true
		}
	}
	return false
}

// excerpt quotes a text for a message, cut when it is long.
func excerpt(text string) string {
	const most = 40
	n := 0
	for i := range text {
		if n++; n > most {
			return strconv.Quote(text[:i] + "…")
		}
	}
	return strconv.Quote(text)
}
