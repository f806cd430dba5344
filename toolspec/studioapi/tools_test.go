package studioapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

func TestCreateAndSave(t *testing.T) {
	w := newWorld(t, nil, nil)
	// Work in progress is stored, with what is wrong with it.
	r := w.OK(201, "POST", "/api/tools", `{"name":"half","codeType":"Javascript","code":"","tags":["a","b","c"],"x-mine":{"b":1,"a":[1.50]},"draft":false}`)
	path := r.Header.Get("Location")
	assert.Equal(t, "draft", r.Get("state"))
	assert.Greater(t, r.Get("errors"), 0.0)
	assert.Contains(t, r.Body, `"x-mine":{"b":1,"a":[1.50]}`, "members that nobody knows are kept as they are")
	assert.Regexp(t, `^[0-9a-f-]{36}$`, r.Get("id"))
	created := r.Get("spec.createTimestamp")
	require.NotNil(t, created)

	for body, want := range map[string]string{
		`{"name":"x"}`: "code", `[` + shout + `,` + shout + `]`: "two", `{"name":1,"code":"","codeType":"Javascript"}`: "name", `"x"`: "x", `{`: "x", ``: "x",
		`{"toolId":"` + strings.Repeat("i", 1100) + `","name":"x","codeType":"Javascript","code":""}`: "id",
	} {
		p := w.Fails(422, "validation_failed", "POST", "/api/tools", body, "Content-Type: application/json")
		assert.NotEmpty(t, p.Get("fields.0.message"), want)
		if want != "id" {
			w.Fails(422, "validation_failed", "PUT", path, body, "If-Match: *", "Content-Type: application/json")
		}
	}
	w.Fails(409, "id_taken", "POST", "/api/tools", documentOf(r, "spec"))
	w.Fails(415, "unsupported_format", "POST", "/api/tools", shout, "Content-Type: text/plain")
	w.Fails(413, "too_large", "POST", "/api/tools", `{"name":"x","codeType":"Javascript","code":"`+strings.Repeat("x", 4<<20)+`"}`)

	p := w.Fails(422, "validation_failed", "PUT", path, `{"toolId":"other","name":"x","codeType":"Javascript","code":""}`, "If-Match: *")
	assert.Equal(t, "toolId", p.Get("fields.0.path"))
	saved := w.OK(200, "PUT", path, `{"name":"whole","description":"Is complete now.","codeType":"Javascript","code":"return {ok: true}"}`, "If-Match: *")
	assert.Equal(t, r.Get("id"), saved.Get("id"), "the path names it")
	assert.Equal(t, created, saved.Get("spec.createTimestamp"), "it was made when it was made")
	assert.Equal(t, saved.Header.Get("ETag"), w.OK(200, "GET", path, "").Header.Get("ETag"))
	w.Fails(404, "not_found", "PUT", "/api/tools/nothing", shout, "If-Match: *")
	w.Fails(412, "stale_version", "PUT", path, shout, `If-Match: "nonsense"`)
	w.Fails(412, "stale_version", "DELETE", path, "", `If-Match: "v1"`)
	w.OK(204, "DELETE", path, "", "If-Match: "+saved.Header.Get("ETag"))
	w.Fails(404, "not_found", "DELETE", path, "")
	w.Fails(404, "not_found", "POST", path+"/fork", "")

	// An id may be any text.
	r = w.OK(201, "POST", "/api/tools", `{"toolId":"a/b c,d?ü","name":"odd","codeType":"Javascript","code":"return 1"}`)
	assert.Equal(t, "/api/tools/a%2Fb%20c%2Cd%3F%C3%BC", r.Header.Get("Location"))
	assert.Equal(t, "a/b c,d?ü", w.OK(200, "GET", r.Header.Get("Location"), "").Get("id"))
	assert.Equal(t, "odd", w.OK(200, "GET", "/api/tools/export?ids=a%2Fb%20c,d%3F%C3%BC", "").Get("name"))
}

