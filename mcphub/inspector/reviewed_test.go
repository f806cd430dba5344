package inspector_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// A call that a person reviewed needs no second answer of that person once the level of the
// tool is known; until then, and for every other caller, it is asked about.
func TestReviewedCall(t *testing.T) {
	leak.Check(t)
	peer := hubtest.FullPeer("2025-11-25", false)
	ada := toolspec.Principal{Subject: "ada", Via: "http"}
	var asked []approval.Request
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{
		approval.ApproverFunc(func(_ context.Context, list []approval.Request) ([]approval.Decision, error) {
			asked = append(asked, list...)
			return []approval.Decision{{Request: list[0].ID, Outcome: approval.Declined}}, nil
		})}})
	require.NoError(t, err)
	defer gate.Close()
	levels, err := risk.NewLevels(t.Context(), memory.New(), nil)
	require.NoError(t, err)
	defer levels.Close()
	i, c := inspectorOfPeer(t, peer.Transport(client.TransportHTTP), &inspector.Options{Approval: gate, Levels: levels})
	rec, err := i.ListTools(t.Context(), "peer", "")
	did(t, rec, err)
	require.NoError(t, c.Connect(t.Context(), "peer"))
	echo := c.Snapshot("peer").Tool("echo")
	require.NotNil(t, echo)
	server, err := c.Server("peer")
	require.NoError(t, err)
	u := risk.UpstreamOf(server)
	call := func(trial inspector.ToolTrial) *inspector.Inspection {
		t.Helper()
		trial.Tool, trial.Arguments, trial.Principal = "echo", json.RawMessage(`{"a":1}`), ada
		rec, err := i.CallTool(t.Context(), "peer", trial)
		require.NoError(t, err)
		return rec
	}
	reviewed := inspector.ToolTrial{ID: "call-0001", Reviewed: echo.Fingerprint}

	assert.False(t, call(reviewed).OK)
	require.Len(t, asked, 1, "the level is unknown")
	assert.Equal(t, "call-0001", asked[0].CallID)
	assert.Equal(t, toolspec.LevelUnknown, asked[0].Level)
	assert.Equal(t, levels.Of(u, echo).Proposal.Level, asked[0].Proposed)
	assert.Empty(t, asked[0].Confirm)
	assert.Equal(t, []approval.Scope{approval.ScopeOnce}, asked[0].Scopes)

	require.NoError(t, levels.Confirm(t.Context(), u, echo, toolspec.L4, ada))
	reviewed.ID = "call-0002"
	assert.False(t, call(reviewed).OK)
	require.Len(t, asked, 2, "the level is high")

	least := levels.Of(u, echo).Proposal.Least
	if least.Exceeds(toolspec.L3) {
		t.Fatalf("the tool of the test is of level %v", least)
	}
	require.NoError(t, levels.Confirm(t.Context(), u, echo, toolspec.L3, ada))
	reviewed.ID = "call-0003"
	rec = call(reviewed)
	assert.True(t, rec.OK)
	assert.Equal(t, "call-0003", rec.ID)
	assert.Contains(t, rec.Because, "ada")
	assert.Len(t, asked, 2)
	for r, err := range gate.Broker().List(t.Context(), approval.ListOptions{Reverse: true, Limit: 1}) {
		require.NoError(t, err)
		assert.Equal(t, "inspector", r.Decision().Via)
		assert.Equal(t, approval.SideChat, r.Request.Side)
		assert.Equal(t, toolspec.L3, r.Request.Level)
	}
	for range gate.Grants().List(t.Context(), approval.GrantFilter{}) {
		t.Error("there is a grant")
	}

	reviewed.ID, reviewed.Reviewed = "call-0004", "another definition"
	assert.False(t, call(reviewed).OK)
	assert.False(t, call(inspector.ToolTrial{}).OK)
	assert.Len(t, asked, 4, "a call of what was not seen is asked about")
	_, err = i.CallTool(t.Context(), "peer", inspector.ToolTrial{ID: "call-0003", Tool: "echo"})
	assert.ErrorIs(t, err, inspector.ErrInvalidOperation, "an id names one call")
	_, err = i.CallTool(t.Context(), "peer", inspector.ToolTrial{ID: "no id", Tool: "echo"})
	assert.ErrorIs(t, err, inspector.ErrInvalidOperation)

	_, err = gate.Policies().Set(t.Context(), approval.Policy{Server: "peer", Tool: "echo", Effect: approval.AlwaysDeny}, ada)
	require.NoError(t, err)
	reviewed.ID, reviewed.Reviewed = "call-0005", echo.Fingerprint
	rec = call(reviewed)
	assert.Equal(t, "denied", rec.Error.Kind)
	assert.Empty(t, rec.Because)
	assert.Len(t, asked, 4)
}
