package toolspec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

// tiny is the smallest spec of a name.
func tiny(name string) string {
	return fmt.Sprintf(`{"name":%q,"code":"return 1;","codeType":"Javascript"}`, name)
}

// listing gives, for each document, its place and its name, or its first
// problem.
func listing(docs []toolspec.Document) []string {
	var out []string
	for _, d := range docs {
		line := d.Pointer
		if d.Source != "" {
			line = d.Source + ":" + d.Pointer
		}
		if d.Spec != nil {
			line += " " + d.Spec.Name
		} else {
			line += " - " + d.Problems[0].Reason
		}
		out = append(out, line)
	}
	return out
}

func TestParseFindsSpecs(t *testing.T) {
	a, b := tiny("a"), tiny("b")
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"one":                       {a, []string{" a"}},
		"byte order mark":           {"\xef\xbb\xbf" + a, []string{" a"}},
		"a list":                    {"[" + a + "," + b + "]", []string{"[0] a", "[1] b"}},
		"an empty list":             {"[]", nil},
		"bundle":                    {`{"toolSpecs":[` + a + "," + b + `],"toolMcpServerSetting":{"autoAdd":true}}`, []string{"toolSpecs[0] a", "toolSpecs[1] b"}},
		"an empty bundle":           {`{"toolSpecs":[]}`, nil},
		"one in an envelope":        {`{"spec":` + a + `}`, []string{"spec a"}},
		"as the file store writes":  {`{"key":"a","version":3,"updated":"2026-01-01T00:00:00Z","data":` + a + `}`, []string{"data a"}},
		"any member that holds one": {`{"kind":"export","payload":` + a + `,"more":[3,` + b + `]}`, []string{"payload a", "more[0] - not-a-spec", "more[1] b"}},
		"an envelope with a name":   {`{"name":"my catalogue","specs":[` + a + `]}`, []string{"specs[0] a"}},
		"envelopes in a list":       {`[{"spec":` + a + `},` + b + `]`, []string{"[0].spec a", "[1] b"}},
		"known ones only":           {`{"data":{"spec":` + a + `}}`, []string{"data.spec a"}},
		"bad ones hide no others":   {`[null,` + a + `,{"name":"x"},[` + a + `],"s",{}]`, []string{"[0] - not-a-spec", "[1] a", "[2] - missing-member", "[3] - not-a-spec", "[4] - not-a-spec", "[5] - missing-member"}},
		"an incomplete one":         {`{"name":"x","data":{"k":1}}`, []string{" - missing-member"}},
		"MCP's list of tools":       {`{"tools":[{"name":"x","inputSchema":{}}]}`, []string{"tools[0] - missing-member"}},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := toolspec.Parse([]byte(tc.text), nil)
			require.NoError(t, err)
			assert.Equal(t, tc.want, listing(docs))
		})
	}
}

func TestParseRefusesTheWholeText(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":                         {" \n", "SPEC_PARSE: the text is empty; write a spec: a JSON object with name, code and codeType"},
		"not JSON":                        {"{\n  'name': 1}", `SPEC_PARSE: not JSON: found "'" where a member name in double quotes should be (line 2, column 3); write strings and names in double quotes`},
		"unknown envelopes in each other": {`{"data":{"export":{"toolSpecs":[` + tiny("a") + `]}}}`, `SPEC_PARSE data: no spec found among the members "export" (line 1, column 9)`},
		"cut short":                       {tiny("a")[:20], "SPEC_PARSE: not JSON: found a string that does not end where a closing quote should be"},
		"two texts":                       {tiny("a") + "\n" + tiny("b"), "SPEC_PARSE: not JSON: found '{' where the end of the text should be (line 2, column 1)"},
		"UTF-16":                          {"\xff\xfe{\x00", "SPEC_PARSE: the text is UTF-16; save it as UTF-8"},
		"Latin-1":                         {"{\"name\":\"caf\xe9\"}", "SPEC_PARSE: not JSON: found a byte that is not UTF-8 where UTF-8 text should be (line 1, column 13); save it as UTF-8"},
		"a number":                        {"7", `SPEC_PARSE: found a number where a spec, a list of specs or an object that holds them should be (line 1, column 1); write an object with "name", "code" and "codeType", or a list of them`},
		"no spec":                         {`{"a":1,"b":{},"c":[],"d":[{}],"e":2,"f":3}`, `SPEC_PARSE: no spec found among the members "a", "b", "c", "d", "e" (line 1, column 1); write`},
		"no members":                      {`{}`, `SPEC_PARSE: the object is empty (line 1, column 1)`},
		"an empty envelope":               {`{"spec":{}}`, `SPEC_PARSE spec: the object is empty (line 1, column 9)`},
		"too deep":                        {strings.Repeat("[", 300) + strings.Repeat("]", 300), "SPEC_PARSE: objects and lists nest deeper than 200 (line 1, column 201)"},
		"too large":                       {strings.Repeat(" ", toolspec.MaxDocumentSize+1), "SPEC_PARSE: the text is 17 MiB, the limit is 16 MiB; split it into several files"},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := toolspec.Parse([]byte(tc.text), &toolspec.ParseOptions{Source: "dir/x.json"})
			assert.Nil(t, docs)
			require.ErrorContains(t, err, "toolspec: dir/x.json: "+tc.want)
			var problems toolspec.Problems
			require.ErrorAs(t, err, &problems)
			assert.Equal(t, toolspec.CodeParse, problems[0].Code)
			_, err = toolspec.ParseSpec([]byte(tc.text))
			require.ErrorContains(t, err, "toolspec: "+tc.want)
		})
	}
}

