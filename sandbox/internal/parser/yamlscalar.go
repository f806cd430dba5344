package parser

import (
	"encoding/base64"
	"errors"
	"github.com/localpass/localpass/internal/clip"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
	"go.yaml.in/yaml/v3"
)

// scalarKind returns the type of a scalar: the type of its tag or, for a plain scalar
// without a tag, the type that its text looks like.
func scalarKind(n *yaml.Node) (string, error) {
	if n.Style&yaml.TaggedStyle != 0 {
		switch n.Tag {
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!binary":
			return n.Tag, nil
		}
		return "", at(n, "the tag %s is not allowed", clip.To(n.Tag, 64))
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 || n.Value == "<<" {
		return "!!str", nil
	}
	s := n.Value
	switch {
	case isYAMLNull(s):
		return "!!null", nil
	case len(s) > maxNumber: // too long for any other type: text
		return "!!str", nil
	}
	if _, ok := yamlBool(s); ok {
		return "!!bool", nil
	}
	if c := s[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return "!!str", nil
	}
	if _, ok := yamlInt(s); ok {
		return "!!int", nil
	}
	if _, ok := yamlFloat(s); ok {
		return "!!float", nil
	}
	if _, ok := yamlTime(s); ok {
		return "!!timestamp", nil
	}
	return "!!str", nil
}

// maxNumber is the length of the longest text that may be a number or a date. The largest
// double has 309 digits.
const maxNumber = 400

// scalar converts a scalar to a value.
func (b *yamlBuilder) scalar(n *yaml.Node) (goja.Value, error) {
	kind, err := scalarKind(n)
	if err != nil {
		return nil, err
	}
	s := n.Value
	switch kind {
	case "!!str":
		return b.vm.ToValue(s), nil
	case "!!null":
		if isYAMLNull(s) {
			return goja.Null(), nil
		}
	case "!!bool":
		if v, ok := yamlBool(s); ok {
			return b.vm.ToValue(v), nil
		}
	case "!!int":
		if v, ok := yamlInt(s); ok {
			return b.number(v), nil
		}
	case "!!float":
		if v, ok := yamlFloat(s); ok {
			return b.number(v), nil
		}
		if v, ok := yamlInt(s); ok {
			return b.number(v), nil
		}
	case "!!timestamp":
		if v, ok := yamlTime(s); ok {
			return b.vm.ToValue(v), nil
		}
	case "!!binary":
		if v, ok := yamlBinary(s); ok {
			return b.vm.ToValue(v), nil
		}
	}
	return nil, at(n, "the text does not fit the tag %s", kind)
}

func (b *yamlBuilder) number(v float64) goja.Value {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 && (v != 0 || !math.Signbit(v)) {
		return b.vm.ToValue(int64(v))
	}
	return b.vm.ToValue(v)
}

func isYAMLNull(s string) bool {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// yamlBool reads the boolean words of YAML 1.1 except y and n, as the reference
// implementation does.
func yamlBool(s string) (value, ok bool) {
	switch s {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// yamlInt reads decimal, 0b, 0o, 0x and, with a leading zero, octal numbers.
func yamlInt(s string) (float64, bool) {
	if len(s) > maxNumber {
		return 0, false
	}
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	s = strings.ReplaceAll(s, "_", "")
	base := 10
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'b':
			base, s = 2, s[2:]
		case 'o':
			base, s = 8, s[2:]
		case 'x':
			base, s = 16, s[2:]
		default:
			base = 8
		}
	}
	if s == "" || s[0] == '+' || s[0] == '-' {
		return 0, false
	}
	n, ok := new(big.Int).SetString(s, base)
	if !ok {
		return 0, false
	}
	v, _ := new(big.Float).SetInt(n).Float64()
	if negative {
		v = 0 - v
	}
	return v, true
}

// yamlFloat reads a number with a point or an exponent, .inf and .nan.
func yamlFloat(s string) (float64, bool) {
	if len(s) > maxNumber {
		return 0, false
	}
	switch s {
	case ".nan", ".NaN", ".NAN":
		return math.NaN(), true
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return math.Inf(1), true
	case "-.inf", "-.Inf", "-.INF":
		return math.Inf(-1), true
	}
	digits, special := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c == '_' && digits:
		case c == '.' || c == 'e' || c == 'E':
			special = true
		case (c == '+' || c == '-') && (i == 0 || s[i-1]|0x20 == 'e'):
		default:
			return 0, false
		}
	}
	if !digits || !special {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// yamlTime reads a date, which stays as it is, or a date with a time, which is converted
// to UTC in the form of Date.prototype.toISOString. A time without a zone is taken as
// UTC.
func yamlTime(s string) (string, bool) {
	if len(s) > 64 {
		return "", false
	}
	if len(s) == len(time.DateOnly) {
		_, err := time.Parse(time.DateOnly, s)
		return s, err == nil
	}
	i := strings.IndexAny(s, "Tt \t")
	if i < 8 {
		return "", false
	}
	date, err := time.Parse("2006-1-2", s[:i])
	if err != nil {
		return "", false
	}
	rest := s[i+1:]
	if s[i]|0x20 != 't' {
		rest = strings.TrimLeft(rest, " \t")
	}
	clock, zone := rest, ""
	if j := strings.IndexAny(rest, "Z+- \t"); j >= 0 {
		clock, zone = rest[:j], strings.TrimLeft(rest[j:], " \t")
	}
	of, err := time.Parse("15:04:05", clock)
	if err != nil {
		return "", false
	}
	offset, ok := yamlZone(zone)
	if !ok {
		return "", false
	}
	t := date.Add(of.Sub(of.Truncate(24*time.Hour)) - offset)
	if t.Year() < 0 || t.Year() > 9999 {
		return "", false
	}
	return t.Format("2006-01-02T15:04:05.000Z"), true
}

// yamlZone reads a zone offset: "", "Z", "+1", "+01", "+0130" or "+01:30".
func yamlZone(s string) (time.Duration, bool) {
	if s == "" || s == "Z" {
		return 0, true
	}
	if s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, minutes, colon := strings.Cut(s[1:], ":")
	if !colon && len(hours) == 4 {
		hours, minutes = hours[:2], hours[2:]
	}
	h, err := strconv.ParseUint(hours, 10, 8)
	if err != nil || len(hours) > 2 || h > 23 {
		return 0, false
	}
	var m uint64
	if minutes != "" || colon {
		if m, err = strconv.ParseUint(minutes, 10, 8); err != nil || len(minutes) != 2 || m > 59 {
			return 0, false
		}
	}
	offset := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// yamlBinary checks base64 and removes the whitespace in it.
func yamlBinary(s string) (string, bool) {
	s = strings.Join(strings.Fields(s), "")
	_, err := base64.StdEncoding.DecodeString(s)
	return s, err == nil
}
