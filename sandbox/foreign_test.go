package sandbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/specfile"
	"github.com/localpass/localpass/toolspec/studio"
)

// foreignTool is what must come of one document in testdata/foreign: specs as
// another runtime of the specification exports them, with its runtime id, its
// recorded blocks, and code that knows nothing of this one.
type foreignTool struct {
	name  string
	level toolspec.Level // by section 10, with the shipped baseline
	// want is the result of the run with the test values, replay what the
	// network answered. What Node gave is what stands here, as far as it could
	// run the code.
	want    string
	replay  string
	console []string
	// class is what a tool that needs a host language names, at line and column.
	class        string
	line, column int
	// refused is the reason why Resolve refuses the spec here, "" for none, at
	// the member pointer.
	refused, pointer string
}

var foreignTools = []foreignTool{
	{name: "decodeJwt", level: toolspec.L0, want: `{"header":{"alg":"HS256","typ":"JWT"},"payload":{"sub":"123","name":"Jürgen","iat":1700000000}}`},
	{name: "zonedParts", level: toolspec.L0, want: `"2024-03-10 21:30:45"`},
	{name: "weekdayOf", level: toolspec.L0, want: `"Thursday"`},
	{name: "csvToJson", level: toolspec.L0, want: `[{"id":"1","name":"Ann, \"A\""},{"id":"2","name":"Bo"}]`},
	{name: "flattenJson", level: toolspec.L0, want: `{"a.b[0]":1,"a.b[1].c":null,"d":"x"}`},
	{name: "countWords", level: toolspec.L0, want: `{"words":6,"first":"Größe","capitals":2,"cleaned":"Größe Ünïcode  한국어 dont stop "}`},
	{name: "chunkStream", level: toolspec.L0, want: `["abc","def","gh"]`},
	{name: "money", level: toolspec.L0, want: `["3.65 EUR",7]`},
	{name: "factorial", level: toolspec.L0, want: `{"digits":26,"value":"15511210043330985984000000","even":true}`},
	{name: "sha256Hex", level: toolspec.L0, want: `"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"`},
	{name: "hmacBase64", level: toolspec.L0, want: `"W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM="`},
	{name: "parseQuery", level: toolspec.L0, want: `{"host":"example.com:8443","port":"8443","path":"/b","hash":"#top","q":{"x":["1","2"],"y":"é e"},"back":"a=x+y&b=1%262&a=z"}`},
	{name: "base64Text", level: toolspec.L0, want: `["c25vd21hbiDimIM=",true]`},
	{name: "logSteps", level: toolspec.L0, want: `2`, console: []string{`start 2 null {"a":1}`, `item a`, `item b`}},
	{name: "awaitTogether", level: toolspec.L0, want: `["slow","fast","y",["rejected","fulfilled"]]`},
	{name: "groupOrders", level: toolspec.L0, want: `[{"city":"Oslo","total":9},{"city":"Rome","total":5}]`},
	{name: "cutText", level: toolspec.L0, want: `{"cut":"cali","padded":"....cali","label":"n-c","max":1.5,"date":"2024-01-01"}`},
	{name: "luhn", level: toolspec.L0, want: `true`},
	{name: "roman", level: toolspec.L0, want: `"MCMXCIV"`},
	{name: "optionalGiven", level: toolspec.L0, want: `{"text":"hi","prefixed":false,"shouting":true}`},
	{name: "randomIds", level: toolspec.L0, want: `{"valid":true,"distinct":20,"bytes":16}`},
	{name: "chartCard", level: toolspec.L0, want: "\"```saip-action\\n{\\\"type\\\":\\\"chart\\\",\\\"title\\\":\\\"Load\\\",\\\"series\\\":[1,2,3]}\\n```\""},
	{name: "deepCopy", level: toolspec.L0, want: `{"last":4,"when":"1970-01-01T00:00:00.000Z","set":[1,2],"found":4}`},
	{name: "formatNumbers", level: toolspec.L0, want: `["1,234,567.891","$12.50","26%","101"]`},
	{name: "setAlgebra", level: toolspec.L0, want: `{"both":[3,4],"either":[1,2,3,4,5],"onlyLeft":[1,2],"sub":false,"evens":[20,40]}`},
	{name: "primeSieve", level: toolspec.L0, want: `{"count":2262,"last":19997}`},
	{name: "namedDates", level: toolspec.L0, want: `["2.1.2024","30.11.2024","from 2024/01/02"]`},
	{name: "greetWith", level: toolspec.L0, want: `"Hello, world!"`},
	{name: "signWithEnv", level: toolspec.L0, want: `{"prefix":"salted-***","digest":"15e1d4fd"}`},
	{name: "returnsNothing", level: toolspec.L0, want: `null`},
	{name: "lazyState", level: toolspec.L0, want: `{"counter":1,"seen":"undefined","with_":[1,2,3,4],"cause":"b"}`},
	{name: "koreanGreeting", level: toolspec.L0, want: `"안녕하세요, 지수님! 1f600"`},
	{name: "naturalSort", level: toolspec.L0, want: `["A1","a2","a10"]`},
	{name: "throwsOnBad", level: toolspec.L0, want: `{"n":26,"hex":"0x1A","bits":[0,1,0,1,1]}`},
	{name: "templateFill", level: toolspec.L0, want: `"Dear Ann, {{x}} ${NOT_ENV}"`},
	{name: "pureClass", level: toolspec.L3, want: `2`},
	{name: "urlClass", level: toolspec.L4, want: `3`},
	{name: "writerClass", level: toolspec.L5, want: `4`},
	{name: "unbanOne", level: toolspec.L3, want: `5`},
	{name: "unbanThree", level: toolspec.L4, want: `6`},
	{name: "unbanRuntime", level: toolspec.L5, want: `7`},
	{name: "denyMore", level: toolspec.L0, want: `8`},
	{name: "bothAddedAndRemoved", level: toolspec.L0, want: `9`},
	{name: "weatherNow", level: toolspec.L3, want: `{"temp":21.5,"unit":"C"}`,
		replay: `[{"request": {"method": "GET", "url": "https://api.weather.example/v1/forecast?latitude=37.5&longitude=127"}, "response": {"status": 200, "headers": {"Content-Type": ["application/json"]}, "body": "{\"current\":{\"temperature\":21.5}}"}}]`},
	{name: "repoStars", level: toolspec.L3, want: `[7,"59","application/json",false]`,
		replay: `[{"request": {"method": "GET", "url": "https://api.code.example/repos/acme/tool%20box"}, "response": {"status": 200, "headers": {"Content-Type": ["application/json"], "X-Rate-Left": ["59"]}, "body": "{\"stars\":7}"}}]`},
	{name: "postMessage", level: toolspec.L3, want: `"ok"`,
		replay: `[{"request": {"method": "POST", "url": "https://hooks.chat.example/in/***", "body": "{\"text\":\"hello\"}"}, "response": {"status": 200, "body": "ok"}}]`},
	{name: "searchBooks", level: toolspec.L3, want: `[{"title":"War and Peace","year":1869},{"title":"W","year":null}]`,
		replay: `[{"request": {"method": "GET", "url": "https://books.example/search.json?q=war+%26+peace&limit=2"}, "response": {"status": 200, "body": "{\"docs\":[{\"title\":\"War and Peace\",\"year\":1869},{\"title\":\"W\"},{\"title\":\"x\"}]}"}}]`},
	{name: "pageTitle", level: toolspec.L4, want: `{"title":"Hi there","links":["https://www.site.example/a/b","https://other.example/"]}`,
		replay: `[{"request": {"method": "GET", "url": "https://www.site.example/a/"}, "response": {"status": 200, "headers": {"Content-Type": ["text/html"]}, "body": "<title>Hi  there</title><a href=\"b\">b</a><a name=x><a href=\"https://other.example/\">o</a>"}}]`},
	{name: "anyHost", level: toolspec.L4, want: `"pong"`,
		replay: `[{"request": {"method": "GET", "url": "https://anything.example/ping"}, "response": {"status": 200, "body": "pong"}}]`},
	{name: "emptyAllowlist", level: toolspec.L0, want: `["SafetyError","SECURITY","host-not-in-allowlist"]`},
	{name: "readSlowly", level: toolspec.L3, want: `["cdef",true,6,4,false]`,
		replay: `[{"request": {"method": "GET", "url": "https://files.example/big.txt"}, "response": {"status": 200, "body": "abcdefghij"}}]`},
	{name: "readNote", level: toolspec.L3, want: `"one\ntwo\nthree\n"`},
	{name: "grepNotes", level: toolspec.L3, want: `{"hits":["2:two","3:three"],"lines":3,"last":["three"],"list":["notes/a.txt"],"there":false}`},
	{name: "writeReport", level: toolspec.L4, want: `["the BODY!",1,9]`},
	{name: "copyNote", level: toolspec.L4, want: `14`},
	{name: "moveNote", level: toolspec.L5, want: `{"gone":[false,true,false],"removed":1}`},
	{name: "headlineOf", level: toolspec.L0, want: `{"headline":"Big news","items":2,"ids":["a","l"]}`},
	{name: "yamlKeys", level: toolspec.L0, want: `["name:x","ports:2","on_call:true"]`},
	{name: "feedTitles", level: toolspec.L0, want: `["A","B & C"]`},
	{name: "csvTotals", level: toolspec.L0, want: `3.5`},
	{name: "javaToday", level: toolspec.L0, class: "java.time.LocalDate", line: 2, column: 19},
	{name: "packagesPath", level: toolspec.L0, class: "java.math.BigDecimal", line: 1, column: 12},
	{name: "polyglotEval", level: toolspec.L0, class: "Polyglot", line: 2, column: 10},
	{name: "javaHashMap", level: toolspec.L3, class: "java.util.HashMap", line: 2, column: 19},
	{name: "recordedInterop", level: toolspec.L0, refused: "host-interop-unavailable", pointer: "toolSafety.runtime.javaInterop"},
	{name: "newerHelper", level: toolspec.L3, refused: "helper-unsupported", pointer: "toolSafety.runtime.helpers[1]"},
	{name: "newerVersion", level: toolspec.L0, refused: "version-unsupported", pointer: "toolSafety.version"},
	{name: "allowedAndDenied", level: toolspec.L3, refused: "class-overlap", pointer: "sandboxOverrides"},
	{name: "otherRuntime", level: toolspec.L0, want: `[["a2","a10"],true]`},
	{name: "javaInteropRecorded", level: toolspec.L5, class: "java.nio.file.Files", line: 1, column: 15},
	{name: "vendorEverything", level: toolspec.L0, want: `"ABC"`},
}

