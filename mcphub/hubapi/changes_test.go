package hubapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// A reviewer is told in sentences what a changed tool could do now.
func TestChangesOfAMember(t *testing.T) {
	peer := new(hubtest.Fake).Offer("note=Keeps a note.")
	w := serveAPI(t, hubtest.Fakes{"peer": peer}, func(w *servedAPI, o *hubapi.Options) {
		hub, err := mcphub.New(nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, hub.Close()) })
		o.Composition, err = mcphub.NewComposition(hub, w.conns, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Composition.Close()) })
	})
	w.OK(200, "POST", "/api/mcp/servers/peer/connect", `{}`)
	w.OK(200, "POST", "/api/mcp/compositions", `{"serverId":"peer","toolName":"note"}`)
	approve := func() {
		fingerprint := w.OK(200, "GET", "/api/mcp/compositions", "").Text("items.0.fingerprint")
		w.OK(200, "POST", "/api/mcp/compositions/approve", `{"serverId":"peer","toolName":"note","fingerprint":"`+fingerprint+`"}`)
	}
	approve()
	assert.Nil(t, w.OK(200, "GET", "/api/mcp/compositions", "").Get("items.0.changes"))

	peer.OfferRaw(`{"name":"note","description":"Keeps a note.","inputSchema":{"type":"object","properties":{"where":{"type":"string"}}}}`)
	w.OK(200, "POST", "/api/mcp/servers/peer/sync", `{}`)
	member := w.OK(200, "GET", "/api/mcp/compositions", "")
	assert.Equal(t, "changed", member.Get("items.0.state"))
	assert.Equal(t, "/inputSchema/properties/where", member.Get("items.0.changes.0.path"))
	assert.Equal(t, `takes the new argument "where", which may be left out`, member.Get("items.0.changes.0.says"))
	assert.Equal(t, true, member.Get("items.0.changes.0.widens"))
	approve()
	assert.Nil(t, w.OK(200, "GET", "/api/mcp/compositions", "").Get("items.0.changes"))
}
