package hubapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// A stream begins with how things stand, tells what changes, and goes on where it
// broke.
func TestAPIStatusStream(t *testing.T) {
	leak.Check(t)
	peer, other := (&hubtest.Fake{}).Offer("x"), &hubtest.Fake{}
	w := serveAPI(t, hubtest.Fakes{"peer": peer, "other": other}, nil)
	all, one := w.Open("/api/mcp/status/stream"), w.Open("/api/mcp/servers/peer/status/stream")
	first, _ := all.Next()
	assert.Equal(t, "snapshot", first.Kind)
	assert.Len(t, first.Data["servers"], 2)
	e, _ := one.Next()
	assert.Equal(t, "snapshot", e.Kind)
	require.Len(t, e.Data["servers"], 1)

	w.OK(200, "POST", "/api/mcp/servers/peer/connect", "")
	for _, s := range []*apitest.Stream{all, one} {
		e := s.Until("connection_change")
		assert.Equal(t, "CONNECTING", e.Data["status"].(map[string]any)["state"])
		e = s.Until("connection_change")
		assert.Equal(t, []any{"CONNECTED", "CONNECTING"}, []any{e.Data["status"].(map[string]any)["state"], e.Data["previousState"]})
		e = s.Until("capabilities_synced")
		assert.Equal(t, []any{"x"}, e.Data["diff"].(map[string]any)["tools"].(map[string]any)["added"])
	}
	// What was missed comes again, and nothing else.
	w.OK(200, "POST", "/api/mcp/servers/other/connect", "")
	again := w.Open("/api/mcp/status/stream", "Last-Event-ID: "+first.ID)
	e, _ = again.Next()
	assert.Equal(t, "connection_change", e.Kind, "no snapshot")
	assert.Equal(t, "peer", e.Data["status"].(map[string]any)["serverId"])
	again = w.Open("/api/mcp/servers/other/status/stream?after=" + first.ID)
	e, _ = again.Next()
	assert.Equal(t, "other", e.Data["status"].(map[string]any)["serverId"])
	for _, id := range []string{"deadbeef.1", "x", strings.Split(first.ID, ".")[0] + ".999999"} { // of another run, or none
		again = w.Open("/api/mcp/status/stream", "Last-Event-ID: "+id)
		e, _ = again.Next()
		assert.Equal(t, "snapshot", e.Kind)
	}

	w.OK(204, "DELETE", "/api/mcp/servers/peer", "")
	assert.Equal(t, "peer", all.Until("server_removed").Data["status"].(map[string]any)["serverId"])
	one.Until("server_removed")
	_, ok := one.Next()
	assert.False(t, ok, "there is nothing more to tell")

	require.NoError(t, w.api.Close())
	_, ok = all.Next()
	for ok {
		_, ok = all.Next()
	}
	w.Fails(503, "shutting_down", "GET", "/api/mcp/status/stream", "")
	w.Fails(503, "shutting_down", "POST", "/api/mcp/servers/other/sync", "")
}

// slowWriter takes nothing until it is let go.
type slowWriter struct {
	*httptest.ResponseRecorder
	mu   sync.Mutex
	wait chan struct{}
}

func (w *slowWriter) Write(p []byte) (int, error) {
	if strings.HasPrefix(string(p), "id:") {
		<-w.wait
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ResponseRecorder.Write(p)
}

func (w *slowWriter) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Body.String()
}

// Whoever reads slowly keeps nobody waiting, is told how much was left out, and a
// quiet stream shows that it lives.
func TestAPISlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := servers.New(memory.New(), &servers.Options{Kinds: hubtest.Fakes{"peer": &hubtest.Fake{}}.Kinds(t)})
		require.NoError(t, err)
		defer c.Close()
		rec, err := c.Save(t.Context(), hubtest.FakeRecord("peer", "peer"))
		require.NoError(t, err)
		api, err := hubapi.New(c, nil)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})))
		defer cancel()
		r := httptest.NewRequest(http.MethodGet, "http://localhost/api/mcp/servers/peer/status/stream", nil).WithContext(ctx)
		w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), wait: make(chan struct{})}
		done := make(chan struct{})
		go func() { defer close(done); api.ServeHTTP(w, r) }()
		synctest.Wait()
		for n := range 200 {
			rec.Name = fmt.Sprint(n)
			rec, err = c.Save(t.Context(), rec)
			require.NoError(t, err)
		}
		close(w.wait)
		synctest.Wait()
		text := w.text()
		snapshots := strings.Count(text, "event: snapshot")
		assert.True(t, snapshots == 2 || snapshots == 3, "%d snapshots", snapshots) // one more when what was taken first had lagged already
		assert.Contains(t, text, `"lagged":`)
		assert.Less(t, strings.Count(text, "event: status_update"), 100)
		assert.NotContains(t, text, ": beat")
		time.Sleep(31 * time.Second)
		synctest.Wait()
		assert.Equal(t, 2, strings.Count(w.text(), ": beat"))
		require.NoError(t, api.Close())
		<-done
	})
}

