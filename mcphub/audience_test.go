package mcphub_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// A tool of another server is offered to its audience, and a caller of another one can neither
// see nor call it.
func TestAudience(t *testing.T) {
	leak.Check(t)
	far := (&hubtest.Fake{}).Offer("all=Is for everyone.", "inside=Is for chats.", "outside=Is for clients.", "none=Is for no caller.")
	c := hubtest.Connections(t, hubtest.Fakes{"docs": far}, nil)
	h := hubtest.NewHub(t, nil)
	comp := hubtest.Compose(t, h, c, nil)
	require.NoError(t, c.Connect(t.Context(), "docs"))
	audiences := map[string]mcphub.Audience{"all": mcphub.AudienceEveryone, "inside": mcphub.AudienceChat, "outside": mcphub.AudienceClients, "none": mcphub.AudienceNone}
	for tool, audience := range audiences {
		require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "docs", Tool: tool, Audience: audience}))
		hubtest.Approve(t, comp, tool)
	}
	assert.Equal(t, []string{"docs_all", "docs_inside"}, hubtest.ToolNamesOf(t, h))
	names := func(list []toolspec.Tool) (out []string) {
		for _, tool := range list {
			out = append(out, tool.Definition().Name)
		}
		return out
	}
	assert.Equal(t, []string{"docs_all", "docs_outside"}, names(h.ToolsFor(mcphub.AudienceClients)))
	assert.Equal(t, []string{"docs_all", "docs_inside", "docs_outside"}, names(h.ToolsFor(mcphub.AudienceEveryone)))
	assert.Equal(t, 2, h.Counts().Tools)
	assert.Equal(t, mcphub.MemberOff, hubtest.Member(t, comp, "none").State)
	assert.NotEmpty(t, hubtest.Member(t, comp, "none").Approved)

	client := serve(t, h)
	client = client.open("2025-11-25", `{}`)
	listed := string(client.post(`{"jsonrpc":"2.0","id":"1","method":"tools/list"}`).body)
	for tool, want := range map[string]bool{"all": true, "inside": false, "outside": true, "none": false} {
		assert.Equal(t, want, strings.Contains(listed, `"docs_`+tool+`"`), tool)
		body := string(client.post(call("2", "docs_"+tool, `{}`)).body)
		assert.Equal(t, !want, strings.Contains(body, "Unknown tool"), "%s: %s", tool, body)
		modern := string(client.modern("3", "tools/call", "docs_"+tool, `"name":"docs_`+tool+`","arguments":{}`, "").body)
		assert.Equal(t, !want, strings.Contains(modern, "Unknown tool"), "%s: %s", tool, modern)
	}
	_, err := h.Call(t.Context(), "docs_inside", nil)
	assert.NoError(t, err)
	_, err = h.Call(t.Context(), "docs_outside", nil)
	assert.ErrorIs(t, err, mcphub.ErrUnknownTool)
	_, err = h.Find(t.Context(), "docs_outside")
	assert.ErrorIs(t, err, servers.ErrWithheld)
	for _, tool := range h.ToolsFor(mcphub.AudienceClients) {
		if tool.Definition().Name == "docs_outside" {
			got, err := tool.Call(t.Context(), nil)
			require.NoError(t, err)
			assert.True(t, got.IsError, "it is listed for display alone")
		}
	}

	// The approval stays when the audience changes.
	require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "docs", Tool: "none", Audience: mcphub.AudienceChat}))
	assert.Equal(t, mcphub.MemberServed, hubtest.Member(t, comp, "none").State)
	assert.ErrorContains(t, comp.Put(t.Context(), mcphub.Member{Server: "docs", Tool: "none", Audience: "friends"}), "no audience")
}