// Of many who save over one version, one wins.
func TestConcurrentSaves(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, tag := w.create(shout)
	statuses := make([]int, 8)
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() {
			resp, err := w.Send(t.Context(), "PUT", path, strings.ReplaceAll(shout, "headlines", "headlines "+strings.Repeat("!", i)), "If-Match: "+tag)
			if assert.NoError(t, err) {
				statuses[i] = resp.StatusCode
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
	won := 0
	for _, s := range statuses {
		if s == 200 {
			won++
		} else {
			assert.Equal(t, 412, s)
		}
	}
	assert.Equal(t, 1, won)
}

func TestValidate(t *testing.T) {
	w := newWorld(t, nil, nil)
	r := w.OK(200, "POST", "/api/tools/validate", shout)
	assert.Equal(t, true, r.Get("valid"), r.Body)
	r = w.OK(200, "POST", "/api/tools/validate", "{\n  \"name\": 'x'}")
	assert.Equal(t, false, r.Get("valid"))
	assert.Equal(t, "not-json", r.Get("diagnostics.0.reason"))
	assert.EqualValues(t, 2, r.Get("diagnostics.0.line"))
	assert.EqualValues(t, 11, r.Get("diagnostics.0.col"))
	assert.NotEmpty(t, r.Get("diagnostics.0.fix"))
	r = w.OK(200, "POST", "/api/tools/validate", `{"name":"x","codeType":"Javascript","code":"let a = 1;\nreturn fetch(;","params":[{"name":"n","type":"INTEGER","required":true,"testValue":"1.5"}]}`)
	assert.Equal(t, false, r.Get("valid"))
	assert.Contains(t, r.Body, `"params[0].testValue"`)
	seen := map[string]bool{}
	for _, d := range r.Get("diagnostics").([]any) {
		m := d.(map[string]any)
		key := m["path"].(string) + m["message"].(string)
		assert.False(t, seen[key], "once each: %s", key)
		seen[key] = true
	}
	r = w.OK(200, "POST", "/api/tools/validate", `{"name":"x","codeType":"Javascript","code":"let a = 1;\nreturn fetch(;"}`)
	assert.Equal(t, "code", r.Get("diagnostics.0.path"), r.Body)
	assert.EqualValues(t, 2, r.Get("diagnostics.0.line"))
	assert.EqualValues(t, 0, w.OK(200, "GET", "/api/tools", "").Get("all"), "nothing was stored")
	w.Fails(413, "too_large", "POST", "/api/tools/validate", strings.Repeat(" ", 4<<20+1))
}

func TestPreview(t *testing.T) {
	w := newWorld(t, nil, nil)
	r := w.OK(200, "POST", "/api/tools/preview", `{"name":"w","description":"Writes where it is told to.","codeType":"Javascript","code":"return {ok: safety.fs.writeText(path, key)}",
		"params":[{"name":"path","description":"Where to, such as a.txt.","type":"STRING","required":true,"testValue":"a.txt"}],"staticVariables":[{"key":"${NO_KEY}"}],
		"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["b.example.com","A.example.com"],"fileWrite":true},"humanInTheLoop":{"mode":"REQUIRED"},
		"x-limits":{"timeoutMs":1500},"x-output-schema":{"type":"object"}}`)
	assert.Equal(t, "L4", r.Get("level"))
	assert.Equal(t, "L3", r.Get("mitigated"))
	assert.Len(t, r.Get("reasons"), 2)
	assert.JSONEq(t, `{"network":{"mode":"allowlist","hosts":["a.example.com","b.example.com"]},"fileRead":false,"fileWrite":true,"destructive":false,"timeoutMs":1500}`, documentOf(r, "posture"))
	const def = `{"name":"w","description":"Writes where it is told to.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where to, such as a.txt."}},"required":["path"]},` +
		`"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":true}}`
	assert.JSONEq(t, def, documentOf(r, "mcpDefinition"))
	assert.EqualValues(t, (len(def)+3)/4, r.Get("schemaTokens"))
	assert.Equal(t, []any{"NO_KEY"}, r.Get("missing"))

	r = w.OK(200, "POST", "/api/tools/preview", `{"name":"d","codeType":"Javascript","code":"return 1","sandboxOverrides":{"destructive":true,"networkMode":"everything"},"humanInTheLoop":{"mode":"REQUIRED"},"x-output-schema":7}`)
	assert.Nil(t, r.Get("posture"))
	assert.Equal(t, "L5", r.Get("level"))
	assert.Equal(t, "L4", r.Get("mitigated"))
	assert.Equal(t, false, r.Get("valid"))
	w.Fails(422, "validation_failed", "POST", "/api/tools/preview", `{"name":"d"}`)
	assert.EqualValues(t, 0, w.OK(200, "GET", "/api/tools", "").Get("all"))
}

// passed creates a tool, runs its test and returns its path and its receipt.
func (w *world) passed(document string) (path, receipt string) {
	w.T.Helper()
	path, _ = w.create(document)
	r := w.OK(200, "POST", path+"/runs?wait=1", "")
	require.Equal(w.T, "passed", r.Get("state"), r.Body)
	return path, r.Text("receipt.id")
}

func TestPublishAsksForConfirmation(t *testing.T) {
	w := newWorld(t, nil, nil)
	publish := func(path, receipt, confirm string) *apitest.Reply {
		return w.Do("POST", path+"/publish", `{"receipt":"`+receipt+`"`+confirm+`}`)
	}
	for level, document := range map[string]string{
		"L3": simple("three", `,"sandboxOverrides":{"fileRead":true}`),
		"L4": simple("four", `,"sandboxOverrides":{"fileWrite":true}`),
		"L5": simple("five", `,"sandboxOverrides":{"destructive":true}`),
	} {
		path, receipt := w.passed(document)
		right, wrong := "", []string{}
		switch level {
		case "L4":
			right, wrong = `,"confirm":true`, []string{"", `,"confirm":false`, `,"confirm":"true"`, `,"confirm":"four"`, `,"confirm":1`, `,"confirm":null`}
		case "L5":
			right, wrong = `,"confirm":"five"`, []string{"", `,"confirm":true`, `,"confirm":"Five"`, `,"confirm":"five "`, `,"confirm":["five"]`}
		}
		for _, confirm := range wrong {
			p := publish(path, receipt, confirm)
			assert.Equal(t, 403, p.Status, "%s %s", level, confirm)
			assert.Equal(t, "confirm_required", p.Get("code"))
			assert.Equal(t, level, p.Get("level"))
			assert.NotEmpty(t, p.Get("reasons"))
		}
		// The pass counts first.
		assert.Equal(t, 409, publish(path, "other", right).Status)
		live := publish(path, receipt, right)
		require.Equal(t, 200, live.Status, live.Body)
		assert.Equal(t, level, live.Get("receipt.level"))
		assert.Equal(t, true, live.Get("diff.wider"))
	}
	path, receipt := w.passed(simple("zero", ""))
	assert.Equal(t, 400, w.Do("POST", path+"/publish", `{}`).Status)
	assert.Equal(t, 400, w.Do("POST", path+"/publish", `{"receipt":"`+receipt+`","confirmed":true}`).Status)
	assert.Equal(t, 404, w.Do("POST", "/api/tools/nothing/publish", `{"receipt":"x"}`).Status)

	// Approval of each call takes nothing off the confirmation.
	w = newWorld(t, nil, &studioapi.Options{ByAuthor: true})
	path, receipt = w.passed(simple("asks", `,"sandboxOverrides":{"fileWrite":true},"humanInTheLoop":{"mode":"REQUIRED"}`))
	assert.Equal(t, 403, w.Do("POST", path+"/publish", `{"receipt":"`+receipt+`"}`).Status)
}

func TestPublishTakenName(t *testing.T) {
	w := newWorld(t, nil, nil)
	one, receipt := w.passed(simple("same", ""))
	w.OK(200, "POST", one+"/publish", `{"receipt":"`+receipt+`"}`)
	two, receipt := w.passed(simple("same", ""))
	w.Fails(409, "name_taken", "POST", two+"/publish", `{"receipt":"`+receipt+`"}`)
	w.OK(200, "POST", one+"/unpublish", "")
	w.OK(200, "POST", two+"/publish", `{"receipt":"`+receipt+`"}`)
}

// gate denies, or lets pass, and counts.
type gate struct {
	err   error
	asked int
}

func (g *gate) Clear(context.Context, toolspec.Definition, *toolspec.Call) (json.RawMessage, error) {
	g.asked++
	return nil, g.err
}

func TestRunsAskForApproval(t *testing.T) {
	document := simple("asks", `,"humanInTheLoop":{"mode":"REQUIRED"}`)
	no := &gate{err: errors.New("a person said no")}
	w := newWorld(t, &studio.Options{Gate: no}, nil)
	path, _ := w.create(document)
	r := w.OK(200, "POST", path+"/runs?wait=1", "")
	assert.Equal(t, "failed", r.Get("state"))
	assert.Equal(t, "approval-denied", r.Get("cases.0.error.reason"))
	assert.Contains(t, r.Get("message"), "could not be finished and changes nothing")
	r = w.OK(200, "POST", path+"/runs?wait=1", `{"args":{}}`)
	assert.Equal(t, "failed", r.Get("state"))
	assert.Equal(t, 2, no.asked)

	w = newWorld(t, nil, nil) // nobody to ask
	path, _ = w.create(document)
	assert.Equal(t, "approval-unavailable", w.OK(200, "POST", path+"/runs?wait=1", "").Get("cases.0.error.reason"))
	w = newWorld(t, nil, &studioapi.Options{ByAuthor: true})
	w.passed(document)
}

func TestImportAnswers(t *testing.T) {
	w := newWorld(t, nil, nil)
	for _, body := range []string{"{", `{"x":1}`, "", "[]x"} {
		p := w.Fails(422, "validation_failed", "POST", "/api/tools/import", body, "Content-Type: application/json")
		assert.NotEmpty(t, p.Get("fields"), body)
	}
	w.Fails(400, "invalid_argument", "POST", "/api/tools/import?onClash=overwrite", shout)
	w.Fails(400, "invalid_argument", "POST", "/api/tools/import?dryrun=1", shout)
	r := w.OK(200, "POST", "/api/tools/import", `{"toolSpecs":[`+shout+`,{"name":"no code"},`+simple("third", `,"toolSafety":{"version":"1.0"},"staticVariables":[{"k":"${SOME}"}]`)+`]}`)
	assert.EqualValues(t, 2, r.Get("counts.import"))
	assert.EqualValues(t, 1, r.Get("counts.refused"))
	assert.NotEmpty(t, r.Get("items.1.problems"))
	assert.Equal(t, []any{"toolSafety"}, r.Get("items.2.claimedPass.members"))
	assert.Equal(t, []any{"SOME"}, r.Get("items.2.missing"))
	r = w.OK(200, "POST", "/api/tools/import?onClash=skip", shout)
	assert.Equal(t, "skip", r.Get("items.0.outcome"))
	w.Fails(404, "not_found", "GET", "/api/tools/export?ids=nothing,none", "")

	big := `{"toolSpecs":[` + simple("big", `,"x-note":"`+strings.Repeat("x", 6<<20)+`"`) + `]}`
	r = w.OK(200, "POST", "/api/tools/import?dryRun=1", big)
	assert.EqualValues(t, 1, r.Get("counts.import"), "a bundle may be larger than other bodies")
	require.NoError(t, w.store.Close())
	w.Fails(503, "shutting_down", "POST", "/api/tools/import", shout)
}

func TestExportKeepsSecretsHere(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, _ := w.create(simple("keyed", `,"staticVariables":[{"apiKey":"`+"f00dfacef00dfacef00d"+`"}]`))
	r := w.OK(200, "GET", "/api/tools/export?ids="+strings.TrimPrefix(path, "/api/tools/"), "")
	assert.Equal(t, "1", r.Header.Get("X-Localpass-Problems"))
	assert.Equal(t, "${API_KEY}", r.Get("staticVariables.0.apiKey"))
	assert.NotContains(t, r.Body, "f00dface")
}

// exposure is one in memory.
type exposure struct {
	mu     sync.Mutex
	record studioapi.ExposureRecord
	err    error
}

func (e *exposure) Exposure(context.Context) (studioapi.ExposureRecord, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.record, e.err
}

func (e *exposure) SetExposure(_ context.Context, r studioapi.ExposureRecord) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.Mode == "composed" {
		return localpass.ErrConflict
	}
	e.record = r
	return e.err
}

func (e *exposure) Serving(id string) studio.Serving {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case slices.Contains(e.record.Excluded, id):
		return studio.ServingExcluded
	case e.record.AutoAdd || slices.Contains(e.record.Exposed, id):
		return studio.ServingOffered
	}
	return studio.ServingNotExposed
}

