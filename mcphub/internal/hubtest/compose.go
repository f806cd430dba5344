package hubtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/servers"
)

// Compose makes a composition that is closed at the end of the test.
func Compose(t testing.TB, h *mcphub.Hub, c *servers.Connections, opts *mcphub.CompositionOptions) *mcphub.Composition {
	t.Helper()
	comp, err := mcphub.NewComposition(h, c, opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = comp.Close() })
	return comp
}

// Member finds the member for a tool, with its status.
func Member(t testing.TB, comp *mcphub.Composition, tool string) mcphub.MemberStatus {
	t.Helper()
	for _, m := range comp.Members() {
		if m.Tool == tool {
			return m
		}
	}
	require.Fail(t, "no such member", tool)
	return mcphub.MemberStatus{}
}

// Approve approves the member for a tool in its current form.
func Approve(t testing.TB, comp *mcphub.Composition, tool string) {
	t.Helper()
	m := Member(t, comp, tool)
	require.NotNil(t, m.Current)
	require.NoError(t, comp.Approve(t.Context(), m.Server, m.Tool, m.Current.Fingerprint))
}

// Select saves which tools of a server are offered, and with which prefix.
func Select(t testing.TB, c *servers.Connections, id string, s *servers.Selection, prefix string) {
	t.Helper()
	r, err := c.Get(id)
	require.NoError(t, err)
	r.Selection, r.Prefix = s, prefix
	_, err = c.Save(t.Context(), r)
	require.NoError(t, err)
}
