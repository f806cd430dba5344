package studioapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// slow is a runner whose runs begin, say so, and end when they are let go or
// stopped.
type slow struct {
	began chan string
	free  chan struct{}
}

func newSlow() *slow { return &slow{began: make(chan string, 300), free: make(chan struct{})} }

func (s *slow) Run(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	if req.Spec.Name == "panics" {
		panic("the runner itself fails")
	}
	s.began <- req.Spec.Name
	select {
	case <-s.free:
		return &toolspec.Outcome{Result: json.RawMessage(`{"ok":true}`)}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *slow) Runtime(toolspec.Level) toolspec.Runtime {
	return toolspec.Runtime{ID: "test/slow", Version: "1.0.0", Tier: toolspec.TierInProcess}
}

func (w *world) start(path string) (run string) {
	w.T.Helper()
	return "/api/runs/" + w.OK(202, "POST", path+"/runs", "").Text("runId")
}

// state follows a run to its end and returns what it is then.
func (w *world) state(run string) any {
	w.T.Helper()
	w.OK(200, "GET", run+"/events", "")
	return w.OK(200, "GET", run, "").Get("state")
}

func TestRunsWaitAndAreBounded(t *testing.T) {
	leak.Check(t)
	runner := newSlow()
	w := worldOn(t, runner, nil, &studioapi.Options{Concurrency: 1, MaxQueue: 1})
	path, _ := w.create(simple("waits", ""))
	first := w.start(path)
	assert.Equal(t, "waits", <-runner.began)
	second := w.start(path)
	assert.Equal(t, "running", w.OK(200, "GET", first, "").Get("state"))
	queued := w.OK(200, "GET", second, "")
	assert.Equal(t, "queued", queued.Get("state"))
	assert.Nil(t, queued.Get("startedAt"))
	r := w.Fails(429, "rate_limited", "POST", path+"/runs", "")
	assert.Equal(t, "2", r.Header.Get("Retry-After"))
	assert.EqualValues(t, 2000, r.Get("retryAfterMs"))

	w.OK(204, "DELETE", second, "") // one that waits can be stopped too
	assert.Equal(t, "stopped", w.state(second))
	close(runner.free)
	assert.Equal(t, "passed", w.state(first))
	w.OK(204, "DELETE", first, "")
	assert.Equal(t, "passed", w.OK(200, "GET", first, "").Get("state"), "one that is over stays as it is")
	assert.Equal(t, "passed", w.state(w.start(path)), "there is room again")
}

func TestStopARun(t *testing.T) {
	leak.Check(t)
	runner := newSlow()
	w := worldOn(t, runner, nil, nil)
	path, _ := w.create(simple("stops", ""))
	run := w.start(path)
	<-runner.began
	w.OK(204, "DELETE", run, "")
	assert.Equal(t, "stopped", w.state(run))
	stopped := w.OK(200, "GET", run, "")
	assert.Equal(t, "it was stopped", stopped.Get("message"))
	assert.NotNil(t, stopped.Get("finishedAt"))
	assert.Equal(t, "draft", w.OK(200, "GET", path, "").Get("state"), "a run that was stopped says nothing of the tool")

	// Who waits for a run and goes away stops it.
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		resp, err := w.Send(ctx, "POST", path+"/runs?wait=1", "{}")
		if err == nil {
			resp.Body.Close()
		}
		gone <- err
	}()
	<-runner.began
	cancel()
	assert.ErrorIs(t, <-gone, context.Canceled)
	assert.Equal(t, "stopped", w.state(w.start2(runner, path)), "its slot is free again")
}

// start2 starts a run and stops it once it has begun.
func (w *world) start2(runner *slow, path string) string {
	run := w.start(path)
	<-runner.began
	w.OK(204, "DELETE", run, "")
	return run
}

func TestCloseStopsRunsAndStreams(t *testing.T) {
	leak.Check(t)
	runner := newSlow()
	w := worldOn(t, runner, nil, nil)
	path, _ := w.create(simple("goes", ""))
	run := w.start(path)
	<-runner.began
	stream, err := w.Send(t.Context(), "GET", run+"/events", "")
	require.NoError(t, err)
	defer stream.Body.Close()
	require.NoError(t, w.api.Close())
	_, err = io.ReadAll(stream.Body)
	require.NoError(t, err, "the stream ended well")
	assert.Equal(t, "stopped", w.OK(200, "GET", run, "").Get("state"))
	w.Fails(503, "shutting_down", "POST", path+"/runs", "")
	w.OK(200, "GET", "/api/tools", "") // what runs nothing is still served
	require.NoError(t, w.api.Close(), "once more does no harm")
}

