package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const fixtureSpec = `{
  "name": "asker", "description": "Asks a service.", "draft": true, "codeType": "Javascript",
  "params": [{"name": "q", "type": "STRING", "required": true, "testValue": "hello"}],
  "staticVariables": [{"key": "${ASK_KEY}"}, {"url": "https://${ASK_HOST}/x"}],
  "code": "return {q, key, url};",
  "sandboxOverrides": {"networkMode": "allowlist", "hostsAllow": ["api.example.com"], "fileRead": true, "fileWrite": true},
  "humanInTheLoop": {"mode": "REQUIRED"},
  "x-fixtures": {"fetch": [{"request": {"method": "GET", "url": "https://api.example.com/"}, "response": {"status": 200, "body": "x"}}],
                 "files": {"notes/a.txt": "one"}, "env": {"ASK_HOST": "api.example.com"}},
  "x-tests": [
    {"name": "as the spec", "args": {"q": "a"}, "want": {"q": "a"}},
    {"name": "its own", "args": {"q": "b"}, "want": {"q": "b"}, "wantFiles": {"out.txt": "b", "gone.txt": null},
     "fixtures": {"fetch": [], "files": {"b.txt": "two"}, "env": {"ASK_KEY": "another"}}}
  ]
}`

// A test finds its fixtures, and a call finds the world.
func TestFixturesOfRuns(t *testing.T) {
	b := newBench(t, &studio.Options{Lookup: func(name string) (string, bool) { return "real-" + name, name == "ASK_KEY" || name == "ASK_HOST" },
		Gate: yes{}})
	var requests []*toolspec.RunRequest
	var globals []string
	b.runner.run = func(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		requests = append(requests, req)
		globals = append(globals, fmt.Sprint(string(req.Globals[1].Value), " ", string(req.Globals[2].Value)))
		return &toolspec.Outcome{Result: []byte(`{"q":` + string(req.Globals[0].Value) + `}`), Files: map[string]string{"out.txt": "b"}}, nil
	}
	spec := parse(t, fixtureSpec)
	passed := admit(t, b.Studio, spec)
	assert.True(t, passed.Receipt().Recorded)
	callWith(t, passed, `{"q":"c"}`)
	require.Len(t, requests, 4)
	for i, want := range []struct{ fetch, files, globals string }{
		{string(spec.Fixtures.Fetch), "map[notes/a.txt:one]", `"test-ASK_KEY" "https://api.example.com/x"`},
		{string(spec.Fixtures.Fetch), "map[notes/a.txt:one]", `"test-ASK_KEY" "https://api.example.com/x"`},
		{"[]", "map[b.txt:two]", `"another" "https://api.example.com/x"`},
		{"", "map[]", `"real-ASK_KEY" "https://real-ASK_HOST/x"`},
	} {
		assert.Equal(t, want.fetch, string(requests[i].Replay), i)
		assert.Equal(t, want.files, fmt.Sprint(requests[i].Files), i)
		assert.Equal(t, want.globals, globals[i], i)
		assert.False(t, requests[i].Record)
	}
	assert.Nil(t, requests[3].Files, "a call works where its posture says")
}

type yes struct{}

func (yes) Clear(context.Context, toolspec.Definition, *toolspec.Call) (json.RawMessage, error) {
	return nil, nil
}

type no struct{ asked int }

func (n *no) Clear(context.Context, toolspec.Definition, *toolspec.Call) (json.RawMessage, error) {
	n.asked++
	return nil, errors.New("no")
}

// With recorded exchanges a spec passes without its keys, and is served when it
// has them.
func TestFixturesWithoutKeys(t *testing.T) {
	env := map[string]string{}
	gate := &no{}
	b := newBench(t, &studio.Options{Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }, Gate: gate})
	b.runner.run = func(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		return &toolspec.Outcome{Result: []byte(`{"q":` + string(req.Globals[0].Value) + `}`), Files: map[string]string{"out.txt": "b"}}, nil
	}
	spec := parse(t, fixtureSpec)
	report, err := b.Test(t.Context(), spec, nil)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	assert.True(t, report.OK)
	assert.Equal(t, studio.StateMissingRequirements, report.State)
	assert.Equal(t, []string{"ASK_KEY", "ASK_HOST"}, report.Missing)
	assert.Zero(t, gate.asked, "a test that touches nothing asks nobody")
	_, err = b.Publish(t.Context(), spec)
	assert.ErrorContains(t, err, "ASK_KEY")

	env["ASK_KEY"], env["ASK_HOST"] = "k", "h"
	passed, err := b.Publish(t.Context(), spec)
	require.NoError(t, err, "the pass holds: nothing in it depends on the keys")
	assert.True(t, callWith(t, passed, `{"q":"x"}`).IsError)
	assert.Equal(t, 1, gate.asked, "a call asks")

	for name, part := range map[string]string{
		"no recorded exchanges": `"fetch": [{"request": {"method": "GET", "url": "https://api.example.com/"}, "response": {"status": 200, "body": "x"}}],`,
		"no files":              `"files": {"notes/a.txt": "one"}, `,
	} {
		gate.asked = 0
		report, err := b.Test(t.Context(), parse(t, strings.Replace(fixtureSpec, part, "", 1)), nil)
		require.NoError(t, err)
		assert.False(t, report.OK, name)
		assert.Positive(t, gate.asked, "%s: the test may touch something", name)
	}
}

