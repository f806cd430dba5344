package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// The user is asked once for all gated calls of a batch. Declining one call does not
// affect the other.
func TestUserIsAskedOnceForABatch(t *testing.T) {
	one, two := 0, 0
	approver := &turntest.Decider{Decide: func(r approval.Request) approval.Decision {
		if r.Tool == "two" {
			return approval.Decision{Outcome: approval.Declined, Reason: "not on Sundays"}
		}
		return approval.Decision{Outcome: approval.Approved}
	}}
	gate := turntest.NewGate(t, memory.New(), approver)
	store := turntest.NewStore(t)
	model := chattest.NewModel(chattest.Calls("one", "{}", "two", "{}"), chattest.Calls("two", `{"other":true}`, "one", `{"n":2}`), chattest.Say("done"))
	client := turntest.NewClient(t, model, chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.GatedTool("one", turntest.Counts(&one)), turntest.GatedTool("two", turntest.Counts(&two))}, Manager: turntest.NewManager(t, chat.ToolManagerOptions{Gate: gate})})
	events, err := turntest.Turn(t, client, "c_1", "q", me)
	require.NoError(t, err)
	_, turn := ended(t, store, events)
	assert.Equal(t, 2, approver.Asked, "once in each round, and not again for the declined call")
	assert.Equal(t, 2, one)
	assert.Zero(t, two)
	assert.Len(t, turntest.Find[*chat.ApprovalRequired](events), 3)
	results := model.Asked()[1].Messages[2].Results()
	assert.Equal(t, llm.OutcomeExecuted, results[0].Outcome)
	assert.Equal(t, llm.OutcomeDeclined, results[1].Outcome)
	assert.Contains(t, results[1].Text(), "not on Sundays")
	assert.Equal(t, llm.OutcomeDeclined, model.Asked()[2].Messages[4].Results()[0].Outcome)
	assert.Equal(t, conversation.CallDeclined, turn.Calls[1].Status)
	assert.Equal(t, "declined", turn.Calls[1].Error)
}

// Arguments that the user edited are checked like those of the model. Both are stored.
func TestEditedArguments(t *testing.T) {
	for _, c := range []struct {
		name, edited string
		runs         bool
	}{{"valid", `{"n":2}`, true}, {"invalid", `{"n":"two"}`, false}} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			typed := turntest.GatedTool("typed", func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
				got = string(call.Arguments)
				return toolspec.TextResult("done"), nil
			})
			typed.Def.InputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
			gate := turntest.NewGate(t, memory.New(), &turntest.Decider{Decide: func(approval.Request) approval.Decision {
				return approval.Decision{Outcome: approval.Approved, Arguments: json.RawMessage(c.edited)}
			}})
			store := turntest.NewStore(t)
			model := chattest.NewModel(chattest.Call("typed", `{"n":1}`), chattest.Say("done"))
			client := turntest.NewClient(t, model, chat.ClientOptions{Store: store, Tools: turntest.Tools{typed}, Manager: turntest.NewManager(t, chat.ToolManagerOptions{Gate: gate})})
			events, err := turntest.Turn(t, client, "c_1", "q", me)
			require.NoError(t, err)
			_, turn := ended(t, store, events)
			require.Len(t, turn.Calls, 1)
			assert.JSONEq(t, `{"n":1}`, string(turn.Calls[0].Arguments), "the record keeps the arguments of the model")
			if !c.runs {
				assert.Empty(t, got)
				assert.NotEqual(t, conversation.CallCompleted, turn.Calls[0].Status)
				return
			}
			assert.JSONEq(t, c.edited, got)
			assert.JSONEq(t, c.edited, string(turn.Calls[0].Edited))
			resolved := turntest.Find[*chat.ApprovalResolved](events)
			require.Len(t, resolved, 1)
			assert.JSONEq(t, c.edited, string(resolved[0].Edited))
			assert.Contains(t, model.Asked()[1].Messages[2].Results()[0].Text(), `{"n":2}`, "the model gets the arguments that ran")
		})
	}
}

// If an approver fails or does not answer, the call is declined.
func TestFailingApproverDeclines(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  approval.ApproverFunc
	}{
		{"an error", func(context.Context, []approval.Request) ([]approval.Decision, error) {
			return nil, errors.New("broken")
		}},
		{"a panic", func(context.Context, []approval.Request) ([]approval.Decision, error) { panic("oh") }},
		{"unavailable", func(context.Context, []approval.Request) ([]approval.Decision, error) {
			return nil, approval.ErrUnavailable
		}},
		{"no decision", func(context.Context, []approval.Request) ([]approval.Decision, error) { return nil, nil }},
		{"expired", func(ctx context.Context, _ []approval.Request) ([]approval.Decision, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := turntest.NewGate(t, memory.New(), c.ask)
				ran := 0
				store := turntest.NewStore(t)
				model := chattest.NewModel(chattest.Calls("gated", "{}", "free", "{}"), chattest.Say("done"))
				client := turntest.NewClient(t, model, chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.GatedTool("gated", turntest.Counts(&ran)), turntest.TextTool("free", "free")}, Manager: turntest.NewManager(t, chat.ToolManagerOptions{Gate: gate})})
				events, err := turntest.Turn(t, client, "c_1", "q", me)
				require.NoError(t, err)
				ended(t, store, events)
				assert.Zero(t, ran)
				results := model.Asked()[1].Messages[2].Results()
				assert.Equal(t, llm.OutcomeDeclined, results[0].Outcome)
				assert.Equal(t, "free", results[1].Text(), "the other call runs")
			})
		})
	}
}

