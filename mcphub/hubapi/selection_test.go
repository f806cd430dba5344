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
	w.OK(200, "POST", "/api/mcp/servers/peer/connect", `{}`)
	version := func() string {
		return fmt.Sprintf("%.0f", w.OK(200, "GET", "/api/mcp/servers/peer", "").Get("version"))
	}
	save := func(members string) string { return `{"id":"peer","version":` + version() + `,` + members + `}` }
	w.Fails(422, "validation_failed", "POST", "/api/mcp/servers", save(`"toolPrefix":"Not Good"`))
	w.Fails(400, "invalid_json", "POST", "/api/mcp/servers", save(`"toolSelection":{"onyl":[]}`))
	saved := w.OK(200, "POST", "/api/mcp/servers", save(`"toolSelection":{"except":["fail"]},"toolPrefix":"pp"`))
	assert.Equal(t, []any{"fail"}, saved.List("toolSelection.except"))
	assert.Equal(t, "pp", saved.Text("toolPrefix"))
	assert.EqualValues(t, 1, saved.Get("status.toolsLeftOut"))
	saved = w.OK(200, "POST", "/api/mcp/servers", save(`"name":"Peer"`))
	assert.Equal(t, []any{"fail"}, saved.List("toolSelection.except"), "what is not named stays")

	caps := w.OK(200, "GET", "/api/mcp/servers/peer/capabilities", "")
	left := map[string]any{}
	for n := range caps.List("tools") {
		left[caps.Text(fmt.Sprintf("tools.%d.key", n))] = caps.Get(fmt.Sprintf("tools.%d.leftOut", n))
	}
	assert.Equal(t, map[string]any{"ask": nil, "echo": nil, "fail": true}, left)
	rec := w.OK(200, "POST", "/api/mcp/servers/peer/inspect/tools/call", `{"name":"fail"}`)
	assert.Equal(t, "left-out", rec.Text("error.kind"))
	assert.Equal(t, "left-out", w.OK(200, "POST", "/api/mcp/servers/peer/inspect/raw", `{"method":"tools/call","params":{"name":"fail"}}`).Text("error.kind"))
	result := w.OK(200, "POST", "/api/mcp/tools/execute", `{"serverId":"peer","toolName":"fail"}`)
	assert.Equal(t, servers.ReasonLeftOut, result.Text("error.reason"))
	assert.NotContains(t, peer.Methods(), "tools/call")

	w.OK(200, "POST", "/api/mcp/servers", save(`"toolSelection":{},"toolPrefix":""`))
	caps = w.OK(200, "GET", "/api/mcp/servers/peer", "")
	assert.Nil(t, caps.Get("toolSelection"))
	assert.Nil(t, caps.Get("toolPrefix"))
	assert.Equal(t, "tool", w.OK(200, "POST", "/api/mcp/servers/peer/inspect/tools/call", `{"name":"fail"}`).Text("error.kind"))

	// A check that no tool has that name is not made where none may be called.
	w.OK(200, "POST", "/api/mcp/servers", save(`"toolSelection":{"only":["echo"]}`))
	assert.Equal(t, true, w.OK(200, "POST", "/api/mcp/servers/peer/inspect/check", "").Get("ok"))
}
