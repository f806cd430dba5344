package canon_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/canon"
)

func TestTransform(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"blanks":                  {" {\n \"a\" : [ 1 , 2 ] }\t", `{"a":[1,2]}`},
		"sorted at every depth":   {`{"b":{"d":1,"c":[{"z":1,"y":2}]},"a":null}`, `{"a":null,"b":{"c":[{"y":2,"z":1}],"d":1}}`},
		"already sorted":          {`{"a":1,"b":2}`, `{"a":1,"b":2}`},
		"empty":                   {`[{},[],""]`, `[{},[],""]`},
		"words":                   {`[true,false,null]`, `[true,false,null]`},
		"no HTML escaping":        {`"<a href='x'>&</a>"`, `"<a href='x'>&</a>"`},
		"escapes undone":          {`"\u003c\u0041\/\u00e9\u2028"`, "\"<A/é\u2028\""},
		"raw line separators":     {"\"\u2028\u2029\"", "\"\u2028\u2029\""},
		"short escapes":           {`"\u0008\u0009\u000a\u000c\u000d\"\\"`, `"\b\t\n\f\r\"\\"`},
		"other controls, upper":   {`"\u001f\u000b\u0000\u007f"`, "\"\\u001F\\u000B\\u0000\u007f\""},
		"surrogate pair":          {`"\ud83d\ude00"`, `"😀"`},
		"lone surrogates stay":    {`"\ud83d x \ude00"`, `"\uD83D x \uDE00"`},
		"lone beside raw":         {`"\ud83d😀퟿"`, "\"\\uD83D😀\ud7ff\""},
		"names by UTF-16 units":   {`{"😀":1,"\ufb33":2,"\ud800":3,"é":4,"z":5,"":6}`, "{\"\":6,\"z\":5,\"é\":4,\"\\uD800\":3,\"😀\":1,\"\ufb33\":2}"},
		"a prefix comes first":    {`{"ab":1,"a":2}`, `{"a":2,"ab":1}`},
		"names are decoded first": {`{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := canon.Transform([]byte(tc.in))
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(got))
			again, err := canon.Transform(got)
			require.NoError(t, err)
			assert.Equal(t, string(got), string(again), "idempotent")
		})
	}
}

func TestTransformNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "0e5": "0", "-0.00e-7": "0", "0e999999999999999999": "0",
		"1": "1", "1.0": "1", "1e0": "1", "10e-1": "1", "0.1e1": "1", "-1.50": "-1.5", "1E2": "100", "12e+3": "12000",
		"100000000000000000000": "100000000000000000000", "1e20": "100000000000000000000", "1e21": "1e+21", "123e21": "1.23e+23",
		"0.000001": "0.000001", "0.0000001": "1e-7", "1.25e-9": "1.25e-9", "0.1": "0.1", "0.10000": "0.1",
		"9007199254740993": "9007199254740993", "9007199254740992.0": "9007199254740992",
		"3.141592653589793238462643383279": "3.141592653589793238462643383279",
		"1e999999999":                      "1e+999999999", "1e-0000000005": "0.00001", "1e+2": "100",
	} {
		got, err := canon.Transform([]byte(in))
		require.NoError(t, err, in)
		assert.Equal(t, want, string(got), in)
	}
	_, err := canon.Transform([]byte(`{"a":` + "\n" + `[1e9999999999]}`))
	assert.EqualError(t, err, "canon: the exponent of a number is too long (line 2, column 2)")
}

// Where a double's shortest spelling is the number itself, the form is that of
// ECMAScript. The layout of strconv is known good; only its exponent differs.
func TestTransformNumbersAsECMAScript(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		f := math.Float64frombits(r.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		want := strconv.FormatFloat(f, 'f', -1, 64)
		if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
			want = strconv.FormatFloat(f, 'e', -1, 64)
			want = strings.Replace(strings.Replace(want, "e-0", "e-", 1), "e+0", "e+", 1)
		}
		got, err := canon.Transform([]byte(strconv.FormatFloat(f, 'e', -1, 64)))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

func TestTransformRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"nothing":       {"", "canon: found the end of the text where a value should be (line 1, column 1)"},
		"two values":    {"1 2", "canon: found '2' where the end of the text should be (line 1, column 3)"},
		"repeated name": {`{"b":1,"a":2,"\u0062":3}`, `canon: the member name "b" occurs twice in one object`},
		"deep":          {strings.Repeat("[", 201) + strings.Repeat("]", 201), "canon: objects and arrays nest too deep (line 1, column 201)"},
		"not UTF-8":     {"\"\xed\xa0\x80\"", "canon: found a byte that is not UTF-8 where UTF-8 text should be (line 1, column 2)"},
	} {
		t.Run(name, func(t *testing.T) {
			prefix := []byte("kept")
			got, err := canon.Append(prefix, []byte(tc.in))
			require.EqualError(t, err, tc.want)
			assert.Equal(t, "kept", string(got))
		})
	}
	_, err := canon.Transform([]byte(strings.Repeat("[", canon.MaxDepth) + strings.Repeat("]", canon.MaxDepth)))
	assert.NoError(t, err)
}

func TestDigest(t *testing.T) {
	sum := sha256.Sum256([]byte("abc"))
	assert.Equal(t, hex.EncodeToString(sum[:]), canon.Digest([]byte("abc")))
	assert.NotEqual(t, canon.Digest([]byte("ab"), []byte("c")), canon.Digest([]byte("a"), []byte("bc")))
	assert.NotEqual(t, canon.Digest([]byte("a"), nil), canon.Digest([]byte("a")))
	assert.Len(t, canon.Digest(), 64)
}

func TestAppendString(t *testing.T) {
	assert.Equal(t, `x"a\"\u0001<é`+"\u2028"+`"`, string(canon.AppendString([]byte("x"), "a\"\x01<é\u2028")))
	assert.Equal(t, "\"a\uFFFDb\"", string(canon.AppendString(nil, "a\xffb")), "not UTF-8")
	assert.Equal(t, "\"\uFFFD\ud7ff\"", string(canon.AppendString(nil, "\xed\xa0\x80\ud7ff")), "a surrogate is not UTF-8")
}

func TestCompare(t *testing.T) {
	words := []string{"", "a", "ab", "b", "é", "\ud7ff", "\ue000", "\uffff", "\U00010000", "😀", "😁", "a😀", "a\ufb33"}
	for _, a := range words {
		for _, b := range words {
			want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
			got := canon.Compare(a, b)
			assert.Equal(t, want < 0, got < 0, "%q %q", a, b)
			assert.Equal(t, want == 0, got == 0, "%q %q", a, b)
		}
	}
}

func FuzzTransform(f *testing.F) {
	for _, seed := range []string{`{"b":[1.50,-0,1e30,"\u00e9\ud83d"],"a":{"z":null,"":true}}`, `"\\\"\/"`, ` [ ] `, `{"a":1,"a":2}`, `1e-7`, "\"\u2028\"",
		`{"😀":1,"דּ":2}`, `[0.00001234e-300]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := canon.Transform(data)
		if !json.Valid(data) {
			require.Error(t, err, "what encoding/json refuses is refused")
			return
		}
		if err != nil {
			return // stricter: UTF-8, repeated names, depth, exponent
		}
		again, err := canon.Transform(got)
		require.NoError(t, err)
		require.Equal(t, string(got), string(again), "idempotent")
		if bytes.Contains(got, []byte(`\uD`)) {
			return // encoding/json replaces lone surrogates
		}
		require.Equal(t, decode(t, data), decode(t, got), "says the same")
	})
}

func decode(t *testing.T, data []byte) any {
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&v))
	return plain(v)
}

// plain makes numbers comparable.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f + 0 // not -0
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

func BenchmarkTransform(b *testing.B) {
	row := `{"title":"A row of a \"table\"","count":12,"price":1999.5,"tags":["one","two"],"id":"f1d4c1e7"},`
	for name, raw := range map[string]string{
		"arguments": `{"city":"Seoul","days":3,"units":"metric","options":{"hourly":true,"fields":["temp","wind","rain"]}}`,
		"64kB":      `{"rows":[` + strings.TrimSuffix(strings.Repeat(row, 64<<10/len(row)), ",") + `]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			dst := make([]byte, 0, 2*len(raw))
			for b.Loop() {
				if _, err := canon.Append(dst, []byte(raw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleTransform() {
	a, _ := canon.Transform([]byte(`{ "to": "Ann", "amount": 1.50 }`))
	b, _ := canon.Transform([]byte(`{"amount":15e-1,"to":"\u0041nn"}`))
	fmt.Println(string(a))
	fmt.Println(canon.Digest(a) == canon.Digest(b))
	// Output:
	// {"amount":1.5,"to":"Ann"}
	// true
}
