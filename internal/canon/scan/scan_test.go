package scan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/canon/scan"
)

func TestText(t *testing.T) {
	for _, good := range []string{`0`, `-1.5e+3`, ` {"a" : [1, {"b":null}] , "c":"\u00E9\"" } `, `[]`, `{}`, `true`, `false`, "\"\u007f\"", `"\/\b\f\n\r\t\\"`} {
		at, err := scan.Text([]byte(good), 10)
		require.Nil(t, err, good)
		assert.Equal(t, strings.TrimSpace(good), string(at.Of([]byte(good))))
	}
}

func TestTextErrors(t *testing.T) {
	for in, want := range map[string]string{
		``:                           "found the end of the text where a value should be; the text is cut short: complete it @0",
		`{"a":1,}`:                   `found a comma before '}'; remove the comma: JSON has none after the last entry @6`,
		"[1,\n]":                     `found a comma before ']'; remove the comma: JSON has none after the last entry @2`,
		`{'a':1}`:                    `found "'" where a member name in double quotes should be; write strings and names in double quotes @1`,
		`{a:1}`:                      `found "a" where a member name in double quotes should be; write names and texts in double quotes @1`,
		`{"a" 1}`:                    `found '1' where a colon should be @5`,
		`{"a":}`:                     `found '}' where a value should be @5`,
		`{"a":1 "b":2}`:              `found '"' where a comma or '}' should be; put a comma between the two @7`,
		`[1 2]`:                      `found '2' where a comma or ']' should be; put a comma between the two @3`,
		`[1`:                         `found the end of the text where a comma or ']' should be; the text is cut short: complete it @2`,
		`// x`:                       `found '/' where a value should be; remove the comment: JSON has none @0`,
		`# x`:                        `found '#' where a value should be; remove the comment: JSON has none @0`,
		"`x`":                        "found '`' where a value should be; write strings in double quotes, line breaks in them as \\n @0",
		`True`:                       `found "True" where a value should be; write true and false in lower case @0`,
		`None`:                       `found "None" where a value should be; write null @0`,
		`NaN`:                        `found "NaN" where a value should be; JSON has no such number: write null or a string @0`,
		`nul`:                        `found "nul" where a value should be; write names and texts in double quotes @0`,
		`trux`:                       `found "trux" where a value should be; write names and texts in double quotes @0`,
		"\"a\nb\"":                   `found a line break where an escape such as \n should be; write the line break as \n, or close the string @2`,
		"\"a\tb\"":                   `found a tab where an escape such as \n should be; write the tab as \t @2`,
		"\"\x01\"":                   `found the character U+0001 where an escape such as \n should be @1`,
		`"abc`:                       `found a string that does not end where a closing quote should be @0`,
		`"\x41"`:                     `found an unknown escape where one of \" \\ \/ \b \f \n \r \t or \u and four hex digits should be @1`,
		`"\u12G4"`:                   `found an unknown escape where one of \" \\ \/ \b \f \n \r \t or \u and four hex digits should be @1`,
		`"\u12`:                      `found an unknown escape where one of \" \\ \/ \b \f \n \r \t or \u and four hex digits should be @1`,
		"\"\xff\"":                   `found a byte that is not UTF-8 where UTF-8 text should be @1`,
		"\xff":                       `found a byte that is not UTF-8 where a value should be @0`,
		`01`:                         `found a number with a leading zero where a number without one should be @0`,
		`-`:                          `found the end of the text where a digit should be; the text is cut short: complete it @1`,
		`1.`:                         `found the end of the text where a digit should be; the text is cut short: complete it @2`,
		`1e+`:                        `found the end of the text where a digit should be; the text is cut short: complete it @3`,
		`+1`:                         `found '+' where a value should be @0`,
		`1 x`:                        `found "x" where the end of the text should be; write names and texts in double quotes @2`,
		`[[[[[1]]]]]`:                `objects and arrays nest too deep @4`,
		`{"a":{"b":{"c":{"d":{}}}}}`: `objects and arrays nest too deep @20`,
		"[\u200b]":                   `found the character U+200B where a value should be @1`,
	} {
		_, err := scan.Text([]byte(in), 4)
		require.NotNil(t, err, in)
		text := err.Error()
		if err.Hint != "" {
			text += "; " + err.Hint
		}
		assert.Equal(t, want, fmt.Sprintf("%s @%d", text, err.Offset), in)
	}
}

func TestVisitErrorEndsTheWalk(t *testing.T) {
	stop := &scan.Error{Found: "enough"}
	_, err := scan.Members([]byte(`{"a":1,"b":2}`), 0, 9, func(_, _ scan.Span) *scan.Error { return stop })
	assert.Same(t, stop, err)
	_, err = scan.Elements([]byte(`[1,2]`), 0, 9, func(scan.Span) *scan.Error { return stop })
	assert.Same(t, stop, err)
	assert.Equal(t, "found enough", stop.Error())
}

