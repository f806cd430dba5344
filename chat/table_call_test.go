package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

// counting is a tool that counts.
func counting(n *int) func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
	return func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		*n++
		return toolspec.TextResult("counted"), nil
	}
}

// The rows of the failure table in which one call fails, and the turn goes on.
func TestTableCalls(t *testing.T) {
	var ran atomic.Int32 // a tool that is given up may still run
	ok := textTool("ok", "counted")
	well := ok.do
	ok.do = func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		ran.Add(1)
		return well(ctx, call)
	}
	typed := textTool("typed", "")
	typed.def.InputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string"}},"required":["n"]}`)
	var got string
	typed.do = func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		ran.Add(1)
		got = string(call.Arguments)
		return toolspec.TextResult("counted"), nil
	}
	failing := textTool("failing", "")
	failing.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		ran.Add(1)
		return toolspec.ErrorResult(&toolspec.CallError{Kind: toolspec.KindRuntimeError, Message: "no such file"}), nil
	}
	gone := textTool("gone", "")
	gone.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		ran.Add(1)
		return nil, errors.New("the server is gone")
	}
	panics := textTool("panics", "")
	panics.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { ran.Add(1); panic("oh") }
	nothing := textTool("nothing", "")
	nothing.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { ran.Add(1); return nil, nil }
	hangs := textTool("hangs", "")
	hangs.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		ran.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	deaf := textTool("deaf", "")
	deaf.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		ran.Add(1)
		time.Sleep(time.Hour)
		return toolspec.TextResult("too late"), nil
	}
	long := textTool("long", strings.Repeat("x", 13_000))
	for _, c := range []struct {
		row     string
		call    chattest.Step
		outcome llm.Outcome
		status  conversation.ToolCallStatus
		ran     int
		says    string
		seconds int
		warning string
	}{
		{row: "arguments empty", call: chattest.Call("ok", ""), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, ran: 1, says: "counted"},
		{row: "arguments malformed, repaired: comma", call: chattest.Call("typed", `{"n":1,}`), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, ran: 1, says: "counted", warning: chat.WarnRepaired},
		{row: "arguments malformed, repaired: open", call: chattest.Call("typed", `{"n":1,"s":"a`), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, ran: 1, says: "counted", warning: chat.WarnRepaired},
		{row: "arguments malformed, repaired: quotes", call: chattest.Call("typed", `{'n':1}`), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, ran: 1, says: "counted", warning: chat.WarnRepaired},
		{row: "arguments malformed, repaired: fence", call: chattest.Call("typed", "```json\n{\"n\":1}\n```"), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, ran: 1, says: "counted", warning: chat.WarnRepaired},
		{row: "arguments malformed, repaired: doubled", call: chattest.Call("typed", `"{\"n\":1}"`), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, ran: 1, says: "counted", warning: chat.WarnRepaired},
		{row: "arguments malformed", call: chattest.Call("ok", "call it"), outcome: llm.OutcomeBadArguments, status: conversation.CallFailed, says: "at byte 1"},
		{row: "arguments violate the schema", call: chattest.Call("typed", `{"n":"many"}`), outcome: llm.OutcomeBadArguments, status: conversation.CallFailed, says: "n"},
		{row: "arguments coerced", call: chattest.Call("typed", `{"n":"5","b":"true"}`), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, ran: 1, says: "counted"},
		{row: "arguments not coerced", call: chattest.Call("typed", `{"n":5,"b":"yes"}`), outcome: llm.OutcomeBadArguments, status: conversation.CallFailed, says: "b"},
		{row: "length limit inside arguments", call: chattest.Steps(chattest.Write("", "ok", `{"n":1}`), chattest.Finish(llm.FinishLength)), outcome: llm.OutcomeBadArguments, status: conversation.CallFailed, says: "cut off by the length limit"},
		{row: "unknown tool", call: chattest.Call("launch", "{}"), outcome: llm.OutcomeUnknownTool, status: conversation.CallFailed, says: "Use only the tools that are listed"},
		{row: "unknown tool, hint", call: chattest.Call("Failing", "{}"), outcome: llm.OutcomeUnknownTool, status: conversation.CallFailed, says: `Did you mean "failing"?`},
		{row: "unknown tool, prefix", call: chattest.Call("files_failing", "{}"), outcome: llm.OutcomeUnknownTool, status: conversation.CallFailed, says: `Did you mean "failing"?`},
		{row: "unknown tool, a slip", call: chattest.Call("fialing", "{}"), outcome: llm.OutcomeUnknownTool, status: conversation.CallFailed, says: `Did you mean "failing"?`},
		{row: "tool returns an error", call: chattest.Call("failing", "{}"), outcome: llm.OutcomeExecuted, status: conversation.CallFailed, ran: 1, says: "no such file"},
		{row: "server gone", call: chattest.Call("gone", "{}"), outcome: llm.OutcomeExecuted, status: conversation.CallFailed, ran: 1, says: "the server is gone"},
		{row: "tool panics", call: chattest.Call("panics", "{}"), outcome: llm.OutcomePanic, status: conversation.CallFailed, ran: 1, says: "failed unexpectedly: oh"},
		{row: "tool gives nothing", call: chattest.Call("nothing", "{}"), outcome: llm.OutcomeExecuted, status: conversation.CallFailed, ran: 1, says: "no result"},
		{row: "tool times out", call: chattest.Call("hangs", "{}"), outcome: llm.OutcomeTimeout, status: conversation.CallFailed, ran: 1, says: "timed out after 30s. It may or may not have taken effect", seconds: 30},
		{row: "tool times out and does not end", call: chattest.Call("deaf", "{}"), outcome: llm.OutcomeTimeout, status: conversation.CallFailed, ran: 1, says: "timed out after 30s", seconds: 32},
		{row: "oversized result", call: chattest.Call("long", "{}"), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, says: "1000 of 13000 characters left out"},
	} {
		t.Run(c.row, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ran.Store(0)
				got = ""
				store, model := newStore(t), chattest.NewModel(c.call, chattest.Say("done"))
				client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{ok, typed, failing, gone, panics, nothing, hangs, deaf, long}})
				began := time.Now()
				events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), nil))
				require.NoError(t, err)
				assert.Equal(t, time.Duration(c.seconds)*time.Second, time.Since(began))
				end, turn := ended(t, store, events)
				assert.Equal(t, conversation.EndCompleted, end.Status)
				assert.Equal(t, "done", answers(events))
				assert.EqualValues(t, c.ran, ran.Load())
				require.Len(t, turn.Calls, 1)
				assert.Equal(t, c.status, turn.Calls[0].Status)
				told := model.Asked()[1].Messages
				result := told[len(told)-1].Results()[0]
				assert.Equal(t, c.outcome, result.Outcome)
				assert.Contains(t, result.Text(), c.says)
				assert.Equal(t, c.status != conversation.CallCompleted, result.IsError)
				updates := find[*chat.ToolCallUpdate](events)
				assert.Equal(t, c.status, updates[len(updates)-1].Status)
				switch c.outcome {
				case llm.OutcomeExecuted, llm.OutcomePanic, llm.OutcomeTimeout:
					assert.Empty(t, find[*chat.GuardSpoke](events))
				default:
					require.Len(t, find[*chat.GuardSpoke](events), 1)
					assert.NotEmpty(t, updates[len(updates)-1].Reason)
				}
				if c.warning == "" {
					assert.Empty(t, codesOf(events))
				} else {
					assert.Equal(t, []string{c.warning}, codesOf(events))
				}
				if c.row == "arguments coerced" {
					assert.JSONEq(t, `{"n":5,"b":true}`, got)
				}
				time.Sleep(2 * time.Hour) // what was given up ends by itself
			})
		})
	}
}