const foreignFolder = "testdata/foreign"

// loadForeign gives the documents of the folder by name.
func loadForeign(t testing.TB, opts *toolspec.ParseOptions) map[string]toolspec.Document {
	t.Helper()
	docs, err := specfile.Load([]string{foreignFolder}, opts)
	require.NoError(t, err)
	byName := make(map[string]toolspec.Document, len(docs))
	for _, d := range docs {
		require.NotNil(t, d.Spec, "%s %s: %v", d.Source, d.Pointer, d.Problems)
		require.NotContains(t, byName, d.Spec.Name)
		byName[d.Spec.Name] = d
	}
	return byName
}

// foreignTexts gives the text of each spec as it stands in its file, by name.
func foreignTexts(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	names, err := filepath.Glob(foreignFolder + "/*.json")
	require.NoError(t, err)
	texts := map[string]json.RawMessage{}
	add := func(raw json.RawMessage) {
		var member struct{ Name string }
		require.NoError(t, json.Unmarshal(raw, &member))
		texts[member.Name] = raw
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil {
			var envelope struct{ ToolSpecs, Tools []json.RawMessage }
			require.NoError(t, json.Unmarshal(data, &envelope))
			if list = append(envelope.ToolSpecs, envelope.Tools...); list == nil {
				list = []json.RawMessage{data}
			}
		}
		for _, raw := range list {
			add(raw)
		}
	}
	return texts
}

