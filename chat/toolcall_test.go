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
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/toolspec"
)

// A call that fails gets an error result for the model, and the turn continues.
func TestToolCallFailures(t *testing.T) {
	var ran atomic.Int32 // an abandoned call may still run
	var got string
	counts := func(name string, run turntest.Func) *turntest.Tool {
		return turntest.NewTool(name, func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
			ran.Add(1)
			got = string(call.Arguments)
			return run(ctx, call)
		})
	}
	typed := counts("typed", turntest.Returns("counted"))
	typed.Def.InputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string"}},"required":["n"]}`)
	noSuchFile := func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		return toolspec.ErrorResult(&toolspec.CallError{Kind: toolspec.KindRuntimeError, Message: "no such file"}), nil
	}
	tools := turntest.Tools{typed,
		counts("ok", turntest.Returns("counted")),
		counts("failing", noSuchFile),
		counts("gone", turntest.Fails(errors.New("the server is gone"))),
		counts("panics", turntest.Panics("oh")),
		counts("nothing", func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return nil, nil }),
		counts("hangs", turntest.Hangs),
		counts("ignoresCancel", turntest.IgnoresCancel(time.Hour)),
		turntest.TextTool("long", strings.Repeat("x", 13_000)),
		turntest.GatedTool("gated", turntest.Returns("done")),
	}
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
		{row: "arguments missing", call: chattest.Call("typed", `{}`), outcome: llm.OutcomeBadArguments, status: conversation.CallFailed, says: `"n"`},
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
		{row: "tool times out and does not end", call: chattest.Call("ignoresCancel", "{}"), outcome: llm.OutcomeTimeout, status: conversation.CallFailed, ran: 1, says: "timed out after 30s", seconds: 32},
		{row: "approval without a gate", call: chattest.Call("gated", "{}"), outcome: llm.OutcomeDeclined, status: conversation.CallDeclined, says: "no person can be asked here"},
		{row: "oversized result", call: chattest.Call("long", "{}"), outcome: llm.OutcomeExecuted, status: conversation.CallCompleted, says: "1000 of 13000 characters left out"},
	} {
		t.Run(c.row, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ran.Store(0)
				got = ""
				store, model := turntest.NewStore(t), chattest.NewModel(c.call, chattest.Say("done"))
				client := turntest.NewClient(t, model, chat.ClientOptions{Store: store, Tools: tools})
				began := time.Now()
				events, err := turntest.Turn(t, client, "c_1", "q", nil)
				require.NoError(t, err)
				assert.Equal(t, time.Duration(c.seconds)*time.Second, time.Since(began))
				end, turn := ended(t, store, events)
				assert.Equal(t, conversation.EndCompleted, end.Status)
				assert.Equal(t, "done", turntest.Answer(events))
				assert.EqualValues(t, c.ran, ran.Load())
				require.Len(t, turn.Calls, 1)
				assert.Equal(t, c.status, turn.Calls[0].Status)
				sent := model.Asked()[1].Messages
				result := sent[len(sent)-1].Results()[0]
				assert.Equal(t, c.outcome, result.Outcome)
				assert.Contains(t, result.Text(), c.says)
				assert.Equal(t, c.status != conversation.CallCompleted, result.IsError)
				updates := turntest.Find[*chat.ToolCallUpdate](events)
				assert.Equal(t, c.status, updates[len(updates)-1].Status)
				switch c.outcome {
				case llm.OutcomeExecuted, llm.OutcomePanic, llm.OutcomeTimeout:
					assert.Empty(t, turntest.Find[*chat.GuardSpoke](events))
				default:
					require.Len(t, turntest.Find[*chat.GuardSpoke](events), 1)
					assert.NotEmpty(t, updates[len(updates)-1].Reason)
				}
				if c.warning == "" {
					assert.Empty(t, turntest.Warnings(events))
				} else {
					assert.Equal(t, []string{c.warning}, turntest.Warnings(events))
				}
				if c.row == "arguments coerced" {
					assert.JSONEq(t, `{"n":5,"b":true}`, got)
				}
				time.Sleep(2 * time.Hour) // abandoned calls end
			})
		})
	}
}