// Row "arguments malformed": after three mistakes with one tool it is not called
// again, whatever its arguments; others are.
func TestTableGivesUpATool(t *testing.T) {
	ran := 0
	ok := textTool("ok", "")
	ok.do = counting(&ran)
	model := chattest.NewModel(chattest.Call("ok", "a"), chattest.Call("ok", "b"), chattest.Call("ok", "c"), chattest.Calls("ok", "{}", "other", "{}"), chattest.Say("done"))
	events, err := watch(t, newClient(t, model, chat.ClientOptions{Tools: source{ok, textTool("other", "x")}}).Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	assert.Zero(t, ran)
	results := find[*chat.ToolCallResult](events)
	require.Len(t, results, 5)
	assert.Contains(t, results[1].Content, "Correct them and call it again")
	assert.Contains(t, results[2].Content, "Do not call it again for this request")
	assert.Contains(t, results[3].Content, "Do not call it again for this request")
	assert.Equal(t, "x", results[4].Content)
}

// Row "unknown tool": three of them are worth a warning.
func TestTableUnknownTools(t *testing.T) {
	model := chattest.NewModel(chattest.Calls("a_one", "{}", "b_two", "{}"), chattest.Call("c_three", "{}"), chattest.Call("d_four", "{}"), chattest.Say("done"))
	events, err := watch(t, newClient(t, model, chat.ClientOptions{}).Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	assert.Equal(t, []string{chat.WarnUnknownTools}, codesOf(events))
	assert.Len(t, outcomes(events), 4, "also where there are no tools at all")
}

// Section 2.4: the same error for other arguments gives a hint.
func TestTableSameErrors(t *testing.T) {
	failing := textTool("failing", "")
	failing.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return nil, errors.New("no network") }
	model := chattest.NewModel()
	for i := range 4 {
		model.Add(chattest.Call("failing", fmt.Sprintf(`{"n":%d}`, i)))
	}
	model.Add(chattest.Say("done"))
	events, err := watch(t, newClient(t, model, chat.ClientOptions{Tools: source{failing}}).Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	results := find[*chat.ToolCallResult](events)
	assert.NotContains(t, results[1].Content, "in the same way")
	assert.Contains(t, results[2].Content, "failed 3 times in the same way")
	assert.Contains(t, results[3].Content, "failed 4 times in the same way")
}

// Row "oversized result": the whole text is in a file that can be read, and a list
// is cut between its elements.
func TestTableOversizedResult(t *testing.T) {
	elements := make([]string, 3000)
	for i := range elements {
		elements[i] = fmt.Sprintf(`{"name":"요소 %d"}`, i)
	}
	list := "[" + strings.Join(elements, ",") + "]"
	files := map[string]string{}
	read := &tool{def: toolspec.Definition{Name: "readFile", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		do: func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
			var in struct{ Path string }
			if err := json.Unmarshal(call.Arguments, &in); err != nil {
				return nil, err
			}
			return toolspec.TextResult(fmt.Sprint(len(files[in.Path]))), nil
		}}
	manager, err := chat.NewToolCallingManager(&chat.ToolManagerOptions{Offload: func(_ context.Context, conversation, call, text string) (string, error) {
		path := conversation + "/" + call + ".txt"
		files[path] = text
		return path, nil
	}})
	require.NoError(t, err)
	model := chattest.NewModel(chattest.Call("list", "{}"), chattest.Call("readFile", `{"path":"c_1/call_1_0.txt"}`), chattest.Say("done"))
	_, err = watch(t, newClient(t, model, chat.ClientOptions{Tools: source{textTool("list", list), read}, Manager: manager}).Stream(t.Context(), "c_1", llm.UserText("q"), nil))
	require.NoError(t, err)
	asked := model.Asked()
	first := asked[1].Messages[2].Results()[0]
	assert.Contains(t, first.Text(), `"c_1/call_1_0.txt"`)
	head, _, _ := strings.Cut(first.Text(), "\n[…")
	assert.True(t, json.Valid([]byte(head)))
	assert.Equal(t, fmt.Sprint(len(list)), asked[2].Messages[4].Results()[0].Text(), "the model can read the whole")
}
