package mcphub_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

// A composition serves no tool that is left out, and remembers what was said of
// it; a prefix names the others.
func TestToolSelectionInAComposition(t *testing.T) {
	leak.Check(t)
	c := hubtest.Connections(t, hubtest.Fakes{"docs": (&hubtest.Fake{}).Offer("search=Finds.", "delete=Removes.")}, nil)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "dx_echo"))
	comp := hubtest.Compose(t, h, c, nil)
	require.NoError(t, c.Connect(t.Context(), "docs"))
	for _, tool := range []string{"search", "delete"} {
		require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "docs", Tool: tool}))
		hubtest.Approve(t, comp, tool)
	}
	require.Equal(t, []string{"docs_delete", "docs_search", "dx_echo"}, hubtest.ToolNamesOf(t, h))
	hubtest.Select(t, c, "docs", &servers.Selection{Except: []string{"delete"}}, "dx")
	require.Eventually(t, func() bool { return slices.Equal([]string{"dx_echo", "dx_search"}, hubtest.ToolNamesOf(t, h)) }, hubtest.Patience, time.Millisecond)
	m := hubtest.Member(t, comp, "delete")
	assert.Equal(t, mcphub.MemberLeftOut, m.State)
	assert.NotEmpty(t, m.Approved)
	hubtest.Select(t, c, "docs", nil, "dx")
	require.Eventually(t, func() bool {
		return slices.Equal([]string{"dx_delete", "dx_echo", "dx_search"}, hubtest.ToolNamesOf(t, h))
	}, hubtest.Patience, time.Millisecond, "it is as it was approved")

	// A name that is taken here stays with what has it.
	require.NoError(t, h.Add(hubtest.EchoTool(t, "dy_search")))
	hubtest.Select(t, c, "docs", nil, "dy")
	require.Eventually(t, func() bool { return hubtest.Member(t, comp, "search").State == mcphub.MemberNameTaken }, hubtest.Patience, time.Millisecond)
	assert.Equal(t, []string{"dx_echo", "dy_delete", "dy_search"}, hubtest.ToolNamesOf(t, h))
}
