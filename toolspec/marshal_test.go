package toolspec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/toolspec"
)

// fullDocument has every member of the specification, each in a spelling that a
// careless writer would change.
const fullDocument = `{
  "x-first": {"b": 1.50, "a": [1e2, -0, "\u00e9\/"]},
  "name": "noteTool", "toolId": "tool-\u0031",
  "description": "Grüße – <b>& more</b>\u2028",
  "category": null,
  "tags": ["util", "search", "util"],
  "params": [
    {"type": "string", "required": true, "name": "text", "testValue": "안녕", "description": "", "x-unit": 1.0},
    {"name": "depth", "type": "INTEGER", "required": false, "description": null, "testValue": " 5 "},
    {"name": "opts", "type": "OBJECT", "required": false, "x-allow-empty": false}
  ],
  "staticVariables": [{"token": "${NOTE_TOKEN}"}, {"token": "again"}, {"base": "https://x"}],
  "code": "return text;\n// comment — ünïcode",
  "codeType": "Javascript",
  "sandboxOverrides": {"fileRead": false, "networkMode": "allowlist", "hostsAllow": ["b.example", "a.example"], "fileWrite": null, "addDenyClasses": [], "future": {"k": 1.0}},
  "toolSafety": {"version": "1.0", "runtime": {"id": "spring-ai-playground/polyglot-js", "helpers": ["safety.http/v1"], "odd": 1}, "capabilities": {"network": {"mode": "allowlist", "hosts": []}, "fileRead": false, "fileWrite": false}},
  "humanInTheLoop": {"promptTemplate": null, "mode": "REQUIRED", "reviewer": "ops"},
  "draft": false,
  "createTimestamp": 1.7e12, "updateTimestamp": 1700000000000.0,
  "x-output-schema": {"type": "object", "properties": {"z": {}, "a": {}}},
  "x-tests": [{"args": {"text": "a", "depth": 1.0}, "want": null, "name": "n", "x-note": 2.50}, {"wantError": {"kind": "JS_ERROR"}, "args": null}],
  "x-last": null
}`

func load(t *testing.T, document string) *toolspec.Spec {
	t.Helper()
	spec := &toolspec.Spec{}
	require.NoError(t, spec.UnmarshalJSON([]byte(document)))
	return spec
}

func save(t *testing.T, spec *toolspec.Spec) string {
	t.Helper()
	data, err := spec.MarshalJSON()
	require.NoError(t, err)
	return string(data)
}

func compacted(t *testing.T, document string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, []byte(document)))
	return b.String()
}

func TestRoundTripKeepsEverySpelling(t *testing.T) {
	spec := load(t, fullDocument)
	saved := save(t, spec)
	assert.Equal(t, compacted(t, fullDocument), saved)
	assert.Equal(t, saved, save(t, load(t, saved)), "again")
	assert.Equal(t, saved, save(t, spec.Clone()), "a copy")

	var fromJSON toolspec.Spec
	require.NoError(t, json.Unmarshal([]byte(fullDocument), &fromJSON))
	data, err := json.Marshal(&fromJSON)
	require.NoError(t, err)
	assert.JSONEq(t, fullDocument, string(data))
}

func TestLoadedFields(t *testing.T) {
	s := load(t, fullDocument)
	assert.Equal(t, "tool-1", s.ToolID)
	assert.Equal(t, "Grüße – <b>& more</b>\u2028", s.Description)
	assert.Empty(t, s.Category)
	assert.Equal(t, []string{"util", "search", "util"}, s.Tags)
	require.Len(t, s.Params, 3)
	assert.Equal(t, toolspec.TypeString, s.Params[0].Type, "lower case is taken for upper case")
	assert.Equal(t, "안녕", *s.Params[0].TestValue)
	assert.JSONEq(t, `1`, string(s.Params[0].Extra["x-unit"]))
	assert.Nil(t, s.Params[2].TestValue)
	assert.Equal(t, []toolspec.Variable{{Name: "token", Value: "${NOTE_TOKEN}"}, {Name: "token", Value: "again"}, {Name: "base", Value: "https://x"}}, s.StaticVariables)
	assert.Equal(t, []string{"NOTE_TOKEN"}, s.Placeholders())
	assert.False(t, *s.Overrides.FileRead)
	assert.Nil(t, s.Overrides.FileWrite)
	assert.Nil(t, s.Overrides.Destructive)
	assert.Contains(t, s.Overrides.Extra, "future")
	assert.Equal(t, toolspec.ApprovalRequired, s.Approval.Mode)
	assert.JSONEq(t, `"ops"`, string(s.Approval.Extra["reviewer"]))
	assert.Equal(t, int64(1_700_000_000_000), s.Created)
	assert.Equal(t, s.Created, s.Updated)
	assert.False(t, s.Draft)
	require.Len(t, s.Tests, 2)
	assert.Equal(t, "null", string(s.Tests[0].Want))
	assert.True(t, s.Tests[0].Asserts(), "a wanted null")
	assert.Equal(t, toolspec.KindJSError, s.Tests[1].WantError.Kind)
	assert.Nil(t, s.Tests[1].Args)
	assert.Len(t, s.Extra, 2)
}

