package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec/secret"
)

func TestNames(t *testing.T) {
	tests := map[string][]string{
		"":                      nil,
		"${KEY}":                {"KEY"},
		"Bearer ${API_KEY}!":    {"API_KEY"},
		"${A}${B}${A}":          {"A", "B"},
		"${_A1}":                {"_A1"},
		"${1A}":                 nil,
		"${lower}":              nil,
		"${A:default}":          nil,
		"${}":                   nil,
		"${A":                   nil,
		"$${A}":                 {"A"},
		"${${A}}":               {"A"},
		"${A ${B}":              {"B"},
		"\\${A}":                {"A"},
		"${ÄB}":                 nil,
		strings.Repeat("${", 9): nil,
	}
	for text, want := range tests {
		assert.Equal(t, want, secret.Names(text), "%q", text)
	}
}

func TestResolve(t *testing.T) {
	r := &secret.Resolver{Lookup: secret.Map(map[string]string{"KEY": "s3cret", "NEST": "${KEY}", "BLANK": " \t", "DENIED": "xxxx"}), Allow: []string{"KEY", "NEST", "BLANK", "GONE"}}
	tests := []struct {
		name, text, want string
		values, missing  []string
	}{
		{"plain text", "no secrets", "no secrets", nil, nil},
		{"the whole value", "${KEY}", "s3cret", []string{"s3cret"}, nil},
		{"within text, twice", "a ${KEY} b ${KEY}", "a s3cret b s3cret", []string{"s3cret", "s3cret"}, nil},
		{"a value is not a template", "${NEST}", "${KEY}", []string{"${KEY}"}, nil},
		{"blank counts as missing", "${BLANK}", "", nil, []string{"BLANK"}},
		{"all missing names at once", "${GONE} ${KEY} ${BLANK} ${GONE}", "", nil, []string{"GONE", "BLANK"}},
		{"a name that is not allowed", "${DENIED}", "", nil, []string{"DENIED"}},
		{"lower case stays", "${key}", "${key}", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, values, err := r.Resolve(tt.text)
			assert.Equal(t, tt.missing, r.Missing(tt.text))
			if tt.missing != nil {
				var missing *secret.MissingError
				require.ErrorAs(t, err, &missing)
				assert.Equal(t, tt.missing, missing.Names)
				assert.Contains(t, err.Error(), "${"+tt.missing[0]+"}")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.values, values)
		})
	}
}

func TestZeroResolverKnowsNothing(t *testing.T) {
	var r *secret.Resolver
	assert.Equal(t, []string{"HOME"}, r.Missing("${HOME}"))
	_, _, err := (&secret.Resolver{}).Resolve("${HOME}")
	assert.Error(t, err)
}

func TestLookups(t *testing.T) {
	t.Setenv("LOCALPASS_TEST_KEY", "from env")
	first := secret.First(secret.Map(map[string]string{"LOCALPASS_TEST_KEY": "  ", "B": "b"}), secret.Env())
	v, ok := first("LOCALPASS_TEST_KEY")
	assert.True(t, ok)
	assert.Equal(t, "from env", v)
	v, ok = first("B")
	assert.True(t, ok)
	assert.Equal(t, "b", v)
	_, ok = first("LOCALPASS_TEST_ABSENT")
	assert.False(t, ok)
}

func TestRedactorForms(t *testing.T) {
	const s = "pa/ss+w\"örd?&1"
	r := secret.NewRedactor(s)
	quoted, err := json.Marshal(s)
	require.NoError(t, err)
	for name, form := range map[string]string{
		"as it is":     s,
		"base64":       base64.StdEncoding.EncodeToString([]byte(s)),
		"base64 raw":   base64.RawStdEncoding.EncodeToString([]byte(s)),
		"base64 url":   base64.URLEncoding.EncodeToString([]byte(s)),
		"hex":          hex.EncodeToString([]byte(s)),
		"hex upper":    strings.ToUpper(hex.EncodeToString([]byte(s))),
		"query":        url.QueryEscape(s),
		"path":         url.PathEscape(s),
		"percent low":  strings.ReplaceAll(url.PathEscape(s), "%2F", "%2f"),
		"json escaped": string(quoted[1 : len(quoted)-1]),
	} {
		if name == "percent low" { // every escape in lower case
			form = lower(url.PathEscape(s))
		}
		got := r.String("before " + form + " after")
		assert.Equal(t, "before *** after", strings.ReplaceAll(got, "***=", "***"), name)
	}
}

