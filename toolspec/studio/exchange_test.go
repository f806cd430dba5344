package studio_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/specfile"
	"github.com/localpass/localpass/toolspec/studio"
)

// summary is what an import did, one line a document.
func summary(results []studio.ImportResult) (lines []string) {
	for _, r := range results {
		line := fmt.Sprintf("%s %s", r.Outcome, r.Name)
		if r.WasNamed != "" {
			line += " was " + r.WasNamed
		}
		lines = append(lines, line)
	}
	return lines
}

// document is a small spec; an empty id is left out.
func document(id, name, code string) string {
	text := fmt.Sprintf(`{"name":%q,"description":"Does it.","codeType":"Javascript","code":%q}`, name, code)
	if id != "" {
		text = fmt.Sprintf(`{"toolId":%q,`, id) + text[1:]
	}
	return text
}

func importing(t *testing.T, b *bench, text string, opts *studio.ImportOptions) []studio.ImportResult {
	t.Helper()
	results, err := b.Import(t.Context(), []byte(text), opts)
	require.NoError(t, err)
	return results
}

func drafts(t *testing.T, b *bench) map[string]*toolspec.Spec {
	t.Helper()
	all := map[string]*toolspec.Spec{}
	for d, err := range b.Drafts(t.Context()) {
		require.NoError(t, err)
		all[d.Spec.ToolID] = d.Spec
	}
	return all
}

func TestImportOneBadOfThree(t *testing.T) {
	b := newBench(t, nil)
	text := `{"toolSpecs":[` + document("a", "first", "return 1") + `,{"name":"second","code":7},` +
		`{"toolId":"c","name":"third","draft":false,"codeType":"Javascript","code":"return 3","x-vendor":{"kept":true},"x-local-pass":{"runtimeId":"other/js"},` +
		`"staticVariables":[{"key":"${SOME_KEY}"}],"sandboxOverrides":{"fileWrite":true}}]}`
	dry := importing(t, b, text, &studio.ImportOptions{DryRun: true})
	assert.Equal(t, []string{"import first", "refused ", "import third"}, summary(dry))
	assert.Empty(t, drafts(t, b), "a dry run stores nothing")

	results := importing(t, b, text, nil)
	assert.Equal(t, dry, results, "a dry run tells just what an import does")
	stored := drafts(t, b)
	require.Len(t, stored, 2)
	assert.True(t, stored["c"].Draft, "whatever it says of itself")
	assert.JSONEq(t, `{"kept":true}`, string(stored["c"].Extra["x-vendor"]))

	second, third := results[1], results[2]
	assert.Equal(t, "toolSpecs[1]", second.Pointer)
	assert.Error(t, second.Problems.Err())
	assert.Equal(t, toolspec.L4, third.Level)
	assert.Equal(t, []string{"SOME_KEY"}, third.Missing)
	assert.Equal(t, []string{"x-local-pass", "x-vendor"}, third.Unknown)
	assert.Equal(t, &toolspec.ClaimedPass{Members: []string{"x-local-pass"}, Runtime: "other/js"}, third.ClaimedPass)
	assert.Equal(t, studio.StateDraft, third.State)
	assert.Nil(t, results[0].ClaimedPass)
	_, err := b.Publish(t.Context(), stored["c"])
	assert.ErrorIs(t, err, studio.ErrNoPass)
}

func TestImportClaims(t *testing.T) {
	b := newBench(t, nil)
	r := importing(t, b, `{"toolId":"a","name":"x","codeType":"Javascript","code":"return 1","toolSafety":{"version":"1.0","runtime":{"id":"spring-ai-playground/polyglot-js"}}}`, nil)
	assert.Equal(t, &toolspec.ClaimedPass{Members: []string{"toolSafety"}, Runtime: "spring-ai-playground/polyglot-js"}, r[0].ClaimedPass)
}