func TestRunsAreKeptForAWhile(t *testing.T) {
	runner := newSlow()
	close(runner.free)
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := worldOn(t, runner, nil, &studioapi.Options{Clock: func() time.Time { mu.Lock(); defer mu.Unlock(); return now }})
	path, _ := w.create(simple("kept", ""))
	var all []string
	for range 203 {
		all = append(all, "/api/runs/"+w.OK(200, "POST", path+"/runs?wait=1", "").Text("runId"))
	}
	for i, run := range all {
		r := w.Do("GET", run, "")
		if i < 2 { // 200 are kept, and the last is let in before the one that goes for it
			assert.Equal(t, 404, r.Status, "%d", i)
		} else if i > 3 {
			assert.Equal(t, 200, r.Status, "%d", i)
		}
	}
	mu.Lock()
	now = now.Add(time.Hour + time.Second)
	mu.Unlock()
	p := w.Fails(404, "not_found", "GET", all[202], "")
	assert.Contains(t, p.Get("detail"), "kept for an hour")
	w.Fails(404, "not_found", "DELETE", all[202], "")
	w.Fails(404, "not_found", "GET", all[202]+"/events", "")
}

func TestRunsThatCannotBeMade(t *testing.T) {
	runner := newSlow()
	close(runner.free)
	w := worldOn(t, runner, nil, nil)
	w.Fails(404, "not_found", "POST", "/api/tools/nothing/runs", "")
	path, _ := w.create(simple("fine", `,"x-tests":[{"name":"a","want":{"ok":true}},{"want":{"ok":false}}]`))
	for body, code := range map[string]string{
		`{"args":{},"cases":["a"]}`: "invalid_argument", `{"live":true}`: "invalid_argument", `{"cases":[]}`: "invalid_argument",
		`{"cases":["b"]}`: "validation_failed", `{"cases":["3"]}`: "validation_failed", `{"case":["a"]}`: "invalid_json", `{"cases":"a"}`: "invalid_json", `[]`: "invalid_json",
	} {
		r := w.Do("POST", path+"/runs", body)
		assert.Equal(t, code, r.Get("code"), body)
	}
	w.Fails(400, "invalid_argument", "POST", path+"/runs?wait=maybe", "")

	r := w.OK(200, "POST", path+"/runs?wait=1", `{"cases":["a","2"]}`)
	assert.Equal(t, "failed", r.Get("state"))
	assert.Equal(t, "try", r.Get("kind"))
	assert.Equal(t, true, r.Get("cases.0.ok"))
	assert.Equal(t, "case 2", r.Get("cases.1.name"))
	assert.Contains(t, r.Get("message"), "case 2: ")

	// A fault of the program ends the run and nothing else, and is told to the
	// operator only.
	panics, _ := w.create(simple("panics", ""))
	r = w.OK(200, "POST", panics+"/runs?wait=1", "")
	assert.Equal(t, "failed", r.Get("state"))
	assert.NotContains(t, r.Body, "runner itself")
	require.NoError(t, w.store.Close())
	r = w.Do("POST", path+"/runs?wait=1", "")
	assert.Equal(t, 503, r.Status)
}

func TestRunThatTheStoreLost(t *testing.T) {
	runner := newSlow()
	w := worldOn(t, runner, nil, nil)
	path, _ := w.create(simple("lost", ""))
	run := w.start(path)
	<-runner.began
	require.NoError(t, w.store.Close())
	close(runner.free)
	assert.Equal(t, "error", w.state(run))
	assert.Equal(t, "it could not be made", w.OK(200, "GET", run, "").Get("message"))
	assert.Contains(t, w.log.String(), "store is closed")
}

func TestTryWithArguments(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, _ := w.create(shout)
	r := w.OK(200, "POST", path+"/runs?wait=1", `{"args":{"text":"mine"}}`)
	assert.Equal(t, "passed", r.Get("state"))
	assert.Equal(t, `{"out":"MINE"}`, r.Get("cases.0.result.text"))
	assert.Nil(t, r.Get("receipt"))
	assert.Equal(t, "draft", w.OK(200, "GET", path, "").Get("state"), "nothing is recorded")
	r = w.OK(200, "POST", path+"/runs?wait=1", `{"args":{"txt":"mine"},"live":true}`)
	assert.Equal(t, "failed", r.Get("state"))
	assert.Equal(t, "INVALID_INPUT", r.Get("cases.0.error.kind"))
	r = w.OK(200, "POST", path+"/runs?wait=1", `{"cases":["hello"]}`)
	assert.Equal(t, `{"out":"HELLO"}`, r.Get("cases.0.result.text"))
	assert.Greater(t, r.Get("cases.0.usage.durationMs"), 0.0)
	assert.EqualValues(t, 30_000, r.Get("cases.0.limits.timeoutMs"))
}

