package rag

import "strings"

// Matches reports whether the filter selects a document with these metadata. It is the
// reference that every store must agree with:
//
//   - A missing key and a nil value are null. Null equals nothing and has no order: == , IN
//     and the ordered comparisons are false for it. There are two truth values only, so
//     that != and NOT IN, as the exact opposites of == and IN, are true for it, and so is
//     NOT of an ordered comparison.
//   - Two integers are compared exactly, an integer and a decimal as float64. Strings are
//     compared by code point. Values of different types are not equal and have no order.
//   - A list equals a constant if one of its elements does. It has no order.
//   - A key with a dot is looked up as it is first, then as a path into a map of the
//     metadata.
//
// The filter must be valid, see [Filter.Check]. The zero value matches everything.
func (f Filter) Matches(metadata map[string]any) bool {
	switch f.Op {
	case OpAnd:
		for _, g := range f.Filters {
			if !g.Matches(metadata) {
				return false
			}
		}
		return true
	case OpOr:
		for _, g := range f.Filters {
			if g.Matches(metadata) {
				return true
			}
		}
		return false
	case OpNot:
		return !f.Filters[0].Matches(metadata)
	case "":
		return f.IsZero()
	}
	return f.MatchesValue(Lookup(metadata, f.Key))
}

// Lookup returns the value under a key of a filter: that of the key itself, else, for a
// key with a dot, the value in the map that its first part names. nil: there is none.
func Lookup(metadata map[string]any, key string) any {
	if v := metadata[key]; v != nil {
		return v
	}
	if head, tail, ok := strings.Cut(key, "."); ok {
		if inner, ok := metadata[head].(map[string]any); ok {
			return inner[tail]
		}
	}
	return nil
}

// MatchesValue reports whether a comparison is true for v as the value under its key. nil
// stands for a missing value. The filter must be a valid comparison.
func (f Filter) MatchesValue(v any) bool {
	switch f.Op {
	case OpIsNull:
		return v == nil
	case OpIsNotNull:
		return v != nil
	case OpEqual:
		return anyEqual(v, f.Value)
	case OpNotEqual:
		return !anyEqual(v, f.Value)
	case OpIn:
		return anyIn(v, f.Value)
	case OpNotIn:
		return !anyIn(v, f.Value)
	}
	order, ok := compare(v, f.Value)
	switch f.Op {
	case OpGreater:
		return ok && order > 0
	case OpGreaterEqual:
		return ok && order >= 0
	case OpLess:
		return ok && order < 0
	case OpLessEqual:
		return ok && order <= 0
	}
	return false
}

func anyIn(v, list any) bool {
	constants, _ := list.([]any)
	for _, c := range constants {
		if anyEqual(v, c) {
			return true
		}
	}
	return false
}

// anyEqual compares a value of metadata, or an element of it, with a constant.
func anyEqual(v, constant any) bool {
	switch list := v.(type) {
	case []any:
		for _, e := range list {
			if equal(e, constant) {
				return true
			}
		}
		return false
	case []string:
		for _, e := range list {
			if equal(e, constant) {
				return true
			}
		}
		return false
	}
	return equal(v, constant)
}

func equal(a, b any) bool {
	if x, ok := a.(bool); ok {
		y, ok := b.(bool)
		return ok && x == y
	}
	order, ok := compare(a, b)
	return ok && order == 0
}

// compare orders two strings or two numbers.
func compare(a, b any) (int, bool) {
	if x, ok := a.(string); ok {
		y, ok := b.(string)
		return strings.Compare(x, y), ok
	}
	x, ok := numberOf(a)
	if !ok {
		return 0, false
	}
	y, ok := numberOf(b)
	if !ok {
		return 0, false
	}
	if x.whole && y.whole {
		return order(x.n, y.n), true
	}
	return order(x.float(), y.float()), true
}

func order[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

type number struct {
	n     int64
	f     float64
	whole bool
}

func (n number) float() float64 {
	if n.whole {
		return float64(n.n)
	}
	return n.f
}

func numberOf(v any) (number, bool) {
	switch v := v.(type) {
	case int64:
		return number{n: v, whole: true}, true
	case int:
		return number{n: int64(v), whole: true}, true
	case float64:
		return number{f: v}, v == v
	}
	return number{}, false
}
