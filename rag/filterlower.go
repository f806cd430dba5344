package rag

import (
	"fmt"
	"slices"
)

// Normalize returns an equivalent filter in a form that is simple to translate: AND and OR
// are flat, no list holds a constant twice, and NOT stands in front of an ordered
// comparison alone. There it must stay, because NOT (year > 2020) selects documents
// without a year, and year <= 2020 does not.
func (f Filter) Normalize() Filter {
	if f.IsZero() {
		return f
	}
	return f.normal(false)
}

var opposites = map[Op]Op{
	OpEqual: OpNotEqual, OpNotEqual: OpEqual, OpIn: OpNotIn, OpNotIn: OpIn,
	OpIsNull: OpIsNotNull, OpIsNotNull: OpIsNull, OpAnd: OpOr, OpOr: OpAnd,
}

func (f Filter) normal(negate bool) Filter {
	op := f.Op
	if opposite, ok := opposites[op]; ok && negate {
		op = opposite
	}
	switch f.Op {
	case OpNot:
		return f.Filters[0].normal(!negate)
	case OpAnd, OpOr:
		joined := Filter{Op: op}
		for _, g := range f.Filters {
			if g = g.normal(negate); g.Op == op {
				joined.Filters = append(joined.Filters, g.Filters...)
			} else {
				joined.Filters = append(joined.Filters, g)
			}
		}
		if len(joined.Filters) == 1 {
			return joined.Filters[0]
		}
		return joined
	case OpGreater, OpGreaterEqual, OpLess, OpLessEqual:
		f.Value = constantOf(f.Value)
		if negate {
			return Filter{Op: OpNot, Filters: []Filter{f}}
		}
		return f
	}
	f.Op = op
	list, ok := f.Value.([]any)
	if !ok {
		f.Value = constantOf(f.Value)
		return f
	}
	distinct := make([]any, 0, len(list))
	seen := make(map[any]bool, len(list))
	for _, v := range list {
		if v = constantOf(v); !seen[v] {
			seen[v] = true
			distinct = append(distinct, v)
		}
	}
	f.Value = distinct
	return f
}

// constantOf turns an int into an int64, so that a translation meets four types.
func constantOf(v any) any {
	if n, ok := v.(int); ok {
		return int64(n)
	}
	return v
}

// Lowering translates filters into the query language of a store, whose queries are of
// the type Q. [Lower] calls it from the leaves up. The translation must agree with
// [Filter.Matches] on every document.
type Lowering[Q any] interface {
	// Compare translates a comparison. The value is a string, a bool, an int64 or a
	// float64; a []any of those without repetition for OpIn and OpNotIn; nil for OpIsNull
	// and OpIsNotNull.
	Compare(key string, op Op, value any) (Q, error)
	// And and Or join two queries or more.
	And(parts []Q) (Q, error)
	Or(parts []Q) (Q, error)
	// Not negates an ordered comparison; nothing else is negated.
	Not(part Q) (Q, error)
}

// Lower translates a filter: it checks and normalizes it, and calls the methods of l. The
// zero filter is an error, because it has no translation that is right for a search and
// for a deletion alike.
func Lower[Q any](f Filter, l Lowering[Q]) (Q, error) {
	var none Q
	if f.IsZero() {
		return none, fmt.Errorf("rag: the filter is empty: %w", ErrInvalid)
	}
	if err := f.Check(); err != nil {
		return none, err
	}
	return lower(f.Normalize(), l)
}

func lower[Q any](f Filter, l Lowering[Q]) (Q, error) {
	var none Q
	switch f.Op {
	case OpAnd, OpOr, OpNot:
		parts := make([]Q, len(f.Filters))
		for i, g := range f.Filters {
			part, err := lower(g, l)
			if err != nil {
				return none, err
			}
			parts[i] = part
		}
		switch f.Op {
		case OpNot:
			return l.Not(parts[0])
		case OpAnd:
			return l.And(parts)
		}
		return l.Or(parts)
	}
	if list, ok := f.Value.([]any); ok {
		return l.Compare(f.Key, f.Op, slices.Clone(list))
	}
	return l.Compare(f.Key, f.Op, f.Value)
}
