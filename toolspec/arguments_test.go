package toolspec_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func param(name string, t toolspec.ParamType, required bool) toolspec.Param {
	return toolspec.Param{Name: name, Type: t, Required: required}
}

// everyType has one optional parameter of each type.
func everyType() *toolspec.Spec {
	spec := toolspec.New("every")
	for _, p := range []struct {
		name string
		t    toolspec.ParamType
	}{{"s", toolspec.TypeString}, {"i", toolspec.TypeInteger}, {"n", toolspec.TypeNumber}, {"b", toolspec.TypeBoolean}, {"o", toolspec.TypeObject}, {"a", toolspec.TypeArray}} {
		spec.Params = append(spec.Params, param(p.name, p.t, false))
	}
	return spec
}

func TestBind(t *testing.T) {
	for name, tc := range map[string]struct {
		args  string
		want  string // what is bound
		unset string
	}{
		"nothing": {``, `{}`, "s i n b o a"},
		"null":    {" null ", `{}`, "s i n b o a"},
		"empty":   {` { } `, `{}`, "s i n b o a"},
		"all, in order of the parameters": {`{"a":[1 , {"x" : "y z"}],"o":{"k": [ ]},"b":false,"n":-1.50e2,"i":7,"s":"text"}`,
			`{"s":"text","i":7,"n":-1.50e2,"b":false,"o":{"k":[]},"a":[1,{"x":"y z"}]}`, ""},
		"dropped":               {`{"s":null,"i":"","n":" \t\n","b":"\u2003","o":null,"a":"　"}`, `{}`, "s i n b o a"},
		"last one counts":       {`{"s":"one","i":1,"s":"two","\u0073":"three"}`, `{"s":"three","i":1}`, "n b o a"},
		"last one null":         {`{"s":"one","s":null}`, `{}`, "s i n b o a"},
		"escaped name":          {`{"\u0069":3}`, `{"i":3}`, "s n b o a"},
		"text is no template":   {`{"s":"${HOME} ${SECRET}"}`, `{"s":"${HOME} ${SECRET}"}`, "i n b o a"},
		"text as it is":         {`{"s":"\u00e9\ud83d<é>"}`, `{"s":"\u00e9\ud83d<é>"}`, "i n b o a"},
		"whole number as 5.0":   {`{"i":5.0}`, `{"i":5}`, "s n b o a"},
		"whole number as 5e3":   {`{"i":5e3}`, `{"i":5000}`, "s n b o a"},
		"whole number as 50e-1": {`{"i":50e-1}`, `{"i":5}`, "s n b o a"},
		"minus zero":            {`{"i":-0.0}`, `{"i":0}`, "s n b o a"},
		"largest":               {`{"i":9007199254740991}`, `{"i":9007199254740991}`, "s n b o a"},
		"smallest":              {`{"i":-9007199254740991.0}`, `{"i":-9007199254740991}`, "s n b o a"},
		"long fraction":         {`{"n":0.` + strings.Repeat("1", 400) + `}`, `{"n":0.` + strings.Repeat("1", 400) + `}`, "s i b o a"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := everyType().Bind(json.RawMessage(tc.args), nil)
			require.Nil(t, err)
			assert.Equal(t, tc.want, string(b.Arguments))
			assert.Equal(t, tc.unset, strings.Join(b.Unset, " "))
			assert.Equal(t, tc.want, globals(b), "the values bound are what is audited")
			assert.Empty(t, b.Undeclared)
		})
	}
}

