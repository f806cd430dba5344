package rag

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Op is an operator of a [Filter].
type Op string

// The operators. A comparison has a Key and a Value; the value of OpIn and OpNotIn is a
// list, OpIsNull and OpIsNotNull have no value. The last three combine Filters; OpNot has
// exactly one.
const (
	OpEqual        Op = "=="
	OpNotEqual     Op = "!="
	OpGreater      Op = ">"
	OpGreaterEqual Op = ">="
	OpLess         Op = "<"
	OpLessEqual    Op = "<="
	OpIn           Op = "IN"
	OpNotIn        Op = "NOT IN"
	OpIsNull       Op = "IS NULL"
	OpIsNotNull    Op = "IS NOT NULL"
	OpAnd          Op = "AND"
	OpOr           Op = "OR"
	OpNot          Op = "NOT"
)

// Filter selects documents by their metadata. The zero value selects all. A Filter must
// not be changed after it was created.
type Filter struct {
	Op  Op
	Key string
	// Value is a string, a bool, an int64 or a float64, or a []any of those.
	Value   any
	Filters []Filter
}

// Equal selects documents whose metadata have the value under key.
func Equal(key string, value any) Filter { return Filter{Op: OpEqual, Key: key, Value: value} }

// Or selects documents that at least one of the filters selects. If one of them is zero,
// which selects everything, or there is none, the result is the zero value.
func Or(filters ...Filter) Filter {
	for _, f := range filters {
		if f.IsZero() {
			return Filter{}
		}
	}
	switch len(filters) {
	case 0:
		return Filter{}
	case 1:
		return filters[0]
	}
	return Filter{Op: OpOr, Filters: slices.Clone(filters)}
}

// Not selects documents that the filter does not select.
func Not(f Filter) Filter { return Filter{Op: OpNot, Filters: []Filter{f}} }

// In selects documents whose metadata have one of the values under key.
func In(key string, values ...any) Filter { return Filter{Op: OpIn, Key: key, Value: values} }

// And selects documents that all filters select. Zero filters are left out; if all are
// zero, the result is the zero value.
func And(filters ...Filter) Filter {
	var own []Filter
	for _, f := range filters {
		if !f.IsZero() {
			own = append(own, f)
		}
	}
	switch len(own) {
	case 0:
		return Filter{}
	case 1:
		return own[0]
	}
	return Filter{Op: OpAnd, Filters: own}
}

// IsZero reports whether the filter is zero and so selects all documents.
func (f Filter) IsZero() bool {
	return f.Op == "" && f.Key == "" && f.Value == nil && len(f.Filters) == 0
}

// maxDepth is the maximum nesting depth of filters. It prevents a filter of another
// program from exhausting the stack.
const maxDepth = 64

// Check returns an error for the first invalid part of a filter. The zero value is valid.
func (f Filter) Check() error {
	if f.IsZero() {
		return nil
	}
	return f.check(maxDepth)
}

func (f Filter) check(depth int) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("rag: filter %s: %s: %w", f.Op, fmt.Sprintf(format, args...), ErrInvalid)
	}
	if depth == 0 {
		return bad("it is nested more than %d deep", maxDepth)
	}
	switch f.Op {
	case OpAnd, OpOr, OpNot:
		if n := len(f.Filters); n == 0 || f.Op == OpNot && n != 1 {
			return bad("it joins %d filters", n)
		}
		if f.Key != "" || f.Value != nil {
			return bad("it joins filters, and has a key or a value of its own")
		}
		for _, g := range f.Filters {
			if err := g.check(depth - 1); err != nil {
				return err
			}
		}
		return nil
	}
	if f.Key == "" || len(f.Filters) > 0 {
		return bad("it needs a key, and no filters within")
	}
	switch f.Op {
	case OpEqual, OpNotEqual:
		if !plain(f.Value) {
			return bad("the value of %s must be a text, a truth value or a number, not %T", f.Key, f.Value)
		}
	case OpGreater, OpGreaterEqual, OpLess, OpLessEqual:
		if _, truth := f.Value.(bool); truth || !plain(f.Value) {
			return bad("the value of %s must be a text or a number, not %T", f.Key, f.Value)
		}
	case OpIn, OpNotIn:
		list, ok := f.Value.([]any)
		if !ok || len(list) == 0 {
			return bad("the value of %s must be a list that is not empty", f.Key)
		}
		for _, v := range list {
			if !plain(v) {
				return bad("the list of %s may hold texts, truth values and numbers, not %T", f.Key, v)
			}
		}
	case OpIsNull, OpIsNotNull:
		if f.Value != nil {
			return bad("%s needs no value", f.Key)
		}
	default:
		return fmt.Errorf("rag: filter: there is no operator %q: %w", f.Op, ErrInvalid)
	}
	return nil
}

func plain(v any) bool {
	switch v := v.(type) {
	case string, bool, int, int64:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return false
}

// String returns the filter in readable form, such as "lang == 'go' AND year >= 2020". It
// is empty for the zero value.
func (f Filter) String() string {
	if f.IsZero() {
		return ""
	}
	var b strings.Builder
	f.write(&b, maxDepth)
	return b.String()
}

func (f Filter) write(b *strings.Builder, depth int) {
	if depth == 0 {
		b.WriteString("…")
		return
	}
	switch f.Op {
	case OpNot:
		b.WriteString("(NOT ")
		for _, g := range f.Filters {
			g.write(b, depth-1)
		}
		b.WriteByte(')')
	case OpAnd, OpOr:
		for i, g := range f.Filters {
			if i > 0 {
				b.WriteString(" " + string(f.Op) + " ")
			}
			if within := g.Op == OpAnd || g.Op == OpOr; within && g.Op != f.Op {
				b.WriteByte('(')
				g.write(b, depth-1)
				b.WriteByte(')')
			} else {
				g.write(b, depth-1)
			}
		}
	case OpIsNull, OpIsNotNull:
		b.WriteString(key(f.Key) + " " + string(f.Op))
	default:
		b.WriteString(key(f.Key) + " " + string(f.Op) + " " + constant(f.Value))
	}
}

// key formats a key: without quotes if it is a name, or two names with a dot between
// them, and otherwise in quotes.
func key(s string) string {
	head, tail, dotted := strings.Cut(s, ".")
	if name(head) && (!dotted || name(tail)) {
		return s
	}
	return quote(s)
}

func name(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != "" && !reserved(s)
}

// reserved reports whether a name is a word of the filter language, in any case.
func reserved(s string) bool {
	switch strings.ToUpper(s) {
	case "WHERE", "AND", "OR", "IN", "NIN", "NOT", "IS", "NULL", "TRUE", "FALSE":
		return true
	}
	return false
}

func constant(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case float64:
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = constant(v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

var escapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

func quote(s string) string { return "'" + escapes.Replace(s) + "'" }