func TestEditsTouchOnlyWhatTheyEdit(t *testing.T) {
	text := func(s string) *string { return &s }
	yes := true
	for name, tc := range map[string]struct {
		edit     func(s *toolspec.Spec)
		old, new string
	}{
		"a text":      {func(s *toolspec.Spec) { s.Description = "x\u2028<&>" }, `"Grüße – <b>& more</b>\u2028"`, "\"x\u2028<&>\""},
		"text to set": {func(s *toolspec.Spec) { s.Category = "WEB" }, `"category":null`, `"category":"WEB"`},
		"text away":   {func(s *toolspec.Spec) { s.ToolID = "" }, `"toolId":"tool-\u0031"`, `"toolId":null`},
		"tags":        {func(s *toolspec.Spec) { s.Tags = nil }, `["util","search","util"]`, `[]`},
		"one param": {func(s *toolspec.Spec) { s.Params[1].TestValue = text("7") },
			`"description":null,"testValue":" 5 "`, `"description":null,"testValue":"7"`},
		"param member away":  {func(s *toolspec.Spec) { s.Params[1].TestValue = nil }, `"testValue":" 5 "`, `"testValue":null`},
		"param member added": {func(s *toolspec.Spec) { s.Params[1].AllowEmpty = true }, `"testValue":" 5 "`, `"testValue":" 5 ","x-allow-empty":true`},
		"param swapped for one with Extra": {func(s *toolspec.Spec) { s.Params[0].Extra["x-unit"] = json.RawMessage(` [ 2.0 ] `) },
			`"x-unit":1.0`, `"x-unit":[2.0]`},
		"a new param": {func(s *toolspec.Spec) {
			s.Params = append(s.Params, toolspec.Param{Name: "more", Type: toolspec.TypeArray, Extra: map[string]json.RawMessage{"z": nil}})
		}, `"x-allow-empty":false}]`, `"x-allow-empty":false},{"name":"more","required":false,"type":"ARRAY","z":null}]`},
		"static variables": {func(s *toolspec.Spec) { s.StaticVariables = s.StaticVariables[1:2] },
			`[{"token":"${NOTE_TOKEN}"},{"token":"again"},{"base":"https://x"}]`, `[{"token":"again"}]`},
		"an override":         {func(s *toolspec.Spec) { s.Overrides.FileWrite = &yes }, `"fileWrite":null`, `"fileWrite":true`},
		"an override away":    {func(s *toolspec.Spec) { s.Overrides.FileRead = nil }, `"fileRead":false`, `"fileRead":null`},
		"the mode away":       {func(s *toolspec.Spec) { s.Overrides.NetworkMode = "" }, `"networkMode":"allowlist"`, `"networkMode":null`},
		"another mode":        {func(s *toolspec.Spec) { s.Overrides.NetworkMode = "strict" }, `"networkMode":"allowlist"`, `"networkMode":"strict"`},
		"hosts":               {func(s *toolspec.Spec) { s.Overrides.HostsAllow = nil }, `["b.example","a.example"]`, `[]`},
		"an override added":   {func(s *toolspec.Spec) { s.Overrides.Destructive = &yes }, `"future":{"k":1.0}`, `"future":{"k":1.0},"destructive":true`},
		"an extra away":       {func(s *toolspec.Spec) { delete(s.Overrides.Extra, "future") }, `,"future":{"k":1.0}`, ``},
		"base path":           {func(s *toolspec.Spec) { s.Overrides.FSBasePath = text("/d") }, `"future":{"k":1.0}`, `"future":{"k":1.0},"fsBasePath":"/d"`},
		"approval":            {func(s *toolspec.Spec) { s.Approval.Mode = toolspec.ApprovalDisabled }, `"mode":"REQUIRED"`, `"mode":"DISABLED"`},
		"approval away":       {func(s *toolspec.Spec) { s.Approval = nil }, `{"promptTemplate":null,"mode":"REQUIRED","reviewer":"ops"}`, `null`},
		"draft":               {func(s *toolspec.Spec) { s.Draft = true }, `"draft":false`, `"draft":true`},
		"a timestamp":         {func(s *toolspec.Spec) { s.Updated = 5 }, `1700000000000.0`, `5`},
		"a case":              {func(s *toolspec.Spec) { s.Tests[0].Want = json.RawMessage(`{"a": 1.0}`) }, `"want":null`, `"want":{"a":1.0}`},
		"no want any more":    {func(s *toolspec.Spec) { s.Tests[0].Want = nil }, `,"want":null`, ``},
		"an expected failure": {func(s *toolspec.Spec) { s.Tests[1].WantError = &toolspec.WantError{Reason: "r", Message: "m"} }, `{"kind":"JS_ERROR"}`, `{"reason":"r","message":"m"}`},
		"failure away":        {func(s *toolspec.Spec) { s.Tests[1].WantError = nil }, `{"kind":"JS_ERROR"}`, `null`},
		"a case added": {func(s *toolspec.Spec) {
			s.Tests = append(s.Tests, toolspec.Case{Name: "c", Args: json.RawMessage(`{}`), WantError: &toolspec.WantError{}})
		}, `"args":null}]`, `"args":null},{"name":"c","args":{},"wantError":{}}]`},
		"output schema": {func(s *toolspec.Spec) { s.OutputSchema = nil }, `{"type":"object","properties":{"z":{},"a":{}}}`, `null`},
		"tool safety":   {func(s *toolspec.Spec) { s.ToolSafety = json.RawMessage(`{}`) }, compacted(t, fullDocument)[strings.Index(compacted(t, fullDocument), `{"version"`):strings.Index(compacted(t, fullDocument), `,"humanInTheLoop"`)], `{}`},
		"extra away":    {func(s *toolspec.Spec) { delete(s.Extra, "x-last") }, `,"x-last":null`, ``},
		"extra added": {func(s *toolspec.Spec) { s.Extra["b"], s.Extra["a"] = json.RawMessage(`"b"`), json.RawMessage(`1`) },
			`"x-last":null`, `"x-last":null,"a":1,"b":"b"`},
	} {
		t.Run(name, func(t *testing.T) {
			spec := load(t, fullDocument)
			tc.edit(spec)
			want := strings.Replace(compacted(t, fullDocument), tc.old, tc.new, 1)
			require.NotEqual(t, compacted(t, fullDocument), want, "the test edits something")
			got := save(t, spec)
			assert.Equal(t, want, got)
			assert.Equal(t, got, save(t, load(t, got)), "idempotent")
		})
	}
}