func (e *exposure) Presets(context.Context) ([]studioapi.Preset, error) {
	return []studioapi.Preset{{ID: "starter-5", Name: "Starter 5", Default: true, Tools: []string{"stats"}}, {ID: "none", Name: "None"}}, e.err
}

func TestExposure(t *testing.T) {
	e := &exposure{record: studioapi.ExposureRecord{AutoAdd: true}}
	w := newWorld(t, nil, &studioapi.Options{Exposure: e})
	r := w.OK(200, "GET", "/api/tools/exposure", "")
	assert.JSONEq(t, `{"autoAdd":true,"exposedToolIds":[],"excludedToolIds":[]}`, r.Body)
	tag := r.Header.Get("ETag")
	const body = `{"autoAdd":false,"exposedToolIds":["a"],"excludedToolIds":[],"mode":"both"}`
	w.Fails(428, "precondition_required", "PUT", "/api/tools/exposure", body)
	set := w.OK(200, "PUT", "/api/tools/exposure", body, "If-Match: "+tag)
	assert.JSONEq(t, body, set.Body)
	p := w.Fails(412, "stale_version", "PUT", "/api/tools/exposure", body, "If-Match: "+tag)
	assert.Equal(t, []any{"a"}, p.Get("current.exposedToolIds"))
	w.OK(200, "PUT", "/api/tools/exposure", body, "If-Match: *")
	w.Fails(412, "stale_version", "PUT", "/api/tools/exposure", strings.Replace(body, "both", "composed", 1), "If-Match: *")
	w.Fails(400, "invalid_argument", "PUT", "/api/tools/exposure", strings.Replace(body, "both", "all", 1), "If-Match: *")
	w.Fails(400, "invalid_json", "PUT", "/api/tools/exposure", `{"autoAdd":true}`, "If-Match: *")
	r = w.OK(200, "GET", "/api/tools/presets", "")
	assert.Equal(t, "starter-5", r.Get("items.0.id"))
	assert.Equal(t, []any{}, r.Get("items.1.tools"))

	e.err = errors.New("the disk is full of secrets")
	for _, c := range [][2]string{{"GET", "/api/tools/exposure"}, {"GET", "/api/tools/presets"}, {"PUT", "/api/tools/exposure"}} {
		r := w.Do(c[0], c[1], map[bool]string{true: body}[c[0] == "PUT"], "If-Match: *")
		assert.Equal(t, 500, r.Status)
		assert.NotContains(t, r.Body, "secrets")
	}
	w = newWorld(t, nil, nil)
	w.Fails(404, "not_found", "GET", "/api/tools/exposure", "")
	w.Fails(404, "not_found", "GET", "/api/tools/presets", "")
}

