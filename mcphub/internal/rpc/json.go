package rpc

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// IsObject reports whether a valid JSON value is an object.
func IsObject(raw []byte) bool { return scan.KindOf(raw) == scan.Object }

// Text decodes a valid JSON value that is a string, and reports whether it is one.
func Text(raw []byte) (string, bool) {
	if scan.KindOf(raw) != scan.String {
		return "", false
	}
	return scan.Unquote(raw), true
}

// Members calls visit with each member of a valid JSON object: its decoded name, and its
// value as written. A value that is not an object has no members. It stops at the first
// error of visit.
func Members(raw []byte, visit func(name, value []byte) error) error {
	if !IsObject(raw) {
		return nil
	}
	var failed error
	_, _ = scan.Members(raw, 0, canon.MaxDepth, func(name, value scan.Span) *scan.Error {
		token := name.Of(raw)
		key := token[1 : len(token)-1]
		if !scan.Plain(token) {
			key = []byte(scan.Unquote(token))
		}
		if failed = visit(key, value.Of(raw)); failed != nil {
			return &scan.Error{} // ends the walk; the real error is in failed
		}
		return nil
	})
	return failed
}

// OrEmpty returns the object, or an empty object if there is none.
func OrEmpty(object json.RawMessage) json.RawMessage {
	if len(object) == 0 {
		return json.RawMessage("{}")
	}
	return object
}

// Object returns the members of an object as a map; nil if there are none.
func Object(raw []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = Members(raw, func(name, value []byte) error { // visit never fails
		if m == nil {
			m = make(map[string]json.RawMessage, 4)
		}
		m[string(name)] = value
		return nil
	})
	return m
}

// ValidJSON reports whether raw is exactly one JSON value that can be sent.
func ValidJSON(raw []byte) bool {
	_, err := scan.Text(raw, canon.MaxDepth)
	return err == nil
}

func AppendString(dst []byte, s string) []byte { return canon.AppendString(dst, s) }

// AppendRaw appends JSON with its line breaks, which can only occur between
// tokens, as spaces: a message is one line on stdio and one data field in an
// event stream.
func AppendRaw(dst, raw []byte) []byte {
	start := len(dst)
	dst = append(dst, raw...)
	for i := start; i < len(dst); i++ {
		if dst[i] == '\n' || dst[i] == '\r' {
			dst[i] = ' '
		}
	}
	return dst
}

// Comma appends a comma, unless dst is empty or ends with the bracket that opens an object
// or a list.
func Comma(dst []byte) []byte {
	if n := len(dst); n == 0 || dst[n-1] == '{' || dst[n-1] == '[' {
		return dst
	}
	return append(dst, ',')
}

// AppendMember appends a member to an object. token is its name as written, with quotes.
func AppendMember(dst, token, value []byte) []byte {
	return AppendRaw(append(append(Comma(dst), token...), ':'), value)
}

// AppendField appends `,"name":"value"`, or nothing if value is empty.
func AppendField(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return AppendString(dst, value)
}

// AppendNumber appends a finite number in the form that encoding/json uses.
func AppendNumber(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

func AppendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, '"')
	return append(t.UTC().AppendFormat(dst, time.RFC3339Nano), '"')
}

// ScanObject checks that data is exactly one JSON object and calls visit with
// each member: its name as written and decoded, and its value.
func ScanObject(data []byte, visit func(token, name, value []byte)) error {
	i := scan.Blank(data, 0)
	if i >= len(data) || data[i] != '{' {
		return fmt.Errorf("it begins with something else")
	}
	end, bad := scan.Members(data, i, canon.MaxDepth, func(name, value scan.Span) *scan.Error {
		token := name.Of(data)
		key := token[1 : len(token)-1]
		if !scan.Plain(token) {
			key = []byte(scan.Unquote(token))
		}
		visit(token, key, value.Of(data))
		return nil
	})
	if bad != nil {
		line, column := scan.Position(data, bad.Offset)
		return fmt.Errorf("%w (line %d, column %d)", bad, line, column)
	}
	if end = scan.Blank(data, end); end != len(data) {
		return fmt.Errorf("something follows it")
	}
	return nil
}

// Elements calls visit with each element of a valid JSON array. A value that is not an
// array has no elements.
func Elements(raw []byte, visit func(value []byte)) {
	if scan.KindOf(raw) != scan.Array {
		return
	}
	_, _ = scan.Elements(raw, 0, canon.MaxDepth, func(value scan.Span) *scan.Error {
		visit(value.Of(raw))
		return nil
	})
}

func IsInfOrNaN(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) }