func TestWantFiles(t *testing.T) {
	files := map[string]string{"out.txt": "b"}
	b := newBench(t, nil)
	b.runner.run = func(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		return &toolspec.Outcome{Result: []byte(`{"q":` + string(req.Globals[0].Value) + `}`), Files: files}, nil
	}
	for want, files2 := range map[string]map[string]string{
		"":                                       {"out.txt": "b", "more.txt": "x"},
		`the file "gone.txt" is still there`:     {"out.txt": "b", "gone.txt": ""},
		`there is no file "out.txt"`:             {},
		`the file "out.txt" holds "c", not "b"`:  {"out.txt": "c"},
		`it wants files, and was not given any:`: nil,
	} {
		files = files2
		report, err := b.Test(t.Context(), parse(t, fixtureSpec), &studio.TestOptions{ByAuthor: true})
		require.NoError(t, err)
		if want == "" {
			assert.NoError(t, report.Err())
			continue
		}
		assert.ErrorContains(t, report.Err(), want)
	}
}

// Every change of a fixture is another content, and goes back as it came.
func TestFixturesAreContent(t *testing.T) {
	spec := parse(t, fixtureSpec)
	hash, catalogHash := spec.ContentHash(), spec.CatalogHash()
	assert.Equal(t, hash, spec.Clone().ContentHash())
	for _, edit := range [][2]string{{"hello", "hello2"}, {`"body": "x"`, `"body": "y"`}, {`"one"`, `"1"`}, {`"ASK_HOST": "api`, `"ASK_HOST": "b`}, {`"fetch": []`, `"fetch": null`},
		{`"b.txt": "two"`, `"b.txt": "three"`}, {`"gone.txt": null`, `"gone.txt": ""`}, {`"out.txt": "b"`, `"out2.txt": "b"`}, {`"another"`, `"other"`}} {
		changed := parse(t, strings.Replace(fixtureSpec, edit[0], edit[1], 1))
		assert.NotEqual(t, hash, changed.ContentHash(), edit)
		assert.Equal(t, catalogHash, changed.CatalogHash(), "a pin leaves tests out")
		raw, err := changed.MarshalJSON()
		require.NoError(t, err)
		assert.JSONEq(t, strings.Replace(fixtureSpec, edit[0], edit[1], 1), string(raw))
	}

	// Fields that are set go into the document, and come back as they were set.
	text := "there"
	made := toolspec.New("made")
	made.Code = "return 1;"
	made.Fixtures = toolspec.Fixtures{Fetch: json.RawMessage(`[]`), Files: map[string]string{"b": "2", "a": "1"}, Env: map[string]string{}}
	made.Tests = []toolspec.Case{{Args: json.RawMessage(`{}`), WantFiles: map[string]*string{"z": nil, "a": &text}, Fixtures: &toolspec.Fixtures{Files: map[string]string{}}}}
	raw, err := made.MarshalJSON()
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"x-fixtures":{"fetch":[],"files":{"a":"1","b":"2"},"env":{}}`)
	assert.Contains(t, string(raw), `"wantFiles":{"a":"there","z":null},"fixtures":{"files":{}}`)
	again := parse(t, string(raw))
	assert.Equal(t, made.ContentHash(), again.ContentHash())
	assert.Equal(t, made.Fixtures, again.Fixtures)
	again.Fixtures, again.Tests[0].Fixtures, again.Tests[0].WantFiles = toolspec.Fixtures{}, nil, nil
	raw, err = again.MarshalJSON()
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"x-fixtures":null`)
	assert.True(t, parse(t, string(raw)).Fixtures.Fetch == nil)
}