// No document is lost, and each is written back as it was, with the members
// that nothing here knows.
func TestForeignRoundTrip(t *testing.T) {
	texts := foreignTexts(t)
	docs := loadForeign(t, &toolspec.ParseOptions{KeepDraft: true})
	require.GreaterOrEqual(t, len(texts), 40)
	require.Len(t, docs, len(texts))
	require.Len(t, foreignTools, len(texts), "each has an expectation")
	for name, text := range texts {
		doc, ok := docs[name]
		require.True(t, ok, name)
		if name != "newerVersion" { // found as it is read
			assert.NoError(t, doc.Problems.Err(), name)
		}
		once, err := json.Marshal(doc.Spec)
		require.NoError(t, err, name)
		assert.Equal(t, exactly(t, text), exactly(t, once), name)
		again, err := toolspec.Parse(once, &toolspec.ParseOptions{KeepDraft: true})
		require.NoError(t, err, name)
		twice, err := json.Marshal(again[0].Spec)
		require.NoError(t, err, name)
		assert.Equal(t, string(once), string(twice), name)
	}
	vendor := docs["vendorEverything"]
	var kept []string
	for _, p := range vendor.Problems {
		kept = append(kept, p.Pointer)
	}
	assert.Subset(t, kept, []string{"sandboxOverrides.maxStatements", "params[0].format"}, "closed blocks are warned about, not emptied")
	for name, doc := range loadForeign(t, nil) {
		assert.True(t, doc.Spec.Draft, "%s: draft false is no evidence here", name)
	}
}

