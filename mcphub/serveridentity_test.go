package mcphub_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

// TestAnotherNameIsAnotherServer: what was approved of a server is withheld while a server
// with another name answers at its address, although it offers the same.
func TestAnotherNameIsAnotherServer(t *testing.T) {
	for _, version := range []string{hubtest.Older, hubtest.Newer} {
		var name atomic.Value
		name.Store("notes")
		peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{version}, Capabilities: `{"tools":{},"resources":{}}`,
			Identity: func() client.Identity { return client.Identity{Name: name.Load().(string), Version: "1"} }}).
			On("tools/list", mcphubtest.Reply(hubtest.ToolList("", hubtest.Describe("find", "Finds.")))).
			On("tools/call", mcphubtest.Reply(`{"resultType":"complete","content":[]}`)).
			On("resources/list", mcphubtest.Reply(`{"resultType":"complete","resources":[{"uri":"notes://today","name":"today"}]}`)).
			On("resources/read", mcphubtest.Reply(`{"resultType":"complete","contents":[{"uri":"notes://today","text":"x"}]}`))
		c := hubtest.Connections(t, hubtest.Fakes{"up": peer.Transport(client.TransportHTTP)}, nil)
		h := hubtest.NewHub(t, nil)
		comp := hubtest.Compose(t, h, c, nil)
		front := serve(t, h)
		require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "up", Tool: "find"}))
		shareAll(t, comp, c, "up")
		require.NoError(t, comp.PutShare(t.Context(), mcphub.Share{Server: "up", Resources: []string{"*"}, AllowChanges: true}))
		require.NoError(t, comp.ApproveShare(t.Context(), "up", shareOf(t, comp, "up").Fingerprint))
		hubtest.Approve(t, comp, "find")
		// requested uses both, and returns how many requests reached the server.
		requested := func() (calls, reads int) {
			front.modern("1", "tools/call", "up_find", `"name":"up_find"`, "")
			front.modern("2", "resources/read", "notes://today", `"uri":"notes://today"`, "")
			for _, method := range peer.Methods() {
				switch method {
				case "tools/call":
					calls++
				case "resources/read":
					reads++
				}
			}
			return calls, reads
		}
		for _, step := range []struct {
			name, state string
			requests    int
		}{{"notes", "served", 1}, {"other", "changed", 1}, {"", "changed", 1}, {"notes", "served", 2}} {
			require.NoError(t, c.Stop(t.Context(), "up"))
			name.Store(step.name)
			if step.requests == 2 { // what is withheld connects to nothing
				require.NoError(t, c.Connect(t.Context(), "up"))
			}
			calls, reads := requested()
			assert.Equal(t, []int{step.requests, step.requests}, []int{calls, reads}, "%s as %q", version, step.name)
			assert.EqualValues(t, step.state, hubtest.Member(t, comp, "find").State)
			assert.Equal(t, []string{"resource notes://today: " + step.state}, statesOf(shareOf(t, comp, "up")))
		}
	}
}