// Publishing leaves the exposure as it is; the answer says whether clients are
// offered the tool, and offers the step.
func TestPublishedAndHidden(t *testing.T) {
	e := &exposure{}
	w := newWorld(t, nil, &studioapi.Options{Exposure: e})
	path, _ := w.create(shout)
	id := strings.TrimPrefix(path, "/api/tools/")
	says := func(r *apitest.Reply) string {
		return fmt.Sprint(r.Get("state"), " ", r.Get("published"), " ", r.Get("live"), " ", r.Get("serving"))
	}
	assert.Equal(t, "draft false false no_pass", says(w.OK(200, "GET", path, "")))
	run := w.OK(200, "POST", path+"/runs?wait=1", "")
	assert.Equal(t, "passed false false not_published", says(w.OK(200, "GET", path, "")))
	e.record.Excluded = []string{id}
	done := w.OK(200, "POST", path+"/publish", `{"receipt":"`+run.Get("receipt.id").(string)+`"}`)
	assert.Equal(t, "hidden", done.Get("tool.state"))
	assert.Equal(t, "excluded", done.Get("tool.serving"))
	assert.Equal(t, []string{id}, e.record.Excluded, "publishing changes no exposure")
	assert.Equal(t, "POST", done.Get("tool.step.method"))
	assert.Contains(t, done.Get("tool.step.text"), "exposure")

	assert.Equal(t, "live true true offered", says(w.OK(200, "POST", done.Get("tool.step.path").(string), "")))
	assert.Equal(t, studioapi.ExposureRecord{Exposed: []string{id}, Excluded: []string{}}, e.record)
	row := w.OK(200, "GET", "/api/tools", "")
	assert.Equal(t, "offered", row.Get("items.0.serving"))
	assert.Equal(t, "hidden true false excluded", says(w.OK(200, "POST", path+"/hide", "")))
	row = w.OK(200, "GET", "/api/tools", "")
	assert.Equal(t, "hidden", row.Get("items.0.state"), "a list that was just made is not kept over it")
	e.record = studioapi.ExposureRecord{AutoAdd: true, Excluded: []string{id}}
	assert.Equal(t, "live true true offered", says(w.OK(200, "POST", path+"/expose", "")))
	assert.Equal(t, []string{}, e.record.Exposed, "what its user publishes need not be named")
	e.record = studioapi.ExposureRecord{Mode: "composed"}
	w.Fails(412, "stale_version", "POST", path+"/expose", "")
	w.Fails(404, "not_found", "POST", "/api/tools/nothing/expose", "")
}

