package mcphub_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/vouch"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// A chat may offer what a hub serves, of this host and of another server, and not what
// a program wraps around it.
func TestServedToolsAreVouchedFor(t *testing.T) {
	leak.Check(t)
	c := hubtest.Connections(t, hubtest.Fakes{"docs": (&hubtest.Fake{}).Offer("search=Finds.")}, nil)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	comp := hubtest.Compose(t, h, c, nil)
	require.NoError(t, c.Connect(t.Context(), "docs"))
	require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "docs", Tool: "search"}))
	hubtest.Approve(t, comp, "search")
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	require.Len(t, tools, 2)
	for _, tool := range tools {
		name := tool.Definition().Name
		assert.True(t, vouch.Vouched(tool), name)
		assert.False(t, vouch.Vouched(struct{ toolspec.Tool }{tool}), name)
		found, err := h.Find(t.Context(), name)
		require.NoError(t, err)
		assert.True(t, vouch.Vouched(found), name)
	}

	p, err := servers.NewToolProvider(c, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	offered, err := p.Tools(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, offered)
	for _, tool := range offered {
		assert.False(t, vouch.Vouched(tool), "no person approved it")
	}
}
