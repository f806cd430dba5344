package rag_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

// Expressions and their meaning, as the filter prints itself.
func TestParseFilter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`country == 'BG'`:                            `country == 'BG'`,
		`country == "BG"`:                            `country == 'BG'`,
		`WHERE country == 'BG'`:                      `country == 'BG'`,
		`where country == 'BG'`:                      `country == 'BG'`,
		`whereabouts == 'x'`:                         `whereabouts == 'x'`,
		`"where" == 'x'`:                             `'where' == 'x'`,
		`WHERE "where" == 'x'`:                       `'where' == 'x'`,
		`year >= 2020`:                               `year >= 2020`,
		`year >= 2020 && genre == 'drama'`:           `year >= 2020 AND genre == 'drama'`,
		`a == 1 OR b == 2 AND c == 3`:                `a == 1 OR (b == 2 AND c == 3)`,
		`(a == 1 OR b == 2) AND c == 3`:              `(a == 1 OR b == 2) AND c == 3`,
		`a == 1 || b == 2`:                           `a == 1 OR b == 2`,
		`a == 1 or b == 2 and c == 3`:                `a == 1 OR (b == 2 AND c == 3)`,
		`genre IN ['comedy','drama']`:                `genre IN ['comedy', 'drama']`,
		`genre in ["x"]`:                             `genre IN ['x']`,
		`city NIN ['Sofia','Varna']`:                 `city NOT IN ['Sofia', 'Varna']`,
		`city nin ['Sofia']`:                         `city NOT IN ['Sofia']`,
		`city NOT IN ['Sofia']`:                      `city NOT IN ['Sofia']`,
		`city not in ['Sofia']`:                      `city NOT IN ['Sofia']`,
		`NOT city == 'Sofia'`:                        `(NOT city == 'Sofia')`,
		`NOT a == 1 AND b == 2`:                      `(NOT a == 1 AND b == 2)`,
		`a == 1 AND NOT b == 2 OR c == 3`:            `a == 1 AND (NOT b == 2 OR c == 3)`,
		`(NOT a == 1) AND b == 2`:                    `(NOT a == 1) AND b == 2`,
		`NOT (a == 1 OR b == 2)`:                     `(NOT a == 1 OR b == 2)`,
		`NOT NOT a == 1`:                             `(NOT (NOT a == 1))`,
		`isOpen == true`:                             `isOpen == true`,
		`isOpen == TRUE`:                             `isOpen == true`,
		`isOpen != false`:                            `isOpen != false`,
		`price >= 15.6 && price <= 20.13`:            `price >= 15.6 AND price <= 20.13`,
		`temp > -5`:                                  `temp > -5`,
		`x == +3`:                                    `x == 3`,
		`x == .5`:                                    `x == 0.5`,
		`x == 5.`:                                    `x == 5.0`,
		`x == -.25`:                                  `x == -0.25`,
		`id == 9007199254740993`:                     `id == 9007199254740993`,
		`id == -9223372036854775808`:                 `id == -9223372036854775808`,
		`id == 5L`:                                   `id == 5`,
		`id == 5l`:                                   `id == 5`,
		`l == 5`:                                     `l == 5`,
		`L == 5L`:                                    `L == 5`,
		`meta.lang == 'go'`:                          `meta.lang == 'go'`,
		`"my-key" == 'v'`:                            `'my-key' == 'v'`,
		`'my key' IN [1,2]`:                          `'my key' IN [1, 2]`,
		`"a.b.c" == 1`:                               `'a.b.c' == 1`,
		`name == 'O\'Neil'`:                          `name == 'O\'Neil'`,
		`path == 'C:\\tmp'`:                          `path == 'C:\\tmp'`,
		`name == "it's"`:                             `name == 'it\'s'`,
		`author IS NULL`:                             `author IS NULL`,
		`author IS NOT NULL`:                         `author IS NOT NULL`,
		`author is not null`:                         `author IS NOT NULL`,
		`tags == ''`:                                 `tags == ''`,
		`v IN [1,'1',true]`:                          `v IN [1, '1', true]`,
		"a == 1\n\tAND b == 'é'":                     `a == 1 AND b == 'é'`,
		`a==1AND b==2`:                               "",
		`((((a == 1))))`:                             `a == 1`,
		`notes == 1 AND orders == 2`:                 `notes == 1 AND orders == 2`,
		`_x1 == 1`:                                   `_x1 == 1`,
		`a == 'x' AND b == 'y' AND c == 'z'`:         `a == 'x' AND b == 'y' AND c == 'z'`,
		`a == 1 AND (b == 2 AND c == 3)`:             `a == 1 AND b == 2 AND c == 3`,
		`docInfoId IN ['docInfoId-1','docInfoId-2']`: `docInfoId IN ['docInfoId-1', 'docInfoId-2']`,
	} {
		f, err := rag.ParseFilter(text)
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		require.NoError(t, f.Check(), text)
		assert.Equal(t, want, f.String(), text)
		again, err := rag.ParseFilter(f.String())
		require.NoError(t, err, text)
		assert.Equal(t, f.Normalize(), again.Normalize(), text)
	}
}