// What a run reached, what it was refused, and what it prints too much of.
func TestOutcomeOfARun(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, _ := w.create(`{"name":"reader","description":"Reads a note, and more than it may.","codeType":"Javascript",
		"code":"for (let i = 0; i < 1200; i++) console.log('line', i);\nlet refused = '';\ntry { safety.fs.readText('../outside.txt'); } catch (e) { refused = e.reason; }\nreturn {note: safety.fs.readText('note.txt'), refused, big: 'x'.repeat(100000)};",
		"sandboxOverrides":{"networkMode":"blocked","fileRead":true},"x-fixtures":{"files":{"note.txt":"hi"}}}`)
	r := w.OK(200, "POST", path+"/runs?wait=1", "")
	require.Equal(t, "passed", r.Get("state"), r.Body)
	assert.Equal(t, "note.txt", r.Get("cases.0.files.0.target"))
	assert.Equal(t, []any{}, r.Get("cases.0.network"))
	assert.Equal(t, "path-escapes-base", r.Get("cases.0.denials.0.reason"))
	assert.Equal(t, true, r.Get("cases.0.result.truncated"))
	assert.Greater(t, r.Get("cases.0.result.bytes"), 100_000.0)
	assert.Len(t, r.Get("cases.0.result.text"), 64<<10)
	assert.LessOrEqual(t, len(r.Get("console").([]any)), 1000)
	assert.Greater(t, r.Get("consoleCut"), 0.0)
}

func TestFailedRunPointsIntoTheCode(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, _ := w.create(`{"name":"throws","description":"Throws at its second line.","codeType":"Javascript","code":"const a = 1;\nthrow new Error('no: ' + a);"}`)
	r := w.OK(200, "POST", path+"/runs?wait=1", "")
	assert.Equal(t, "failed", r.Get("state"))
	assert.Equal(t, "JS_ERROR", r.Get("cases.0.error.kind"))
	assert.EqualValues(t, 2, r.Get("cases.0.error.line"))
	assert.Contains(t, r.Get("message"), "no: 1")
	one := w.OK(200, "GET", path, "")
	assert.Equal(t, "test_failed", one.Get("state"))
	assert.Contains(t, one.Get("failure"), "no: 1")
	p := w.Fails(409, "no_valid_pass", "POST", path+"/publish", `{"receipt":"x"}`)
	assert.Contains(t, p.Get("detail"), "its last test failed")

	broken, _ := w.create(`{"name":"broken","description":"Has a syntax error.","codeType":"Javascript","code":"return 1 +;"}`)
	r = w.OK(200, "POST", broken+"/runs?wait=1", "")
	assert.Equal(t, "failed", r.Get("state"))
	assert.Equal(t, []any{}, r.Get("cases"))
	assert.Equal(t, "code", r.Get("diagnostics.0.path"))
	assert.Equal(t, "unsupported", w.OK(200, "GET", broken, "").Get("state"))
	p = w.Fails(409, "no_valid_pass", "POST", broken+"/publish", `{"receipt":"x"}`)
	assert.NotEmpty(t, p.Get("fields"))
}

