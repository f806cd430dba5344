package qdrant

import (
	"github.com/qdrant/go-client/qdrant"

	"github.com/localpass/localpass/rag"
)

// bounds enclose what a part of a filter selects.
type bounds struct {
	over  *qdrant.Condition // selects at least that; nil: everything
	under *qdrant.Condition // selects at most that; nil: nothing. Of ordered comparisons alone
}

// overFilter returns a filter of the server that selects at least what a filter selects;
// nil if that is everything.
func overFilter(f rag.Filter) (*qdrant.Filter, error) {
	if f.IsZero() {
		return nil, nil
	}
	b, err := rag.Lower(f, lowering{})
	if err != nil || b.over == nil {
		return nil, err
	}
	return &qdrant.Filter{Must: []*qdrant.Condition{b.over}}, nil
}

type lowering struct{}

func (lowering) And(parts []bounds) (bounds, error) {
	var all []*qdrant.Condition
	for _, p := range parts {
		if p.over != nil {
			all = append(all, p.over)
		}
	}
	if len(all) == 0 {
		return bounds{}, nil
	}
	return bounds{over: qdrant.NewFilterAsCondition(&qdrant.Filter{Must: all})}, nil
}

func (lowering) Or(parts []bounds) (bounds, error) {
	var some []*qdrant.Condition
	for _, p := range parts {
		if p.over == nil {
			return bounds{}, nil
		}
		some = append(some, p.over)
	}
	return bounds{over: qdrant.NewFilterAsCondition(&qdrant.Filter{Should: some})}, nil
}

func (lowering) Not(part bounds) (bounds, error) {
	if part.under == nil {
		return bounds{}, nil
	}
	return bounds{over: not(part.under)}, nil
}

func not(c *qdrant.Condition) *qdrant.Condition {
	return qdrant.NewFilterAsCondition(&qdrant.Filter{MustNot: []*qdrant.Condition{c}})
}

// large reports whether a constant may equal, as a float64, integers that differ from it.
func large(v any) bool {
	const exact = 1 << 53
	switch v := v.(type) {
	case int64:
		return v >= exact || v <= -exact
	case float64:
		return v >= exact || v <= -exact
	}
	return false
}

func (lowering) Compare(key string, op rag.Op, value any) (bounds, error) {
	constants, ok := value.([]any)
	if !ok {
		constants = []any{value}
	}
	present := qdrant.NewMatchKeyword(fieldTerms, term(key))
	switch op {
	case rag.OpIsNull:
		return bounds{over: not(present)}, nil
	case rag.OpIsNotNull:
		return bounds{over: present}, nil
	case rag.OpEqual, rag.OpIn, rag.OpNotEqual, rag.OpNotIn:
		negated := op == rag.OpNotEqual || op == rag.OpNotIn
		var terms []string
		for _, c := range constants {
			if !negated || !large(c) { // a document with the term of a large one need not equal it
				terms = append(terms, term(key, c))
			}
		}
		switch {
		case !negated:
			return bounds{over: qdrant.NewMatchKeywords(fieldTerms, terms...)}, nil
		case len(terms) == 0:
			return bounds{}, nil
		}
		return bounds{over: not(qdrant.NewMatchKeywords(fieldTerms, terms...))}, nil
	}
	var c float64
	switch v := value.(type) {
	case int64:
		c = float64(v)
	case float64:
		c = v
	default:
		return bounds{over: present}, nil // the server does not compare texts
	}
	up := op == rag.OpGreater || op == rag.OpGreaterEqual
	inclusive := op == rag.OpGreaterEqual || op == rag.OpLessEqual
	return bounds{
		over:  numberRange(key, c, up, inclusive || large(value)),
		under: numberRange(key, c, up, inclusive && !large(value)),
	}, nil
}

func numberRange(key string, c float64, up, inclusive bool) *qdrant.Condition {
	r := &qdrant.Range{}
	switch {
	case up && inclusive:
		r.Gte = &c
	case up:
		r.Gt = &c
	case inclusive:
		r.Lte = &c
	default:
		r.Lt = &c
	}
	return qdrant.NewRange(numberField(key), r)
}
