package hubapi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

// The inspector lists what is left out, and calls it no more than others do.
func TestToolSelectionInTheInspector(t *testing.T) {
	peer := hubtest.FullPeer("2025-11-25", false)
	w := wholeAPI(t, peer, allowAll)
	w.ok(200, "POST", "/api/mcp/servers/peer/connect", `{}`)
	version := func() string {
		return fmt.Sprintf("%.0f", w.ok(200, "GET", "/api/mcp/servers/peer", "").get("version"))
	}
	save := func(members string) string { return `{"id":"peer","version":` + version() + `,` + members + `}` }
	w.fails(422, "validation_failed", "POST", "/api/mcp/servers", save(`"toolPrefix":"Not Good"`))
	w.fails(400, "invalid_json", "POST", "/api/mcp/servers", save(`"toolSelection":{"onyl":[]}`))
	saved := w.ok(200, "POST", "/api/mcp/servers", save(`"toolSelection":{"except":["fail"]},"toolPrefix":"pp"`))
	assert.Equal(t, []any{"fail"}, saved.list("toolSelection.except"))
	assert.Equal(t, "pp", saved.text("toolPrefix"))
	assert.EqualValues(t, 1, saved.get("status.toolsLeftOut"))
	saved = w.ok(200, "POST", "/api/mcp/servers", save(`"name":"Peer"`))
	assert.Equal(t, []any{"fail"}, saved.list("toolSelection.except"), "what is not named stays")

	caps := w.ok(200, "GET", "/api/mcp/servers/peer/capabilities", "")
	left := map[string]any{}
	for n := range caps.list("tools") {
		left[caps.text(fmt.Sprintf("tools.%d.key", n))] = caps.get(fmt.Sprintf("tools.%d.leftOut", n))
	}
	assert.Equal(t, map[string]any{"ask": nil, "echo": nil, "fail": true}, left)
	rec := w.ok(200, "POST", "/api/mcp/servers/peer/inspect/tools/call", `{"name":"fail"}`)
	assert.Equal(t, "left-out", rec.text("error.kind"))
	assert.Equal(t, "left-out", w.ok(200, "POST", "/api/mcp/servers/peer/inspect/raw", `{"method":"tools/call","params":{"name":"fail"}}`).text("error.kind"))
	result := w.ok(200, "POST", "/api/mcp/tools/execute", `{"serverId":"peer","toolName":"fail"}`)
	assert.Equal(t, servers.ReasonLeftOut, result.text("error.reason"))
	assert.NotContains(t, peer.Methods(), "tools/call")

	w.ok(200, "POST", "/api/mcp/servers", save(`"toolSelection":{},"toolPrefix":""`))
	caps = w.ok(200, "GET", "/api/mcp/servers/peer", "")
	assert.Nil(t, caps.get("toolSelection"))
	assert.Nil(t, caps.get("toolPrefix"))
	assert.Equal(t, "tool", w.ok(200, "POST", "/api/mcp/servers/peer/inspect/tools/call", `{"name":"fail"}`).text("error.kind"))

	// A check that no tool has that name is not made where none may be called.
	w.ok(200, "POST", "/api/mcp/servers", save(`"toolSelection":{"only":["echo"]}`))
	assert.Equal(t, true, w.ok(200, "POST", "/api/mcp/servers/peer/inspect/check", "").get("ok"))
}
