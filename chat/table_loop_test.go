package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

func managed(t *testing.T, opts chat.ToolManagerOptions) chat.ToolCallingManager {
	t.Helper()
	m, err := chat.NewToolCallingManager(&opts)
	require.NoError(t, err)
	return m
}

// Row "model loops on calls": what happens at batches 16, 17, 18 and 19, and with
// which choice of tools the model is asked.
func TestTableRoundLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		obeys  bool // answers when no tool may be called
		status conversation.TurnStatus
		finish llm.FinishReason
		rounds int
	}{
		{"a model that answers", true, conversation.EndCompleted, llm.FinishStop, 17},
		{"a model that does not", false, conversation.EndIncomplete, llm.FinishRoundLimit, 19},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, ran := 0, 0
			model := chattest.NewModel()
			model.Rule = func(req *llm.ModelRequest) chattest.Step {
				if n++; c.obeys && req.ToolChoice.Mode == llm.ToolNone {
					return chattest.Say("what I have")
				}
				return chattest.Call("tick", fmt.Sprintf(`{"n":%d}`, n))
			}
			tick := textTool("tick", "")
			tick.do = counting(&ran)
			store := newStore(t)
			client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{tick}})
			events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), nil))
			require.NoError(t, err)
			end, turn := ended(t, store, events)
			assert.Equal(t, c.status, end.Status)
			assert.Equal(t, c.finish, end.Finish)
			assert.Equal(t, c.rounds, end.Rounds)
			assert.Equal(t, 16, ran)
			asked := model.Asked()
			require.Len(t, asked, c.rounds)
			assert.Equal(t, llm.ToolAuto, asked[15].ToolChoice.Mode, "for the 16th batch")
			assert.Equal(t, llm.ToolNone, asked[16].ToolChoice.Mode, "for the answer")
			if c.obeys {
				assert.Equal(t, "what I have", answers(events))
				return
			}
			var status []conversation.ToolCallStatus
			for _, call := range turn.Calls[15:] {
				status = append(status, call.Status)
			}
			assert.Equal(t, []conversation.ToolCallStatus{conversation.CallCompleted, conversation.CallSkipped, conversation.CallSkipped, conversation.CallSkipped}, status)
			assert.Contains(t, answers(events), "stopped after 18 rounds")
		})
	}
}