func TestImportClashes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		policy     studio.OnClash
		want       string
		ids        string // of what is stored then, with names and codes
	}{
		{"the same again", document("a", "first", "return 1"), "", "skip first", "a first 1"},
		{"its id with other content", document("a", "first", "return 2"), "", "rename first2 was first", "* first2 2,a first 1"},
		{"its id with another name", document("a", "other", "return 2"), "", "rename other", "* other 2,a first 1"},
		{"its name", document("b", "first", "return 2"), studio.ClashRename, "rename first2 was first", "a first 1,b first2 2"},
		{"its name, no id", document("", "first", "return 2"), "", "rename first2 was first", "* first2 2,a first 1"},
		{"its id, skip", document("a", "first", "return 2"), studio.ClashSkip, "skip first", "a first 1"},
		{"its name, skip", document("b", "first", "return 2"), studio.ClashSkip, "skip first", "a first 1"},
		{"its id, replace", document("a", "first", "return 2"), studio.ClashReplace, "replace first", "a first 2"},
		{"its id and a new name, replace", document("a", "new", "return 2"), studio.ClashReplace, "replace new", "a new 2"},
		{"its name, replace", document("b", "first", "return 2"), studio.ClashReplace, "replace first", "a first 2"},
		{"nothing of it", document("b", "second", "return 2"), studio.ClashReplace, "import second", "a first 1,b second 2"},
		{"a pinned name", document("b", "pinned", "return 2"), "", "rename pinned2 was pinned", "a first 1,b pinned2 2"},
		{"a pinned name, replace", document("b", "pinned", "return 2"), studio.ClashReplace, "rename pinned2 was pinned", "a first 1,b pinned2 2"},
		{"a pinned name, skip", document("b", "pinned", "return 2"), studio.ClashSkip, "skip pinned", "a first 1"},
		{"its id with a pinned name, replace", document("a", "pinned", "return 2"), studio.ClashReplace, "replace pinned2 was pinned", "a pinned2 2"},
		{"the pinned tool itself", document("b", "pinned", "return 'pinned'"), "", "skip pinned", "a first 1"},
		{"the id of a bundled tool", document("bundled", "mine", "return 2"), studio.ClashReplace, "rename mine", "* mine 2,a first 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pinned := parse(t, document("p", "pinned", "return 'pinned'"))
			b := newBench(t, &studio.Options{Pins: map[string]string{"pinned": pinned.CatalogHash()}})
			importing(t, b, document("a", "first", "return 1"), nil)
			opts := &studio.ImportOptions{OnClash: c.policy, Taken: []string{"bundled"}, DryRun: true}
			dry := importing(t, b, c.text, opts)
			opts.DryRun = false
			results := importing(t, b, c.text, opts)
			assert.Equal(t, c.want, strings.Join(summary(results), ","))
			assert.Equal(t, summary(dry), summary(results))
			var got []string
			for id, s := range drafts(t, b) {
				if id != "a" && id != "b" {
					id = "*"
				}
				got = append(got, id+" "+s.Name+" "+strings.TrimPrefix(s.Code, "return "))
			}
			assert.ElementsMatch(t, strings.Split(c.ids, ","), got)
			if results[0].Outcome == studio.ImportSkipped {
				assert.NotEmpty(t, results[0].Problems.Warnings(), "it says why")
			}
		})
	}
}

func TestImportWithinOneText(t *testing.T) {
	b := newBench(t, nil)
	r := importing(t, b, "["+document("a", "same", "return 1")+","+document("b", "same", "return 2")+","+document("c", "same", "return 3")+","+document("a", "other", "return 4")+"]", nil)
	assert.Equal(t, []string{"import same", "rename same2 was same", "rename same3 was same", "refused "}, summary(r))
	assert.NoError(t, r[1].Problems.Err(), "the clash is settled")
	assert.Len(t, drafts(t, b), 3)
}

// Replacing what is on the air takes it off: the new content has no pass.
func TestImportReplacesWhatIsLive(t *testing.T) {
	b := newBench(t, nil)
	old := parse(t, echoSpec)
	old.Created = 5
	_, err := b.SaveDraft(t.Context(), studio.Draft{Spec: old})
	require.NoError(t, err)
	passed := admit(t, b.Studio, old)
	r := importing(t, b, document(old.ToolID, "echo", "return 1"), &studio.ImportOptions{OnClash: studio.ClashReplace})
	assert.Equal(t, []string{"replace echo"}, summary(r))
	assert.ErrorIs(t, passed.Err(), studio.ErrWithdrawn)
	assert.Equal(t, int64(5), drafts(t, b)[old.ToolID].Created)

	// A name that is on the air without a stored document is not replaced.
	admit(t, b.Studio, parse(t, document("live", "onAir", "return {}")))
	r = importing(t, b, document("z", "onAir", "return 1"), &studio.ImportOptions{OnClash: studio.ClashReplace})
	assert.Equal(t, []string{"rename onAir2 was onAir"}, summary(r))
}