// After three calls with malformed arguments, a tool is not called again in the turn.
// Other tools are.
func TestToolWithMalformedArgumentsIsGivenUp(t *testing.T) {
	ran := 0
	ok := turntest.NewTool("ok", turntest.Counts(&ran))
	model := chattest.NewModel(chattest.Call("ok", "a"), chattest.Call("ok", "b"), chattest.Call("ok", "c"), chattest.Calls("ok", "{}", "other", "{}"), chattest.Say("done"))
	events, err := turntest.Turn(t, turntest.NewClient(t, model, chat.ClientOptions{Tools: turntest.Tools{ok, turntest.TextTool("other", "x")}}), "", "q", nil)
	require.NoError(t, err)
	assert.Zero(t, ran)
	results := turntest.Find[*chat.ToolCallResult](events)
	require.Len(t, results, 5)
	assert.Contains(t, results[1].Content, "Correct them and call it again")
	assert.Contains(t, results[2].Content, "Do not call it again for this request")
	assert.Contains(t, results[3].Content, "Do not call it again for this request")
	assert.Equal(t, "x", results[4].Content)
}

// Three calls of unknown tools cause one warning.
func TestUnknownToolsCauseAWarning(t *testing.T) {
	model := chattest.NewModel(chattest.Calls("a_one", "{}", "b_two", "{}"), chattest.Call("c_three", "{}"), chattest.Call("d_four", "{}"), chattest.Say("done"))
	events, err := turntest.Turn(t, turntest.NewClient(t, model, chat.ClientOptions{}), "", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{chat.WarnUnknownTools}, turntest.Warnings(events))
	assert.Len(t, turntest.Outcomes(events), 4, "also without any tools")
}

// If a tool fails with the same error for different arguments, the model gets a hint.
func TestRepeatedErrorGivesAHint(t *testing.T) {
	failing := turntest.NewTool("failing", turntest.Fails(errors.New("no network")))
	model := chattest.NewModel()
	for i := range 4 {
		model.Add(chattest.Call("failing", fmt.Sprintf(`{"n":%d}`, i)))
	}
	model.Add(chattest.Say("done"))
	events, err := turntest.Turn(t, turntest.NewClient(t, model, chat.ClientOptions{Tools: turntest.Tools{failing}}), "", "q", nil)
	require.NoError(t, err)
	results := turntest.Find[*chat.ToolCallResult](events)
	assert.NotContains(t, results[1].Content, "in the same way")
	assert.Contains(t, results[2].Content, "failed 3 times in the same way")
	assert.Contains(t, results[3].Content, "failed 4 times in the same way")
}

// A tool in a chat can report progress; it cannot log, elicit, sample or list roots.
func TestToolPeer(t *testing.T) {
	curious := turntest.NewTool("curious", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		peer := call.Caller()
		assert.Error(t, peer.Log(ctx, toolspec.LogMessage{}))
		_, err := peer.Elicit(ctx, &toolspec.ElicitRequest{})
		assert.Error(t, err)
		_, err = peer.Sample(ctx, &toolspec.SampleRequest{})
		assert.Error(t, err)
		_, err = peer.Roots(ctx)
		assert.Error(t, err)
		return toolspec.TextResult("ok"), peer.Progress(ctx, toolspec.Progress{Done: 1, Total: 2, Message: "half"})
	})
	events, err := turntest.Turn(t, turntest.NewClient(t, chattest.NewModel(chattest.Call("curious", "{}"), chattest.Say("done")), chat.ClientOptions{Tools: turntest.Tools{curious}}), "", "q", nil)
	require.NoError(t, err)
	progress := turntest.Find[*chat.ToolCallProgress](events)
	require.Len(t, progress, 1)
	assert.Equal(t, "half", progress[0].Message)
}

// Every message to the model names the tool, and none is empty.
func TestToolMessages(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []llm.Outcome{llm.OutcomeDeclined, llm.OutcomeBudget, llm.OutcomeRepeated, llm.OutcomeLimit, llm.OutcomeWrapUp, llm.OutcomeHardStop, llm.OutcomeCancelled,
		llm.OutcomeInterrupted, llm.OutcomeTimeout, llm.OutcomeUnknownTool, chat.ToolMessageNotLoaded, llm.OutcomeBadArguments, chat.ToolMessageCutOff, llm.OutcomePanic, chat.ToolMessageChanged,
		chat.ToolMessageNotRun, chat.ToolMessageGivenUp, chat.ToolMessageSameError, "another"} {
		for _, note := range []string{"", "a note"} {
			text := chat.English(chat.ToolMessage{Outcome: o, Tool: "launch", Note: note, Count: 3, After: time.Second})
			assert.Contains(t, text, `"launch"`, o)
			seen[text] = true
		}
	}
	for _, o := range []llm.Outcome{chat.ToolMessageTruncated, chat.ToolMessageAnswerNow, chat.ToolMessageContinue, chat.ToolMessageOmitted} {
		assert.NotEmpty(t, chat.English(chat.ToolMessage{Outcome: o, Kept: 1, Total: 2}))
	}
	assert.Greater(t, len(seen), 19)
}
