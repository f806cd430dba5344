package chat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// codesOf are the codes of the warnings.
func codesOf(events []chat.Event) (codes []string) {
	for _, w := range find[*chat.Warned](events) {
		codes = append(codes, w.Code)
	}
	return codes
}

// ended is how a turn ended: its last event, and what is stored of it.
func ended(t *testing.T, store conversation.Store, events []chat.Event) (*chat.TurnFinished, *conversation.TurnRecord) {
	t.Helper()
	require.NotEmpty(t, events)
	end, ok := events[len(events)-1].(*chat.TurnFinished)
	require.True(t, ok)
	conv, err := store.Get(context.Background(), "c_1")
	require.NoError(t, err)
	assert.Equal(t, end.Status.Conversation(), conv.Status)
	assert.Nil(t, conv.Running)
	turn, err := store.Turn(context.Background(), "c_1", conv.Turns)
	require.NoError(t, err)
	assert.Equal(t, end.Status, turn.Status)
	assert.Equal(t, end.Seq, turn.Events)
	stored(t, store, "c_1")
	return end, turn
}

// The rows of the failure table that are about the model and its provider.
func TestTableModel(t *testing.T) {
	unavailable, late := chattest.HTTPError(503, 0), 3*time.Minute
	rejected := &llm.Error{Code: llm.CodeProviderRejected, HTTPStatus: 400, Message: "no such field"}
	broken := &llm.Error{Code: llm.CodeStreamBroken, Retryable: true}
	slow := func(d time.Duration, s chattest.Step) chattest.Step {
		return func(ctx context.Context, req *llm.ModelRequest, out func(llm.Delta) bool) error {
			select {
			case <-time.After(d):
				return s(ctx, req, out)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	for _, c := range []struct {
		row       string
		steps     []chattest.Step
		midStream bool
		status    conversation.TurnStatus
		finish    llm.FinishReason
		code      llm.Code
		answer    string // the text of the last stored message of the model
		retries   int
		warnings  []string
		retryable bool
	}{
		{row: "no connection", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(0, 0)), chattest.Fail(chattest.HTTPError(0, 0)), chattest.Say("well")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "well", retries: 2},
		{row: "no connection for good", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(0, 0)), chattest.Fail(chattest.HTTPError(0, 0)), chattest.Fail(chattest.HTTPError(0, 0)), chattest.Fail(chattest.HTTPError(0, 0)), chattest.Fail(chattest.HTTPError(0, 0)), chattest.Fail(chattest.HTTPError(0, 0))},
			status: conversation.EndFailed, code: llm.CodeUnavailable, retries: 5, retryable: true},
		{row: "first token late", steps: []chattest.Step{slow(late, chattest.Say("x"))}, status: conversation.EndFailed, code: llm.CodeProviderTimeout, retryable: true},
		{row: "silent mid-way", steps: []chattest.Step{chattest.Steps(chattest.Text("half"), chattest.Hang())}, status: conversation.EndIncomplete, code: llm.CodeProviderTimeout, answer: "half", retryable: true},
		{row: "silent in its thoughts", steps: []chattest.Step{chattest.Steps(chattest.Think("hm"), chattest.Hang())}, status: conversation.EndFailed, code: llm.CodeProviderTimeout, retryable: true},
		{row: "cut before the first delta", steps: []chattest.Step{chattest.Fail(broken), chattest.Say("well")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "well", retries: 1},
		{row: "cut mid-way", steps: []chattest.Step{chattest.Steps(chattest.Text("half"), chattest.Fail(broken))}, status: conversation.EndIncomplete, code: llm.CodeStreamBroken, answer: "half", retryable: true},
		{row: "cut mid-way, asked anew", midStream: true, steps: []chattest.Step{chattest.Steps(chattest.Text("half"), chattest.Fail(broken)), chattest.Say("whole")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "whole", retries: 1},
		{row: "cut mid-way, asked anew for nothing", midStream: true, steps: []chattest.Step{chattest.Steps(chattest.Text("half"), chattest.Fail(broken)), chattest.Fail(unavailable), chattest.Fail(unavailable), chattest.Fail(unavailable), chattest.Fail(unavailable), chattest.Fail(unavailable)},
			status: conversation.EndFailed, code: llm.CodeUnavailable, retries: 5, retryable: true},
		{row: "HTTP 429", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(429, 2*time.Second)), chattest.Say("well")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "well", retries: 1},
		{row: "HTTP 429, a long wait", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(429, 2*time.Minute))}, status: conversation.EndFailed, code: llm.CodeRateLimited, retryable: true},
		{row: "HTTP 500", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(500, 0)), chattest.Fail(chattest.HTTPError(502, 0)), chattest.Fail(chattest.HTTPError(529, 0)), chattest.Say("well")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "well", retries: 3},
		{row: "HTTP 408", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(408, 0)), chattest.Say("well")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "well", retries: 1},
		{row: "HTTP 400", steps: []chattest.Step{chattest.Fail(rejected)}, status: conversation.EndFailed, code: llm.CodeProviderRejected},
		{row: "HTTP 401", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(401, 0))}, status: conversation.EndFailed, code: llm.CodeProviderAuth},
		{row: "HTTP 404", steps: []chattest.Step{chattest.Fail(chattest.HTTPError(404, 0))}, status: conversation.EndFailed, code: llm.CodeModelNotFound},
		{row: "content filter", steps: []chattest.Step{chattest.Steps(chattest.Text("I"), chattest.Finish(llm.FinishContentFilter))}, status: conversation.EndCompleted, finish: llm.FinishContentFilter, answer: "I"},
		{row: "refusal", steps: []chattest.Step{chattest.Steps(chattest.One(llm.Delta{Kind: llm.DeltaRefusal, Text: "No."}), chattest.Finish(llm.FinishRefusal))}, status: conversation.EndCompleted, finish: llm.FinishRefusal},
		{row: "length limit, no text", steps: []chattest.Step{chattest.Steps(chattest.Think("hm"), chattest.Finish(llm.FinishLength))}, status: conversation.EndIncomplete, finish: llm.FinishLength, warnings: []string{chat.WarnLength}},
		{row: "length limit", steps: []chattest.Step{chattest.Steps(chattest.Text("a lot"), chattest.Finish(llm.FinishLength))}, status: conversation.EndCompleted, finish: llm.FinishLength, answer: "a lot", warnings: []string{chat.WarnLength}},
		{row: "empty answer", steps: []chattest.Step{chattest.Finish(llm.FinishStop), chattest.Say("well")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "well"},
		{row: "empty answer twice", steps: []chattest.Step{chattest.Finish(llm.FinishStop), chattest.Finish(llm.FinishStop)}, status: conversation.EndCompleted, finish: llm.FinishStop, warnings: []string{chat.WarnEmptyAnswer}},
		{row: "only reasoning", steps: []chattest.Step{chattest.Steps(chattest.Think("hm"), chattest.Finish(llm.FinishStop)), chattest.Say("well")}, status: conversation.EndCompleted, finish: llm.FinishStop, answer: "well"},
		{row: "the model panics", steps: []chattest.Step{chattest.Steps(chattest.Text("half"), chattest.Panic("oh"))}, status: conversation.EndFailed, code: llm.CodeInternal, answer: "half"},
	} {
		t.Run(c.row, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, model := newStore(t), chattest.NewModel(c.steps...)
				client := newClient(t, model, chat.ClientOptions{Store: store, Retry: &llm.RetryPolicy{MidStream: c.midStream}})
				events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), nil))
				end, turn := ended(t, store, events)
				assert.Equal(t, c.status, end.Status)
				assert.Len(t, model.Asked(), len(c.steps))
				assert.Len(t, find[*chat.ModelRetry](events), c.retries)
				assert.Equal(t, c.warnings, codesOf(events))
				if c.finish != "" {
					assert.Equal(t, c.finish, end.Finish)
				}
				failed := find[*chat.TurnFailed](events)
				if c.code == "" {
					assert.NoError(t, err)
					assert.Empty(t, failed)
				} else {
					require.Len(t, failed, 1)
					assert.Equal(t, c.code, failed[0].Code)
					assert.Equal(t, c.code, llm.CodeOf(err))
					assert.Equal(t, c.code, turn.Code)
					assert.Equal(t, c.retryable, failed[0].Retryable)
				}
				history := turn.History()
				if c.answer == "" {
					assert.NotEqual(t, "half", history[len(history)-1].Text(), "what was taken back is not kept")
				} else {
					assert.Equal(t, c.answer, history[len(history)-1].Text())
				}

				// Whatever happened, the conversation goes on.
				model.Add(chattest.Say("next"))
				resp, err := client.Ask(t.Context(), "c_1", "and now?", nil)
				require.NoError(t, err)
				assert.Equal(t, "next", resp.Text())
			})
		})
	}
}

// Row "HTTP 429": what the provider asked for reaches the reader.
func TestTableRateLimitTellsWhen(t *testing.T) {
	c := newClient(t, chattest.NewModel(chattest.Fail(chattest.HTTPError(429, 90*time.Second))), chat.ClientOptions{})
	events, err := watch(t, c.Stream(t.Context(), "", llm.UserText("q"), nil))
	require.Error(t, err)
	failed := find[*chat.TurnFailed](events)[0]
	assert.EqualValues(t, 90_000, failed.RetryAfterMs)
	assert.Equal(t, 429, failed.ProviderStatus)
}

// A stream is never asked for anew once a tool of the round ran: what comes after
// is another round, with tries of its own.
func TestTableRetryAfterATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		count := textTool("count", "")
		count.do = counting(&ran)
		model := chattest.NewModel(chattest.Call("count", "{}"), chattest.Fail(chattest.HTTPError(503, 0)), chattest.Say("done"))
		events, err := watch(t, newClient(t, model, chat.ClientOptions{Tools: source{count}}).Stream(t.Context(), "", llm.UserText("q"), nil))
		require.NoError(t, err)
		assert.Equal(t, "done", answers(events))
		assert.Equal(t, 1, ran)
	})
}