func TestImportOverWhatCannotBeRead(t *testing.T) {
	b := newBench(t, nil)
	_, err := b.store.Put(t.Context(), "specs", "a", localpass.Document{Data: []byte(`{"no":"spec"}`)})
	require.NoError(t, err)
	r := importing(t, b, document("a", "x", "return 1"), &studio.ImportOptions{OnClash: studio.ClashReplace})
	assert.Equal(t, []string{"replace x"}, summary(r))
	assert.Len(t, drafts(t, b), 1)
}

func TestImportErrors(t *testing.T) {
	b := newBench(t, nil)
	for text, want := range map[string]string{"": "empty", "{": "not JSON", `{"x":1}`: "no spec found"} {
		_, err := b.Import(t.Context(), []byte(text), nil)
		assert.ErrorContains(t, err, want)
	}
	_, err := b.Import(t.Context(), []byte(document("a", "x", "return 1")), &studio.ImportOptions{OnClash: "overwrite"})
	assert.ErrorContains(t, err, "use rename, skip or replace")
	r := importing(t, b, document(strings.Repeat("i", 2000), "x", "return 1"), nil)
	assert.Equal(t, []string{"refused x"}, summary(r))
	assert.ErrorContains(t, r[0].Problems, "at most 1024 bytes")
	require.NoError(t, b.store.Close())
	_, err = b.Import(t.Context(), []byte(document("a", "x", "return 1")), nil)
	assert.ErrorIs(t, err, localpass.ErrClosed)
}

func TestExport(t *testing.T) {
	b := newBench(t, &studio.Options{Lookup: secret.Map(map[string]string{"REAL": "the-resolved-value"})})
	one := parse(t, echoSpec)
	admit(t, b.Studio, one)
	text, problems, err := specfile.Export(one)
	require.NoError(t, err)
	assert.Empty(t, problems)
	assert.True(t, strings.HasPrefix(string(text), "{\n  \"toolId\": "), "one spec stands alone")
	again := parse(t, string(text))
	assert.Equal(t, one.ContentHash(), again.ContentHash())
	assert.NotContains(t, string(text), "receipt")

	two := parse(t, document("b", "second", "return '<&>'"))
	two.Extra = map[string]json.RawMessage{"x-local-pass": []byte(`{"hash":"of here"}`), "x-vendor": []byte(`1`)}
	two.StaticVariables = []toolspec.Variable{{Name: "plain", Value: "hello"}, {Name: "own", Value: "${REAL}"}, {Name: "githubToken", Value: "ghp_" + strings.Repeat("a1", 20)},
		{Name: "api_key", Value: "f00dfacef00dfacef00d"}, {Name: "keyOfMap", Value: "f00dfacef00dfacef00d"}, {Name: "tokenLimit", Value: "4096"}, {Name: "authToken", Value: "Bearer ${REAL}"}}
	two.Code = "return '<&>" + "AKIA" + "ABCDEFGHIJKLMNOP" + "'"
	text, problems, err = specfile.Export(one, two)
	require.NoError(t, err)
	for _, gone := range []string{"ghp_", `"f00dfacef00dfacef00d"` + "\n        },\n        {\n          \"keyOf", "of here", "the-resolved-value"} {
		assert.NotContains(t, string(text), gone)
	}
	assert.Contains(t, string(text), "'<&>", "text stays readable")
	var pointers []string
	for _, p := range problems {
		pointers = append(pointers, p.Reason+" "+p.Pointer)
		assert.NotContains(t, p.Message, "ghp_")
	}
	assert.Equal(t, []string{"secret-not-exported toolSpecs[1].staticVariables[2]", "secret-not-exported toolSpecs[1].staticVariables[3]", "hard-coded-secret toolSpecs[1].code"}, pointers)
	docs, err := toolspec.Parse(text, nil)
	require.NoError(t, err)
	require.Len(t, docs, 2)
	assert.Equal(t, []toolspec.Variable{{Name: "plain", Value: "hello"}, {Name: "own", Value: "${REAL}"}, {Name: "githubToken", Value: "${GITHUB_TOKEN}"}, {Name: "api_key", Value: "${API_KEY}"},
		{Name: "keyOfMap", Value: "f00dfacef00dfacef00d"}, {Name: "tokenLimit", Value: "4096"}, {Name: "authToken", Value: "Bearer ${REAL}"}}, docs[1].Spec.StaticVariables)
	assert.Equal(t, "ghp_"+strings.Repeat("a1", 20), two.StaticVariables[2].Value, "the spec itself is left as it is")

	text, _, err = specfile.Export()
	require.NoError(t, err)
	assert.JSONEq(t, `{"toolSpecs":[]}`, string(text))
	two.OutputSchema = json.RawMessage(`{`)
	_, _, err = specfile.Export(two)
	assert.ErrorContains(t, err, `export "second"`)
}