// A synchronization goes on when the request has its answer.
func TestAPISyncRuns(t *testing.T) {
	leak.Check(t)
	hold := make(chan struct{})
	peer := (&hubtest.Fake{}).Offer("x")
	lists := 0
	var mu sync.Mutex
	peer.OnCall = func(ctx context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
		if method == "tools/list" {
			mu.Lock()
			lists++
			mu.Unlock()
			select {
			case <-hold:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return nil, nil
	}
	w := serveAPI(t, hubtest.Fakes{"peer": peer}, func(_ *servedAPI, o *hubapi.Options) { o.SyncWait, o.MaxStreams = time.Millisecond, 1 })
	for range 3 {
		r := w.OK(202, "POST", "/api/mcp/servers/peer/sync", "")
		assert.Equal(t, []any{true, false}, []any{r.Get("running"), r.Get("ok")})
	}
	s := w.Open("/api/mcp/status/stream")
	w.Fails(429, "stream_limit", "GET", "/api/mcp/status/stream", "")
	close(hold)
	s.Until("capabilities_synced")
	require.Eventually(t, func() bool { return w.Do("POST", "/api/mcp/servers/peer/sync", "").Status == 200 }, hubtest.Patience, 5*time.Millisecond)
}

// Notifications are followed, and resumed, like the status.
func TestAPINotificationStream(t *testing.T) {
	leak.Check(t)
	f := &hubtest.Fake{}
	w := serveAPI(t, hubtest.Fakes{"peer": f}, func(w *servedAPI, o *hubapi.Options) {
		var err error
		o.Inspector, err = inspector.New(w.conns, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Inspector.Close()) })
	})
	const path = "/api/mcp/servers/peer/inspect/notifications/stream"
	w.OK(200, "POST", "/api/mcp/servers/peer/inspect/ping", "")
	s := w.Open(path)
	// Whether it follows by now nobody can tell from outside.
	stop := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				f.Changed()
			}
		}
	}()
	first := s.Until("TOOLS_CHANGED")
	assert.Equal(t, "peer", first.Data["serverId"])
	s.Until("TOOLS_CHANGED")
	close(stop)
	s.Close()
	again := w.Open(path, "Last-Event-ID: "+first.ID)
	second, _ := again.Next()
	assert.Equal(t, first.Data["seq"].(float64)+1, second.Data["seq"], "what was missed comes first")
	w.OK(204, "DELETE", "/api/mcp/servers/peer", "")
	for ok := true; ok; {
		_, ok = again.Next()
	}
}

// No secret of a connection leaves, in whatever answer.
func TestAPIKeepsSecrets(t *testing.T) {
	leak.Check(t)
	const hidden = "s3cr3t-value"
	peer := hubtest.FullPeer("2025-11-25", false).On("prompts/get", mcphubtest.Reply(`{"messages":[],"said":"`+hidden+`"}`)).
		On("tools/call", mcphubtest.Status(500, "it was "+hidden)).On("ping", func(x *mcphubtest.Exchange) { x.Refuse(-1, hidden, `"`+hidden+`"`) })
	web := httptest.NewServer(peer)
	defer web.Close()
	w := serveAPI(t, hubtest.Fakes{}, func(w *servedAPI, o *hubapi.Options) {
		var err error
		o.Inspector, err = inspector.New(w.conns, &inspector.Options{Approval: decidingGate(t, allowAll)})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Inspector.Close()) })
	})
	record := func(url, header, version string) string {
		return `{"id":"web","connection":{"url":"` + url + `","headers":{"X-Key":"` + header + `"}}` + version + `}`
	}
	bodies := []string{}
	note := func(r *apitest.Reply) *apitest.Reply { bodies = append(bodies, r.Body); return r }
	r := note(w.OK(201, "POST", "/api/mcp/servers", record(web.URL, hidden, "")))
	assert.Equal(t, []any{"***", "headers.X-Key"}, []any{r.Get("connection.headers.X-Key"), r.Get("masked.0")})
	r = note(w.OK(200, "POST", "/api/mcp/servers", record(web.URL, "***", `,"version":`+version(r))))
	kept, err := w.conns.Get("web")
	require.NoError(t, err)
	assert.Contains(t, string(kept.Connection), hidden, "what was masked is what it was")
	note(w.Fails(422, "validation_failed", "POST", "/api/mcp/servers", record("http://127.0.0.2:1", "***", `,"version":`+version(r))))
	note(w.Fails(422, "validation_failed", "POST", "/api/mcp/servers/test", record("http://127.0.0.2:1", "***", "")))
	assert.Equal(t, true, note(w.OK(200, "POST", "/api/mcp/servers/test", record(web.URL, "***", ""))).Get("ok"))
	note(w.Fails(409, "version_conflict", "POST", "/api/mcp/servers", record(web.URL, "***", "")))
	for _, row := range []struct{ path, body string }{{"/prompts/get", `{"name":"` + hidden + `"}`}, {"/tools/call", `{"name":"echo"}`}, {"/ping", ""}, {"/discover", ""}} {
		note(w.OK(200, "POST", "/api/mcp/servers/web/inspect"+row.path, row.body))
	}
	for _, path := range []string{"", "/web", "/web/status", "/web/capabilities", "/web/inspect/history", "/web/inspect/notifications"} {
		note(w.OK(200, "GET", "/api/mcp/servers"+path, ""))
	}
	note(w.OK(200, "POST", "/api/mcp/servers/web/verify", ""))
	for _, body := range bodies {
		assert.NotContains(t, body, hidden)
	}
	assert.NotContains(t, w.log.String(), hidden)
}
