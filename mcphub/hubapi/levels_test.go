package hubapi_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/risk"
)

// A person confirms the level of a tool once; then a call that the person reviewed runs, and a
// program's call of the same tool is still asked about.
func TestLevels(t *testing.T) {
	leak.Check(t)
	var asked atomic.Int32
	w := serveAPI(t, hubtest.Fakes{"peer": hubtest.FullPeer("2025-11-25", false).Transport(client.TransportHTTP)}, func(w *servedAPI, o *hubapi.Options) {
		var err error
		o.Levels, err = risk.NewLevels(t.Context(), w.store, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Levels.Close()) })
		gate := decidingGate(t, func(r approval.Request) approval.Outcome {
			asked.Add(1)
			return approval.Declined
		})
		o.Inspector, err = inspector.New(w.conns, &inspector.Options{Approval: gate, Levels: o.Levels})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Inspector.Close()) })
		hub, err := mcphub.New(nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, hub.Close()) })
		o.Composition, err = mcphub.NewComposition(hub, w.conns, &mcphub.CompositionOptions{Levels: o.Levels})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Composition.Close()) })
	})
	w.OK(200, "POST", "/api/mcp/servers/peer/connect", `{}`)
	echo := func() (fingerprint string, level func(string) any) {
		caps := w.OK(200, "GET", "/api/mcp/servers/peer/capabilities", "")
		for n := range caps.List("tools") {
			if caps.Text(fmt.Sprintf("tools.%d.key", n)) == "echo" {
				return caps.Text(fmt.Sprintf("tools.%d.fingerprint", n)), func(name string) any { return caps.Get(fmt.Sprintf("tools.%d.risk.%s", n, name)) }
			}
		}
		t.Fatal("no tool echo")
		return "", nil
	}
	fingerprint, risk := echo()
	assert.Equal(t, "unknown", risk("level"))
	assert.Nil(t, risk("confirmed"))
	least := risk("least").(string)
	assert.NotEmpty(t, risk("proposed"))
	assert.NotEmpty(t, risk("reasons"))
	calls := 0
	call := func(path, more string) bool {
		calls++
		return w.OK(200, "POST", "/api/mcp/servers/peer/inspect/"+path, fmt.Sprintf(`{"name":"echo","id":"call-%04d"%s}`, calls, more)).Get("ok") == true
	}
	reviewed := `,"reviewed":"` + fingerprint + `"`
	assert.False(t, call("tools/call", reviewed))
	assert.EqualValues(t, 1, asked.Load())

	const levels = "/api/mcp/servers/peer/levels"
	body := func(tool, fingerprint, level string) string {
		return `{"toolName":"` + tool + `","fingerprint":"` + fingerprint + `","level":"` + level + `"}`
	}
	w.Fails(422, "validation_failed", "POST", levels, body("echo", fingerprint, "L0"))
	w.Fails(422, "validation_failed", "POST", levels, body("echo", fingerprint, "unknown"))
	w.Fails(409, "withheld", "POST", levels, body("echo", "other", "L3"))
	w.Fails(409, "withheld", "POST", levels, body("none", fingerprint, "L3"))
	w.Fails(404, "not_found", "POST", "/api/mcp/servers/none/levels", body("echo", fingerprint, "L3"))
	confirmed := w.OK(200, "POST", levels, body("echo", fingerprint, least))
	assert.Equal(t, least, confirmed.Get("level"))
	assert.Equal(t, "local", confirmed.Get("confirmed.by"))
	_, risk = echo()
	assert.Equal(t, least, risk("level"))

	assert.True(t, call("tools/call", reviewed))
	assert.EqualValues(t, 1, asked.Load())
	rec := w.OK(200, "GET", "/api/mcp/servers/peer/inspect/history", "")
	assert.Contains(t, rec.Text("items.0.because"), "local")
	assert.False(t, call("tools/call", ""))
	assert.Equal(t, true, w.OK(200, "POST", "/api/mcp/tools/execute", `{"serverId":"peer","toolName":"echo"}`).Get("isError"))
	assert.EqualValues(t, 3, asked.Load(), "no other caller profits from it")

	w.OK(200, "POST", "/api/mcp/compositions", `{"serverId":"peer","toolName":"echo"}`)
	assert.Equal(t, least, w.OK(200, "GET", "/api/mcp/compositions", "").Get("items.0.risk.level"))

	w.OK(204, "DELETE", levels+"?toolName=echo", "")
	w.Fails(400, "invalid_argument", "DELETE", levels, "")
	w.Fails(404, "not_found", "DELETE", "/api/mcp/servers/none/levels?toolName=echo", "")
	assert.False(t, call("tools/call", reviewed))
	assert.EqualValues(t, 4, asked.Load())
	assert.Equal(t, "unknown", w.OK(200, "GET", "/api/mcp/compositions", "").Get("items.0.risk.level"))
	w.OK(204, "DELETE", "/api/mcp/servers/peer", "")
}
