package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// fickle is a tool whose test passes as long as good is set.
func fickle(t *testing.T, name string) (spec map[string]any, good *atomic.Bool, host string) {
	t.Helper()
	good = &atomic.Bool{}
	good.Store(true)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"ok":%t}`, good.Load())
	}))
	t.Cleanup(backend.Close)
	host = backend.Listener.Addr().String()
	spec = doubler(name)
	spec["sandboxOverrides"] = map[string]any{"networkMode": "allowlist", "hostsAllow": []string{host}}
	spec["x-tests"] = []map[string]any{{"name": "good", "args": map[string]any{"n": 2}, "want": map[string]any{"ok": true}}}
	spec["code"] = "return { n, ok: (await fetch('" + backend.URL + "')).json().ok };\n"
	return spec, good, host
}

// call calls a tool of the endpoint, and returns the text of the result, or of the
// error.
func (w *world) call(name string) string {
	body := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": map[string]any{"n": 2},
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": struct{}{}}}}
	_, _, answer := w.do("POST", "/mcp", body, "Accept", "application/json", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
	raw, err := json.Marshal(answer)
	require.NoError(w.t, err)
	return string(raw)
}

// says is what every face of a playground says of a tool: its API, its list of
// tools, and whether a call runs it.
func (w *world) says(id, name string) string {
	_, _, tool := w.do("GET", "/api/tools/"+id, nil)
	row := "not listed"
	_, _, list := w.do("GET", "/api/tools?limit=200", nil)
	for _, it := range list["items"].([]any) {
		if one := it.(map[string]any); one["id"] == id {
			row = fmt.Sprint(one["state"], " ", one["live"])
		}
	}
	_, offered := w.list()
	called := w.call(name)
	return fmt.Sprintf("tool %v %v, row %s, offered %t, runs %t", tool["state"], tool["live"], row,
		strings.Contains(offered, `"name":"`+name+`"`), strings.Contains(called, `"result"`) && !strings.Contains(called, `"isError":true`))
}

func says(state string, live bool) string {
	return fmt.Sprintf("tool %s %t, row %s %t, offered %t, runs %t", state, live, state, live, live, live)
}

// soon waits until a playground says it. A second is what is promised, and a busy
// machine gets longer.
func (w *world) soon(id, name, want string) {
	w.t.Helper()
	began := time.Now()
	for {
		got := w.says(id, name)
		if got == want {
			w.t.Logf("after %v: %s", time.Since(began).Round(time.Millisecond), want)
			return
		}
		if time.Since(began) > patience {
			w.t.Fatalf("it says %s, not %s", got, want)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-w.t.Context().Done():
			w.t.Fatal("the test ended")
		}
	}
}

// run runs the test of a tool and returns how it ended.
func (w *world) run(id string) map[string]any {
	w.t.Helper()
	_, _, run := w.do("POST", "/api/tools/"+id+"/runs?wait=1", struct{}{})
	return run
}

// A failed run voids the pass, and what was published under it is withdrawn: here
// at once, in another program on the home within a second.
func TestFailedRunWithdrawsEverywhere(t *testing.T) {
	t.Parallel()
	spec, good, host := fickle(t, "fickle")
	home := t.TempDir()
	one := serve(t, &server.Options{Config: configured(t, home, "-allow-host", host)})
	two := serve(t, &server.Options{Config: configured(t, home, "-allow-host", host)})
	id := one.publish(spec)
	require.Equal(t, says("live", true), one.says(id, "fickle"))
	two.soon(id, "fickle", says("live", true))

	good.Store(false)
	require.Equal(t, "failed", one.run(id)["state"])
	assert.Equal(t, says("test_failed", false), one.says(id, "fickle"))
	two.soon(id, "fickle", says("test_failed", false))

	// It was published and not unpublished: with a pass it is live again.
	good.Store(true)
	require.Equal(t, "passed", two.run(id)["state"])
	assert.Equal(t, says("live", true), two.says(id, "fickle"))
	one.soon(id, "fickle", says("live", true))
}

// What one program on a home edits, unpublishes or deletes, the other follows.
func TestTwoProgramsOnOneHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	one, two := serve(t, &server.Options{Home: home}), serve(t, &server.Options{Home: home})
	id := one.publish(doubler("shared"))
	two.soon(id, "shared", says("live", true))

	status, _, tool := two.do("POST", "/api/tools/"+id+"/unpublish", map[string]any{})
	require.Equal(t, http.StatusOK, status, tool)
	one.soon(id, "shared", says("passed", false))
	_, _, tool = one.do("GET", "/api/tools/"+id, nil)
	status, _, _ = one.do("POST", "/api/tools/"+id+"/publish", map[string]any{"receipt": tool["receipt"].(map[string]any)["id"]})
	require.Equal(t, http.StatusOK, status)
	two.soon(id, "shared", says("live", true))

	edited := doubler("shared")
	edited["toolId"], edited["code"] = id, "return { twice: n + n };\n"
	status, _, saved := two.do("PUT", "/api/tools/"+id, edited, "If-Match", "*")
	require.Equal(t, http.StatusOK, status, saved)
	one.soon(id, "shared", says("stale_pass", false))

	other := two.publish(doubler("gone"))
	one.soon(other, "gone", says("live", true))
	status, _, _ = two.do("DELETE", "/api/tools/"+other, nil)
	require.Equal(t, http.StatusNoContent, status)
	one.soon(other, "gone", "tool <nil> <nil>, row not listed, offered false, runs false")
}

// An edit and a publication at the same time: what is served is what is stored.
// LOCALPASS_FULL tries it more often.
func TestEditRacesPublish(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	rounds := 4
	if os.Getenv("LOCALPASS_FULL") != "" {
		rounds = 12
	}
	var mixed []string
	for round := range rounds {
		name := fmt.Sprintf("raced%d", round)
		status, _, tool := w.do("POST", "/api/tools", doubler(name))
		require.Equal(t, http.StatusCreated, status, tool)
		id := tool["id"].(string)
		run := w.run(id)
		require.Equal(t, "passed", run["state"], run)
		edited := doubler(name)
		edited["toolId"], edited["code"] = id, "return { twice: n + n };\n"
		var group sync.WaitGroup
		group.Go(func() {
			w.do("POST", "/api/tools/"+id+"/publish", map[string]any{"receipt": run["receipt"].(map[string]any)["id"]})
		})
		group.Go(func() { w.do("PUT", "/api/tools/"+id, edited, "If-Match", "*") })
		group.Wait()
		switch got := w.says(id, name); got {
		case says("live", true), says("stale_pass", false):
		default:
			mixed = append(mixed, got)
		}
	}
	assert.Empty(t, mixed)
}
