package rag_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

func parse(t testing.TB, text string) rag.Filter {
	t.Helper()
	f, err := rag.ParseFilter(text)
	require.NoError(t, err, text)
	return f
}

// The reference semantics: what each expression says about one document.
func TestMatches(t *testing.T) {
	t.Parallel()
	document := map[string]any{
		"s": "b", "empty": "", "n": int64(5), "f": 5.5, "whole": 5.0, "t": true, "nil": nil,
		"big": int64(9007199254740993), "tags": []any{"x", int64(1), true}, "words": []string{"x", "y"}, "none": []any{},
		"date": "2026-11-23T10:00:00Z", "m": map[string]any{"k": "v", "n": int64(1)}, "m.k": "literal", "é": 1,
	}
	for text, want := range map[string]bool{
		`s == 'b'`: true, `s == 'a'`: false, `s != 'a'`: true, `s > 'a'`: true, `s >= 'b'`: true, `s < 'b'`: false, `s <= 'b'`: true,
		`n == 5`: true, `n == 5.0`: true, `whole == 5`: true, `n > 4.5`: true, `f < 6`: true, `f >= 5.5`: true, `n < 5`: false,
		`big == 9007199254740993`: true, `big == 9007199254740992`: false, `big == 9007199254740992.0`: true, `big > 9007199254740992`: true,
		`t == true`: true, `t != false`: true, `t == false`: false, `t == 1`: false, `t == 'true'`: false,
		// Different types are not equal, and have no order.
		`n == '5'`: false, `n != '5'`: true, `s > 1`: false, `s < 1`: false, `n > 'a'`: false, `NOT n > 'a'`: true, `t > 'a'`: false,
		// Missing is null.
		`x == 1`: false, `x != 1`: true, `x IN [1]`: false, `x NOT IN [1]`: true, `x > 1`: false, `x <= 1`: false, `NOT x > 1`: true,
		`x IS NULL`: true, `x IS NOT NULL`: false, `nil IS NULL`: true, `nil != 1`: true, `s IS NULL`: false, `s IS NOT NULL`: true,
		`empty == ''`: true, `x == ''`: false, `empty IS NULL`: false, `s == ''`: false,
		// Lists.
		`tags == 'x'`: true, `tags == 1`: true, `tags == true`: true, `tags == 'z'`: false, `tags != 'x'`: false, `tags != 'z'`: true,
		`tags IN ['z', 'x']`: true, `tags NOT IN ['z']`: true, `tags NOT IN ['x']`: false, `tags > 0`: false, `NOT tags > 0`: true,
		`words == 'y'`: true, `words == 'z'`: false, `none == 'x'`: false, `none != 'x'`: true, `none IS NULL`: false,
		// Paths.
		`m.k == 'literal'`: true, `m.k == 'v'`: false, `m.n == 1`: true, `m.x IS NULL`: true, `m IS NOT NULL`: true, `m == 'v'`: false, `s.k IS NULL`: true,
		`date >= '2026-11-23'`: true, `date < '2026-11-23T10:00:01Z'`: true,
		`n IN [1, 5]`: true, `n IN ['5']`: false, `n IN [5.0]`: true,
		`n == 5 AND s == 'b'`: true, `n == 5 AND s == 'a'`: false, `n == 4 OR s == 'b'`: true, `n == 4 OR s == 'a'`: false,
		`NOT n == 5 AND s == 'a'`: true, `(NOT n == 5) AND s == 'a'`: false, `NOT NOT n == 5`: true,
		`"é" == 1`: true,
	} {
		f := parse(t, text)
		assert.Equal(t, want, f.Matches(document), text)
		assert.Equal(t, want, f.Normalize().Matches(document), "normalized: %s", text)
	}
	assert.True(t, rag.Filter{}.Matches(nil))
	assert.False(t, rag.Equal("nan", 1.0).Matches(map[string]any{"nan": math.NaN()}))
	for _, f := range []rag.Filter{rag.Equal("a", math.NaN()), rag.In("a", math.Inf(1)), rag.Not(rag.Filter{})} {
		assert.ErrorIs(t, f.Check(), rag.ErrInvalid)
	}
	assert.True(t, rag.Or().IsZero())
	assert.True(t, rag.Or(rag.Equal("a", 1), rag.Filter{}).IsZero())
	assert.Equal(t, "a == 1", rag.Or(rag.Equal("a", 1)).String())
	assert.Equal(t, "a == 1 OR (NOT b == 2)", rag.Or(rag.Equal("a", 1), rag.Not(rag.Equal("b", 2))).String())
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`NOT (a == 1 OR b == 2)`:                `a != 1 AND b != 2`,
		`NOT (a IS NULL AND b IN [1])`:          `a IS NOT NULL OR b NOT IN [1]`,
		`NOT (a IS NOT NULL OR b NOT IN [1])`:   `a IS NULL AND b IN [1]`,
		`NOT a > 1`:                             `(NOT a > 1)`,
		`NOT NOT a > 1`:                         `a > 1`,
		`NOT (a <= 1 AND b != 2)`:               `(NOT a <= 1) OR b == 2`,
		`a == 1 AND (b == 2 AND (c == 3))`:      `a == 1 AND b == 2 AND c == 3`,
		`a == 1 AND NOT (b == 2 OR NOT c == 3)`: `a == 1 AND b != 2 AND c == 3`,
		`a IN [1, 2, 1, '1', 1.0, 1]`:           `a IN [1, 2, '1', 1.0]`,
	} {
		assert.Equal(t, want, parse(t, text).Normalize().String(), text)
	}
	assert.True(t, rag.Filter{}.Normalize().IsZero())
}