func globals(b *toolspec.Binding) string {
	var parts []string
	for _, g := range b.Globals {
		parts = append(parts, fmt.Sprintf("%q:%s", g.Name, g.Value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestBindRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ args, reason, message string }{
		"no JSON":             {`{"s":`, toolspec.ReasonArguments, "the arguments are not JSON: found the end of the text where a value should be (at byte 5)"},
		"no JSON at all":      {`hello`, toolspec.ReasonArguments, `the arguments are not JSON: found "hello" where a value should be (at byte 0)`},
		"text behind":         {`{} {}`, toolspec.ReasonArguments, "the arguments are not JSON: found more text where the end should be (at byte 3)"},
		"not UTF-8":           {"{\"s\":\"\xff\"}", toolspec.ReasonArguments, "the arguments are not JSON: found a byte that is not UTF-8 where UTF-8 text should be (at byte 6)"},
		"an array":            {`["a"]`, toolspec.ReasonArguments, "the arguments must be a JSON object, not an array"},
		"a string":            {`"a"`, toolspec.ReasonArguments, "the arguments must be a JSON object, not a string"},
		"deep":                {`{"o":` + strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300) + `}`, toolspec.ReasonArguments, "the arguments nest deeper than 200"},
		"string":              {`{"s":5}`, toolspec.ReasonArgumentType, `the argument "s" must be a string, not a number`},
		"integer":             {`{"i":5.5}`, toolspec.ReasonArgumentType, `the argument "i" must be a whole number`},
		"integer, barely not": {`{"i":5.0000000000000000001}`, toolspec.ReasonArgumentType, `the argument "i" must be a whole number`},
		"integer, text":       {`{"i":"5"}`, toolspec.ReasonArgumentType, `the argument "i" must be a whole number, not a string`},
		"too large":           {`{"i":9007199254740992}`, toolspec.ReasonArgumentType, `the argument "i" is beyond ±9007199254740991`},
		"far too large":       {`{"i":-1.5e300}`, toolspec.ReasonArgumentType, `the argument "i" is beyond ±9007199254740991`},
		"beyond 64 bits":      {`{"i":123456789012345678901}`, toolspec.ReasonArgumentType, `the argument "i" is beyond ±9007199254740991`},
		"tiny":                {`{"i":1e-300}`, toolspec.ReasonArgumentType, `the argument "i" must be a whole number`},
		"absurd":              {`{"i":1e99999999999}`, toolspec.ReasonArgumentType, `the argument "i" must be a whole number`},
		"number":              {`{"n":true}`, toolspec.ReasonArgumentType, `the argument "n" must be a number, not a boolean`},
		"no double":           {`{"n":1e999}`, toolspec.ReasonArgumentType, `the argument "n" is too large for a number`},
		"boolean":             {`{"b":1}`, toolspec.ReasonArgumentType, `the argument "b" must be a boolean, not a number`},
		"object":              {`{"o":[]}`, toolspec.ReasonArgumentType, `the argument "o" must be an object, not an array`},
		"all at once":         {`{"a":{},"s":[]}`, toolspec.ReasonArgumentType, `the argument "s" must be a string, not an array; the argument "a" must be an array, not an object`},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := everyType().Bind(json.RawMessage(tc.args), nil)
			require.NotNil(t, err)
			assert.Nil(t, b)
			assert.Equal(t, toolspec.KindInvalidInput, err.Kind)
			assert.Equal(t, tc.reason, err.Reason)
			assert.Equal(t, "arguments", err.Component)
			assert.Equal(t, tc.message, err.Message)
		})
	}
}

func TestBindRequired(t *testing.T) {
	spec := toolspec.New("x")
	spec.Params = []toolspec.Param{param("a", toolspec.TypeString, true), param("b", toolspec.TypeInteger, true), param("c", toolspec.TypeString, false)}
	_, err := spec.Bind(json.RawMessage(`{"a":" ","c":7}`), nil)
	require.NotNil(t, err)
	assert.Equal(t, toolspec.ReasonMissingArgument, err.Reason, "what is missing is told before what does not fit")
	assert.Equal(t, `the arguments "a", "b" are missing`, err.Message)
	_, err = spec.Bind(json.RawMessage(`{"a":"x"}`), nil)
	assert.Equal(t, `INVALID_INPUT: the argument "b" is missing`, err.ModelText())

	spec.Params = []toolspec.Param{{Name: "a", Type: toolspec.TypeString, Required: true, AllowEmpty: true}, {Name: "n", Type: toolspec.TypeNumber, AllowEmpty: true}}
	b, err := spec.Bind(json.RawMessage(`{"a":"","n":""}`), nil)
	require.Nil(t, err)
	assert.Equal(t, `{"a":""}`, string(b.Arguments), "x-allow-empty is for strings")
	_, err = spec.Bind(json.RawMessage(`{"a":null}`), nil)
	assert.Equal(t, toolspec.ReasonMissingArgument, err.Reason)
}

