package toolspec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTokens(t *testing.T) {
	for code, want := range map[string]string{
		"":                                "",
		" \t\n\u00a0\ufeff":               "",
		"a // b\nc /* d */ e //":          "a c e",
		"x.y?.z ...w":                     "x . .y ?. .z ... w",
		"a ?.5 : b":                       "a ? # : b",
		"{a: 1, b, [c]: d, 'e': f}":       "{ a: : # , b , [ c ] : d , 'e' : f }",
		"s = 'it\\'s' + \"q\\\"\" + ``":   "s = 'it\\'s' + 'q\\\"' + ''",
		"`a${b}c${ {d:1} }e` / f / g":     "'a' b 'c' { d: : # } 'e' / f / g",
		"`${/x/.test(a)}`":                "'' /re/ . .test ( a ) ''",
		"`${ `${a}` }${b}`":               "'' '' a '' '' b ''",
		"a = /[/\"]\\//gu.exec(b)":        "a = /re/ . .exec ( b )",
		"return /a/":                      "return /re/",
		"x.return /a/ 2":                  "x . .return / a / #",
		"if (a) /b/.c; (a) /b/ 2":         "if ( a ) /re/ . .c ; ( a ) / b / #",
		"x.if (a) /b/ 2":                  "x . .if ( a ) / b / #",
		"a++ / b / c":                     "a ++ / b / c",
		"a[0] / b / c":                    "a [ # ] / b / c",
		"1.5e3.x .5 0xff 1_000n":          "# # # #",
		"a\\u0062\\u{63}\\u004A 이름 #priv": "abcJ 이름 # priv",
		"`a\\`b`":                         "'a\\`b'",
		"x / \n y":                        "x / y",
		"= / no end\ny":                   "= / no end y",
		"'open":                           "BROKEN",
		"'line\nbreak'":                   "BROKEN",
		"`open ${a}":                      "'open ' a BROKEN",
		"/* open":                         "BROKEN",
		")}]":                             ") } ]",
		"a €b":                            "a € b",
	} {
		var got []string
		for tok := range tokens(code) {
			text := tok.text
			switch {
			case tok.kind == tokenBroken:
				text = "BROKEN"
			case tok.kind == tokenText:
				text = "'" + text + "'"
			case tok.text == "0" && tok.kind == tokenOther:
				text = "#"
			case tok.member:
				text = "." + text
			case tok.key:
				text += ":"
			}
			got = append(got, text)
		}
		assert.Equal(t, want, strings.Join(got, " "), "%q", code)
	}
	n := 0
	for range tokens("a b c d") {
		if n++; n == 2 {
			break
		}
	}
	assert.Equal(t, 2, n)
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"`a${b}c` / d", "if (x) /['\"]/g", "a\\u{62}", "'", "/* */ // \n {x: y}", "\\u12", "`${`${", "}`", "\xff\\u"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		last := -1
		for tok := range tokens(code) {
			require.Greater(t, tok.offset, last, "each token is further on")
			last = tok.offset
			require.Less(t, tok.offset, len(code))
		}
		(&Spec{Code: code, Params: []Param{{Name: "a"}}}).Lint()
	})
}

func TestNumbersAndVersions(t *testing.T) {
	for _, tc := range []struct {
		token string
		want  int64
		ok    bool
	}{{"0", 0, true}, {"-5", -5, true}, {"5.0", 5, true}, {"5e2", 500, true}, {"999999999999999999", 999999999999999999, true},
		{"9223372036854775808", 0, false}, {"5.5", 0, false}, {"1e30", 0, false}, {"1e9999999999", 0, false}} {
		got, ok := wholeNumber([]byte(tc.token))
		assert.Equal(t, tc.ok, ok, tc.token)
		if ok {
			assert.Equal(t, tc.want, got)
		}
	}
	for token, want := range map[string]bool{"1e30": true, "1.5e30": true, "123456789012345678901": true, "1e-30": false, "0.5": false, "1e9999999999": false} {
		assert.Equal(t, want, isWhole([]byte(token)), token)
	}
	assert.False(t, olderThan("1.0", "one"))
	assert.False(t, olderThan("", "1.0"))
}

func TestRecordedBlockOfAnyShape(t *testing.T) {
	for _, block := range []string{`{}`, `[]`, `x`, `{"runtime":5,"capabilities":{"network":[]}}`, `{"version":1,"runtime":{"helpers":{"a":1}}}`, `{"runtime":{"helpers":["a",5,"b"]},`} {
		spec := &Spec{ToolSafety: []byte(block)}
		assert.NotPanics(t, func() { spec.recorded(); spec.Validate(true); spec.Resolve(nil) }, block)
	}
}
