package server_test

import (
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/internal/leak"
)

// doubler is a tool that passes.
func doubler(name string) map[string]any {
	return map[string]any{
		"name": name, "description": "Doubles a number. Use it when somebody wants twice of something.", "category": "MATH", "tags": []string{"util"}, "codeType": "Javascript",
		"params":           []map[string]any{{"name": "n", "description": "The number, such as 2.", "required": true, "type": "NUMBER", "testValue": "2"}},
		"sandboxOverrides": map[string]any{"networkMode": "blocked", "fileRead": false, "fileWrite": false},
		"x-tests":          []map[string]any{{"name": "twice", "args": map[string]any{"n": 2}, "want": map[string]any{"twice": 4}}},
		"code":             "return { twice: n * 2 };\n",
	}
}

// publish stores a tool, lets it pass and puts it on the air.
func (w *world) publish(spec map[string]any) (id string) {
	w.t.Helper()
	status, _, tool := w.do("POST", "/api/tools", spec)
	require.Equal(w.t, http.StatusCreated, status, tool)
	id = tool["id"].(string)
	status, _, run := w.do("POST", "/api/tools/"+id+"/runs?wait=1", struct{}{})
	require.Equal(w.t, "passed", run["state"], "%d %v", status, run)
	status, _, done := w.do("POST", "/api/tools/"+id+"/publish", map[string]any{"receipt": run["receipt"].(map[string]any)["id"], "confirm": true})
	require.Equal(w.t, http.StatusOK, status, done)
	return id
}