// Secrets are bound where code runs and stand in no answer.
func TestSecretsAreInNoAnswer(t *testing.T) {
	const value = "correct-horse-battery"
	env := map[string]string{"TOKEN": value}
	w := newWorld(t, &studio.Options{Lookup: secret.Map(env)}, nil)
	path, _ := w.create(`{"name":"leaky","description":"Prints and returns its secret, and throws it.","codeType":"Javascript","staticVariables":[{"token":"${TOKEN}"}],
		"params":[{"name":"how","description":"What to do, such as return.","type":"STRING","required":false}],
		"code":"console.log('token', token, btoa(token));\nif (how) throw new Error(token);\nreturn {[token]: token, hex: token};"}`)
	var seen strings.Builder
	keep := func(r *apitest.Reply) *apitest.Reply { seen.WriteString(r.Body); return r }
	keep(w.OK(200, "GET", path, ""))
	run := keep(w.OK(200, "POST", path+"/runs?wait=1", ""))
	require.Equal(t, "passed", run.Get("state"), run.Body)
	id := "/api/runs/" + run.Text("runId")
	keep(w.OK(200, "GET", id, ""))
	keep(w.OK(200, "GET", id+"/events", ""))
	keep(w.OK(200, "POST", path+"/runs?wait=1", `{"args":{"how":"throw"}}`))
	keep(w.OK(200, "POST", path+"/trace?wait=1", ""))
	keep(w.OK(200, "POST", path+"/publish", `{"receipt":"`+run.Text("receipt.id")+`"}`))
	keep(w.OK(200, "GET", "/api/tools", ""))
	keep(w.OK(200, "GET", "/api/tools/export", ""))
	keep(w.OK(200, "POST", "/api/tools/preview", documentOf(w.OK(200, "GET", path, ""), "spec")))
	assert.NotContains(t, seen.String(), value)
	assert.NotContains(t, seen.String(), "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5")
	assert.Contains(t, seen.String(), "***")
	assert.Contains(t, seen.String(), "${TOKEN}", "the document stays as it is written")

	// Without it the tool needs a setting.
	delete(env, "TOKEN")
	path2, _ := w.create(`{"name":"needs","description":"Needs a setting to run.","codeType":"Javascript","staticVariables":[{"token":"${TOKEN}"}],"code":"return {n: token.length}"}`)
	r := w.OK(200, "POST", path2+"/runs?wait=1", "")
	assert.Equal(t, "failed", r.Get("state"))
	assert.Equal(t, []any{"TOKEN"}, r.Get("missing"))
	one := w.OK(200, "GET", path, "")
	assert.Equal(t, "needs_settings", one.Get("state"))
	assert.Equal(t, true, one.Get("live"), "it is still on the air, and its calls fail")
	p := w.Fails(409, "missing_settings", "POST", path+"/publish", `{"receipt":"`+run.Text("receipt.id")+`"}`)
	assert.Equal(t, []any{"TOKEN"}, p.Get("missing"))
}

func TestTrace(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, _ := w.create(`{"name":"writer","description":"Writes a note into its workspace.","codeType":"Javascript","code":"safety.fs.writeText('a.txt', 'hi');\nreturn {ok: true};",
		"sandboxOverrides":{"networkMode":"strict","fileRead":true,"fileWrite":true}}`)
	run := "/api/runs/" + w.OK(202, "POST", path+"/trace", "").Text("runId")
	assert.Equal(t, "passed", w.state(run))
	r := w.OK(200, "GET", run, "")
	assert.Equal(t, "trace", r.Get("kind"))
	assert.Equal(t, "a.txt", r.Get("trace.accesses.0.target"))
	assert.Equal(t, "L4", r.Get("trace.level"))
	assert.NotEmpty(t, r.Get("trace.changes"))
	assert.Equal(t, "writer", r.Get("trace.proposed.name"))
	assert.Equal(t, "draft", w.OK(200, "GET", path, "").Get("state"))

	broken, _ := w.create(`{"name":"broken","description":"Has a syntax error.","codeType":"Javascript","code":"return 1 +;"}`)
	r = w.OK(200, "POST", broken+"/trace?wait=1", "")
	assert.Equal(t, "failed", r.Get("state"))
	assert.NotEmpty(t, r.Get("message"))
	w.Fails(404, "not_found", "POST", "/api/tools/nothing/trace", "")
	w.Fails(400, "invalid_json", "POST", path+"/trace", `{"wide":true}`)
}

func TestEvents(t *testing.T) {
	var mu sync.Mutex
	var got []string
	w := newWorld(t, nil, &studioapi.Options{Events: func(e studioapi.Event) {
		mu.Lock()
		defer mu.Unlock()
		raw, err := json.Marshal(e.Data)
		assert.NoError(t, err)
		text := e.Topic + " " + e.Type
		if strings.Contains(string(raw), "got hello") {
			text += " hello"
		}
		got = append(got, text)
	}})
	path, _ := w.create(shout)
	w.OK(200, "POST", path+"/runs?wait=1", "")
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []string{"tools tools.changed", "runs run.started", "runs run.console", "runs run.console hello", "runs run.console", "tools tools.changed", "runs run.finished"}, got, fmt.Sprint(got))
}