// The fourth identical call is refused, also with its members in another order; a
// call that was refused does not count.
func TestTableIdenticalCalls(t *testing.T) {
	ran := 0
	ok := textTool("ok", "")
	ok.do = counting(&ran)
	model := chattest.NewModel(chattest.Calls("ok", `{"a":1,"b":2}`, "ok", `{"b":2,"a":1}`, "ok", `{ "a" : 1.0, "b":2}`, "ok", `{"a":1,"b":2}`, "ok", `{"a":3}`), chattest.Say("done"))
	events, err := watch(t, newClient(t, model, chat.ClientOptions{Tools: source{ok}}).Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	assert.Equal(t, 4, ran)
	results := model.Asked()[1].Messages[2].Results()
	assert.Equal(t, llm.OutcomeRepeated, results[3].Outcome)
	assert.Contains(t, results[3].Text(), "was called 3 times with the same arguments")
	assert.Equal(t, llm.OutcomeExecuted, results[4].Outcome)
	guards := find[*chat.GuardSpoke](events)
	require.Len(t, guards, 1)
	assert.Equal(t, llm.OutcomeRepeated, guards[0].Outcome)
}

// More calls than a turn may make are errors of their own; the others run.
func TestTableCallLimits(t *testing.T) {
	for _, policy := range []chat.TurnPolicy{{MaxCallsPerTool: 2}, {MaxCalls: 2}} {
		ran := 0
		ok := textTool("ok", "")
		ok.do = counting(&ran)
		model := chattest.NewModel(chattest.Calls("ok", `{"n":1}`, "ok", `{"n":2}`, "ok", `{"n":3}`), chattest.Say("done"))
		events, err := watch(t, newClient(t, model, chat.ClientOptions{Tools: source{ok}, Policy: policy}).Stream(t.Context(), "", llm.UserText("q"), nil))
		require.NoError(t, err)
		assert.Equal(t, 2, ran)
		assert.Equal(t, []llm.Outcome{llm.OutcomeLimit, llm.OutcomeExecuted, llm.OutcomeExecuted}, outcomes(events))
	}
}

// uploads is an interceptor that asks a person, as those for files and pictures do.
type uploads struct {
	err   error
	panic bool
	open  bool // goes on where it fails
}

func (uploads) Name() string { return "uploads" }

func (u uploads) FailClosed() bool { return !u.open }

func (u uploads) Intercept(_ context.Context, calls []llm.ToolCall, in chat.RoundInput, emit func(chat.Event) bool) (map[string]chat.InterceptResult, error) {
	if u.panic {
		panic("oh")
	}
	claims := map[string]chat.InterceptResult{}
	for _, c := range calls {
		switch {
		case c.Name != "upload":
		case !in.Turn.Interact():
			claims[c.ID] = chat.InterceptResult{Result: &llm.ToolResult{IsError: true, Outcome: llm.OutcomeBudget,
				Content: []toolspec.Content{toolspec.Text(chat.English(chat.ToolMessage{Outcome: llm.OutcomeBudget, Tool: c.Name}))}}}
		default:
			follow := llm.UserText("here is the file")
			claims[c.ID] = chat.InterceptResult{Result: &llm.ToolResult{Outcome: llm.OutcomeExecuted, Content: []toolspec.Content{toolspec.Text("uploaded")}}, FollowUp: &follow}
		}
	}
	return claims, u.err
}

// One interaction in a round: where an approval was asked for, an upload has to
// wait for the next round. Claimed and executed calls keep the order of the calls,
// and what follows them comes after.
func TestTableInteractionBudget(t *testing.T) {
	gate, asked := approving(t, nil)
	model := chattest.NewModel(chattest.Calls("free", "{}", "gated", "{}", "upload", "{}", "nowhere", "{}"), chattest.Calls("upload", `{"again":true}`, "free", `{"n":2}`), chattest.Say("done"))
	store := newStore(t)
	client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{textTool("free", "free"), gated("gated", nil), textTool("upload", "never")},
		Manager: managed(t, chat.ToolManagerOptions{Gate: gate, Interceptors: []chat.Interceptor{uploads{}}})})
	events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), me))
	require.NoError(t, err)
	assert.Equal(t, 1, *asked)
	ended(t, store, events)
	requests := model.Asked()
	first := requests[1].Messages[2].Results()
	require.Len(t, first, 4)
	for i, want := range []struct {
		name    string
		outcome llm.Outcome
	}{{"free", llm.OutcomeExecuted}, {"gated", llm.OutcomeExecuted}, {"upload", llm.OutcomeBudget}, {"nowhere", llm.OutcomeUnknownTool}} {
		assert.Equal(t, want.name, first[i].Name)
		assert.Equal(t, want.outcome, first[i].Outcome)
	}
	second := requests[2].Messages
	assert.Equal(t, "uploaded", second[4].Results()[0].Text())
	assert.Equal(t, "here is the file", second[5].Text(), "what follows the results")
}

// A failing interceptor is left out, or refuses what it looked at.
func TestTableFailingInterceptor(t *testing.T) {
	for _, c := range []struct {
		name string
		in   uploads
		want llm.Outcome
	}{
		{"fails closed", uploads{err: errors.New("no")}, llm.OutcomeDeclined},
		{"panics closed", uploads{panic: true}, llm.OutcomeDeclined},
		{"is left out", uploads{err: errors.New("no"), open: true}, llm.OutcomeExecuted},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := chattest.NewModel(chattest.Call("upload", "{}"), chattest.Say("done"))
			client := newClient(t, model, chat.ClientOptions{Tools: source{textTool("upload", "ran")}, Manager: managed(t, chat.ToolManagerOptions{Interceptors: []chat.Interceptor{c.in}})})
			events, err := watch(t, client.Stream(t.Context(), "", llm.UserText("q"), nil))
			require.NoError(t, err)
			assert.Equal(t, []llm.Outcome{c.want}, outcomes(events))
		})
	}
	_, err := chat.NewToolCallingManager(&chat.ToolManagerOptions{Interceptors: []chat.Interceptor{nil}})
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

