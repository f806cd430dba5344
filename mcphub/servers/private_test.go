package servers_test

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// What a server of 2026-07-28 marks as private is there after a restart for the same
// principal, and for no other; it was synchronized then.
func TestPrivateCapabilitiesAreKeptForTheirPrincipal(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{"2026-07-28"}, Capabilities: `{"tools":{}}`}).
		On("tools/list", mcphubtest.Reply(`{"resultType":"complete","tools":[`+hubtest.Describe("mine", "")+`],"ttlMs":60000,"cacheScope":"private"}`))
	far := httptest.NewServer(peer)
	defer far.Close()
	store := memory.New()
	open := func(token string) *servers.Connections {
		t.Helper()
		c, err := servers.New(store, &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{
			Lookup: func(name string) (string, bool) { return token, name == "TOKEN" }})})
		require.NoError(t, err)
		return c
	}
	c := open("one")
	_, err := c.Save(t.Context(), servers.Record{ID: "far", Kind: client.TransportHTTP,
		Connection: json.RawMessage(`{"url":"` + far.URL + `","headers":{"Authorization":"Bearer ${TOKEN}"}}`)})
	require.NoError(t, err)
	require.NoError(t, c.Sync(t.Context(), "far"))
	require.NoError(t, c.Close())
	doc, err := store.Get(t.Context(), "servers-cache", "far")
	require.NoError(t, err)
	assert.NotContains(t, string(doc.Data), `"one"`)

	for token, known := range map[string]bool{"one": true, "two": false} {
		c := open(token)
		s, status := c.Snapshot("far"), servers.Status{}
		status, err = c.Status("far")
		require.NoError(t, err)
		if known {
			require.NotNil(t, s)
			assert.True(t, s.Restored)
			assert.NotNil(t, s.Tool("mine"))
			assert.Equal(t, servers.Synced, status.Sync)
			assert.False(t, status.SyncedAt.IsZero())
		} else {
			assert.Nil(t, s)
			assert.Equal(t, servers.NeverSynced, status.Sync)
		}
		require.NoError(t, c.Close())
	}
}
