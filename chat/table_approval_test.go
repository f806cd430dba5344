package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// me is who asks in these tests.
var me = &chat.TurnOptions{Principal: toolspec.Principal{Subject: "ada", Via: "test"}}

// gated is a tool that wants approval.
func gated(name string, ran *int) *tool {
	g := textTool(name, "done")
	g.def.Fingerprint, g.def.Level = "f-"+name, toolspec.L3
	g.def.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	if ran != nil {
		g.do = counting(ran)
	}
	return g
}

// approving is a gate with somebody who answers, approving when answer is nil, and
// how often they were asked.
func approving(t *testing.T, answer func(approval.Request) approval.Decision) (*approval.Gate, *int) {
	t.Helper()
	asked := 0
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{
		approval.ApproverFunc(func(_ context.Context, requests []approval.Request) (out []approval.Decision, err error) {
			asked++
			for _, r := range requests {
				d := approval.Decision{Outcome: approval.Approved}
				if answer != nil {
					d = answer(r)
				}
				d.Request, d.By, d.Via = r.ID, me.Principal, "test"
				out = append(out, d)
			}
			return out, nil
		})}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, gate.Close()) })
	return gate, &asked
}

// Two gated calls are one dialog; a decline of one leaves the other alone.
func TestTableOneDialog(t *testing.T) {
	one, two := 0, 0
	gate, asked := approving(t, func(r approval.Request) approval.Decision {
		if r.Tool == "two" {
			return approval.Decision{Outcome: approval.Declined, Reason: "not on Sundays"}
		}
		return approval.Decision{Outcome: approval.Approved}
	})
	store := newStore(t)
	model := chattest.NewModel(chattest.Calls("one", "{}", "two", "{}"), chattest.Calls("two", `{"other":true}`, "one", `{"n":2}`), chattest.Say("done"))
	client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{gated("one", &one), gated("two", &two)}, Manager: managed(t, chat.ToolManagerOptions{Gate: gate})})
	events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), me))
	require.NoError(t, err)
	_, turn := ended(t, store, events)
	assert.Equal(t, 2, *asked, "once in each round, and not for what was declined")
	assert.Equal(t, 2, one)
	assert.Zero(t, two)
	assert.Len(t, find[*chat.ApprovalRequired](events), 3)
	results := model.Asked()[1].Messages[2].Results()
	assert.Equal(t, llm.OutcomeExecuted, results[0].Outcome)
	assert.Equal(t, llm.OutcomeDeclined, results[1].Outcome)
	assert.Contains(t, results[1].Text(), "not on Sundays")
	assert.Equal(t, llm.OutcomeDeclined, model.Asked()[2].Messages[4].Results()[0].Outcome)
	assert.Equal(t, conversation.CallDeclined, turn.Calls[1].Status)
	assert.Equal(t, "declined", turn.Calls[1].Error)
}

// Arguments that a person changed are checked anew, and both are kept.
func TestTableEditedArguments(t *testing.T) {
	for _, c := range []struct {
		name, edited string
		runs         bool
	}{{"well", `{"n":2}`, true}, {"not what the tool takes", `{"n":"two"}`, false}} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			typed := gated("typed", nil)
			typed.def.InputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
			typed.do = func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
				got = string(call.Arguments)
				return toolspec.TextResult("done"), nil
			}
			gate, _ := approving(t, func(approval.Request) approval.Decision {
				return approval.Decision{Outcome: approval.Approved, Arguments: json.RawMessage(c.edited)}
			})
			store := newStore(t)
			model := chattest.NewModel(chattest.Call("typed", `{"n":1}`), chattest.Say("done"))
			client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{typed}, Manager: managed(t, chat.ToolManagerOptions{Gate: gate})})
			events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), me))
			require.NoError(t, err)
			_, turn := ended(t, store, events)
			require.Len(t, turn.Calls, 1)
			assert.JSONEq(t, `{"n":1}`, string(turn.Calls[0].Arguments), "what the model asked for stays")
			if !c.runs {
				assert.Empty(t, got)
				assert.NotEqual(t, conversation.CallCompleted, turn.Calls[0].Status)
				return
			}
			assert.JSONEq(t, c.edited, got)
			assert.JSONEq(t, c.edited, string(turn.Calls[0].Edited))
			resolved := find[*chat.ApprovalResolved](events)
			require.Len(t, resolved, 1)
			assert.JSONEq(t, c.edited, string(resolved[0].Edited))
			assert.Contains(t, model.Asked()[1].Messages[2].Results()[0].Text(), `{"n":2}`, "the model is told what ran")
		})
	}
}

// Row "approval timeout / handler error": it is a no, and not asked about again.
func TestTableNobodyAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  approval.ApproverFunc
	}{
		{"an error", func(context.Context, []approval.Request) ([]approval.Decision, error) {
			return nil, errors.New("broken")
		}},
		{"a panic", func(context.Context, []approval.Request) ([]approval.Decision, error) { panic("oh") }},
		{"nobody there", func(context.Context, []approval.Request) ([]approval.Decision, error) {
			return nil, approval.ErrUnavailable
		}},
		{"no answer", func(context.Context, []approval.Request) ([]approval.Decision, error) { return nil, nil }},
		{"no time", func(ctx context.Context, _ []approval.Request) ([]approval.Decision, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{c.ask}})
				require.NoError(t, err)
				defer func() { assert.NoError(t, gate.Close()) }()
				ran := 0
				store := newStore(t)
				model := chattest.NewModel(chattest.Calls("gated", "{}", "free", "{}"), chattest.Say("done"))
				client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{gated("gated", &ran), textTool("free", "free")}, Manager: managed(t, chat.ToolManagerOptions{Gate: gate})})
				events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), me))
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

// The time of a turn: a tool, a retry and a silent model use it up, a person who
// thinks does not.
func TestTableDeadline(t *testing.T) {
	slow := textTool("slow", "")
	slow.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, c := range []struct {
		name string
		step chattest.Step
		late bool
	}{
		{"a tool", chattest.Call("slow", "{}"), true},
		{"a silent model", chattest.Hang(), true},
		{"a wait for another try", chattest.Fail(chattest.HTTPError(503, 50*time.Second)), true},
		{"a person", chattest.Call("gated", "{}"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.ApproverFunc(
					func(_ context.Context, r []approval.Request) ([]approval.Decision, error) {
						time.Sleep(time.Minute)
						return []approval.Decision{{Request: r[0].ID, Outcome: approval.Approved, By: me.Principal, Via: "test"}}, nil
					})}})
				require.NoError(t, err)
				defer func() { assert.NoError(t, gate.Close()) }()
				store := newStore(t)
				client := newClient(t, chattest.NewModel(c.step, chattest.Say("done")), chat.ClientOptions{Store: store, Tools: source{slow, gated("gated", nil)},
					Policy: chat.TurnPolicy{Deadline: 20 * time.Second}, Manager: managed(t, chat.ToolManagerOptions{Gate: gate})})
				began := time.Now()
				events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), me))
				end, _ := ended(t, store, events)
				if !c.late {
					require.NoError(t, err)
					assert.Equal(t, conversation.EndCompleted, end.Status)
					assert.Equal(t, time.Minute, time.Since(began))
					return
				}
				assert.Equal(t, llm.CodeBudget, llm.CodeOf(err))
				assert.ErrorContains(t, err, "may take 20s")
				assert.Equal(t, conversation.EndIncomplete, end.Status)
				assert.Equal(t, llm.FinishBudget, end.Finish)
				assert.Equal(t, 20*time.Second, time.Since(began))
			})
		})
	}
}