func TestCloneSharesNothing(t *testing.T) {
	spec := load(t, fullDocument)
	clone := spec.Clone()
	clone.Tags[0], clone.Params[0].Name, *clone.Params[0].TestValue = "x", "x", "x"
	clone.Params[0].Extra["x-unit"][0] = '9'
	clone.StaticVariables[0].Value = "x"
	*clone.Overrides.FileRead, clone.Overrides.HostsAllow[0] = true, "x"
	clone.Overrides.Extra["new"] = nil
	clone.ToolSafety[1], clone.OutputSchema[1] = 'x', 'x'
	clone.Approval.Mode = "x"
	clone.Tests[0].Want[0], clone.Tests[1].WantError.Kind = 'x', "x"
	clone.Tests[0].Extra["x-note"][0] = 'x'
	clone.Extra["x-first"][0] = 'x'
	assert.Equal(t, compacted(t, fullDocument), save(t, spec))
	assert.Nil(t, (*toolspec.Spec)(nil).Clone())
}

// A document keeps no hold on the bytes it was read from.
func TestUnmarshalCopies(t *testing.T) {
	data := []byte(fullDocument)
	spec := &toolspec.Spec{}
	require.NoError(t, spec.UnmarshalJSON(data))
	for i := range data {
		data[i] = '#'
	}
	assert.Equal(t, compacted(t, fullDocument), save(t, spec))
}

