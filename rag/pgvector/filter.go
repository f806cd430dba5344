package pgvector

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/rag"
)

// maxArguments is the number of arguments that a statement of PostgreSQL may have, less
// those of the search itself.
const maxArguments = 65_000

// lowering translates a filter into a condition on the column metadata that is true or
// false, never null. Keys and constants are arguments.
type lowering struct{ args []any }

// condition returns the condition of a filter, TRUE for the zero filter, and adds its
// arguments to those that are there.
func condition(f rag.Filter, args []any) (string, []any, error) {
	if f.IsZero() {
		return "TRUE", args, nil
	}
	l := &lowering{args}
	text, err := rag.Lower(f, l)
	if err == nil && len(l.args) > maxArguments {
		err = fmt.Errorf("the filter has more than %d keys and constants: %w", maxArguments, rag.ErrInvalid)
	}
	return text, l.args, err
}

func (l *lowering) And(parts []string) (string, error) {
	return "(" + strings.Join(parts, " AND ") + ")", nil
}

func (l *lowering) Or(parts []string) (string, error) {
	return "(" + strings.Join(parts, " OR ") + ")", nil
}

func (l *lowering) Not(part string) (string, error) { return "NOT " + part, nil }

// add adds an argument of a type, and returns its place.
func (l *lowering) add(v any, typ string) string {
	l.args = append(l.args, v)
	return fmt.Sprintf("$%d::%s", len(l.args), typ)
}

func (l *lowering) Compare(key string, op rag.Op, value any) (string, error) {
	list, ok := value.([]any)
	if !ok && value != nil {
		list = []any{value}
	}
	for _, text := range append([]any{key}, list...) {
		if s, ok := text.(string); ok && (!utf8.ValidString(s) || strings.ContainsRune(s, 0)) {
			return "", fmt.Errorf("the filter on %q has text that is not valid UTF-8 or holds a NUL: %w", key, rag.ErrInvalid)
		}
	}
	switch op {
	case rag.OpIsNull:
		return "(" + l.lookup(key) + " IS NULL)", nil
	case rag.OpIsNotNull:
		return "(" + l.lookup(key) + " IS NOT NULL)", nil
	case rag.OpEqual, rag.OpIn:
		return l.equal(key, list), nil
	case rag.OpNotEqual, rag.OpNotIn:
		return "NOT " + l.equal(key, list), nil
	}
	return l.ordered(l.lookup(key), string(op), value), nil
}

// lookup returns the expression for the value under a key.
func (l *lowering) lookup(key string) string {
	literal := "metadata -> " + l.add(key, "text")
	if head, tail, dotted := strings.Cut(key, "."); dotted {
		return "coalesce(" + literal + ", metadata -> " + l.add(head, "text") + " -> " + l.add(tail, "text") + ")"
	}
	return "(" + literal + ")"
}

// exact is the bound below which an integer is exactly a float64, so that comparing
// decimally, as jsonb does, agrees with the comparison of an integer and a decimal.
const exact = 1 << 53

// equal returns the condition that a value, or an element of it, is one of some constants.
func (l *lowering) equal(key string, constants []any) string {
	var contained []string // constants that jsonb compares as the reference does
	var parts []string
	dotted := strings.Contains(key, ".")
	for _, c := range constants {
		large := false
		switch c := c.(type) {
		case int64:
			large = c >= exact || c <= -exact
		case float64:
			large = c >= exact || c <= -exact
		}
		if large {
			parts = append(parts, l.equalLarge(l.lookup(key), c))
			continue
		}
		text, _ := json.Marshal(toJSON(c)) // a scalar cannot fail
		if dotted {
			contained = append(contained, string(text))
			continue
		}
		name, _ := json.Marshal(key)
		contained = append(contained, fmt.Sprintf(`{%s:%s}`, name, text), fmt.Sprintf(`{%s:[%s]}`, name, text))
	}
	switch {
	case len(contained) == 0:
	case dotted:
		value := l.lookup(key)
		parts = append(parts, "coalesce("+value+" @> ANY ("+l.add(contained, "text[]")+"::jsonb[]), FALSE)")
	default: // a containment in the whole column can use its index
		parts = append(parts, "metadata @> ANY ("+l.add(contained, "text[]")+"::jsonb[])")
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// compareNumber returns the comparison of a jsonb number with a constant: exact for two
// integers, and else as float64. A decimal is stored with a digit after its point.
func (l *lowering) compareNumber(v, op string, constant any) string {
	if n, ok := constant.(int64); ok {
		c := l.add(n, "int8")
		return "CASE WHEN scale(" + v + "::numeric) = 0 THEN " + v + "::numeric " + op + " " + c + " ELSE " + v + "::float8 " + op + " " + c + "::float8 END"
	}
	return v + "::float8 " + op + " " + l.add(constant, "float8")
}

func (l *lowering) equalLarge(v string, constant any) string {
	return "EXISTS (SELECT FROM jsonb_array_elements(CASE jsonb_typeof(" + v + ") WHEN 'array' THEN " + v + " ELSE jsonb_build_array(" + v + ") END) AS element (v)" +
		" WHERE CASE jsonb_typeof(v) WHEN 'number' THEN " + l.compareNumber("v", "=", constant) + " ELSE FALSE END)"
}

func (l *lowering) ordered(v, op string, constant any) string {
	typ, comparison := "number", ""
	if s, ok := constant.(string); ok {
		typ, comparison = "string", "("+v+` #>> '{}') COLLATE "C" `+op+" "+l.add(s, "text")
	} else {
		comparison = l.compareNumber(v, op, constant)
	}
	return "(CASE jsonb_typeof(" + v + ") WHEN '" + typ + "' THEN " + comparison + " ELSE FALSE END)"
}
