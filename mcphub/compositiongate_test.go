package mcphub_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
)

// Policies name a tool of another server as that server does, whatever it is
// called here.
func TestCompositionPoliciesGoByTheOwnName(t *testing.T) {
	c := hubtest.Connections(t, hubtest.Fakes{"mail": (&hubtest.Fake{}).Offer("read", "send", "wipe")}, nil)
	require.NoError(t, c.Connect(t.Context(), "mail"))
	var asked []approval.Request
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true,
		Fixed: []approval.Policy{
			{Server: "mail", Tool: "read", Side: approval.SideServer, Effect: approval.AlwaysAllow},
			{Server: "mail", Tool: "wipe", Effect: approval.AlwaysDeny},
			{Server: "mail", Tool: "clear", Side: approval.SideServer, Effect: approval.AlwaysAllow}, // an alias is nobody's own name
		},
		Approvers: []approval.Approver{approval.ApproverFunc(func(_ context.Context, requests []approval.Request) ([]approval.Decision, error) {
			asked = append(asked, requests...)
			return []approval.Decision{{Request: requests[0].ID, Outcome: approval.Approved, Confirm: requests[0].Confirm}}, nil
		})}})
	require.NoError(t, err)
	defer gate.Close()
	h := hubtest.NewHub(t, &mcphub.Options{Approval: gate})
	comp := hubtest.Compose(t, h, c, nil)
	for tool, alias := range map[string]string{"read": "look", "send": "", "wipe": "clear"} {
		require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "mail", Tool: tool, Alias: alias}))
		hubtest.Approve(t, comp, tool)
	}
	client := serve(t, h)
	client = client.open("2025-11-25", `{}`)
	result(t, client.post(call("2", "look", `{}`)).body)
	assert.Empty(t, asked)
	_, _, reason := failed(t, client.post(call("3", "clear", `{}`)).body)
	assert.Equal(t, "policy-denied", reason)
	assert.Empty(t, asked)
	result(t, client.post(call("4", "mail_send", `{}`)).body)
	result(t, client.modern("5", "tools/call", "mail_send", `"name":"mail_send","arguments":{}`, "").body)
	require.Len(t, asked, 2)
	for _, r := range asked {
		assert.Equal(t, "mail/send as mail_send", r.Server+"/"+r.Tool+" as "+r.Alias)
	}
}
