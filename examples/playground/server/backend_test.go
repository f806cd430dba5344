package server_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

// noteServer is an MCP server with one tool, that counts its calls.
func noteServer(t *testing.T, calls *atomic.Int32) (url string, peer *mcphubtest.Peer) {
	t.Helper()
	peer = mcphubtest.NewPeer(&mcphubtest.PeerOptions{Capabilities: `{"tools":{}}`})
	peer.On("tools/list", func(x *mcphubtest.Exchange) {
		x.Reply(`{"tools":[{"name":"remember","description":"Remembers a note.","inputSchema":{"type":"object","properties":{"note":{"type":"string"}},"required":["note"]}}]}`)
	})
	peer.On("tools/call", func(x *mcphubtest.Exchange) {
		calls.Add(1)
		x.Reply(`{"content":[{"type":"text","text":"noted"}]}`)
	})
	s := httptest.NewServer(peer)
	t.Cleanup(s.Close)
	return s.URL, peer
}

// serveTool serves a tool of a server under an alias, approved as it stands.
func (w *world) serveTool(server, tool, alias string) {
	w.t.Helper()
	status, _, member := w.do("POST", "/api/mcp/compositions", map[string]any{"serverId": server, "toolName": tool, "alias": alias})
	require.Equal(w.t, http.StatusOK, status, member)
	status, _, member = w.do("POST", "/api/mcp/compositions/approve", map[string]any{"serverId": server, "toolName": tool, "fingerprint": member["fingerprint"]})
	require.Equal(w.t, http.StatusOK, status, member)
	require.Equal(w.t, "served", member["state"])
}

// A client of the backend API drives a turn with a tool of another server by bodies
// that have the members of that API alone.
func TestBackendBodies(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	far, peer := noteServer(t, &calls)
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "demo")})
	w.model("demo")
	status, _, made := w.do("POST", "/api/mcp/servers", map[string]any{"serverId": "far", "name": "Far", "baseUrl": far, "apiKey": "a-key-0815", "transport": "STREAMABLE_HTTP"})
	require.Equal(t, http.StatusCreated, status, made)
	assert.Equal(t, far, made["baseUrl"])
	status, _, state := w.do("POST", "/api/mcp/servers/far/sync", nil)
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, []any{"CONNECTED", "SYNCED"}, []any{state["status"].(map[string]any)["state"], state["status"].(map[string]any)["syncStatus"]})
	for _, m := range peer.Seen() {
		assert.Equal(t, "Bearer a-key-0815", m.Header.Get("Authorization"))
	}
	w.serveTool("far", "remember", "remember")

	// ask sends a question and gives the names of the events, and decides what is
	// asked about.
	ask := func(decision string) (names []string) {
		t.Helper()
		body := `{"conversationId":123,"title":"New Chat","payload":{"messages":[{"role":"user","content":"call remember {\"note\":\"x\"}"}],"stream":true}}`
		res, err := http.Post(w.url+"/api/responses/stream", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		defer res.Body.Close()
		require.Equal(t, http.StatusOK, res.StatusCode)
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				names = append(names, name)
			}
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok || names[len(names)-1] != "approval_required" {
				continue
			}
			var e map[string]any
			require.NoError(t, json.Unmarshal([]byte(data), &e))
			assert.Equal(t, "123", e["conversationId"])
			status, _, item := w.do("POST", "/api/responses/approval/"+e["approvalRequestId"].(string), json.RawMessage(decision))
			require.Equal(t, http.StatusOK, status, item)
		}
		require.NoError(t, lines.Err())
		return names
	}
	assert.Contains(t, ask(`{"approved":false}`), "approval_required")
	assert.EqualValues(t, 0, calls.Load())
	names := ask(`{"approved":true}`)
	assert.Contains(t, names, "approval_required")
	assert.Equal(t, "done", names[len(names)-1])
	assert.EqualValues(t, 1, calls.Load(), "approved for this call alone")
	assert.Contains(t, ask(`{"approved":false}`), "approval_required", "the next one is asked about")

	status, _, policy := w.do("PUT", "/api/mcp/approval-policies", map[string]any{"serverId": "far", "toolName": "remember", "policy": "ALWAYS_ALLOW"})
	require.Equal(t, http.StatusOK, status, policy)
	assert.Equal(t, "chat", policy["side"])
	assert.NotContains(t, ask(`{}`), "approval_required")
	assert.EqualValues(t, 2, calls.Load())
	_, _, conv := w.do("GET", "/api/conversations/123", nil)
	assert.Equal(t, []any{"New Chat", "COMPLETED"}, []any{conv["title"], conv["status"]})
	call := conv["toolCalls"].([]any)[3].(map[string]any)
	assert.Equal(t, []any{"COMPLETED", "MCP", "far"}, []any{call["status"], call["type"], call["serverId"]})
}
