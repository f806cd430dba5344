package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/schema"
)

func several(n int, item func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}

func always(s string) func(int) string { return func(int) string { return s } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// Without bounds each of these takes from seconds to hours, or gigabytes.
func TestHostileSchemasEnd(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	deep := func(open, inner, end string, levels int) string {
		return strings.Repeat(open, levels) + inner + strings.Repeat(end, levels)
	}
	for name, c := range map[string]struct{ schema, problem string }{
		"many in a list":       {`{"allOf":[` + several(330_000, always(`{}`)) + `]}`, "more than 20000 parts"},
		"many that are true":   {`{"allOf":[` + several(200_000, always(`true`)) + `]}`, "more than 20000 parts"},
		"many definitions":     {`{"$defs":{` + several(100_000, numbered(`"%d":{}`)) + `}}`, "more than 20000 parts"},
		"a long text, deep":    {deep(`{"not":`, `{"description":"`+long+`"}`, `}`, 190), "too large for how deep"},
		"a long list, deep":    {deep(`{"not":`, `{"other":[`+several(50_000, always(`1`))+`]}`, `}`, 150), "too large for how deep"},
		"many below a name":    {`{"properties":{"` + long + `":{"allOf":[` + several(1_000, always(`{}`)) + `]}}}`, "below long names"},
		"many below names":     {`{"properties":{"` + long[:5000] + `":{"properties":{"` + long[:5000] + `":{"items":[` + several(10_000, always(`true`)) + `]}}}}}`, "below long names"},
		"many ids":             {`{"$id":"https://a.test/` + long + `/x","allOf":[` + several(500, numbered(`{"$id":"y%d"}`)) + `]}`, "below long addresses"},
		"many references":      {`{"$id":"https://a.test/` + long + `/x","allOf":[` + several(500, always(`{"$ref":"#"}`)) + `]}`, "below long addresses"},
		"repeats":              {`{"allOf":[` + several(200, always(`{"pattern":"(a{100}){10}"}`)) + `]}`, "patterns that are too large"},
		"repeats of names":     {`{"patternProperties":{` + several(200, numbered(`"(a{100}){10}%d":true`)) + `}}`, "patterns that are too large"},
		"a long pattern":       {`{"pattern":"` + long + `"}`, "patterns that are too large"},
		"too many repeats":     {`{"pattern":"((((a{1000}){1000}){1000}){1000})"}`, "pattern"},
		"a long wrong pattern": {`{"pattern":"(` + long[:9_000] + `"}`, "missing closing )"},
		"a long type":          {`{"type":"object","properties":{"` + long + `":7}}`, "not a JSON Schema"},
		"out of range":         {`{"minimum":1e400}`, "cannot unmarshal"},
		"stray ends":           {`]]]}}}:::`, "not a JSON Schema"},
	} {
		start := time.Now()
		_, err := schema.Compile(json.RawMessage(c.schema))
		assert.ErrorContains(t, err, c.problem, name)
		assert.Less(t, len(err.Error()), 2100, name)
		assert.Less(t, time.Since(start), 2*time.Minute, name)
	}
	_, err := schema.CompileObject(json.RawMessage(`{"type":"` + long + `"}`))
	assert.ErrorContains(t, err, "must be")
	assert.Less(t, len(err.Error()), 2100)
	_, err = schema.CompileObject(json.RawMessage(`[]`))
	assert.ErrorContains(t, err, "not a JSON object")

	for name, text := range map[string]string{ // large, and still read
		"parts":    `{"allOf":[` + several(5_000, always(`{"type":"string"}`)) + `]}`,
		"text":     `{"description":"` + strings.Repeat(long, 9) + `"}`,
		"patterns": `{"pattern":"^([a-z]{1,63}\\.){1,8}[a-z\\pL]{2,63}$"}`,
		"wrong":    `{"properties":{"t":{},"f":false}}`,
	} {
		_, err := schema.Compile(json.RawMessage(text))
		assert.NoError(t, err, name)
	}
}

func TestHostileValuesEnd(t *testing.T) {
	words := func(i int) string { // all have one hash in the library
		return `[` + several(16, func(k int) string { return [...]string{"null", "false"}[i>>k&1] }) + `]`
	}
	chain := func(n int, last string) string {
		return `{"$ref":"#/$defs/s0","$defs":{"s` + fmt.Sprint(n) + `":` + last + `,` +
			several(n, func(i int) string { return fmt.Sprintf(`"s%d":{"$ref":"#/$defs/s%d"}`, i, i+1) }) + `}}`
	}
	large := `"` + strings.Repeat("x", 1_000_000) + `"`
	const tooMany = "too many steps"
	for name, c := range map[string]struct{ schema, value, problem string }{
		"types that print":     {`{"anyOf":[` + several(1_000, always(`{"type":"string"}`)) + `]}`, `[` + several(300_000, always(`1`)) + `]`, "anyOf"},
		"choices that print":   {`{"items":{"anyOf":[{"enum":[` + several(1_000, numbered(`"%0300d"`)) + `]},{}]}}`, `[` + several(30_000, always(`1`)) + `]`, tooMany},
		"schemas that print":   {`{"items":{"anyOf":[{"anyOf":[{"$anchor":"` + large[1:100_000] + `","type":"null"}]},true]}}`, `[` + several(30_000, always(`1`)) + `]`, tooMany},
		"strings that print":   {`{"anyOf":[` + several(5_000, always(`{"minLength":2000000}`)) + `]}`, large, tooMany},
		"names that print":     {`{"items":{"anyOf":[{"required":["` + large[1:100_000] + `"]},true]}}`, `[` + several(30_000, always(`{}`)) + `]`, tooMany},
		"members that print":   {`{"anyOf":[` + several(1_000, always(`{"additionalProperties":false}`)) + `]}`, `{` + several(50_000, numbered(`"%d":1`)) + `}`, tooMany},
		"the same hash":        {`{"uniqueItems":true}`, `[` + several(20_000, words) + `]`, tooMany},
		"many required":        {`{"items":{"required":[` + several(20_000, always(`"a"`)) + `]}}`, `[` + several(20_000, always(`{"a":1}`)) + `]`, tooMany},
		"many needed":          {`{"items":{"dependentRequired":{"a":[` + several(20_000, always(`"a"`)) + `]}}}`, `[` + several(20_000, always(`{"a":1}`)) + `]`, tooMany},
		"many properties":      {`{"items":{"properties":{` + several(10_000, numbered(`"%d":{}`)) + `}}}`, `[` + several(20_000, always(`{}`)) + `]`, tooMany},
		"large constants":      {`{"items":{"const":[` + several(10_000, always(`1`)) + `]}}`, `[` + several(300, always(`[`+several(10_000, always(`1`))+`]`)) + `]`, tooMany},
		"patterns of values":   {`{"pattern":"^((a?){100}){10}$"}`, `"` + strings.Repeat("a", 100_000) + `"`, tooMany},
		"patterns of names":    {`{"patternProperties":{"^((a?){100}){10}$":true}}`, `{"` + strings.Repeat("a", 100_000) + `":1}`, tooMany},
		"long lists of items":  {chain(1_000, `{"contains":{}}`), `[` + several(500_000, always(`1`)) + `]`, tooMany},
		"a long way to say":    {chain(1_500, `{"minLength":2000000}`), large, "too deep"},
		"a deep value":         {`{"uniqueItems":true}`, strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), "deeper than 200 levels"},
		"many that are unlike": {`{"uniqueItems":true}`, `[` + several(50_000, numbered(`{"a":"%d","b":[%[1]d,null,true,false]}`)) + `]`, ""},
		"two that are alike":   {`{"uniqueItems":true}`, `[` + several(50_000, always(`{"a":"","b":0}`)) + `]`, "are equal"},
		"a number":             {`{}`, `1e400`, "not JSON"},
		"no text":              {`{"maxLength":1}`, "\"\xff\xfe\"", "more than 1"},
	} {
		s, err := schema.Compile(json.RawMessage(c.schema))
		require.NoError(t, err, name)
		start := time.Now()
		err = s.Validate(json.RawMessage(c.value))
		assert.Less(t, time.Since(start), 2*time.Minute, name)
		if c.problem == "" {
			assert.NoError(t, err, name)
			continue
		}
		assert.ErrorContains(t, err, c.problem, name)
		assert.Less(t, len(err.Error()), 2100, name)
	}
}

