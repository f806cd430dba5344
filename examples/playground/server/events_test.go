package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// follower reads the stream of events.
type follower struct {
	events chan event
	cancel context.CancelFunc
}

type event struct {
	id, name string
	Topic    string          `json:"topic"`
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data"`
}

func (w *world) follow(query string, header ...string) *follower {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/api/events"+query, nil)
	require.NoError(w.t, err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(w.t, err)
	require.Equal(w.t, http.StatusOK, res.StatusCode)
	f := &follower{events: make(chan event, 1000), cancel: cancel}
	lines := bufio.NewScanner(res.Body)
	require.True(w.t, lines.Scan()) // the stream stands
	go func() {
		defer close(f.events)
		defer res.Body.Close()
		var e event
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				_ = json.Unmarshal([]byte(value), &e)
			case "":
				if e.name != "" {
					f.events <- e
				}
				e = event{}
			}
		}
	}()
	return f
}

// next is the next event of a type.
func (f *follower) next(t *testing.T, kind string) event {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case e, ok := <-f.events:
			require.True(t, ok, "the stream ended before %s", kind)
			if e.Type == kind || e.name == kind {
				return e
			}
		case <-limit:
			t.Fatalf("no event %s", kind)
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	all := w.follow("?client=browser-1")
	runs := w.follow("?client=browser-1&topics=runs")
	w.publish(doubler("told"))
	last := all.next(t, "tools.changed")
	started := runs.next(t, "run.started")
	assert.Equal(t, "runs", started.Topic)
	runs.next(t, "run.finished")

	// Who comes back goes on behind what it has seen; who knows nothing of this
	// run is told to read anew.
	w.do("PUT", "/api/secrets/SOME_KEY", map[string]any{"value": "some value"})
	back := w.follow("?client=browser-1", "Last-Event-ID", last.id)
	back.next(t, "settings.secrets")
	lost := w.follow("?client=browser-2&after=somebody.12")
	lost.next(t, "resync")

	// A page whose stream stands late hears what happened while it was loading.
	w.follow("?client=browser-3&age=60000&topics=runs").next(t, "run.started")
	status, _, _ := w.do("GET", "/api/events?age=-1", nil)
	assert.Equal(t, http.StatusBadRequest, status)

	// A browser holds four streams at most.
	w.follow("?client=browser-1")
	status, h, problem := w.do("GET", "/api/events?client=browser-1", nil)
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Equal(t, "stream_limit", problem["code"])
	assert.NotEmpty(t, h.Get("Retry-After"))
	status, _, _ = w.do("GET", "/api/events?client=no+such%21", nil)
	assert.Equal(t, http.StatusBadRequest, status)
	runs.cancel()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel() // and that ends a stream
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/api/events?client=browser-1", nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, patience, 20*time.Millisecond, "a stream that ended leaves room")

	// The end is told, and holds up nobody.
	w.stop()
	all.next(t, "system.shutdown")
}

// Servers and questions are told of on the same stream.
func TestEventsOfServers(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	f := w.follow("?topics=servers,approvals")
	status, _, _ := w.do("POST", "/api/mcp/servers", map[string]any{"id": "self", "transport": "http", "connection": map[string]any{"url": w.url + "/mcp"}})
	require.Equal(t, http.StatusCreated, status)
	status, _, answer := w.do("POST", "/api/mcp/servers/self/connect", nil)
	require.Equal(t, http.StatusOK, status, answer)
	f.next(t, "servers.capabilities_synced")
	_, _, home := w.do("GET", "/api/home", nil)
	assert.EqualValues(t, map[string]any{"CONNECTED": 1.0}, home["servers"])

	spec := doubler("asking")
	spec["humanInTheLoop"] = map[string]any{"mode": "REQUIRED"}
	_, _, tool := w.do("POST", "/api/tools", spec)
	status, _, run := w.do("POST", "/api/tools/"+tool["id"].(string)+"/runs", struct{}{})
	require.Equal(t, http.StatusAccepted, status, run)
	asked := f.next(t, "approval.pending")
	var item struct{ ID string }
	require.NoError(t, json.Unmarshal(asked.Data, &item))
	_, _, home = w.do("GET", "/api/home", nil)
	assert.EqualValues(t, 1, home["pending"])
	for state := ""; state != "passed"; { // the test value asks, and the case
		status, _, decided := w.do("POST", "/api/approvals/"+item.ID, map[string]any{"decision": "approved"})
		require.Equal(t, http.StatusOK, status, decided)
		f.next(t, "approval.used")
		require.Eventually(t, func() bool {
			_, _, r := w.do("GET", "/api/runs/"+run["runId"].(string), nil)
			if state, _ = r["state"].(string); state == "passed" {
				return true
			}
			_, _, open := w.do("GET", "/api/approvals?state=pending", nil)
			items, _ := open["items"].([]any)
			if len(items) == 0 {
				return false
			}
			item.ID = items[0].(map[string]any)["id"].(string)
			return true
		}, patience, 10*time.Millisecond)
	}
	status, _, _ = w.do("DELETE", "/api/mcp/servers/self", nil)
	require.Equal(t, http.StatusNoContent, status)
	f.next(t, "servers.server_removed")

	// One that cannot be reached needs attention.
	w.do("POST", "/api/mcp/servers", map[string]any{"id": "dead", "transport": "http", "connection": map[string]any{"url": "http://127.0.0.1:1/mcp"}})
	w.do("POST", "/api/mcp/servers", map[string]any{"id": "keyless", "transport": "http", "connection": map[string]any{"url": "http://127.0.0.1:1/mcp", "headers": map[string]string{"X-Key": "${NO_SUCH_KEY_HERE}"}}})
	w.do("POST", "/api/mcp/servers/dead/connect", nil)
	w.do("POST", "/api/mcp/servers/keyless/connect", nil)
	_, _, home = w.do("GET", "/api/home", nil)
	assert.Len(t, home["attention"], 2, home["attention"])
}