func TestExportNamesPlaceholders(t *testing.T) {
	for name, want := range map[string]string{"apiKey": "API_KEY", "APIKey": "APIKEY", "key2Secret": "KEY2_SECRET", "schlüssel_key": "SCHL_SSEL_KEY", "9token": "TOKEN", "_pwd": "PWD", "ключ-key": "KEY"} {
		s := toolspec.New("x")
		s.StaticVariables = []toolspec.Variable{{Name: name, Value: "abcdefghij0123456789"}}
		text, problems, err := specfile.Export(s)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"${`+want+`}"`, name)
		assert.Len(t, problems, 1)
	}
	s := toolspec.New("x")
	s.StaticVariables = []toolspec.Variable{{Name: "ключ", Value: "sk_live_" + strings.Repeat("a1", 20)}}
	text, _, err := specfile.Export(s)
	require.NoError(t, err)
	assert.Contains(t, string(text), "${SECRET}")
}

// What is exported is imported as it was.
func TestExportImport(t *testing.T) {
	a, b := newBench(t, nil), newBench(t, nil)
	importing(t, a, "["+document("1", "one", "return 1")+","+echoSpec+"]", nil)
	var specs []*toolspec.Spec
	for d, err := range a.Drafts(t.Context()) {
		require.NoError(t, err)
		specs = append(specs, d.Spec)
	}
	text, _, err := specfile.Export(specs...)
	require.NoError(t, err)
	importing(t, b, string(text), nil)
	there := drafts(t, b)
	require.Len(t, there, 2)
	for _, s := range specs {
		assert.Equal(t, s.ContentHash(), there[s.ToolID].ContentHash())
	}
	assert.Equal(t, []string{"skip echo", "skip one"}, summary(importing(t, b, string(text), nil)))
}

// An import takes any text without harm, and what it stores is a draft that can
// be read.
func FuzzImport(f *testing.F) {
	f.Add(document("a", "x", "return 1"), "")
	f.Add(`{"toolSpecs":[`+document("", "x", "return 1")+`,{"name":1}]}`, "replace")
	f.Add(`[`+echoSpec+`,`+echoSpec+`]`, "skip")
	f.Add(`[{"toolId":"\ud800","name":"","code":""}]`, "rename")
	f.Fuzz(func(t *testing.T, text, policy string) {
		b := newBench(t, nil)
		importing(t, b, document("a", "x", "return 0"), nil)
		results, err := b.Import(t.Context(), []byte(text), &studio.ImportOptions{OnClash: studio.OnClash(policy)})
		stored := drafts(t, b)
		if err != nil {
			return
		}
		for _, r := range results {
			s := stored[r.ToolID]
			switch r.Outcome {
			case studio.ImportAdded, studio.ImportRenamed, studio.ImportReplaced:
				if s == nil || !s.Draft || s.Name != r.Name {
					t.Fatalf("%+v, stored %+v", r, s)
				}
			case studio.ImportRefused, studio.ImportSkipped:
				if len(r.Problems) == 0 {
					t.Fatalf("%+v does not say why", r)
				}
			default:
				t.Fatalf("outcome %q", r.Outcome)
			}
		}
	})
}
