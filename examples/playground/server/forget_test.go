package server_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is allowed of a server goes with it: another one of the same id is asked about.
// Arguments that do not fit are refused before anybody is asked.
func TestAllowedOfADeletedServer(t *testing.T) {
	t.Parallel()
	var first, second atomic.Int32
	one, _ := noteServer(t, &first)
	two, _ := noteServer(t, &second)
	w := serve(t, nil)
	add := func(url string) {
		t.Helper()
		status, _, made := w.do("POST", "/api/mcp/servers", map[string]any{"serverId": "far", "baseUrl": url})
		require.Less(t, status, 300, made)
	}
	pending := func() int {
		_, _, list := w.do("GET", "/api/approvals?state=pending", nil)
		return len(list["items"].([]any))
	}
	execute := func(arguments map[string]any) map[string]any {
		t.Helper()
		_, _, result := w.do("POST", "/api/mcp/tools/execute", map[string]any{"serverId": "far", "toolName": "remember", "arguments": arguments})
		return result
	}
	// asked makes a call that a person is asked about, and declines it.
	asked := func(why string) {
		t.Helper()
		done := make(chan map[string]any, 1)
		go func() { done <- execute(map[string]any{"note": "x"}) }()
		require.Eventually(t, func() bool { return pending() == 1 }, patience, 5*time.Millisecond, why)
		_, _, list := w.do("GET", "/api/approvals?state=pending", nil)
		status, _, item := w.do("POST", "/api/responses/approval/"+list["items"].([]any)[0].(map[string]any)["id"].(string), map[string]any{"approved": false})
		require.Equal(t, http.StatusOK, status, item)
		assert.Equal(t, true, (<-done)["isError"])
	}
	add(one)
	wrong := execute(map[string]any{"note": 7})
	assert.Equal(t, []any{true, "arguments"}, []any{wrong["isError"], wrong["error"].(map[string]any)["reason"]}, wrong)
	assert.Zero(t, pending())
	asked("nothing is allowed yet")
	for _, side := range []string{"chat", "server", "studio"} {
		status, _, p := w.do("PUT", "/api/mcp/approval-policies", map[string]any{"serverId": "far", "toolName": "*", "policy": "ALWAYS_ALLOW", "side": side})
		require.Equal(t, http.StatusOK, status, p)
	}
	assert.Equal(t, false, execute(map[string]any{"note": "x"})["isError"])
	assert.EqualValues(t, 1, first.Load())

	status, _, _ := w.do("DELETE", "/api/mcp/servers/far", nil)
	require.Equal(t, http.StatusNoContent, status)
	_, _, list := w.do("GET", "/api/mcp/approval-policies", nil)
	assert.Empty(t, list["items"])
	add(two)
	asked("another server has the id")
	assert.Zero(t, second.Load())

	// A record that is changed to lead elsewhere is another server, too.
	status, _, p := w.do("PUT", "/api/mcp/approval-policies", map[string]any{"serverId": "far", "toolName": "*", "policy": "ALWAYS_ALLOW", "side": "server"})
	require.Equal(t, http.StatusOK, status, p)
	add(one)
	_, _, list = w.do("GET", "/api/mcp/approval-policies", nil)
	assert.Empty(t, list["items"])
}