// list asks for a page of the tools of the endpoint, as a client without session.
func (w *world) list(header ...string) (int, string) {
	body := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": map[string]any{"_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": struct{}{}}}}
	status, _, answer := w.do("POST", "/mcp", body, append([]string{"Accept", "application/json", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"}, header...)...)
	raw, err := json.Marshal(answer)
	require.NoError(w.t, err)
	return status, string(raw)
}

func TestHome(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	status, _, home := w.do("GET", "/api/home", nil)
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, w.url+"/mcp", home["endpoint"])
	assert.Equal(t, true, home["ready"])
	assert.EqualValues(t, 5, home["live"], "the starter preset earned its passes")
	assert.Empty(t, home["attention"])

	id := w.publish(doubler("doubled"))
	_, names := w.list()
	assert.Contains(t, names, `"doubled"`)
	_, _, home = w.do("GET", "/api/home", nil)
	assert.EqualValues(t, 6, home["live"])
	done := func() (out []string) {
		_, _, h := w.do("GET", "/api/home", nil)
		for _, s := range h["tour"].(map[string]any)["steps"].([]any) {
			if step := s.(map[string]any); step["doneAt"] != nil {
				out = append(out, step["id"].(string))
			}
		}
		return out
	}
	soon := func(what string, ask func() bool) {
		t.Helper()
		require.Eventually(t, ask, patience, 10*time.Millisecond, what)
	}
	soon("three steps", func() bool { return slices.Equal([]string{"make", "test", "publish"}, done()) })

	// An edit takes the pass away, and the page says so.
	changed := doubler("doubled")
	changed["toolId"], changed["code"] = id, "return { twice: n + n };\n"
	status, _, saved := w.do("PUT", "/api/tools/"+id, changed, "If-Match", "*")
	require.Equal(t, http.StatusOK, status, saved)
	soon("the last step", func() bool { return slices.Contains(done(), "break") })
	_, _, home = w.do("GET", "/api/home", nil)
	assert.Equal(t, []any{map[string]any{"kind": "stale_pass", "text": "doubled was changed since it passed.", "where": "/tools/" + id}}, home["attention"])

	status, _, tour := w.do("POST", "/api/tour", map[string]any{"skipped": true})
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, true, tour["skipped"])
}

// What was live is live again, and what clients are offered is what was chosen.
func TestRestart(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	w.publish(doubler("kept"))
	_, h, record := w.do("GET", "/api/tools/exposure", nil)
	exposed := record["exposedToolIds"].([]any)
	require.Len(t, exposed, 5)
	_, _, presets := w.do("GET", "/api/tools/presets", nil)
	assert.NotEmpty(t, presets["items"])
	status, _, _ := w.do("PUT", "/api/tools/exposure", map[string]any{"autoAdd": true, "exposedToolIds": exposed[:2], "excludedToolIds": []string{}}, "If-Match", h.Get("ETag"))
	require.Equal(t, http.StatusOK, status)
	status, _, refused := w.do("PUT", "/api/tools/exposure", map[string]any{"mode": "composed", "autoAdd": true, "exposedToolIds": []string{}, "excludedToolIds": []string{}}, "If-Match", "*")
	assert.Equal(t, http.StatusBadRequest, status, refused)
	status, _, _ = w.do("PUT", "/api/secrets/SOME_KEY", map[string]any{"value": "a value of ours"})
	require.Equal(t, http.StatusNoContent, status)
	w.stop()
	require.NoError(t, w.Close())

	w = serve(t, &server.Options{Home: home})
	_, names := w.list()
	assert.Contains(t, names, `"kept"`)
	_, _, meta := w.do("GET", "/api/home", nil)
	assert.EqualValues(t, 3, meta["live"])
	_, _, secrets := w.do("GET", "/api/secrets", nil)
	raw, err := json.Marshal(secrets)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"name":"SOME_KEY","origin":"stored"`)
	assert.NotContains(t, string(raw), "a value of ours")
}

func TestSecrets(t *testing.T) {
	w := serve(t, nil)
	spec := doubler("keyed")
	spec["staticVariables"] = []map[string]any{{"key": "${PLAYGROUND_TEST_KEY}"}}
	spec["code"] = "console.log(key);\nreturn { twice: n * 2 };\n"
	_, _, tool := w.do("POST", "/api/tools", spec)
	_, _, list := w.do("GET", "/api/secrets", nil)
	assert.Equal(t, []any{map[string]any{"name": "PLAYGROUND_TEST_KEY", "origin": "missing", "usedBy": []any{"keyed"}}}, list["items"])

	for name, tc := range map[string]struct {
		name, value string
		status      int
	}{
		"a good one":       {"PLAYGROUND_TEST_KEY", "opensesame", http.StatusNoContent},
		"a bad name":       {"9lives", "opensesame", http.StatusUnprocessableEntity},
		"no value":         {"OTHER", "", http.StatusUnprocessableEntity},
		"too much of it":   {"OTHER", strings.Repeat("x", 20<<10), http.StatusUnprocessableEntity},
		"a name with dots": {"A.B", "x", http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, _ := w.do("PUT", "/api/secrets/"+tc.name, map[string]any{"value": tc.value})
			assert.Equal(t, tc.status, status)
		})
	}
	_, _, run := w.do("POST", "/api/tools/"+tool["id"].(string)+"/runs?wait=1", struct{}{})
	raw, err := json.Marshal(run)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "***", "the tool has the value, the page a mask")
	assert.NotContains(t, string(raw), "opensesame")

	status, _, _ := w.do("DELETE", "/api/secrets/PLAYGROUND_TEST_KEY", nil)
	require.Equal(t, http.StatusNoContent, status)
	var home map[string]any
	require.Eventually(t, func() bool {
		_, _, home = w.do("GET", "/api/home", nil)
		return len(home["attention"].([]any)) == 1
	}, patience, 10*time.Millisecond)
	assert.Equal(t, "keyed needs a value for PLAYGROUND_TEST_KEY.", home["attention"].([]any)[0].(map[string]any)["text"])
	t.Setenv("PLAYGROUND_TEST_KEY", "from the environment")
	_, _, list = w.do("GET", "/api/secrets", nil)
	assert.Equal(t, "environment", list["items"].([]any)[0].(map[string]any)["origin"])
	status, _, _ = w.do("DELETE", "/api/secrets/PLAYGROUND_TEST_KEY", nil)
	assert.Equal(t, http.StatusNotFound, status)
}

func TestBuiltin(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	status, h, _ := w.do("POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{"elicitation": struct{}{}}, "clientInfo": map[string]any{"name": strings.Repeat("n", 200), "version": "3"}}},
		"Accept", "application/json, text/event-stream")
	require.Equal(t, http.StatusOK, status)
	session := h.Get("Mcp-Session-Id")
	require.NotEmpty(t, session)
	_, _, b := w.do("GET", "/api/mcp/builtin", nil)
	clients := b["clients"].([]any)
	require.Len(t, clients, 1)
	one := clients[0].(map[string]any)
	assert.Equal(t, strings.Repeat("n", 99)+"…", one["name"])
	assert.Equal(t, true, one["elicitation"])
	assert.Len(t, b["tools"], 5)

	w.publish(doubler("counted"))
	status, _, _ = w.do("POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": "counted", "arguments": map[string]any{"n": 3}}},
		"Accept", "application/json, text/event-stream", "Mcp-Session-Id", session)
	require.Equal(t, http.StatusOK, status)
	_, _, b = w.do("GET", "/api/mcp/builtin", nil)
	assert.EqualValues(t, 1, b["calls"])
	assert.Equal(t, "counted", b["recent"].([]any)[0].(map[string]any)["tool"])

	status, _, _ = w.do("DELETE", "/mcp", nil, "Mcp-Session-Id", session)
	assert.Equal(t, http.StatusNoContent, status)
	_, _, b = w.do("GET", "/api/mcp/builtin", nil)
	assert.Empty(t, b["clients"])
	_, _, explained := w.do("POST", "/api/approvals/explain", map[string]any{"toolName": "counted", "side": "server"})
	assert.Equal(t, "run", explained["effect"])
	status, _, _ = w.do("POST", "/api/approvals/explain", map[string]any{"toolName": "nobody", "side": "server"})
	assert.Equal(t, http.StatusNotFound, status)
}

func TestPage(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Settings: []server.Setting{{Name: "addr", Value: "x", Origin: "flag"}}})
	for _, at := range []string{"/", "/tools/abc", "/no/such/page"} {
		status, h, _ := w.do("GET", at, nil, "Accept", "text/html")
		assert.Equal(t, http.StatusOK, status, at)
		assert.Contains(t, h.Get("Content-Security-Policy"), "require-trusted-types-for 'script'")
		assert.Equal(t, "no-cache", h.Get("Cache-Control"))
		assert.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"))
	}
	for at, want := range map[string]int{"/": 404, "/favicon.ico": 404, "/.well-known/x": 404, "/mcp/x": 404, "/api/none": 404, "/assets/none": 404, "/healthz": 200, "/readyz": 200} {
		status, _, _ := w.do("GET", at, nil, "Accept", "application/json")
		assert.Equal(t, want, status, at)
	}
	status, h, _ := w.do("GET", "/", nil, "Accept", "*/*")
	assert.Equal(t, http.StatusOK, status, "as curl asks")
	assert.Contains(t, h.Get("Content-Type"), "text/html")
	status, _, _ = w.do("POST", "/", map[string]any{}, "Accept", "text/html")
	assert.Equal(t, http.StatusMethodNotAllowed, status)
	_, _, meta := w.do("GET", "/api/meta", nil)
	assert.Equal(t, "none", meta["auth"])
	assert.Equal(t, false, meta["exposed"])
	_, _, settings := w.do("GET", "/api/settings", nil)
	assert.Len(t, settings["items"], 1)
}

// A name that is not ours, and a page of another site, get nothing anywhere.
func TestForeign(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	for _, at := range []string{"/", "/api/home", "/api/events", "/mcp", "/healthz", "/assets/x/core.js"} {
		status, _, _ := w.do("GET", at, nil, "Host", "evil.test", "Accept", "text/html")
		assert.Equal(t, http.StatusMisdirectedRequest, status, at)
	}
	status, _, _ := w.do("POST", "/api/tools", doubler("x"), "Origin", "http://evil.test")
	assert.Equal(t, http.StatusForbidden, status)
	status, _, _ = w.do("GET", "/api/home", nil, "Sec-Fetch-Site", "cross-site")
	assert.Equal(t, http.StatusForbidden, status)
}

func TestToken(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := serve(t, &server.Options{Token: "a-token-for-people", MCPToken: "a-token-for-programs", Clock: func() time.Time { return now }})
	status, _, _ := w.do("GET", "/api/home", nil)
	assert.Equal(t, http.StatusUnauthorized, status)
	status, _, _ = w.do("GET", "/api/home", nil, "Authorization", "Bearer a-token-for-programs")
	assert.Equal(t, http.StatusUnauthorized, status, "a token of the endpoint opens no page")
	status, _ = w.list("Authorization", "Bearer a-token-for-people")
	assert.Equal(t, http.StatusUnauthorized, status, "nor the other way round")
	status, _, _ = w.do("GET", "/api/home", nil, "Authorization", "Bearer a-token-for-people")
	assert.Equal(t, http.StatusOK, status)

	status, h, _ := w.do("POST", "/api/login", map[string]any{"token": "a-token-for-people"})
	require.Equal(t, http.StatusOK, status)
	set := h.Get("Set-Cookie")
	assert.Contains(t, set, "HttpOnly")
	assert.Contains(t, set, "SameSite=Strict")
	cookie, _, _ := strings.Cut(set, ";")
	status, _, meta := w.do("GET", "/api/meta", nil, "Cookie", cookie)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "token", meta["auth"])
	now = now.Add(11 * time.Hour)
	status, _, _ = w.do("GET", "/api/meta", nil, "Cookie", cookie)
	assert.Equal(t, http.StatusOK, status, "it slides")
	status, _, _ = w.do("POST", "/api/logout", nil, "Cookie", cookie)
	assert.Equal(t, http.StatusOK, status)
	status, _, _ = w.do("GET", "/api/meta", nil, "Cookie", cookie)
	assert.Equal(t, http.StatusUnauthorized, status)

	_, h, _ = w.do("POST", "/api/login", map[string]any{"token": "a-token-for-people"})
	cookie, _, _ = strings.Cut(h.Get("Set-Cookie"), ";")
	now = now.Add(13 * time.Hour)
	status, _, _ = w.do("GET", "/api/meta", nil, "Cookie", cookie)
	assert.Equal(t, http.StatusUnauthorized, status, "and ends")

	for range 5 {
		status, _, _ = w.do("POST", "/api/login", map[string]any{"token": "guess"})
		assert.Equal(t, http.StatusUnauthorized, status)
	}
	status, _, _ = w.do("POST", "/api/login", map[string]any{"token": "a-token-for-people"})
	assert.Equal(t, http.StatusTooManyRequests, status, "not even the right one, for a minute")
	now = now.Add(2 * time.Minute)
	status, _, _ = w.do("POST", "/api/login", map[string]any{"token": "a-token-for-people"})
	assert.Equal(t, http.StatusOK, status)
	open := serve(t, nil)
	status, _, _ = open.do("POST", "/api/login", map[string]any{"token": "x"})
	assert.Equal(t, http.StatusNotFound, status)
}

// Others than this machine are not served without a token.
func TestServeRefuses(t *testing.T) {
	s := open(t, nil)
	l, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	assert.ErrorContains(t, s.Serve(t.Context(), l), "-token")
}

func TestNewRefuses(t *testing.T) {
	_, err := server.New(t.Context(), &server.Options{Home: "/dev/null/x"})
	assert.ErrorContains(t, err, "home")
	_, err = server.New(t.Context(), &server.Options{Home: t.TempDir(), AllowedHosts: []string{"http://no host"}})
	assert.Error(t, err)
}

func TestLeavesNothing(t *testing.T) {
	leak.Check(t)
	w := serve(t, nil)
	w.publish(doubler("gone"))
	w.stop()
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "twice is once")
}