// exactly is JSON with sorted members and numbers as they were spelt.
func exactly(t testing.TB, raw json.RawMessage) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	out, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(out)
}

func TestForeignLevels(t *testing.T) {
	docs := loadForeign(t, nil)
	for _, tool := range foreignTools {
		doc, ok := docs[tool.name]
		require.True(t, ok, tool.name)
		risk := doc.Spec.Risk(nil)
		assert.Equal(t, tool.level, risk.Level, "%s: %v", tool.name, risk.Why)
	}
}

// replaying is a sandbox whose runs find a recorded network, by the name of the
// tool: a foreign spec has no place for one.
type replaying struct {
	*sandbox.Sandbox
	exchanges map[string]string
}

func (r replaying) Run(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	with := *req
	if with.Replay = json.RawMessage(r.exchanges[req.Spec.Name]); len(with.Replay) == 0 {
		with.Replay = json.RawMessage(`[]`)
	}
	return r.Sandbox.Run(ctx, &with)
}

// foreignStudio is a host for foreign tools, with a workspace that holds one
// file.
func foreignStudio(t *testing.T, tier toolspec.Tier) *studio.Studio {
	t.Helper()
	base := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(base, "notes"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(base, "notes", "a.txt"), []byte("one\ntwo\nthree\n"), 0o600))
	runner := replaying{newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{Workspace: base}}), map[string]string{}}
	for _, tool := range foreignTools {
		runner.exchanges[tool.name] = tool.replay
	}
	st, err := studio.New(t.Context(), runner, memory.New(), &studio.Options{Lookup: secret.Map(map[string]string{
		"FOREIGN_SALT": "pepper-and-salt", "FOREIGN_STAGE": "staging", "FOREIGN_HOOK": "T0/B1/hook-value",
	})})
	require.NoError(t, err)
	return st
}

// Tools that need no other host pass here, unchanged.
func TestForeignPasses(t *testing.T) {
	docs := loadForeign(t, nil)
	for _, tier := range bothTiers {
		t.Run(string(tier), func(t *testing.T) {
			st := foreignStudio(t, tier)
			for i, tool := range foreignTools {
				if tool.class != "" || tool.refused != "" || tier == toolspec.TierIsolated && i%4 != 0 {
					continue // what one tier shows of the studio the other does too
				}
				t.Run(tool.name, func(t *testing.T) {
					spec := docs[tool.name].Spec
					before, err := json.Marshal(spec)
					require.NoError(t, err)
					passed, report, err := st.TestAndPublish(t.Context(), spec, &studio.TestOptions{ByAuthor: true})
					require.NoError(t, err)
					require.NoError(t, report.Err())
					require.NotEmpty(t, report.Runs)
					require.True(t, report.OK, "%s", report.Runs[0].Message)
					require.NotNil(t, passed)
					require.NoError(t, passed.Err())
					out := report.Runs[0].Result.Outcome
					require.NotNil(t, out)
					assert.JSONEq(t, tool.want, string(out.Result))
					for i, line := range tool.console {
						require.Greater(t, len(out.Console), i)
						assert.Equal(t, line, out.Console[i].Text)
					}
					after, err := json.Marshal(spec)
					require.NoError(t, err)
					assert.Equal(t, string(before), string(after))
				})
			}
		})
	}
}

