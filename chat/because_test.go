package chat_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
)

// A call says which decision, grant or policy let it run, also when nobody was
// asked, and keeps the arguments that a person made of its own.
func TestCallSaysWhyItRan(t *testing.T) {
	p := memory.New()
	store, err := conversation.NewStore(p)
	require.NoError(t, err)
	asked := 0
	person := approval.ApproverFunc(func(_ context.Context, list []approval.Request) ([]approval.Decision, error) {
		asked++
		return []approval.Decision{{Request: list[0].ID, Outcome: approval.Approved, Scope: approval.ScopeConversation, By: me.Principal, Via: "test",
			Arguments: json.RawMessage(`{"n":2}`)}}, nil
	})
	gate, err := approval.NewGate(&approval.Options{Store: p, NoAudit: true, Approvers: []approval.Approver{person}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, gate.Close()) }()
	free := textTool("free", "free")
	c := newClient(t, chattest.NewModel(chattest.Call("gated", `{"n":1}`), chattest.Call("gated", `{"n":3}`), chattest.Call("free", "{}"), chattest.Say("done")),
		chat.ClientOptions{Store: store, Tools: source{free, gatedTool("gated", func() {})}, Manager: managed(t, chat.ToolManagerOptions{Gate: gate})})
	events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("q"), me))
	require.NoError(t, err)
	assert.Equal(t, 1, asked)
	var because []string
	for _, e := range find[*chat.ToolCallUpdate](events) {
		if e.Status == conversation.CallInProgress {
			because = append(because, e.Because)
		}
	}
	turn, err := store.Turn(t.Context(), "c_1", 1)
	require.NoError(t, err)
	require.Len(t, turn.Calls, 3)
	require.Len(t, because, 3)
	for i, want := range []string{"approved by " + me.Principal.Subject + " via test, with other arguments", "an earlier approval covers it: grant ", "the tool is of this program and asks for no approval"} {
		assert.Contains(t, because[i], want)
		assert.Equal(t, because[i], turn.Calls[i].Because)
	}
	assert.JSONEq(t, `{"n":2}`, string(turn.Calls[0].Edited))
}
