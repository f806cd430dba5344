package studioapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The way of a tool: made, run while its console is followed, published, listed,
// edited, forked, exported, imported.
func TestFlow(t *testing.T) {
	w := newWorld(t, nil, nil)

	created := w.ok(201, "POST", "/api/tools", shout)
	path, tag := created.header.Get("Location"), created.header.Get("ETag")
	assert.Equal(t, "draft", created.get("state"))
	assert.Equal(t, "L0", created.get("level"))
	assert.Equal(t, "/api/tools/"+created.text("id"), path)
	assert.Equal(t, true, created.get("spec.draft"))

	// Without a pass nothing is published.
	w.fails(409, "no_valid_pass", "POST", path+"/publish", `{"receipt":"made-up"}`)

	// Run it, and follow what it prints.
	started := w.ok(202, "POST", path+"/runs", "")
	run := "/api/runs/" + started.text("runId")
	assert.Equal(t, run, started.header.Get("Location"))
	stream := w.ok(200, "GET", run+"/events", "").body // until it is over
	for _, want := range []string{"event: run.started\n", `"text":"got quiet"`, `"text":"got hello"`, "event: run.finished\n", `"state":"passed"`} {
		assert.Contains(t, stream, want)
	}
	at := strings.Index(stream, "id: "+started.text("runId")+".2\n")
	require.Positive(t, at)
	resumed := w.ok(200, "GET", run+"/events", "", "Last-Event-ID: "+started.text("runId")+".1").body
	assert.Equal(t, stream[at:], strings.TrimPrefix(resumed, "retry: 1000\n\n"), "a stream goes on where it broke")

	outcome := w.ok(200, "GET", run, "")
	assert.Equal(t, "passed", outcome.get("state"))
	assert.Equal(t, "test values", outcome.get("cases.0.name"))
	assert.Equal(t, `{"out":"QUIET"}`, outcome.get("cases.0.result.text"))
	assert.Equal(t, "HELLO", outcome.get("cases.1.result.structured.out"))
	assert.Equal(t, "isolated", outcome.get("cases.2.runtime.tier"))
	assert.Equal(t, "got quiet", outcome.get("console.0.text"))
	receipt := outcome.text("receipt.id")
	require.NotEmpty(t, receipt)
	assert.NotContains(t, outcome.body, "mac\"", "what authenticates a receipt stays here")

	passed := w.ok(200, "GET", path, "")
	assert.Equal(t, "passed", passed.get("state"))
	assert.Equal(t, receipt, passed.get("receipt.id"))

	// Publish the pass that was seen.
	p := w.fails(409, "no_valid_pass", "POST", path+"/publish", `{"receipt":"another"}`)
	assert.Equal(t, receipt, p.get("current.id"))
	live := w.ok(200, "POST", path+"/publish", `{"receipt":"`+receipt+`"}`)
	assert.Equal(t, "live", live.get("tool.state"))
	assert.Equal(t, false, live.get("replaced"))
	assert.Nil(t, live.get("diff.from"))
	assert.Equal(t, "shout", live.get("diff.to.name"))
	assert.Equal(t, false, live.get("tool.spec.draft"))
	require.Len(t, w.studio.Published(), 1)

	list := w.ok(200, "GET", "/api/tools?state=live", "")
	assert.EqualValues(t, 1, list.get("total"))
	assert.Equal(t, "shout", list.get("items.0.name"))
	again := w.ok(304, "GET", "/api/tools?state=live", "", "If-None-Match: "+list.header.Get("ETag"))
	assert.Empty(t, again.body)

	// An edit needs the version, makes it a draft again and takes it off the air.
	edited := strings.ReplaceAll(live.documentOf("tool.spec"), "toUpperCase()", "toUpperCase().trim()")
	w.fails(428, "precondition_required", "PUT", path, edited)
	stale := w.fails(412, "stale_version", "PUT", path, edited, "If-Match: "+tag)
	assert.Equal(t, "shout", stale.get("current.name"), "what is there now comes along")
	tag = w.ok(200, "GET", path, "").header.Get("ETag")
	saved := w.ok(200, "PUT", path, edited, "If-Match: "+tag)
	assert.Equal(t, "stale_pass", saved.get("state"))
	assert.Equal(t, true, saved.get("spec.draft"))
	assert.NotEqual(t, tag, saved.header.Get("ETag"))
	assert.Empty(t, w.studio.Published())
	w.fails(412, "stale_version", "PUT", path, edited, "If-Match: "+tag)

	// Test it again: ?wait=1 gives the outcome at once.
	outcome = w.ok(200, "POST", path+"/runs?wait=1", "{}")
	assert.Equal(t, "passed", outcome.get("state"))
	w.ok(200, "POST", path+"/publish", `{"receipt":"`+outcome.text("receipt.id")+`"}`)
	off := w.ok(200, "POST", path+"/unpublish", "")
	assert.Equal(t, "passed", off.get("state"))
	assert.Empty(t, w.studio.Published())

	fork := w.ok(201, "POST", path+"/fork", "")
	assert.Equal(t, "copyOfShout", fork.get("name"))
	assert.Equal(t, created.get("id"), fork.get("forkedFrom.toolId"))
	assert.NotEqual(t, created.get("id"), fork.get("id"))
	forkPath := "/api/tools/" + fork.text("id")
	diff := w.ok(200, "GET", forkPath+"/diff?against=origin", "")
	assert.Equal(t, "shout", diff.get("difference.from.name"))
	assert.Equal(t, false, diff.get("difference.wider"))
	assert.Nil(t, diff.get("originChanged"))
	assert.Nil(t, w.ok(200, "GET", forkPath+"/diff", "").get("difference.from"), "nothing is live")
	w.fails(404, "not_found", "GET", path+"/diff?against=origin", "")
	w.fails(400, "invalid_argument", "GET", path+"/diff?against=yesterday", "")

	// Export both, look at what an import would do elsewhere, and do it.
	export := w.ok(200, "GET", "/api/tools/export", "")
	assert.Equal(t, `attachment; filename="tools.json"`, export.header.Get("Content-Disposition"))
	assert.Regexp(t, "^sha-256=:.*:$", export.header.Get("Repr-Digest"))
	assert.Equal(t, "0", export.header.Get("X-Localpass-Problems"))
	assert.Equal(t, "copyOfShout", export.get("toolSpecs.0.name"))
	assert.Equal(t, "shout", export.get("toolSpecs.1.name"))
	assert.NotContains(t, export.body, receipt)

	other := newWorld(t, nil, nil)
	dry := other.ok(200, "POST", "/api/tools/import?dryRun=1", export.body)
	assert.Equal(t, true, dry.get("dryRun"))
	assert.Equal(t, "import", dry.get("items.1.outcome"))
	assert.EqualValues(t, 2, dry.get("counts.import"))
	assert.EqualValues(t, 0, other.ok(200, "GET", "/api/tools", "").get("total"))
	other.ok(200, "POST", "/api/tools/import", export.body)
	list = other.ok(200, "GET", "/api/tools", "")
	assert.EqualValues(t, 2, list.get("total"))
	assert.Equal(t, "draft", list.get("items.1.state"), "no pass travels")
	dry = w.ok(200, "POST", "/api/tools/import?dryRun=true", export.body)
	assert.EqualValues(t, 2, dry.get("counts.skip"))

	w.ok(204, "DELETE", path, "")
	w.fails(404, "not_found", "GET", path, "")
	w.fails(404, "not_found", "POST", path+"/unpublish", "")
}

// documentOf returns a member of the answer as JSON text.
func (r *reply) documentOf(path string) string {
	raw, err := json.Marshal(r.get(path))
	require.NoError(r.t, err)
	return string(raw)
}
