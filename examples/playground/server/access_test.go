package server_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// Who is let in at the endpoint is chosen at the page, and stays so.
func TestAccess(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := serve(t, &server.Options{Home: home})
	status, h, made := w.do("POST", "/api/mcp/builtin/tokens", map[string]any{"name": "editor"})
	require.Equal(t, http.StatusCreated, status, made)
	assert.Equal(t, "no-store", h.Get("Cache-Control"))
	value, id := made["value"].(string), made["token"].(map[string]any)["id"].(string)
	let := func(token string) int {
		var header []string
		if token != "" {
			header = []string{"Authorization", "Bearer " + token}
		}
		status, _ := w.list(header...)
		return status
	}
	assert.Equal(t, []int{200, 200, 401}, []int{let(""), let(value), let("guess")})
	status, _, access := w.do("PUT", "/api/mcp/builtin/access", map[string]any{"required": true})
	require.Equal(t, http.StatusOK, status, access)
	assert.Equal(t, []int{401, 200}, []int{let(""), let(value)})
	_, _, meta := w.do("GET", "/api/meta", nil)
	assert.Equal(t, true, meta["mcpAuth"])
	status, _, _ = w.do("GET", "/api/home", nil, "Authorization", "Bearer "+value)
	assert.Equal(t, http.StatusOK, status, "the page asks for none on this machine")
	w.stop()
	require.NoError(t, w.Close())

	w = serve(t, &server.Options{Home: home})
	assert.Equal(t, []int{401, 200}, []int{let(""), let(value)}, "after a restart")
	_, _, b := w.do("GET", "/api/mcp/builtin", nil)
	raw, err := json.Marshal(b)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), value)
	status, _, turned := w.do("POST", "/api/mcp/builtin/tokens/"+id+"/rotate", nil)
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, []int{401, 200}, []int{let(value), let(turned["value"].(string))})
	for _, bad := range []struct {
		method, path string
		body         any
		status       int
	}{
		{"POST", "/tokens", map[string]any{"name": " "}, 422}, {"POST", "/tokens", map[string]any{"x": 1}, 400}, {"PUT", "/access", map[string]any{"x": 1}, 400},
		{"POST", "/tokens/none/rotate", nil, 404}, {"DELETE", "/tokens/none", nil, 404}, {"DELETE", "/tokens/" + id, nil, 204},
	} {
		status, _, answer := w.do(bad.method, "/api/mcp/builtin"+bad.path, bad.body)
		assert.Equal(t, bad.status, status, "%s %s: %v", bad.method, bad.path, answer)
	}
	assert.Equal(t, 401, let(turned["value"].(string)))

	fixed := serve(t, &server.Options{MCPToken: "of-a-flag"})
	status, _, _ = fixed.do("PUT", "/api/mcp/builtin/access", map[string]any{"required": false})
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	status, _ = fixed.list("Authorization", "Bearer of-a-flag")
	assert.Equal(t, http.StatusOK, status)
}

// A client without a session counts while it asks, and what it asks is counted.
func TestStatelessClients(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	for range 3 {
		status, _ := w.list()
		require.Equal(t, http.StatusOK, status)
	}
	_, _, b := w.do("GET", "/api/mcp/builtin", nil)
	clients := b["clients"].([]any)
	require.Len(t, clients, 1)
	one := clients[0].(map[string]any)
	assert.Equal(t, []any{"t", false, "2026-07-28", 3.0}, []any{one["name"], one["session"], one["protocolVersion"], one["requests"]})
	assert.EqualValues(t, 3, b["requestsPerMinute"])
}

// Every snippet is as it was last looked at. None holds a token: the one in which it
// is written holds a mark.
func TestConfigs(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{MCPToken: "a-token-of-the-endpoint"})
	_, _, list := w.do("GET", "/api/mcp/client-configs", nil)
	assert.Equal(t, true, list["tokenRequired"])
	mark := list["mark"].(string)
	var got strings.Builder
	for _, it := range list["items"].([]any) {
		c := it.(map[string]any)
		id := c["id"].(string)
		assert.NotEmpty(t, c["checked"], id)
		for _, form := range []string{"text", "withToken", "literal"} {
			text := c[form].(string)
			assert.Contains(t, text, w.url+"/mcp", id)
			assert.NotContains(t, text, "a-token", id)
			assert.Equal(t, form == "withToken", strings.Contains(text, "LOCALPASS_MCP_TOKEN"), "%s %s: %s", id, form, text)
			assert.Equal(t, form == "literal", strings.Contains(text, mark), "%s %s: %s", id, form, text)
			if c["language"] == "json" {
				assert.True(t, json.Valid([]byte(text)), text)
			}
			got.WriteString("== " + id + " " + form + "\n" + strings.ReplaceAll(text, w.url, "http://127.0.0.1:8282") + "\n")
		}
	}
	file := filepath.Join("testdata", "configs.golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String(), "look at each client's documentation, then: go test ./examples/playground/server -run TestConfigs -update")
}