func lower(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			b.WriteString("%" + strings.ToLower(s[i+1:i+3]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestRedactorOverlaps(t *testing.T) {
	tests := []struct {
		secrets    []string
		text, want string
	}{
		{[]string{"abcdef", "abcd"}, "xabcdefx", "x***x"},
		{[]string{"abcdef", "defghi"}, "-abcdefghi-", "-***-"},
		{[]string{"aaaa"}, "aaaaaa", "***"},
		{[]string{"abc"}, "abc", "abc"}, // too short to mask
		{[]string{"abcd"}, "abcdabcd", "******"},
		{[]string{"abcd"}, "", ""},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, secret.NewRedactor(tt.secrets...).String(tt.text), "%v in %q", tt.secrets, tt.text)
	}
	assert.Nil(t, secret.NewRedactor("abc", ""))
	var none *secret.Redactor
	assert.Equal(t, "abc", none.String("abc"))
	assert.JSONEq(t, `{"a":1}`, string(none.JSON(json.RawMessage(`{"a":1}`))))
}

func TestRedactorHost(t *testing.T) {
	r := secret.NewRedactor("Hunter2Key")
	for host, want := range map[string]string{"Hunter2Key.Example.com": "***.example.com", "hunter2key.example.com:8080": "***.example.com:8080",
		"API.example.com": "api.example.com", "": ""} {
		assert.Equal(t, want, r.Host(host))
	}
	var none *secret.Redactor
	assert.Equal(t, "hunter2key", none.Host("Hunter2Key"))
}

func TestRedactorJSON(t *testing.T) {
	r := secret.NewRedactor("hunter22", "123456", `q"uo`)
	tests := map[string]string{
		`{"a":"x hunter22 y"}`:            `{"a":"x *** y"}`,
		`{"hunter22":1}`:                  `{"***":1}`,
		`{"n": 91234567, "m":1.50}`:       `{"n": "***", "m":1.50}`,
		`["\u0068unter22"]`:               `["***"]`, // escaped otherwise, same meaning
		`{"deep":[[{"k":["hunter22"]}]]}`: `{"deep":[[{"k":["***"]}]]}`,
		`"q\"uo"`:                         `"***"`,
		`"clean"`:                         `"clean"`,
		`not json hunter22`:               `not json ***`,
		``:                                ``,
	}
	for in, want := range tests {
		assert.Equal(t, want, string(r.JSON(json.RawMessage(in))), "%s", in)
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("hunter22", `{"a":"hunter22"}`)
	f.Add("1234", `[1234,"12341234"]`)
	f.Add(`"\n\\`, `"\"\n\\"`)
	f.Fuzz(func(t *testing.T, value, text string) {
		r := secret.NewRedactor(value)
		if len(value) < secret.MinLength || strings.Contains(secret.Mask, value) || strings.Contains(value, "*") {
			return
		}
		if got := r.String(text); strings.Contains(got, value) {
			t.Fatalf("%q still stands in %q", value, got)
		}
		if !json.Valid([]byte(text)) {
			return
		}
		got := r.JSON(json.RawMessage(text))
		if !json.Valid(got) {
			t.Fatalf("JSON %s became %s, which is not JSON", text, got)
		}
		walk(t, got, value)
	})
}

func walk(t *testing.T, raw []byte, value string) {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	for {
		tok, err := dec.Token()
		if err != nil {
			return
		}
		if s, ok := tok.(string); ok && strings.Contains(s, value) {
			t.Fatalf("%q still stands in the string %q", value, s)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("${A}${B")
	f.Fuzz(func(t *testing.T, text string) {
		for _, n := range secret.Names(text) {
			if !strings.Contains(text, "${"+n+"}") {
				t.Fatalf("%q is no placeholder of %q", n, text)
			}
		}
	})
}

func Example() {
	resolver := &secret.Resolver{Lookup: secret.Map(map[string]string{"API_KEY": "k-12345"})}
	header, values, err := resolver.Resolve("Bearer ${API_KEY}")
	if err != nil {
		fmt.Println(err)
		return
	}
	redactor := secret.NewRedactor(values...)
	fmt.Println(redactor.String("request failed: header was " + header))
	// Output: request failed: header was Bearer ***
}

// A redactor that only leads back to itself masks everything, and returns.
func TestRedactorFuncOfItself(t *testing.T) {
	var r *secret.Redactor
	r = secret.RedactorFunc(func() *secret.Redactor { return r })
	assert.Equal(t, secret.Mask, r.String("any text"))
	assert.Equal(t, secret.Mask, r.Host("any.example"))
	assert.JSONEq(t, `{"***":["***",null]}`, string(r.JSON([]byte(`{"a":[1,null]}`))))
	assert.Empty(t, r.String(""))
	assert.Equal(t, secret.Mask, r.Current().String("any text"))
}

// A redactor of a set that changes masks what the set has at each use, and its Current
// stays as it was.
func TestRedactorFunc(t *testing.T) {
	var known *secret.Redactor
	r := secret.RedactorFunc(func() *secret.Redactor { return known })
	assert.Equal(t, "first second", r.String("first second"), "nothing is known yet")
	assert.Nil(t, r.Current())
	known = secret.NewRedactor("first")
	then := secret.RedactorFunc(func() *secret.Redactor { return r }).Current()
	known = secret.NewRedactor("first", "second")
	assert.Equal(t, "*** ***", r.String("first second"))
	assert.JSONEq(t, `{"***":"***"}`, string(r.JSON([]byte(`{"first":"second"}`))))
	assert.Equal(t, "***.example", r.Host("FIRST.example"))
	assert.Equal(t, "*** second", then.String("first second"))
	var none *secret.Redactor
	assert.Nil(t, none.Current())
}
