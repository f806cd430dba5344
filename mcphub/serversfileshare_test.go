package mcphub_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

func TestParseShare(t *testing.T) {
	f := parseServers(t, `{"mcpServers":{
		"all":{"command":"x","share":true},
		"some":{"command":"x","share":{"resources":["notes://*"],"resourceTemplates":["a{b}"],"prompts":["greet"],"allowChanges":true}},
		"none":{"command":"x","share":false}}}`)
	any := []string{"*"}
	assert.Equal(t, &servers.ShareEntry{Resources: any, Templates: any, Prompts: any}, f.Servers[0].Share)
	assert.Equal(t, &servers.ShareEntry{Resources: []string{"notes://*"}, Templates: []string{"a{b}"}, Prompts: []string{"greet"}, AllowChanges: true}, f.Servers[1].Share)
	assert.Nil(t, f.Servers[2].Share)
	for text, want := range map[string]string{
		`1`:                  "it must be true, or",
		`{}`:                 "it chooses nothing",
		`{"tools":["x"]}`:    "mcpServers.a.share.tools: there is no such member",
		`{"prompts":"x"}`:    "mcpServers.a.share.prompts: it is a string",
		`{"prompts":[1]}`:    "mcpServers.a.share.prompts[0]: it is a number",
		`{"resources":[""]}`: "mcpServers.a.share.resources[0]: it has 0 bytes",
		`{"allowChanges":1}`: "mcpServers.a.share.allowChanges: it is a number",
		`{"resources":["*"` + strings.Repeat(`,"x"`, 1000) + `]}`: "it has 1001 patterns",
	} {
		_, err := servers.Parse([]byte(`{"mcpServers":{"a":{"command":"x","share":` + text + `}}}`))
		assert.ErrorContains(t, err, want, text)
	}
}

func TestChooseShareFollowsTheFile(t *testing.T) {
	up := notes(t, nil)
	c := hubtest.Connections(t, hubtest.Fakes{"notes": up.InProcess(nil)}, nil)
	comp := compose(t, hubtest.NewHub(t, nil), c, nil)
	choose := func(members string) error {
		file := parseServers(t, `{"mcpServers":{"notes":{"type":"fake","to":"notes",`+members+`}}}`)
		return comp.ChooseShare(t.Context(), &file.Servers[0])
	}
	const today = `"approve":true,"share":{"resources":["notes://t*"]}`
	require.NoError(t, choose(today))
	assert.Empty(t, comp.Shares(), "nobody knows what there is")
	require.NoError(t, c.Connect(t.Context(), "notes"))
	require.NoError(t, choose(today))
	assert.Equal(t, []string{"resource notes://today: served"}, statesOf(shareOf(t, comp, "notes")))

	// A yes of the file counts once.
	require.NoError(t, up.AddResource(mcphub.Resource{URI: "notes://tomorrow"}, mcphub.ReadText("x")))
	require.NoError(t, c.Sync(t.Context(), "notes"))
	require.NoError(t, choose(today))
	assert.Equal(t, []string{"resource notes://today: served", "resource notes://tomorrow: awaiting-approval"}, statesOf(shareOf(t, comp, "notes")))
	require.NoError(t, comp.RevokeShare(t.Context(), "notes"))
	require.NoError(t, choose(today))
	assert.Empty(t, shareOf(t, comp, "notes").Approved)

	require.NoError(t, choose(`"approve":true,"share":{"prompts":["greet"]}`))
	assert.Equal(t, []string{"prompt greet: awaiting-approval"}, statesOf(shareOf(t, comp, "notes")))
	require.NoError(t, choose(`"tools":[]`))
	assert.Empty(t, comp.Shares())
	require.NoError(t, choose(`"tools":[]`))
	require.NoError(t, choose(`"approve":true,"share":{"prompts":["nothing-such"]}`))
	assert.Empty(t, statesOf(shareOf(t, comp, "notes")))
	require.NoError(t, comp.RemoveServer(t.Context(), "notes"))
	assert.Empty(t, comp.Shares())
}
