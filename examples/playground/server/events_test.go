package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	all := w.openEvents("?client=browser-1")
	runs := w.openEvents("?client=browser-1&topics=runs")
	w.publish(doubler("told"))
	last := all.until("tools.changed")
	assert.Equal(t, "runs", runs.until("run.started").Data["topic"])
	runs.until("run.finished")

	// A client that reconnects gets the events after the last one that it has seen. A client
	// with an id of another run must read everything again.
	w.do("PUT", "/api/secrets/SOME_KEY", jsonObject{"value": "some value"})
	back := w.openEvents("?client=browser-1", "Last-Event-ID: "+last.ID)
	back.until("settings.secrets")
	lost := w.openEvents("?client=browser-2&after=somebody.12")
	lost.until("resync")

	// A page that opens its stream late gets the events since it began to load.
	w.openEvents("?client=browser-3&age=60000&topics=runs").until("run.started")
	w.must(http.StatusBadRequest, "GET", "/api/events?age=-1", nil)

	// A browser may have at most four streams.
	w.openEvents("?client=browser-1")
	status, h, problem := w.do("GET", "/api/events?client=browser-1", nil)
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Equal(t, "stream_limit", problem["code"])
	assert.NotEmpty(t, h.Get("Retry-After"))
	w.must(http.StatusBadRequest, "GET", "/api/events?client=no+such%21", nil)
	runs.Close()
	w.eventually("a closed stream no longer counts", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel() // ends the stream
		res := w.api.Raw(ctx, "GET", "/api/events?client=browser-1", "")
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK
	})

	// Open streams get a last event, and do not delay the end.
	w.stop()
	all.until("system.shutdown")
}

// Events of servers and of approvals use the same stream.
func TestEventsOfServers(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	f := w.openEvents("?topics=servers,approvals")
	w.must(http.StatusCreated, "POST", "/api/mcp/servers", jsonObject{"id": "self", "transport": "http", "connection": jsonObject{"url": w.url + "/mcp"}})
	w.must(http.StatusOK, "POST", "/api/mcp/servers/self/connect", nil)
	f.until("servers.capabilities_synced")
	home := w.get("/api/home")
	assert.EqualValues(t, jsonObject{"CONNECTED": 1.0}, home["servers"])

	spec := doubler("asking")
	spec["humanInTheLoop"] = jsonObject{"mode": "REQUIRED"}
	_, _, tool := w.do("POST", "/api/tools", spec)
	run := w.must(http.StatusAccepted, "POST", "/api/tools/"+tool["id"].(string)+"/runs", struct{}{})
	asked := f.until("approval.pending").Data["data"].(jsonObject)["id"].(string)
	home = w.get("/api/home")
	assert.EqualValues(t, 1, home["pending"])
	for state := ""; state != "passed"; { // the run with the test values and the case each need an approval
		w.must(http.StatusOK, "POST", "/api/approvals/"+asked, jsonObject{"decision": "approved"})
		f.until("approval.used")
		require.Eventually(t, func() bool {
			r := w.get("/api/runs/" + run["runId"].(string))
			if state, _ = r["state"].(string); state == "passed" {
				return true
			}
			open := w.get("/api/approvals?state=pending")
			items, _ := open["items"].([]any)
			if len(items) == 0 {
				return false
			}
			asked = items[0].(jsonObject)["id"].(string)
			return true
		}, patience, 10*time.Millisecond)
	}
	w.must(http.StatusNoContent, "DELETE", "/api/mcp/servers/self", nil)
	f.until("servers.server_removed")

	// Servers that cannot be connected are listed on the first page.
	w.do("POST", "/api/mcp/servers", jsonObject{"id": "dead", "transport": "http", "connection": jsonObject{"url": "http://127.0.0.1:1/mcp"}})
	w.do("POST", "/api/mcp/servers", jsonObject{"id": "keyless", "transport": "http", "connection": jsonObject{"url": "http://127.0.0.1:1/mcp", "headers": map[string]string{"X-Key": "${NO_SUCH_KEY_HERE}"}}})
	w.do("POST", "/api/mcp/servers/dead/connect", nil)
	w.do("POST", "/api/mcp/servers/keyless/connect", nil)
	home = w.get("/api/home")
	assert.Len(t, home["attention"], 2, home["attention"])
}