func TestPosition(t *testing.T) {
	text := []byte("a\n\té日x\r\nz")
	for offset, want := range map[int][2]int{0: {1, 1}, 1: {1, 2}, 2: {2, 1}, 3: {2, 2}, 5: {2, 3}, 8: {2, 4}, 11: {3, 1}, 99: {3, 2}, -5: {1, 1}} {
		line, column := scan.Position(text, offset)
		assert.Equal(t, want, [2]int{line, column}, offset)
	}
}

func TestKinds(t *testing.T) {
	for in, want := range map[string]string{"": "no JSON value", "x": "no JSON value", "null": "null", "true": "a boolean", "-1": "a number",
		"7": "a number", `""`: "a string", "{": "an object", "[": "an array"} {
		assert.Equal(t, want, scan.KindOf([]byte(in)).String(), in)
	}
}

func TestStrings(t *testing.T) {
	for token, want := range map[string]string{`""`: "", `"a b"`: "a b", `"\u0041\n\"\/\\\b\f\r\t"`: "A\n\"/\\\b\f\r\t", `"\ud83d\ude00!"`: "😀!",
		`"\ud83d\u0041"`: "\uFFFDA", `"\ude00"`: "\uFFFD", `"é\u00e9"`: "éé"} {
		assert.Equal(t, want, scan.Unquote([]byte(token)), token)
	}
	for token, want := range map[string]bool{`""`: true, `" \t\n"`: true, `"\u00a0\u2003"`: true, `"\u0008"`: false, `" x"`: false, `"　"`: true, `"\u200b"`: false} {
		assert.Equal(t, want, scan.IsBlank([]byte(token)), token)
	}
}

func TestCompact(t *testing.T) {
	assert.Equal(t, `{"a b":[1.50,"\" \\","x"],"c":null}`, string(scan.Compact(nil, []byte("{ \"a b\" :\n[ 1.50 ,\t\"\\\" \\\\\", \"x\" ] , \"c\" : null }"))))
}

func TestPointers(t *testing.T) {
	assert.Equal(t, "params[2].testValue", scan.Join(scan.Index(scan.Join("", "params"), 2), "testValue"))
	assert.Equal(t, `x-tests[0].args["a b"]`, scan.Join("x-tests[0].args", "a b"))
	assert.Equal(t, `[""]`, scan.Join("", ""))
	assert.Len(t, scan.Join("", strings.Repeat("x", 500)), len(`[""]`)+100)
}

func TestRepeated(t *testing.T) {
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf(`"m%d":0`, i)
	}
	for in, want := range map[string][]string{
		`{"a":1,"b":[{"c":{}},{"c":1,"d":2,"\u0063":[]}],"a":{}}`: {"b[1] @34", " @48"},
		`{"x":{"y":{"z":1,"z":2}}}`:                               {"x.y @17"},
		`[{"a":1},{"a":1},3]`:                                     nil,
		`{"l":[1,[2,{}]],"e":{}}`:                                 nil,
		`{` + strings.Join(many, ",") + `,"m3":1, "m39" : 1}`:     {" @311", " @319"},
		`"x"`: nil,
	} {
		var got []string
		at, bad := scan.Text([]byte(in), 50)
		require.Nil(t, bad)
		scan.Repeated([]byte(in), at, func(pointer string, name scan.Span) {
			got = append(got, fmt.Sprintf("%s @%d", pointer, name.Start))
		})
		assert.Equal(t, want, got, in)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"\u00e9\ud83d"],"b":null}`, `[1,]`, "{\"a\":\t\"x\ny\"}", `"\ud83d\ude00"`, `{"a":1,"a":2}`, "\xff", `[[[]]]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		at, err := scan.Text(data, 1000)
		if err == nil {
			require.True(t, json.Valid(data))
			compact := scan.Compact(nil, at.Of(data))
			require.True(t, json.Valid(compact))
			require.Equal(t, string(compact), string(scan.Compact(nil, compact)))
			scan.Repeated(data, at, func(_ string, name scan.Span) {
				require.NotPanics(t, func() { scan.Unquote(name.Of(data)) })
			})
			if scan.KindOf(at.Of(data)) == scan.String {
				var want string
				require.NoError(t, json.Unmarshal(data, &want))
				require.Equal(t, want, scan.Unquote(at.Of(data)))
			}
			return
		}
		require.NotEmpty(t, err.Error())
		line, column := scan.Position(data, err.Offset)
		require.Positive(t, line)
		require.Positive(t, column)
		if json.Valid(data) && !err.TooDeep {
			require.Contains(t, err.Found, "not UTF-8", "only encoding is judged more strictly than encoding/json does")
		}
	})
}