func TestBindLenient(t *testing.T) {
	bind := func(args string) (string, string) {
		b, err := everyType().Bind(json.RawMessage(args), &toolspec.BindOptions{Lenient: true})
		if err != nil {
			return "", err.Message
		}
		return string(b.Arguments), ""
	}
	got, _ := bind(`{"s":1.50,"i":" +007 ","n":".5","b":"TRUE","o":"{\"k\" : 1}","a":"[1, 2]"}`)
	assert.Equal(t, `{"s":"1.50","i":7,"n":0.5,"b":true,"o":{"k":1},"a":[1,2]}`, got)
	got, _ = bind(`{"s":false,"i":5.0,"n":3}`)
	assert.Equal(t, `{"s":"false","i":5,"n":3}`, got)
	_, message := bind(`{"i":"5.0","n":"1,5","b":"yes","o":"[]","a":"[1"}`)
	assert.Equal(t, `the argument "i" "5.0" is no whole number; the argument "n" "1,5" is no number; the argument "b" "yes" is neither true nor false; `+
		`the argument "o" "[]" is an array, not an object; the argument "a" "[1" is not JSON: found the end of the text where a comma or ']' should be (at character 3)`, message)
	_, message = bind(`{"s":[]}`)
	assert.Equal(t, `the argument "s" must be a string, not an array`, message)
	_, message = bind(`{"b":0}`)
	assert.Equal(t, `the argument "b" must be a boolean, not a number`, message)
}

func TestBindUndeclaredAndHidden(t *testing.T) {
	spec := toolspec.New("x")
	spec.Params = []toolspec.Param{param("a", toolspec.TypeString, false), param("hidden", toolspec.TypeInteger, true), param("a", toolspec.TypeNumber, true)}
	spec.StaticVariables = []toolspec.Variable{{Name: "hidden", Value: "x"}}
	b, err := spec.Bind(json.RawMessage(`{"hidden":"whatever","a":2,"fetch":"x","safety":{},"fetch":1}`), nil)
	require.Nil(t, err)
	assert.Equal(t, `{"a":2}`, string(b.Arguments), "the last parameter of a name counts, a static variable hides one")
	assert.Empty(t, b.Unset)
	assert.Equal(t, []string{"fetch", "safety", "fetch"}, b.Undeclared)
	assert.Equal(t, 3, b.Ignored)
	_, err = spec.Bind(json.RawMessage(`{"hidden":1}`), nil)
	assert.Equal(t, `the argument "a" is missing`, err.Message)

	many := `{"x0":0`
	for i := range 300 {
		many += fmt.Sprintf(`,"x%d":0`, i)
	}
	b, err = toolspec.New("x").Bind(json.RawMessage(many+"}"), nil)
	require.Nil(t, err)
	assert.Len(t, b.Undeclared, 100)
	assert.Equal(t, 301, b.Ignored)

	spec = toolspec.New("wide")
	for i := range 40 {
		spec.Params = append(spec.Params, param(fmt.Sprintf("p%d", i), toolspec.TypeInteger, false))
	}
	b, err = spec.Bind(json.RawMessage(`{"p39":39,"p0":0}`), nil)
	require.Nil(t, err)
	assert.Equal(t, `{"p0":0,"p39":39}`, string(b.Arguments))
	assert.Len(t, b.Unset, 38)

	spec.Params = []toolspec.Param{param("odd", "DATE", false)}
	_, err = spec.Bind(json.RawMessage(`{"odd":1}`), nil)
	assert.Equal(t, `the argument "odd" must be of a known type, not a number`, err.Message)
}