func TestNew(t *testing.T) {
	spec := toolspec.New("greet")
	assert.Equal(t, `{"name":"greet","description":"","params":[],"code":"","codeType":"Javascript","draft":true}`, save(t, spec))
	yes := true
	spec.Code, spec.Category, spec.Tags = "return 1", "TEXT", []string{"util"}
	spec.StaticVariables = []toolspec.Variable{{Name: "a", Value: "b\"c"}, {Name: "d"}}
	spec.Overrides = toolspec.Overrides{FileRead: &yes, NetworkMode: toolspec.NetworkStrict}
	spec.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired, PromptTemplate: "ok?"}
	spec.Created = 7
	assert.Equal(t, `{"name":"greet","description":"","category":"TEXT","tags":["util"],"params":[],"staticVariables":[{"a":"b\"c"},{"d":""}],`+
		`"code":"return 1","codeType":"Javascript","sandboxOverrides":{"networkMode":"strict","fileRead":true},`+
		`"humanInTheLoop":{"mode":"REQUIRED","promptTemplate":"ok?"},"draft":true,"createTimestamp":7}`, save(t, spec))
	data, err := (*toolspec.Spec)(nil).MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, "null", string(data))
}

func TestMarshalErrors(t *testing.T) {
	bad := json.RawMessage(`{"a"`)
	for want, edit := range map[string]func(s *toolspec.Spec){
		"x-note does not hold JSON":          func(s *toolspec.Spec) { s.Extra = map[string]json.RawMessage{"x-note": bad} },
		`Extra holds "name", which has a`:    func(s *toolspec.Spec) { s.Extra = map[string]json.RawMessage{"name": nil} },
		"toolSafety does not hold JSON":      func(s *toolspec.Spec) { s.ToolSafety = bad },
		"x-output-schema does not hold JSON": func(s *toolspec.Spec) { s.OutputSchema = bad },
		"args does not hold JSON":            func(s *toolspec.Spec) { s.Tests = []toolspec.Case{{Args: bad}} },
		"unit does not hold JSON": func(s *toolspec.Spec) {
			s.Params = []toolspec.Param{{Extra: map[string]json.RawMessage{"unit": bad}}}
		},
	} {
		spec := toolspec.New("x")
		edit(spec)
		_, err := spec.MarshalJSON()
		assert.ErrorContains(t, err, want)
		assert.Len(t, spec.ContentHash(), 64, "a hash there is all the same")
	}
	spec := load(t, fullDocument)
	spec.Extra["x-last"] = bad
	_, err := spec.MarshalJSON()
	assert.ErrorContains(t, err, "x-last does not hold JSON: found the end of the text")
}

func TestUnmarshalErrors(t *testing.T) {
	var spec toolspec.Spec
	assert.NoError(t, json.Unmarshal([]byte(`null`), &spec))
	assert.ErrorContains(t, spec.UnmarshalJSON([]byte(`[]`)), "found an array where a spec should be")
	assert.ErrorContains(t, spec.UnmarshalJSON([]byte(`{`)), "not JSON")
	var problems toolspec.Problems
	require.ErrorAs(t, spec.UnmarshalJSON([]byte(`{"name":1}`)), &problems)
	assert.Len(t, problems, 3, "all at once")
	assert.Empty(t, spec.Name, "left alone")
}