// Direct results are the answer only when all calls of the batch are direct, and a
// terminal card only when it stands alone.
func TestTableReturnDirect(t *testing.T) {
	direct, failing := textTool("direct", "the answer"), textTool("failing", "")
	direct.def.ReturnDirect, failing.def.ReturnDirect = true, true
	failing.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return nil, errors.New("no") }
	card := textTool("card", "Two bars.\n```localpass-action-return-direct\n{\"type\":\"chart\"}\n```")
	for _, c := range []struct {
		name   string
		calls  []string
		answer string // "": the model answers
	}{
		{"one", []string{"direct", "{}"}, "the answer"},
		{"all", []string{"direct", `{"n":1}`, "direct", `{"n":2}`}, "the answer\n\nthe answer"},
		{"not all", []string{"direct", "{}", "other", "{}"}, ""},
		{"one failed", []string{"direct", "{}", "failing", "{}"}, ""},
		{"one claimed", []string{"direct", "{}", "nowhere", "{}"}, ""},
		{"card alone", []string{"card", "{}"}, "Two bars.\n[a card of type chart is shown to the user]"},
		{"card with a sibling", []string{"card", "{}", "other", "{}"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, model := newStore(t), chattest.NewModel(chattest.Calls(c.calls...), chattest.Say("by the model"), chattest.Say("next"))
			client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{direct, failing, card, textTool("other", "x")}})
			events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), nil))
			require.NoError(t, err)
			end, turn := ended(t, store, events)
			assert.Equal(t, conversation.EndCompleted, end.Status)
			if c.answer == "" {
				assert.Equal(t, "by the model", answers(events))
				return
			}
			assert.Equal(t, llm.FinishReturnDirect, end.Finish)
			assert.Equal(t, c.answer, answers(events))
			history := turn.History()
			assert.Equal(t, llm.RoleAssistant, history[len(history)-1].Role, "after the results, so that the next turn's history is valid")
			assert.Equal(t, llm.RoleTool, history[len(history)-2].Role)
		})
	}
}

// Calls run side by side only when each of them changes nothing; results keep the
// order of the calls, and one that fails does not stop the others.
func TestTableSideBySide(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name string
		def  toolspec.Definition
		most int32
	}{
		{"read-only", toolspec.Definition{Annotations: toolspec.Annotations{ReadOnly: &yes}}, 4},
		{"of a low level", toolspec.Definition{Level: toolspec.L2}, 4},
		{"of a high level", toolspec.Definition{Level: toolspec.L3}, 1},
		{"of an unknown level", toolspec.Definition{}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var running, most atomic.Int32
				slow := textTool("slow", "")
				slow.def.Annotations, slow.def.Level = c.def.Annotations, c.def.Level
				slow.do = func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
					most.Store(max(most.Load(), running.Add(1)))
					defer running.Add(-1)
					var in struct{ N int }
					_ = json.Unmarshal(call.Arguments, &in)
					time.Sleep(time.Duration(10-in.N) * time.Second) // the last one is the first to end
					if in.N == 2 {
						panic("oh")
					}
					return toolspec.TextResult(fmt.Sprint(in.N)), nil
				}
				var calls []string
				for n := range 6 {
					calls = append(calls, "slow", fmt.Sprintf(`{"n":%d}`, n))
				}
				model := chattest.NewModel(chattest.Calls(calls...), chattest.Say("done"))
				_, err := watch(t, newClient(t, model, chat.ClientOptions{Tools: source{slow}}).Stream(t.Context(), "", llm.UserText("q"), nil))
				require.NoError(t, err)
				assert.Equal(t, c.most, most.Load())
				for i, r := range model.Asked()[1].Messages[2].Results() {
					if i == 2 {
						assert.Equal(t, llm.OutcomePanic, r.Outcome)
						continue
					}
					assert.Equal(t, fmt.Sprint(i), r.Text())
				}
			})
		})
	}
}

// pool has a tool that was not offered.
type pool struct{ toolspec.Tool }

func (p pool) Find(_ context.Context, name string) (toolspec.Tool, bool) {
	return p.Tool, name == p.Definition().Name
}

// A tool of the pool runs without having been offered; what the pool lacks is
// unknown.
func TestTablePool(t *testing.T) {
	turn, err := chat.NewTurn("t", chat.TurnPolicy{}, "hidden")
	require.NoError(t, err)
	in := chat.RoundInput{Turn: turn, Round: 1, Pool: pool{textTool("hidden", "found")}, Assistant: llm.Message{Role: llm.RoleAssistant,
		Parts: []llm.Part{llm.ToolCall{ID: "a", Name: "hidden"}, llm.ToolCall{ID: "b", Name: "lost"}}}}
	r, err := managed(t, chat.ToolManagerOptions{}).ExecuteRound(t.Context(), in, func(chat.Event) bool { return true })
	require.NoError(t, err)
	require.Len(t, r.Results, 2)
	assert.Equal(t, "found", r.Results[0].Text())
	assert.Equal(t, llm.OutcomeUnknownTool, r.Results[1].Outcome)
	in.Turn = nil
	_, err = managed(t, chat.ToolManagerOptions{}).ExecuteRound(t.Context(), in, func(chat.Event) bool { return true })
	assert.ErrorIs(t, err, llm.ErrInvalid)
}
