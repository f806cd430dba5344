package studioapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec/studioapi"
)

// document is a valid tool with the given members in place of its own; nil removes one.
func document(members map[string]any) map[string]any {
	doc := map[string]any{
		"name": "shout", "description": "Writes a text in capitals, for signs and headlines.", "codeType": "Javascript", "code": "return {out: text.toUpperCase()};",
		"params":  []any{map[string]any{"name": "text", "description": "The text, such as hello.", "type": "STRING", "required": true, "testValue": "quiet"}},
		"x-tests": []any{map[string]any{"args": map[string]any{"text": "hello"}, "want": map[string]any{"out": "HELLO"}}},
	}
	maps.Copy(doc, members)
	return doc
}

func overrides(members map[string]any) map[string]any {
	return map[string]any{"sandboxOverrides": members}
}

func param(members map[string]any) map[string]any {
	p := map[string]any{"name": "text", "description": "The text, such as hello.", "type": "STRING", "required": true, "testValue": "quiet"}
	maps.Copy(p, members)
	return map[string]any{"params": []any{p}}
}

func preview(w *world, doc map[string]any) studioapi.Preview {
	w.T.Helper()
	text, err := json.Marshal(doc)
	require.NoError(w.T, err)
	var p studioapi.Preview
	w.OK(200, "POST", "/api/tools/preview", string(text)).Into(&p)
	return p
}

func find(list []studioapi.Diagnostic, reason string) *studioapi.Diagnostic {
	for i := range list {
		if list[i].Reason == reason {
			return &list[i]
		}
	}
	return nil
}

// apply is what a client does with a fix.
func apply(doc map[string]any, fix studioapi.Fix) map[string]any {
	out := maps.Clone(doc)
	for name, value := range fix.Set {
		var v any
		if json.Unmarshal(value, &v) != nil || v == nil {
			delete(out, name)
			continue
		}
		out[name] = v
	}
	return out
}

// Each fix of a finding settles it, without a run, and says what the level is then.
func TestFixSettlesItsFinding(t *testing.T) {
	w := newWorld(t, nil, nil)
	for _, c := range []struct {
		reason  string
		members map[string]any
		label   string
	}{
		{"name-not-slug", map[string]any{"name": "my new tool"}, "Name it myNewTool"},
		{"tags-too-many", map[string]any{"tags": []any{"a", "b", "c"}}, "Keep the first two tags"},
		{"code-empty", map[string]any{"code": ""}, "Begin with a result"},
		{"code-type", map[string]any{"codeType": "javascript"}, "Write Javascript"},
		{"nothing-asserted", map[string]any{"x-tests": []any{}}, "Add a test case"},
		{"network-mode", overrides(map[string]any{"networkMode": "some"}), "Block the network"},
		{"host-pattern", overrides(map[string]any{"networkMode": "allowlist", "hostsAllow": []any{"https://api.example.com/v1?x"}}), "Write api.example.com"},
		{"hosts-empty", overrides(map[string]any{"networkMode": "allowlist"}), "Block the network"},
		{"hosts-unused", overrides(map[string]any{"networkMode": "strict", "hostsAllow": []any{"api.example.com"}}), "Allow these hosts only"},
		{"capability-unused", overrides(map[string]any{"networkMode": "strict"}), "Block the network"},
		{"capability-unused", overrides(map[string]any{"fileRead": true}), "Do not read files"},
		{"capability-unused", overrides(map[string]any{"fileWrite": true}), "Do not write files"},
		{"unknown-member", overrides(map[string]any{"colour": "red"}), "Remove it"},
		{"test-value-missing", param(map[string]any{"testValue": nil}), "Test with hello"},
		{"test-value", param(map[string]any{"type": "NUMBER"}), "Test with 1"},
		{"param-name", param(map[string]any{"name": "my text"}), "Name it myText"},
		{"param-type", param(map[string]any{"type": "text"}), "Make it STRING"},
		{"arguments-ignored", map[string]any{"code": "return {out: 1};"}, "Remove the parameter"},
		{"variable-unused", map[string]any{"staticVariables": []any{map[string]any{"key": "v"}}}, "Remove the variable"},
		{"placeholder", map[string]any{"code": "return {out: text + key};", "staticVariables": []any{map[string]any{"key": "${api_key}"}}}, "Write ${API_KEY}"},
		{"test-argument", map[string]any{"x-tests": []any{map[string]any{"args": map[string]any{"text": "x", "more": 1}, "want": map[string]any{"out": "X"}}}}, "Remove it"},
		{"capability-not-granted", map[string]any{"code": "const r = await fetch('https://api.example.com/' + text);\nreturn {out: r.status};"}, "Allow api.example.com"},
		{"capability-not-granted", map[string]any{"code": "safety.fs.writeText('a.txt', text);\nreturn {out: text};"}, "Allow it to write files"},
		{"capability-not-granted", map[string]any{"code": "return {out: safety.fs.readText(text)};"}, "Allow it to read files"},
		{"limits", map[string]any{"x-limits": map[string]any{"timeoutMs": -1}}, "Remove it"},
	} {
		t.Run(fmt.Sprintf("%s %s", c.reason, c.label), func(t *testing.T) {
			doc := document(c.members)
			before := preview(w, doc)
			finding := find(before.Diagnostics, c.reason)
			require.NotNil(t, finding, "%+v", before.Diagnostics)
			require.NotEmpty(t, finding.Fixes)
			assert.Equal(t, c.label, finding.Fixes[0].Label)
			for _, fix := range finding.Fixes {
				after := preview(w, apply(doc, fix))
				if again := find(after.Diagnostics, c.reason); again != nil {
					assert.NotEqual(t, finding.Path+finding.Message, again.Path+again.Message, fix.Label)
				}
				assert.Equal(t, after.Level, fix.Level, fix.Label)
			}
		})
	}
}