// What this runtime cannot honour is refused with the member that says so, and
// kept as it is.
func TestForeignRefused(t *testing.T) {
	st := foreignStudio(t, toolspec.TierInProcess)
	docs, texts := loadForeign(t, &toolspec.ParseOptions{KeepDraft: true}), foreignTexts(t)
	for _, tool := range foreignTools {
		if tool.refused == "" {
			continue
		}
		spec := docs[tool.name].Spec
		passed, report, err := st.TestAndPublish(t.Context(), spec, nil)
		require.ErrorIs(t, err, studio.ErrNoPass, tool.name)
		assert.Nil(t, passed, tool.name)
		assert.Empty(t, report.Runs, tool.name)
		var reasons []string
		for _, p := range report.Problems.Errors() {
			reasons = append(reasons, p.Reason+" "+p.Pointer)
		}
		assert.Contains(t, reasons, tool.refused+" "+tool.pointer, tool.name)
		saved, err := json.Marshal(spec)
		require.NoError(t, err, tool.name)
		assert.Equal(t, exactly(t, texts[tool.name]), exactly(t, saved), tool.name)
	}
}

// What needs a host language is shown with its class and place, can be exported,
// and never runs.
func TestForeignUnsupported(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		st := foreignStudio(t, tier)
		box := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1})
		docs := loadForeign(t, &toolspec.ParseOptions{KeepDraft: true})
		texts := foreignTexts(t)
		for _, tool := range foreignTools {
			if tool.class == "" {
				continue
			}
			t.Run(tool.name, func(t *testing.T) {
				spec := docs[tool.name].Spec
				found := box.Check(t.Context(), spec, nil).Errors()
				require.NotEmpty(t, found)
				assert.Equal(t, toolspec.ReasonHostInterop, found[0].Reason)
				assert.Equal(t, "code", found[0].Pointer)
				assert.Equal(t, [2]int{tool.line, tool.column}, [2]int{found[0].Line, found[0].Column})

				passed, report, err := st.TestAndPublish(t.Context(), spec, &studio.TestOptions{ByAuthor: true})
				require.ErrorIs(t, err, studio.ErrNoPass)
				assert.Nil(t, passed)
				assert.False(t, report.OK)
				assert.Empty(t, report.Runs, "it never ran")
				assert.Error(t, report.Err())
				_, err = st.Publish(t.Context(), spec)
				assert.ErrorIs(t, err, studio.ErrNoPass)

				out := run(t, box, &toolspec.RunRequest{Spec: spec, Posture: &toolspec.Posture{}})
				require.NotNil(t, out.Err)
				assert.Equal(t, toolspec.KindSecurity, out.Err.Kind)
				assert.Equal(t, toolspec.ReasonHostInterop, out.Err.Reason)
				assert.Equal(t, tool.line, out.Err.Line)

				saved, err := json.Marshal(spec)
				require.NoError(t, err)
				assert.Equal(t, exactly(t, texts[tool.name]), exactly(t, saved))

				t.Run("state", func(t *testing.T) {
					status, err := st.Status(t.Context(), spec)
					require.NoError(t, err)
					assert.Equal(t, studio.StateUnsupported, status.State)
					errs := status.Problems.Errors()
					assert.Equal(t, tool.line, errs[len(errs)-1].Line)
				})
				t.Run("class", func(t *testing.T) {
					assert.Contains(t, found[0].Message, tool.class)
				})
			})
		}
	})
}