func TestFixturesMistakes(t *testing.T) {
	for fixtures, want := range map[string]string{
		`[]`:                      "x-fixtures: must be an object, is an array",
		`{"fetch": {}}`:           "x-fixtures.fetch: must be a list, is an object",
		`{"fetch": [1]}`:          "x-fixtures.fetch[0]: must be an object",
		`{"fetch": [{}]}`:         "has no request with method and url",
		`{"file": {}}`:            "x-fixtures.file: is no member of fixtures",
		`{"files": []}`:           "x-fixtures.files: must be an object",
		`{"files": {"a": 1}}`:     "x-fixtures.files.a: must be a string",
		`{"env": {"A": 1}}`:       "x-fixtures.env.A: must be a string",
		`{"files": {"../a": ""}}`: `holds "../a", which is no such path`,
		`{"files": {"/a": ""}}`:   `holds "/a", which is no such path`,
		`{"files": {"a//b": ""}}`: `holds "a//b", which is no such path`,
		`{"files": {"": ""}}`:     `which is no such path`,
		`{"fetch": [{"request": {"method": "GET", "url": "u"}}]}`:                                                                      "needs either a response or an error",
		`{"fetch": [{"request": {"method": "GET", "url": "u"}, "response": {"body": {}}}]}`:                                            "x-fixtures.fetch[0].response.body: must be a string",
		`{"fetch": [{"request": {"method": "GET", "url": "u"}, "response": {}, "error": {"kind": "a", "reason": "b"}}]}`:               "needs either a response or an error",
		`{"fetch": [{"request": {"method": "GET", "url": "u"}, "response": {}, "extra": 1}]}`:                                          "x-fixtures.fetch[0].extra: is no member",
		`{"fetch": null, "files": {"a/b.txt": ""}, "env": null}`:                                                                       "",
		`{"fetch": [{"request": {"method": "GET", "url": "u"}, "error": {"kind": "HELPER_RUNTIME", "reason": "io", "message": "m"}}]}`: "",
		`null`: "",
	} {
		document := `{"name":"x","description":"d","code":"return 1;","codeType":"Javascript","x-fixtures":` + fixtures + `}`
		docs, err := toolspec.Parse([]byte(document), nil)
		require.NoError(t, err, "a mistake in a vendor member does not keep a document from being read")
		require.NotNil(t, docs[0].Spec, fixtures)
		problem := docs[0].Spec.Validate(false).Err()
		if want == "" {
			assert.NoError(t, problem, fixtures)
			continue
		}
		assert.ErrorContains(t, problem, want, fixtures)

		inCase := `{"name":"x","description":"d","code":"return 1;","codeType":"Javascript","x-tests":[{"fixtures":` + fixtures + `}]}`
		docs, err = toolspec.Parse([]byte(inCase), nil)
		require.NoError(t, err)
		assert.ErrorContains(t, docs[0].Spec.Validate(false).Err(), strings.Replace(want, "x-fixtures", "x-tests[0].fixtures", 1), fixtures)
	}
	for _, bad := range []string{`[]`, `{"a": 1}`} {
		docs, err := toolspec.Parse([]byte(`{"name":"x","code":"","codeType":"Javascript","x-tests":[{"wantFiles":`+bad+`}]}`), nil)
		require.NoError(t, err)
		assert.ErrorContains(t, docs[0].Spec.Validate(false).Err(), "x-tests[0].wantFiles", bad)
	}
}

// A pass that comes and goes is none.
func TestNotRepeatable(t *testing.T) {
	spec := func(code, tests string) *toolspec.Spec {
		return parse(t, `{"name":"x","description":"A tool.","codeType":"Javascript","code":"`+code+`","x-tests":`+tests+`}`)
	}
	const wanting, asserting = `[{"name":"five","want":5}]`, `[{"name":"anything","want":{}}]`
	for name, tt := range map[string]struct {
		spec    *toolspec.Spec
		results []string
		problem string
		warning string
		runs    int
	}{
		"the same twice":        {spec("return Math.random();", wanting), []string{"5", "5", "5", "5"}, "", "", 4},
		"comes and goes":        {spec("return Math.random();", wanting), []string{"5", "5", "5", "6"}, "it passed once and not a second time: x-tests 1 (five): result is 6, not 5", "", 4},
		"differs and asserts":   {spec("return crypto.randomUUID();", asserting), []string{"{}", `{"a":1}`, `{"a":2}`, `{"a":3}`}, "", "", 4},
		"differs, and says not": {spec("return Date.now();", `[]`), []string{"1", "2"}, "", "result-differs", 2},
		"cannot differ":         {spec("return 5;", wanting), []string{"5", "5", "6", "6"}, "", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			n := 0
			b.runner.run = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
				n++
				return &toolspec.Outcome{Result: json.RawMessage(tt.results[n-1])}, nil
			}
			report, err := b.Test(t.Context(), tt.spec, nil)
			require.NoError(t, err)
			assert.Equal(t, tt.runs, n)
			assert.Equal(t, tt.problem == "", report.OK)
			if tt.problem != "" {
				assert.ErrorContains(t, report.Err(), tt.problem)
			}
			if tt.warning != "" {
				assert.Equal(t, tt.warning, report.Problems.Warnings()[len(report.Problems.Warnings())-1].Reason)
			}
		})
	}
}

func TestCertifyRefusesFixtures(t *testing.T) {
	tool, err := toolspec.Func("f", "A tool.", func(context.Context, struct{}) (int, error) { return 1, nil }, nil)
	require.NoError(t, err)
	_, err = studio.Certify(t.Context(), tool, []toolspec.Case{{Want: json.RawMessage("1"), Fixtures: &toolspec.Fixtures{}}}, nil)
	assert.ErrorContains(t, err, "only specs are tested with them")
	assert.ErrorIs(t, err, studio.ErrNoPass)
}