// Random filters and documents of a small world, in which most pairs are decided by one
// detail.

func randomValue(r *rand.Rand) any {
	return []any{"x", "y", "", int64(1), int64(2), 1.0, 2.5, true, false, int64(1 << 53), int64(1<<53 + 1)}[r.IntN(11)]
}

func randomMetadata(r *rand.Rand) map[string]any {
	m := map[string]any{}
	for _, key := range []string{"a", "b", "c.d"} {
		switch r.IntN(5) {
		case 0:
		case 1:
			list := []any{}
			for range r.IntN(3) {
				list = append(list, randomValue(r))
			}
			m[key] = list
		default:
			m[key] = randomValue(r)
		}
	}
	if r.IntN(3) == 0 {
		m["c"] = map[string]any{"d": randomValue(r)}
	}
	return m
}

func randomFilter(r *rand.Rand, depth int) rag.Filter {
	if depth > 0 && r.IntN(2) == 0 {
		a, b := randomFilter(r, depth-1), randomFilter(r, depth-1)
		switch r.IntN(3) {
		case 0:
			return rag.And(a, b)
		case 1:
			return rag.Or(a, b)
		}
		return rag.Not(a)
	}
	f := rag.Filter{Key: []string{"a", "b", "c.d"}[r.IntN(3)]}
	f.Op = []rag.Op{rag.OpEqual, rag.OpNotEqual, rag.OpGreater, rag.OpGreaterEqual, rag.OpLess, rag.OpLessEqual, rag.OpIn, rag.OpNotIn, rag.OpIsNull, rag.OpIsNotNull}[r.IntN(10)]
	switch f.Op {
	case rag.OpIsNull, rag.OpIsNotNull:
	case rag.OpIn, rag.OpNotIn:
		f.Value = []any{randomValue(r), randomValue(r), randomValue(r)}
	default:
		f.Value = randomValue(r)
		if f.Check() != nil { // true and false have no order
			f.Value = "x"
		}
	}
	return f
}

// predicates is a lowering to functions.
type predicates struct{}

type predicate func(map[string]any) bool

func (predicates) Compare(key string, op rag.Op, value any) (predicate, error) {
	return rag.Filter{Op: op, Key: key, Value: value}.Matches, nil
}

func (predicates) And(parts []predicate) (predicate, error) {
	return func(m map[string]any) bool {
		for _, p := range parts {
			if !p(m) {
				return false
			}
		}
		return true
	}, nil
}

func (predicates) Or(parts []predicate) (predicate, error) {
	return func(m map[string]any) bool {
		for _, p := range parts {
			if p(m) {
				return true
			}
		}
		return false
	}, nil
}

func (predicates) Not(part predicate) (predicate, error) {
	return func(m map[string]any) bool { return !part(m) }, nil
}

// Normalizing, lowering and printing keep the meaning of a filter on every document.
func TestFilterForms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2))
	for range 4000 {
		f := randomFilter(r, 3)
		require.NoError(t, f.Check(), f.String())
		lowered, err := rag.Lower(f, predicates{})
		require.NoError(t, err)
		printed := parse(t, f.String())
		for range 5 {
			m := randomMetadata(r)
			want := f.Matches(m)
			require.Equal(t, want, f.Normalize().Matches(m), "normalized %s on %v", f, m)
			require.Equal(t, want, lowered(m), "lowered %s on %v", f, m)
			require.Equal(t, want, printed.Matches(m), "printed %s on %v", f, m)
			require.Equal(t, !want, rag.Not(f).Normalize().Matches(m), "negated %s on %v", f, m)
		}
	}
}

type refusing struct{ predicates }

var errRefused = errors.New("refused")

func (refusing) Compare(string, rag.Op, any) (predicate, error) { return nil, errRefused }

func TestLowerErrors(t *testing.T) {
	t.Parallel()
	_, err := rag.Lower(rag.Filter{}, predicates{})
	assert.ErrorIs(t, err, rag.ErrInvalid)
	_, err = rag.Lower(rag.In("a"), predicates{})
	assert.ErrorIs(t, err, rag.ErrInvalid)
	_, err = rag.Lower(parse(t, "a == 1 AND NOT b > 2"), refusing{})
	assert.ErrorIs(t, err, errRefused)
}

func BenchmarkMatches(b *testing.B) {
	f := parse(b, `lang == 'go' AND (year >= 2020 OR draft IS NULL) AND tag NOT IN ['old', 'private']`)
	m := map[string]any{"lang": "go", "year": int64(2024), "tag": "new"}
	b.ReportAllocs()
	for b.Loop() {
		f.Matches(m)
	}
}

func BenchmarkParseFilter(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		parse(b, `lang == 'go' AND (year >= 2020 OR draft IS NULL) AND tag NOT IN ['old', 'private']`)
	}
}