// Each error names its position, what is wrong there, and where it helps the right form.
func TestParseFilterErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		at   string // line:column
		want string
	}{
		{"", "1:1", "empty"},
		{"  \n ", "1:1", "empty"},
		{"WHERE", "1:6", "a key expected"},
		{"a = 1", "1:3", "write =="},
		{"a === 1", "1:5", "at most one ="},
		{"a == 1;", "1:7", "not allowed"},
		{"a == b", "1:6", "constant"},
		{"1 == a", "1:1", "a key expected"},
		{"a IN []", "1:7", "empty"},
		{"a IN 'x'", "1:6", "a list"},
		{"a And b == 1", "1:3", "upper case"},
		{"a == 1 And b == 1", "1:8", "upper case"},
		{"a.b.c == 1", "1:4", "one dot"},
		{"a. == 1", "1:3", "name expected"},
		{"my-key == 1", "1:3", "quotes"},
		{"name == 'abc", "1:9", "no closing '"},
		{`name == 'abc\'`, "1:9", "no closing '"},
		{"(a == 1", "1:8", ")"},
		{"a == 1)", "1:7", "no ("},
		{"a == 1 b == 2", "1:8", "AND, OR"},
		{"a == null", "1:6", "IS NULL"},
		{"a == -'x'", "1:7", "number"},
		{"a == 99999999999999999999", "1:6", "out of range"},
		{"a == 9223372036854775808", "1:6", "out of range"},
		{"a == 5x", "1:7", "run into"},
		{"a == 1.2.3", "1:9", "run into"},
		{"a == 1e5", "1:7", "run into"},
		{"a == .", "1:6", "a number"},
		{"a > true", "1:5", "no order"},
		{"a IS 1", "1:6", "NULL expected"},
		{"a IS NOT 1", "1:10", "NULL expected"},
		{"a NOT 1", "1:7", "IN expected"},
		{"a", "1:2", "an operator"},
		{"AND a == 1", "1:1", "in quotes"},
		{"in == 1", "1:1", "in quotes"},
		{"a == 1 AND", "1:11", "a key expected"},
		{"NOT", "1:4", "a key expected"},
		{"a IN [1,]", "1:9", "constant"},
		{"a IN [1 2]", "1:9", ", or ]"},
		{"a IN [1, null]", "1:10", "IS NULL"},
		{"'' == 1", "1:1", "must not be empty"},
		{"a == 'ä' AND\n  b = 2", "2:5", "write =="},
		{"ä == 1", "1:1", "'ä'"},
		{"a == 1 \x00", "1:8", "not allowed"},
		{"a == \xff", "1:6", "not allowed"},
		{strings.Repeat("(", 65) + "a == 1" + strings.Repeat(")", 65), "1:65", "deep"},
		{strings.Repeat("NOT ", 65) + "a == 1", "1:257", "deep"},
		{strings.Repeat("(a == 1 OR b == 1 AND ", 40) + "a == 1" + strings.Repeat(")", 40), "1:1", "deep"},
		{"a IN [" + strings.Repeat("1,", 1000) + "1]", "1:2007", "1000 constants"},
		{"a == '" + strings.Repeat("x", 8<<10) + "'", "1:1", "at most 8192"},
	} {
		name := c.text
		if len(name) > 60 {
			name = name[:60]
		}
		f, err := rag.ParseFilter(c.text)
		require.ErrorIs(t, err, rag.ErrInvalid, name)
		require.True(t, f.IsZero(), name)
		var at *rag.FilterError
		require.True(t, errors.As(err, &at), name)
		line, column, _ := strings.Cut(c.at, ":")
		require.ErrorContains(t, err, "line "+line+", column "+column+":", name)
		assert.ErrorContains(t, err, c.want, name)
		assert.LessOrEqual(t, len(err.Error()), 200, name)
	}
}

// What is accepted is valid, and prints itself so that it is read as the same filter.
func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{`a == 1 AND NOT b IN ['x', 2.5, true] OR c.d IS NOT NULL`, `WHERE 'k\'' != "v"`, `(a>=.5)`, `a == -5L`, "a == 'é'\n||b<=\"\\\\\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := rag.ParseFilter(text)
		if err != nil {
			var at *rag.FilterError
			if !errors.As(err, &at) || at.Offset < 0 || at.Offset > len(text) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%q gives the error %v", text, err)
			}
			return
		}
		if err := first.Check(); err != nil {
			t.Fatalf("%q gives an invalid filter: %v", text, err)
		}
		printed := first.String()
		if len(printed) > 8<<10 {
			return // spelled out, a decimal may be longer
		}
		second, err := rag.ParseFilter(printed)
		if err != nil {
			t.Fatalf("%q prints as %q, which is rejected: %v", text, printed, err)
		}
		if again := second.String(); again != printed {
			t.Fatalf("%q prints as %q, and that as %q", text, printed, again)
		}
		if a, b := first.Normalize().String(), second.Normalize().String(); a != b {
			t.Fatalf("%q means %q, its print %q", text, a, b)
		}
	})
}