// A binding owns its memory, so that a caller may use its buffer again.
func TestBindCopies(t *testing.T) {
	args := []byte(`{"s":"text","a":[1]}`)
	b, err := everyType().Bind(args, nil)
	require.Nil(t, err)
	for i := range args {
		args[i] = '#'
	}
	assert.Equal(t, `{"s":"text","a":[1]}`, globals(b))
	_ = append(b.Globals[0].Value, "overwrites?"...)
	assert.Equal(t, `{"s":"text","a":[1]}`, string(b.Arguments))
}

func TestTestArguments(t *testing.T) {
	text := func(s string) *string { return &s }
	spec := everyType()
	for i, v := range []string{" Ann\n", " +42 ", "007", " True ", ` {"a" : [1]} `, "[]"} {
		spec.Params[i].TestValue = text(v)
	}
	args, problems := spec.TestArguments()
	require.Empty(t, problems)
	assert.Equal(t, `{"s":" Ann\n","i":42,"n":7,"b":true,"o":{"a" : [1]},"a":[]}`, string(args))
	bound, err := spec.Bind(args, nil)
	require.Nil(t, err)
	assert.Equal(t, `{"s":" Ann\n","i":42,"n":7,"b":true,"o":{"a":[1]},"a":[]}`, string(bound.Arguments))

	for _, tc := range []struct {
		t        toolspec.ParamType
		text     string
		want     string
		required bool
	}{
		{toolspec.TypeInteger, "-9007199254740991", `{"p":-9007199254740991}`, false},
		{toolspec.TypeInteger, "", `{}`, false},
		{toolspec.TypeInteger, "1e3", "", false},
		{toolspec.TypeInteger, "5.", "", false},
		{toolspec.TypeInteger, "+-5", "", false},
		{toolspec.TypeInteger, "+", "", false},
		{toolspec.TypeInteger, "99999999999999999999", "", false},
		{toolspec.TypeNumber, ".5", `{"p":0.5}`, false},
		{toolspec.TypeNumber, "5.", `{"p":5}`, false},
		{toolspec.TypeNumber, "-.25", `{"p":-0.25}`, false},
		{toolspec.TypeNumber, "+1.50", `{"p":1.50}`, false},
		{toolspec.TypeNumber, "-000", `{"p":-0}`, false},
		{toolspec.TypeNumber, "1e3", `{"p":1e3}`, false},
		{toolspec.TypeNumber, "+1e3", "", false},
		{toolspec.TypeNumber, ".", "", false},
		{toolspec.TypeNumber, "0x10", "", false},
		{toolspec.TypeNumber, "NaN", "", false},
		{toolspec.TypeNumber, "Infinity", "", false},
		{toolspec.TypeNumber, strings.Repeat("9", 400), "", false},
		{toolspec.TypeBoolean, "1", "", false},
		{toolspec.TypeArray, "{}", "", false},
		{toolspec.TypeObject, `{"a":}`, "", false},
		{toolspec.TypeString, " ", "", true},
		{toolspec.TypeString, " ", "{}", false},
		{"DATE", "x", "{}", false},
	} {
		spec := toolspec.New("x")
		spec.Params = []toolspec.Param{{Name: "p", Type: tc.t, TestValue: &tc.text, Required: tc.required}}
		args, problems := spec.TestArguments()
		if tc.want == "" {
			assert.Nil(t, args, "%s %q", tc.t, tc.text)
			require.Len(t, problems, 1, "%s %q", tc.t, tc.text)
			assert.Equal(t, "params[0].testValue", problems[0].Pointer)
			assert.Equal(t, toolspec.CodeInvariant, problems[0].Code)
			continue
		}
		assert.Empty(t, problems, "%s %q", tc.t, tc.text)
		assert.Equal(t, tc.want, string(args))
	}

	spec = toolspec.New("x")
	spec.Params = []toolspec.Param{{Name: "p", Type: toolspec.TypeString, TestValue: text(""), Required: true, AllowEmpty: true},
		{Name: "q", Type: toolspec.TypeString, TestValue: text("first")}, {Name: "q", Type: toolspec.TypeInteger, TestValue: text("2")}}
	args, problems = spec.TestArguments()
	require.Empty(t, problems)
	assert.Equal(t, `{"p":"","q":2}`, string(args))
	spec.Params[0].TestValue = nil
	spec.Params[1].Type, spec.Params[1].TestValue = toolspec.TypeNumber, text("x"+strings.Repeat("é", 100))
	_, problems = spec.TestArguments()
	require.Len(t, problems, 2)
	assert.Contains(t, problems[1].Message, `é…" is no number`)
}