// randomDocument makes a valid document of random members in random order and
// spelling.
func randomDocument(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	text := func() string {
		return pick(`""`, `"a"`, `"é\u00e9"`, `"\ud83d\ude00 😀"`, `"<&>\u2028"`, `"\\\"\/"`, `"${NAME} ${x}"`, `"line\nbreak"`)
	}
	number := func() string {
		return pick("0", "1", "17", "1.0", "1e3", "1700000000000", "1.7E12", "12e0")
	}
	boolean := func() string { return pick("true", "false") }
	nullOr := func(v string) string { return pick(v, v, "null") }
	var value func(depth int) string
	value = func(depth int) string {
		if depth == 0 {
			return pick(text(), number(), boolean(), "null", "-0", "1e-7", "[]", "{}")
		}
		return pick(value(0), "["+value(depth-1)+" ,"+value(depth-1)+"]", `{"k":`+value(depth-1)+`, "\u006b2" :`+value(depth-1)+"}")
	}
	object := func(members []string, extra bool) string {
		if extra && r.IntN(2) == 0 {
			members = append(members, `"x-`+fmt.Sprint(r.IntN(9))+`":`+value(2))
		}
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return "{" + strings.Join(members, pick(",", " , ", ",\n")) + "}"
	}
	list := func(n int, element func() string) string {
		elements := make([]string, r.IntN(n+1))
		for i := range elements {
			elements[i] = element()
		}
		return "[" + strings.Join(elements, pick(",", " ,\t")) + "]"
	}
	some := func(members ...string) []string {
		var out []string
		for _, m := range members {
			if r.IntN(3) > 0 {
				out = append(out, m)
			}
		}
		return out
	}
	hosts := func() string { return pick(`"a.example"`, `"*.b.example"`, `"*"`) }
	param := func() string {
		return object(append(some(`"description":`+nullOr(text()), `"x-allow-empty":`+nullOr(boolean())),
			`"name":`+pick(`"a"`, `"b"`, `"\u0063"`), `"type":`+pick(`"STRING"`, `"string"`), `"required":`+boolean(), `"testValue":"v"`), true)
	}
	test := func() string {
		return object(append(some(`"name":`+nullOr(pick(`""`, `"a"`, `"é\u00e9"`, `"\"\/"`)), `"args":`+pick(`{}`, `null`, `{"a" : "x"}`)), pick(`"want":`+value(1), `"wantError":{"kind":"JS_ERROR"}`)), true)
	}
	return object(append(some(
		`"toolId":`+nullOr(text()), `"description":`+nullOr(text()), `"category":`+nullOr(text()), `"tags":`+nullOr(list(2, text)),
		`"params":`+nullOr(list(3, param)),
		`"staticVariables":`+nullOr(list(3, func() string { return `{"v` + fmt.Sprint(r.IntN(3)) + `":` + text() + "}" })),
		`"sandboxOverrides":`+nullOr(object(some(`"networkMode":`+pick(`"strict"`, `"allowlist"`, "null"), `"hostsAllow":`+nullOr(list(3, hosts)),
			`"fileRead":`+nullOr(boolean()), `"destructive":`+nullOr(boolean()), `"fsBasePath":`+nullOr(text()), `"addAllowClasses":`+nullOr(list(2, text))), true)),
		`"toolSafety":`+nullOr(`{"version":"1.0", "runtime":{"helpers":["safety.fs/v1"]}}`),
		`"humanInTheLoop":`+nullOr(object(some(`"mode":`+pick(`"REQUIRED"`, "null"), `"promptTemplate":`+nullOr(text())), true)),
		`"draft":`+nullOr(boolean()), `"createTimestamp":`+nullOr(number()), `"updateTimestamp":`+nullOr(number()),
		`"x-output-schema":`+nullOr(`{"type" : "object"}`), `"x-tests":`+nullOr(list(3, test)), `"x-vendor":`+value(3), `"zeta":`+value(2)),
		`"name":`+pick(`"n"`, `"n\u0061me"`, `"이름"`), `"code":"return 1;"`, `"codeType":"Javascript"`), true)
}

func TestRoundTripOfRandomDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for range testrun.Sample(3000) {
		document := randomDocument(r)
		docs, err := toolspec.Parse([]byte(document), &toolspec.ParseOptions{KeepDraft: true})
		require.NoError(t, err, document)
		require.NoError(t, docs[0].Problems.Err(), document)
		require.JSONEq(t, document, save(t, docs[0].Spec), "the same JSON")
		roundTrip(t, document, docs[0].Spec)
	}
}

// roundTrip checks section 13.4 on a spec that was just read.
func roundTrip(t *testing.T, document string, spec *toolspec.Spec) {
	saved := save(t, spec)
	require.Equal(t, compacted(t, document), saved, "the same JSON in the same spelling")
	again := load(t, saved)
	require.Equal(t, saved, save(t, again), "byte for byte")
	require.Equal(t, spec.ContentHash(), again.ContentHash())
	require.Equal(t, spec.CatalogHash(), again.CatalogHash())
}
