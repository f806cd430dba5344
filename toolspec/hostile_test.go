package toolspec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/toolspec"
)

// maxCodeSize is the bound of a spec's code in bytes, by section 9 of the specification.
const maxCodeSize = 1 << 20

// Documents made to be slow: each would run for minutes if any step took time
// that grows with the square of its size.
func TestHostileDocuments(t *testing.T) {
	spec := func(members string) string {
		return `{"name":"x","code":"return 1;","codeType":"Javascript",` + members + `}`
	}
	repeat := func(n int, one func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = one(i)
		}
		return strings.Join(parts, ",")
	}
	many := testrun.Sample(100_000)
	for name, tc := range map[string]struct{ text, reason string }{
		"parameters":          {spec(`"params":[` + repeat(many, func(i int) string { return fmt.Sprintf(`{"name":"p%d","type":"STRING","required":false}`, i) }) + `]`), "too-many"},
		"variables":           {spec(`"staticVariables":[` + repeat(many, func(i int) string { return fmt.Sprintf(`{"v%d":"x"}`, i) }) + `]`), "too-many"},
		"cases":               {spec(`"x-tests":[` + repeat(many, func(int) string { return `{}` }) + `]`), "too-many"},
		"hosts":               {spec(`"sandboxOverrides":{"hostsAllow":[` + repeat(many, func(i int) string { return fmt.Sprintf(`"h%d"`, i) }) + `]}`), "too-many"},
		"wrong members":       {spec(`"params":[` + repeat(999, func(int) string { return `5` }) + `],"pad":"` + strings.Repeat("x", 8<<20) + `"`), "wrong-type"},
		"repeated members":    {spec(`"x-a":{` + repeat(many, func(int) string { return `"a":1` }) + `}`), "duplicate-member"},
		"notes":               {spec(`"toolSafety":{` + repeat(many, func(i int) string { return fmt.Sprintf(`"m%d":1`, i) }) + `}`), "unknown-member"},
		"arguments of a case": {spec(`"x-tests":[{"args":{` + repeat(many, func(i int) string { return fmt.Sprintf(`"a%d":1`, i) }) + `}}]`), "test-argument"},
		"placeholders":        {spec(`"staticVariables":[{"v":"` + strings.Repeat("${", 1<<20) + `}"}]`), "placeholder"},
		"class lists": {spec(`"sandboxOverrides":{"addAllowClasses":[` + repeat(9_999, func(i int) string { return fmt.Sprintf(`"c%d"`, i) }) +
			`],"removeAllowClasses":[` + repeat(9_999, func(i int) string { return fmt.Sprintf(`"d%d"`, i) }) + `]}`), "class-lists-inert"},
		"nesting": {spec(`"x-a":` + strings.Repeat(`{"a":[`, 95) + strings.Repeat(" ", 1<<20) + strings.Repeat(`]}`, 95)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := toolspec.Parse([]byte(tc.text), nil)
			require.NoError(t, err)
			problems := docs[0].Problems
			if s := docs[0].Spec; s != nil {
				_, rejected := s.Resolve(nil)
				problems = append(append(problems, rejected...), s.Lint()...)
				s.ContentHash()
			}
			if tc.reason == "" {
				require.NoError(t, problems.Err())
				return
			}
			require.NotEmpty(t, problems)
			assert.Contains(t, strings.Join(reasons(problems), "\n"), tc.reason)
		})
	}

	entries := testrun.Sample(5_000_000)
	_, err := toolspec.Parse([]byte("["+strings.Repeat("1,", entries-1)+"1]"), nil)
	assert.ErrorContains(t, err, fmt.Sprintf("the text holds %d entries, at most 10000 are read", entries))
	docs, err := toolspec.Parse([]byte("["+strings.Repeat("1,", 9_999)+"1]"), nil)
	require.NoError(t, err)
	assert.Len(t, docs, 10_000)
	assert.Equal(t, 1, docs[0].Problems[0].Line)
	assert.Zero(t, docs[9_999].Problems[0].Line, "positions are worked out for the first problems only")

	for name, code := range map[string]string{
		"regular expressions": strings.Repeat("=/[", maxCodeSize/3),
		"escapes":             strings.Repeat(`\u{`, maxCodeSize/3),
		"templates":           strings.Repeat("`${", maxCodeSize/3),
		"blanks":              "`${" + strings.Repeat(" ", maxCodeSize/2) + strings.Repeat("/ ", 1000),
		"prefixes of secrets": strings.Repeat("sk-", maxCodeSize/3),
	} {
		t.Run(name, func(t *testing.T) {
			s := sound()
			s.Code = code
			s.Lint()
		})
	}
}