func TestParseSpec(t *testing.T) {
	spec, err := toolspec.ParseSpec([]byte(tiny("a")))
	require.NoError(t, err)
	assert.True(t, spec.Draft, "what comes from elsewhere is a draft")
	_, err = toolspec.ParseSpec([]byte("[" + tiny("a") + "," + tiny("b") + "]"))
	assert.EqualError(t, err, "toolspec: SPEC_PARSE: the text holds 2 specs, want exactly one; use Parse for a list")
	_, err = toolspec.ParseSpec([]byte(`{"name":"a","code":"x","codeType":"Java","tags":["a","b","c"]}`))
	var problems toolspec.Problems
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, 2, "all of them")
}

func TestParseDraftsAndStrictness(t *testing.T) {
	published := `{"name":"a","code":"return 1","codeType":"Javascript","draft":false}`
	odd := `{"name":"a","code":"return 1","codeType":"Javascript","params":[{"name":"p","type":"string","required":false,"extra":1}]}`
	broken := `{"name":"a","code":"","codeType":"Javascript","draft":false}`
	one := func(text string, opts *toolspec.ParseOptions) toolspec.Document {
		docs, err := toolspec.Parse([]byte(text), opts)
		require.NoError(t, err)
		require.Len(t, docs, 1)
		return docs[0]
	}
	assert.True(t, one(published, nil).Spec.Draft)
	assert.False(t, one(published, &toolspec.ParseOptions{KeepDraft: true}).Spec.Draft)
	assert.False(t, one(tiny("a"), &toolspec.ParseOptions{KeepDraft: true}).Spec.Draft, "absent is false")

	doc := one(broken, &toolspec.ParseOptions{KeepDraft: true})
	require.NotNil(t, doc.Spec)
	assert.True(t, doc.Spec.Draft, "a broken rule makes a draft")
	assert.Nil(t, one(broken, &toolspec.ParseOptions{Strict: true}).Spec)

	doc = one(odd, nil)
	require.NotNil(t, doc.Spec)
	assert.NoError(t, doc.Problems.Err())
	assert.Len(t, doc.Problems.Warnings(), 2)
	doc = one(odd, &toolspec.ParseOptions{Strict: true})
	assert.Nil(t, doc.Spec)
	assert.Len(t, doc.Problems.Errors(), 2)
}

func TestNamesMeetOnceInAText(t *testing.T) {
	docs, err := toolspec.Parse([]byte("["+tiny("a")+","+tiny("a")+"]"), nil)
	require.NoError(t, err)
	assert.Contains(t, docs[1].Problems[0].Message, "the entry [0]")
	docs, err = toolspec.Parse([]byte(tiny("a")), nil)
	require.NoError(t, err)
	assert.Empty(t, docs[0].Problems)
}

func TestClashWithoutAPlace(t *testing.T) {
	docs, err := toolspec.Parse([]byte(`{"spec":`+tiny("a")+`,"specs":[`+tiny("a")+`]}`), nil)
	require.NoError(t, err)
	assert.Equal(t, `"a" is also the name of the entry spec`, docs[1].Problems[0].Message)
}

func ExampleParse() {
	docs, err := toolspec.Parse([]byte(`[
	  {"name": "greet", "code": "return 'Hello, ' + who;", "codeType": "Javascript",
	   "params": [{"name": "who", "type": "STRING", "required": true, "testValue": "Ann"}]},
	  {"name": "broken", "codeType": "Javascript"}
	]`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, doc := range docs {
		if doc.Spec == nil {
			fmt.Println(doc.Pointer, doc.Problems)
			continue
		}
		fmt.Println(doc.Pointer, doc.Spec.Name, string(doc.Spec.InputSchema()))
	}
	// Output:
	// [0] greet {"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}
	// [1] SPEC_PARSE code: is missing (line 4, column 4); add "code": the body of an async JavaScript function, with a return
}