func TestErrorsShowTheBeginningOfAValue(t *testing.T) {
	s, err := schema.Compile(json.RawMessage(`{"anyOf":[{"type":"boolean"}],"enum":[1],"type":["null","integer","string","array","object"]}`))
	require.NoError(t, err)
	for value, shown := range map[string]string{
		`"` + strings.Repeat("é", 99) + `"`:                 "enum: " + strings.Repeat("é", 50) + "… does not",
		`[1,"a",[null],` + strings.Repeat(`[],`, 99) + `1]`: "enum: [1 a [<nil>] [] []",
		`{"b":{"c":true},"a":"z"}`:                          "enum: map[a:z b:map[c:true]] does not equal any of: [1]",
		`{` + several(21, numbered(`"%d":1`)) + `}`:         "enum: map[21 members]",
		`{"a":"` + strings.Repeat("y", 200) + `","b":1}`:    "y… …] does not",
	} {
		assert.ErrorContains(t, s.Validate(json.RawMessage(value)), shown, value)
	}
	s, err = schema.Compile(json.RawMessage(`{"minLength":99999}`))
	require.NoError(t, err)
	err = s.Validate(json.RawMessage(`"` + strings.Repeat("é", 9_999) + `"`))
	assert.ErrorContains(t, err, `minLength: "é`)
	assert.ErrorContains(t, err, "fewer than 99999")
	assert.True(t, utf8.ValidString(err.Error()))
}