// What only the author can settle has no fix, and an empty list says so.
func TestFindingWithoutFix(t *testing.T) {
	w := newWorld(t, nil, nil)
	p := preview(w, document(map[string]any{"description": "", "code": "const a = ;"}))
	for _, d := range p.Diagnostics {
		assert.NotNil(t, d.Fixes, d.Reason)
		if d.Path == "code" || d.Path == "description" {
			assert.Empty(t, d.Fixes, d.Reason)
		}
	}
}

// A failed run proposes what lets the next one go further.
func TestFixAfterRun(t *testing.T) {
	w := newWorld(t, nil, nil)
	for _, c := range []struct {
		members map[string]any
		label   string
	}{
		{map[string]any{"code": "const r = await fetch('https://api.example.com/x');\nreturn {out: r.status};",
			"sandboxOverrides": map[string]any{"networkMode": "allowlist", "hostsAllow": []any{"api.example.org"}}}, "Allow api.example.com"},
		{map[string]any{"code": "while (true) {}", "x-limits": map[string]any{"timeoutMs": 200}}, "Give it 0.4 s"},
	} {
		text, err := json.Marshal(document(c.members))
		require.NoError(t, err)
		path, _ := w.create(string(text))
		var run studioapi.Run
		w.OK(200, "POST", path+"/runs?wait=1", "{}").Into(&run)
		require.Equal(t, studioapi.RunFailed, run.State)
		require.NotEmpty(t, run.Fixes, run.Message)
		assert.Equal(t, c.label, run.Fixes[0].Label)
	}
}

func TestUnasked(t *testing.T) {
	w := newWorld(t, nil, nil)
	asks := map[string]any{"mode": "REQUIRED"}
	for _, c := range []struct {
		members map[string]any
		want    string
	}{
		{nil, "Runs without asking. It reaches no file and no host."},
		{overrides(map[string]any{"networkMode": "allowlist", "hostsAllow": []any{"api.example.com"}, "fileWrite": true}),
			"Runs without asking. It may write files in the workspace, and send requests to api.example.com."},
		{map[string]any{"humanInTheLoop": asks}, "Nothing: it asks before each call."},
	} {
		assert.Equal(t, c.want, preview(w, document(c.members)).Unasked)
	}
}