func FuzzBind(f *testing.F) {
	for _, seed := range []string{`{"s":"x","i":5.0,"n":1e3,"b":true,"o":{},"a":[1,{"k":null}]}`, `{"s":"\u0020","i":null,"x":1,"s":"2"}`, `null`, ``, `{"o":[[[`, `{"i":-0}`,
		`{"\ud800":1,"s":"\ud800"}`, "{\"a\":[\t\"x y\" , 1 ]}"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, lenient bool) {
		spec := everyType()
		b, cerr := spec.Bind(data, &toolspec.BindOptions{Lenient: lenient})
		if cerr != nil {
			require.Equal(t, toolspec.KindInvalidInput, cerr.Kind)
			require.NotEmpty(t, cerr.Message)
			return
		}
		require.Equal(t, len(spec.Params), len(b.Globals)+len(b.Unset), "each parameter is bound or unset")
		require.True(t, json.Valid(b.Arguments))
		require.Equal(t, globals(b), string(b.Arguments))
		again, cerr := spec.Bind(b.Arguments, nil)
		require.Nil(t, cerr, "what was bound binds")
		require.Equal(t, string(b.Arguments), string(again.Arguments))
		for _, g := range b.Globals {
			require.True(t, json.Valid(g.Value))
		}
	})
}

func FuzzTestValue(f *testing.F) {
	for _, seed := range []string{"+5", "007", ".5", "5.", " true ", `{"a":[1]}`, "[1,2", "1e999", "９", "-", "x\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []toolspec.ParamType{toolspec.TypeString, toolspec.TypeInteger, toolspec.TypeNumber, toolspec.TypeBoolean, toolspec.TypeObject, toolspec.TypeArray} {
			spec := toolspec.New("x")
			spec.Params = []toolspec.Param{{Name: "p", Type: kind, TestValue: &text}}
			args, problems := spec.TestArguments()
			if problems != nil {
				continue
			}
			require.True(t, json.Valid(args), "%s", args)
			_, cerr := spec.Bind(args, nil)
			require.Nil(t, cerr, "what a test value gives binds: %s", args)
		}
	})
}

func BenchmarkBind(b *testing.B) {
	spec := toolspec.New("weather")
	spec.Params = []toolspec.Param{param("city", toolspec.TypeString, true), param("days", toolspec.TypeInteger, false), param("units", toolspec.TypeString, false), param("options", toolspec.TypeObject, false)}
	args := json.RawMessage(`{"city":"Seoul","days":3,"options":{"hourly":true,"fields":["temp","wind","rain"]}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := spec.Bind(args, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleSpec_Bind() {
	spec := toolspec.New("greet")
	spec.Params = []toolspec.Param{
		{Name: "who", Type: toolspec.TypeString, Required: true},
		{Name: "times", Type: toolspec.TypeInteger},
	}
	binding, _ := spec.Bind(json.RawMessage(`{"times": 2.0, "who": "Ann", "admin": true}`), nil)
	fmt.Println(string(binding.Arguments), "ignored:", binding.Undeclared)

	_, err := spec.Bind(json.RawMessage(`{"times": 2}`), nil)
	fmt.Println(err.ModelText())
	// Output:
	// {"who":"Ann","times":2} ignored: [admin]
	// INVALID_INPUT: the argument "who" is missing
}
