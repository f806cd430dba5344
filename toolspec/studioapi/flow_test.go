package studioapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi/apitest"
)

// The way of a tool: made, run while its console is followed, published, listed,
// edited, forked, exported, imported.
func TestFlow(t *testing.T) {
	w := newWorld(t, nil, nil)

	created := w.OK(201, "POST", "/api/tools", shout)
	path, tag := created.Header.Get("Location"), created.Header.Get("ETag")
	assert.Equal(t, "draft", created.Get("state"))
	assert.Equal(t, "L0", created.Get("level"))
	assert.Equal(t, "/api/tools/"+created.Text("id"), path)
	assert.Equal(t, true, created.Get("spec.draft"))

	// Without a pass nothing is published.
	w.Fails(409, "no_valid_pass", "POST", path+"/publish", `{"receipt":"made-up"}`)

	// Run it, and follow what it prints.
	started := w.OK(202, "POST", path+"/runs", "")
	run := "/api/runs/" + started.Text("runId")
	assert.Equal(t, run, started.Header.Get("Location"))
	stream := w.OK(200, "GET", run+"/events", "").Body // until it is over
	for _, want := range []string{"event: run.started\n", `"text":"got quiet"`, `"text":"got hello"`, "event: run.finished\n", `"state":"passed"`} {
		assert.Contains(t, stream, want)
	}
	at := strings.Index(stream, "id: "+started.Text("runId")+".2\n")
	require.Positive(t, at)
	resumed := w.OK(200, "GET", run+"/events", "", "Last-Event-ID: "+started.Text("runId")+".1").Body
	assert.Equal(t, stream[at:], strings.TrimPrefix(resumed, "retry: 1000\n\n"), "a stream goes on where it broke")

	outcome := w.OK(200, "GET", run, "")
	assert.Equal(t, "passed", outcome.Get("state"))
	assert.Equal(t, "test values", outcome.Get("cases.0.name"))
	assert.Equal(t, `{"out":"QUIET"}`, outcome.Get("cases.0.result.text"))
	assert.Equal(t, "HELLO", outcome.Get("cases.1.result.structured.out"))
	assert.Equal(t, "isolated", outcome.Get("cases.2.runtime.tier"))
	assert.Equal(t, "got quiet", outcome.Get("console.0.text"))
	receipt := outcome.Text("receipt.id")
	require.NotEmpty(t, receipt)
	assert.NotContains(t, outcome.Body, "mac\"", "what authenticates a receipt stays here")

	passed := w.OK(200, "GET", path, "")
	assert.Equal(t, "passed", passed.Get("state"))
	assert.Equal(t, receipt, passed.Get("receipt.id"))

	// Publish the pass that was seen.
	p := w.Fails(409, "no_valid_pass", "POST", path+"/publish", `{"receipt":"another"}`)
	assert.Equal(t, receipt, p.Get("current.id"))
	live := w.OK(200, "POST", path+"/publish", `{"receipt":"`+receipt+`"}`)
	assert.Equal(t, "live", live.Get("tool.state"))
	assert.Equal(t, false, live.Get("replaced"))
	assert.Nil(t, live.Get("diff.from"))
	assert.Equal(t, "shout", live.Get("diff.to.name"))
	assert.Equal(t, false, live.Get("tool.spec.draft"))
	require.Len(t, w.studio.Published(), 1)

	list := w.OK(200, "GET", "/api/tools?state=live", "")
	assert.EqualValues(t, 1, list.Get("total"))
	assert.Equal(t, "shout", list.Get("items.0.name"))
	again := w.OK(304, "GET", "/api/tools?state=live", "", "If-None-Match: "+list.Header.Get("ETag"))
	assert.Empty(t, again.Body)

	// An edit needs the version, makes it a draft again and takes it off the air.
	edited := strings.ReplaceAll(documentOf(live, "tool.spec"), "toUpperCase()", "toUpperCase().trim()")
	w.Fails(428, "precondition_required", "PUT", path, edited)
	stale := w.Fails(412, "stale_version", "PUT", path, edited, "If-Match: "+tag)
	assert.Equal(t, "shout", stale.Get("current.name"), "what is there now comes along")
	tag = w.OK(200, "GET", path, "").Header.Get("ETag")
	saved := w.OK(200, "PUT", path, edited, "If-Match: "+tag)
	assert.Equal(t, "stale_pass", saved.Get("state"))
	assert.Equal(t, true, saved.Get("spec.draft"))
	assert.NotEqual(t, tag, saved.Header.Get("ETag"))
	assert.Empty(t, w.studio.Published())
	w.Fails(412, "stale_version", "PUT", path, edited, "If-Match: "+tag)

	// Test it again: ?wait=1 gives the outcome at once.
	outcome = w.OK(200, "POST", path+"/runs?wait=1", "{}")
	assert.Equal(t, "passed", outcome.Get("state"))
	w.OK(200, "POST", path+"/publish", `{"receipt":"`+outcome.Text("receipt.id")+`"}`)
	off := w.OK(200, "POST", path+"/unpublish", "")
	assert.Equal(t, "passed", off.Get("state"))
	assert.Empty(t, w.studio.Published())

	fork := w.OK(201, "POST", path+"/fork", "")
	assert.Equal(t, "copyOfShout", fork.Get("name"))
	assert.Equal(t, created.Get("id"), fork.Get("forkedFrom.toolId"))
	assert.NotEqual(t, created.Get("id"), fork.Get("id"))
	forkPath := "/api/tools/" + fork.Text("id")
	diff := w.OK(200, "GET", forkPath+"/diff?against=origin", "")
	assert.Equal(t, "shout", diff.Get("difference.from.name"))
	assert.Equal(t, false, diff.Get("difference.wider"))
	assert.Nil(t, diff.Get("originChanged"))
	assert.Nil(t, w.OK(200, "GET", forkPath+"/diff", "").Get("difference.from"), "nothing is live")
	w.Fails(404, "not_found", "GET", path+"/diff?against=origin", "")
	w.Fails(400, "invalid_argument", "GET", path+"/diff?against=yesterday", "")

	// Export both, look at what an import would do elsewhere, and do it.
	export := w.OK(200, "GET", "/api/tools/export", "")
	assert.Equal(t, `attachment; filename="tools.json"`, export.Header.Get("Content-Disposition"))
	assert.Regexp(t, "^sha-256=:.*:$", export.Header.Get("Repr-Digest"))
	assert.Equal(t, "0", export.Header.Get("X-Localpass-Problems"))
	assert.Equal(t, "copyOfShout", export.Get("toolSpecs.0.name"))
	assert.Equal(t, "shout", export.Get("toolSpecs.1.name"))
	assert.NotContains(t, export.Body, receipt)

	other := newWorld(t, nil, nil)
	dry := other.OK(200, "POST", "/api/tools/import?dryRun=1", export.Body)
	assert.Equal(t, true, dry.Get("dryRun"))
	assert.Equal(t, "import", dry.Get("items.1.outcome"))
	assert.EqualValues(t, 2, dry.Get("counts.import"))
	assert.EqualValues(t, 0, other.OK(200, "GET", "/api/tools", "").Get("total"))
	other.OK(200, "POST", "/api/tools/import", export.Body)
	list = other.OK(200, "GET", "/api/tools", "")
	assert.EqualValues(t, 2, list.Get("total"))
	assert.Equal(t, "draft", list.Get("items.1.state"), "no pass travels")
	dry = w.OK(200, "POST", "/api/tools/import?dryRun=true", export.Body)
	assert.EqualValues(t, 2, dry.Get("counts.skip"))

	w.OK(204, "DELETE", path, "")
	w.Fails(404, "not_found", "GET", path, "")
	w.Fails(404, "not_found", "POST", path+"/unpublish", "")
}

// documentOf returns a member of the answer as JSON text.
func documentOf(r *apitest.Reply, path string) string {
	raw, err := json.Marshal(r.Get(path))
	require.NoError(r.T, err)
	return string(raw)
}
