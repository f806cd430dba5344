package server_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (w *world) traces(query string) []any {
	w.t.Helper()
	status, _, page := w.do("GET", "/api/observe/traces?win=all&"+query, nil)
	require.Equal(w.t, http.StatusOK, status, page)
	return page["items"].([]any)
}

// What passes through the playground leaves traces: test runs, calls by clients,
// turns of chats. Those of a conversation go with it.
func TestTraces(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	w.publish(doubler("doubled"))
	require.Eventually(t, func() bool { return len(w.traces("q=doubled")) == 1 }, patience, 10*time.Millisecond, "the test run")

	body := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "doubled", "arguments": map[string]any{"n": 4}, "_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": struct{}{}}}}
	status, _, _ := w.do("POST", "/mcp", body, "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "doubled")
	require.Equal(t, http.StatusOK, status)
	require.Eventually(t, func() bool { return len(w.traces("tool=doubled&status=ok")) == 2 }, patience, 10*time.Millisecond, "the call")
	call := w.traces("tool=doubled")[0].(map[string]any)
	assert.Equal(t, "tools/call", call["operation"])
	_, _, whole := w.do("GET", "/api/observe/traces/"+call["traceId"].(string), nil)
	var operations []string
	for _, s := range whole["spans"].([]any) {
		operations = append(operations, s.(map[string]any)["operation"].(string))
	}
	assert.Equal(t, []string{"tools/call", "execute_tool", "sandbox"}, operations)

	// The first page leads to it, and the search finds it.
	trace := call["traceId"].(string)
	_, _, home := w.do("GET", "/api/home", nil)
	traced := map[any]any{}
	for _, it := range home["recent"].([]any) {
		one := it.(map[string]any)
		traced[one["kind"]] = one["traceId"]
	}
	assert.Equal(t, trace, traced["call"])
	assert.Nil(t, traced["published"], "what has no trace")
	require.EventuallyWithT(t, func(t *assert.CollectT) { // a search leaves out the parts that take too long
		named, doubled := w.hits("q="+trace[:10]), w.hits("q=doubled")
		if !assert.NotEmpty(t, named) || !assert.NotEmpty(t, doubled) {
			return
		}
		assert.Equal(t, "trace", named[0]["kind"])
		assert.Equal(t, "/observe/traces?trace="+trace, named[0]["where"])
		assert.Equal(t, "MCP call doubled", named[0]["title"])
		assert.Equal(t, "tool", doubled[0]["kind"], "what bears the name comes first")
		kinds := map[any]int{}
		for _, h := range doubled {
			kinds[h["kind"]]++
		}
		assert.Equal(t, 2, kinds["trace"], "the test run and the call")
	}, patience, 10*time.Millisecond)
	assert.Len(t, w.hits("kind=trace&q=test+run+doubled"), 0, "words that stand in none")
}

// A value that was stored as a secret is in no trace, whatever a tool says.
func TestTracesHoldNoSecrets(t *testing.T) {
	t.Parallel()
	const value = "correct-horse-battery"
	w := serve(t, nil)
	status, _, _ := w.do("PUT", "/api/secrets/DOUBLER_KEY", map[string]any{"value": value})
	require.Equal(t, http.StatusNoContent, status)
	spec := doubler("leaky")
	spec["staticVariables"] = []map[string]any{{"key": "${DOUBLER_KEY}"}}
	spec["code"] = "if (n === 2) return { twice: 4 };\nthrow new Error('the key is ' + key);\n"
	w.publish(spec)
	body := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "leaky", "arguments": map[string]any{"n": 5}, "_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": struct{}{}}}}
	w.do("POST", "/mcp", body, "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "leaky")
	require.Eventually(t, func() bool { return len(w.traces("q=leaky&status=error")) == 1 }, patience, 10*time.Millisecond)
	id := w.traces("q=leaky&status=error")[0].(map[string]any)["traceId"].(string)
	for _, at := range []string{"", "?format=otlp"} {
		_, _, whole := w.do("GET", "/api/observe/traces/"+id+at, nil)
		raw, err := json.Marshal(whole)
		require.NoError(t, err)
		assert.NotContains(t, string(raw), value)
		assert.Contains(t, string(raw), "the key is ***")
	}
}