func TestGuard(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, _ := w.create(shout)
	for _, at := range [][2]string{{"GET", "/api/tools"}, {"GET", path}, {"POST", "/api/tools"}, {"DELETE", path}, {"GET", "/api/runs/x/events"}, {"GET", "/api/openapi.json"}} {
		r := w.Do(at[0], at[1], "", "Origin: https://evil.test")
		assert.Equal(t, 403, r.Status, at)
		req, err := http.NewRequestWithContext(t.Context(), at[0], w.URL+at[1], nil)
		require.NoError(t, err)
		req.Host = "evil.test"
		resp, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, 421, resp.StatusCode, at)
	}
	w.OK(200, "GET", path, "") // it is still there
	w.Fails(404, "not_found", "GET", "/api/elsewhere", "")
	w.Fails(405, "method_not_allowed", "PATCH", path, "{}")

	w = newWorld(t, nil, &studioapi.Options{Authenticate: func(r *http.Request) error {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			return errors.New("no token")
		}
		return nil
	}})
	w.Fails(401, "unauthenticated", "GET", "/api/tools", "")
	w.OK(200, "GET", "/api/tools", "", "Authorization: Bearer s3cret")
}

func TestMountBesideOthers(t *testing.T) {
	w := newWorld(t, nil, &studioapi.Options{Exposure: &exposure{}})
	mux := http.NewServeMux()
	require.NoError(t, w.api.Mount(mux))
	assert.ErrorContains(t, w.api.Mount(mux), "cannot be mounted")
	server := httptest.NewServer(mux)
	defer server.Close()
	w.Config.Handler = mux
	assert.EqualValues(t, 0, w.OK(200, "GET", "/api/tools", "").Get("total"))
	assert.NotEmpty(t, httpapi.TableOf(w.api).Routes)
}