// The record of a call contains the decision, grant or policy that allowed it, and the
// arguments that the user edited.
func TestRecordSaysWhyACallRan(t *testing.T) {
	p := memory.New()
	store := turntest.StoreOn(t, p)
	approver := &turntest.Decider{Decide: func(approval.Request) approval.Decision {
		return approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeConversation, Arguments: json.RawMessage(`{"n":2}`)}
	}}
	gate := turntest.NewGate(t, p, approver)
	c := turntest.NewClient(t, chattest.NewModel(chattest.Call("gated", `{"n":1}`), chattest.Call("gated", `{"n":3}`), chattest.Call("free", "{}"), chattest.Say("done")),
		chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.TextTool("free", "free"), turntest.GatedTool("gated", turntest.Returns("done"))}, Manager: turntest.NewManager(t, chat.ToolManagerOptions{Gate: gate})})
	events, err := turntest.Turn(t, c, "c_1", "q", me)
	require.NoError(t, err)
	assert.Equal(t, 1, approver.Asked)
	var because []string
	for _, e := range turntest.Find[*chat.ToolCallUpdate](events) {
		if e.Status == conversation.CallInProgress {
			because = append(because, e.Because)
		}
	}
	turn := turntest.StoredTurn(t, store, "c_1", 1)
	require.Len(t, turn.Calls, 3)
	require.Len(t, because, 3)
	for i, want := range []string{"approved by " + turntest.User.Subject + " via test, with other arguments", "an earlier approval covers it: grant ", "the tool is of this program and asks for no approval"} {
		assert.Contains(t, because[i], want)
		assert.Equal(t, because[i], turn.Calls[i].Because)
	}
	assert.JSONEq(t, `{"n":2}`, string(turn.Calls[0].Edited))
}

// A resumed turn checks an approved call again before it runs it: the tool, the policies
// or the decision may have changed since.
func TestResumeChecksAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, g *turntest.Tool, gate *approval.Gate)
		gone   bool
		answer approval.Outcome
		ran    int
		status conversation.ToolCallStatus
		says   string
	}{
		{name: "nothing changed", answer: approval.Approved, ran: 1, status: conversation.CallCompleted, says: "counted"},
		{name: "declined", answer: approval.Declined, status: conversation.CallDeclined, says: "did not approve"},
		{name: "the tool changed", answer: approval.Approved, change: func(_ *testing.T, g *turntest.Tool, _ *approval.Gate) { g.Def.Fingerprint = "another" },
			status: conversation.CallDeclined, says: "changed"},
		{name: "a stricter policy", answer: approval.Approved, change: func(t *testing.T, _ *turntest.Tool, gate *approval.Gate) {
			_, err := gate.Policies().Set(t.Context(), approval.Policy{Tool: "gated", Effect: approval.AlwaysDeny}, turntest.User)
			require.NoError(t, err)
		}, status: conversation.CallDeclined, says: "not"},
		{name: "the tool is gone", answer: approval.Approved, gone: true, status: conversation.CallDeclined, says: "not available any more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := memory.New()
			store := turntest.StoreOn(t, p)
			ran, ranFree := 0, 0
			gated, free := turntest.GatedTool("gated", turntest.Counts(&ran)), turntest.NewTool("free", turntest.Counts(&ranFree))
			free.Def.Fingerprint = "f-free"
			build := func(m llm.Model, tools turntest.Tools) (*chat.Client, *approval.Gate) {
				gate := turntest.NewGate(t, p, &turntest.Decider{Before: func(context.Context) error { return approval.ErrPause }})
				return turntest.NewClient(t, m, chat.ClientOptions{Store: store, Tools: tools, Manager: turntest.NewManager(t, chat.ToolManagerOptions{Gate: gate})}), gate
			}
			client, _ := build(chattest.NewModel(chattest.Calls("gated", "{}", "free", "{}")), turntest.Tools{gated, free})
			events, err := turntest.Turn(t, client, "c_1", "q", me)
			require.NoError(t, err)
			asked := turntest.Find[*chat.ApprovalRequired](events)
			require.Len(t, asked, 1)
			assert.Zero(t, ranFree, "no call of the batch runs before all are decided")
			assert.Equal(t, conversation.EndPaused, events[len(events)-1].(*chat.TurnFinished).Status)
			assert.Equal(t, conversation.StatusPaused, turntest.Status(t, store, "c_1"))
			_, err = client.Ask(t.Context(), "c_1", "another", me)
			assert.ErrorIs(t, err, llm.ErrBusy)

			tools := turntest.Tools{gated, free}
			if c.gone {
				tools = turntest.Tools{free}
			}
			model := chattest.NewModel(chattest.Say("done"))
			client, gate := build(model, tools)
			turntest.Decide(t, gate, asked[0].ApprovalID, c.answer)
			if c.change != nil {
				c.change(t, gated, gate)
			}
			rest, err := turntest.Run(t, client.Resume(t.Context(), "c_1", me))
			require.NoError(t, err)
			assert.NoError(t, chattest.CheckEvents(append(events, rest...)))
			assert.Equal(t, c.ran, ran)
			assert.Equal(t, 1, ranFree)
			turn := turntest.StoredTurn(t, store, "c_1", 1)
			assert.Equal(t, c.status, turn.Calls[0].Status)
			assert.Contains(t, model.Asked()[0].Messages[2].Results()[0].Text(), c.says)
			assert.Len(t, turntest.History(t, store, "c_1"), 4)
			_, err = turntest.Run(t, client.Resume(t.Context(), "c_1", me))
			assert.ErrorIs(t, err, llm.ErrNotFound, "the turn has ended")
		})
	}
}

func TestPauseErrorText(t *testing.T) {
	assert.EqualError(t, &chat.PauseError{Pause: &chat.Pause{Requests: map[string]string{"a": "b"}}}, "chat: 1 calls of the turn wait for approval")
}
