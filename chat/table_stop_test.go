package chat_test

import (
	"context"
	"encoding/json"
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

// Rows "user stops mid text", "mid tool" and "client disconnects", in each mode.
func TestTableStopped(t *testing.T) {
	for _, c := range []struct {
		row    string
		deaf   bool // the tool does not end with its context
		at     chat.EventType
		how    string // a mode, or "break"
		answer string // the text that is kept at the end
		calls  conversation.ToolCallStatus
		status conversation.TurnStatus
		asked  int // model calls
		after  time.Duration
	}{
		{row: "mid text, now", at: chat.EventTextDelta, how: "now", answer: "Wait", status: conversation.EndCancelled, asked: 1},
		{row: "mid text, break", at: chat.EventTextDelta, how: "break", answer: "Wait", status: conversation.EndCancelled, asked: 1},
		{row: "mid text, after the model", at: chat.EventTextDelta, how: "model", answer: "Wait a moment.", calls: conversation.CallCancelled, status: conversation.EndCancelled, asked: 1},
		{row: "mid text, after the tools", at: chat.EventTextDelta, how: "tools", answer: "Wait a moment.", calls: conversation.CallCompleted, status: conversation.EndCancelled, asked: 1, after: 10 * time.Second},
		{row: "mid tool, now", at: chat.EventToolCallProgress, how: "now", answer: "Wait a moment.", calls: conversation.CallCancelled, status: conversation.EndCancelled, asked: 1},
		{row: "mid tool, break", at: chat.EventToolCallProgress, how: "break", answer: "Wait a moment.", calls: conversation.CallFailed, status: conversation.EndCancelled, asked: 1},
		{row: "mid tool that does not end, now", deaf: true, at: chat.EventToolCallProgress, how: "now", answer: "Wait a moment.", calls: conversation.CallCancelled, status: conversation.EndCancelled, asked: 1, after: 2 * time.Second},
		{row: "mid tool, after the tools", at: chat.EventToolCallProgress, how: "tools", answer: "Wait a moment.", calls: conversation.CallCompleted, status: conversation.EndCancelled, asked: 1, after: 10 * time.Second},
		{row: "not at all", at: chat.EventHeartbeat, answer: "done", calls: conversation.CallCompleted, status: conversation.EndCompleted, asked: 2, after: 10 * time.Second},
	} {
		t.Run(c.row, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := textTool("slow", "")
				slow.do = func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
					_ = call.Caller().Progress(ctx, toolspec.Progress{Done: 1})
					stop := ctx.Done()
					if c.deaf {
						stop = nil
					}
					select {
					case <-stop:
						return nil, ctx.Err()
					case <-time.After(10 * time.Second):
						return toolspec.TextResult("ok"), nil
					}
				}
				store := newStore(t)
				model := chattest.NewModel(chattest.Steps(chattest.Text("Wait a moment."), chattest.Call("slow", "{}")), chattest.Say("done"), chattest.Say("next"))
				client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{slow}})
				began := time.Now()
				var events []chat.Event
				done := false
				for ev, err := range client.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
					require.NoError(t, err)
					events = append(events, ev)
					if ev.Type() != c.at || done {
						continue
					}
					done = true
					switch c.how {
					case "now":
						assert.True(t, client.Cancel("c_1", chat.CancelNow))
					case "model":
						client.Cancel("c_1", chat.CancelAfterModel)
					case "tools":
						client.Cancel("c_1", chat.CancelAfterTools)
					}
					if c.how == "break" {
						break
					}
				}
				assert.Equal(t, c.after, time.Since(began))
				assert.False(t, client.Cancel("c_1", chat.CancelNow), "nothing runs")
				turn, err := store.Turn(t.Context(), "c_1", 1)
				require.NoError(t, err)
				assert.Equal(t, c.status, turn.Status)
				assert.Equal(t, c.status.Conversation(), status(t, store, "c_1"))
				assert.Len(t, model.Asked(), c.asked)
				text := ""
				for _, m := range stored(t, store, "c_1") {
					if m.Role == llm.RoleAssistant {
						text = m.Text()
					}
				}
				assert.Equal(t, c.answer, text)
				if c.calls != "" {
					require.Len(t, turn.Calls, 1)
					assert.Equal(t, c.calls, turn.Calls[0].Status)
				}
				if c.how != "break" {
					assert.NoError(t, chattest.CheckEvents(events))
				}
				if c.how != "" {
					_, err = client.Ask(t.Context(), "c_1", "and now?", nil)
					require.NoError(t, err)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// What a program that is gone left of its turn is closed when the conversation goes
// on without it: with Recover, or without.
func TestTableProgramGone(t *testing.T) {
	for _, recovers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			store := newStore(t)
			require.NoError(t, store.Create(t.Context(), &conversation.Conversation{ID: "c_1", Provider: "script"}))
			_, err := store.Update(t.Context(), "c_1", func(c *conversation.Conversation) error {
				c.Turns, c.Messages, c.Running = 1, 1, &conversation.RunningTurn{ID: "t_1", Owner: "gone", Until: time.Now().Add(30 * time.Second)}
				return c.Move(conversation.StatusStreaming)
			})
			require.NoError(t, err)
			calls := llm.Message{ID: "m_2", Role: llm.RoleAssistant, Round: 1, Parts: []llm.Part{llm.ToolCall{ID: "a", Name: "one"}, llm.ToolCall{ID: "b", Name: "two"}}}
			question := llm.UserText("q")
			question.ID = "m_1"
			require.NoError(t, store.SaveTurn(t.Context(), &conversation.TurnRecord{ID: "t_1", Conversation: "c_1", Seq: 1, Rounds: 1,
				Messages: []conversation.StoredMessage{{Message: question, Status: conversation.MessageFinal}, {Message: calls, Status: conversation.MessageFinal}},
				Calls: []conversation.StoredToolCall{{ItemID: "a", Name: "one", Status: conversation.CallInProgress, Round: 1, Arguments: json.RawMessage(`{}`)},
					{ItemID: "b", Name: "two", Status: conversation.CallProposed, Round: 1}}}))
			require.NoError(t, store.SaveCheckpoint(t.Context(), "c_1", "t_1", json.RawMessage(`{"format":99}`)))
			model := chattest.NewModel(chattest.Say("well"))
			client := newClient(t, model, chat.ClientOptions{Store: store, Window: chat.Window{Tools: conversation.ToolFull}})
			_, err = client.Ask(t.Context(), "c_1", "next", nil)
			assert.ErrorIs(t, err, llm.ErrBusy, "it may be alive")
			paused, incomplete, err := client.Recover(t.Context())
			require.NoError(t, err)
			assert.Empty(t, append(paused, incomplete...))
			time.Sleep(time.Minute)
			if recovers {
				paused, incomplete, err = client.Recover(t.Context())
				require.NoError(t, err)
				assert.Empty(t, paused, "a checkpoint that cannot be read is none")
				assert.Equal(t, []string{"c_1"}, incomplete)
			}
			_, err = client.Ask(t.Context(), "c_1", "next", nil)
			require.NoError(t, err)
			turn, err := store.Turn(t.Context(), "c_1", 1)
			require.NoError(t, err)
			assert.Equal(t, conversation.EndIncomplete, turn.Status)
			assert.Equal(t, conversation.CallFailed, turn.Calls[0].Status)
			assert.Equal(t, conversation.CallCancelled, turn.Calls[1].Status)
			results := model.Asked()[0].Messages[2].Results()
			assert.Contains(t, results[0].Text(), "Whether it had an effect is not known")
			assert.Contains(t, results[1].Text(), "was NOT run")
			stored(t, store, "c_1")
			conv, err := store.Get(t.Context(), "c_1")
			require.NoError(t, err)
			assert.Equal(t, 5, conv.Messages)
		})
	}
}

// A program that ended before it had written anything of its turn.
func TestTableProgramGoneAtOnce(t *testing.T) {
	store := newStore(t)
	require.NoError(t, store.Create(t.Context(), &conversation.Conversation{ID: "c_1"}))
	_, err := store.Update(t.Context(), "c_1", func(c *conversation.Conversation) error {
		c.Turns, c.Running = 1, &conversation.RunningTurn{ID: "t_1", Until: time.Now().Add(-time.Second)}
		return c.Move(conversation.StatusStreaming)
	})
	require.NoError(t, err)
	client := newClient(t, chattest.NewModel(chattest.Say("well")), chat.ClientOptions{Store: store})
	_, incomplete, err := client.Recover(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"c_1"}, incomplete)
	_, err = client.Ask(t.Context(), "c_1", "q", nil)
	assert.NoError(t, err)
	_, _, err = newClient(t, chattest.NewModel(), chat.ClientOptions{}).Recover(t.Context())
	assert.NoError(t, err, "without a store there is nothing to look after")
	_, err = watch(t, newClient(t, chattest.NewModel(), chat.ClientOptions{}).Resume(t.Context(), "c_1", nil))
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

// The archive keeps so many messages: whole turns go, the oldest first.
func TestTableArchiveIsBounded(t *testing.T) {
	store, model := newStore(t), chattest.NewModel()
	model.Rule = func(*llm.ModelRequest) chattest.Step { return chattest.Say("well") }
	client := newClient(t, model, chat.ClientOptions{Store: store, MaxMessages: 6})
	for range 10 {
		_, err := client.Ask(t.Context(), "c_1", "q", nil)
		require.NoError(t, err)
	}
	assert.Len(t, stored(t, store, "c_1"), 6)
	conv, err := store.Get(t.Context(), "c_1")
	require.NoError(t, err)
	assert.Equal(t, 6, conv.Messages)
	assert.Equal(t, 10, conv.Turns)
}

// A tool of a chat reaches nobody but the screen.
func TestTableToolPeer(t *testing.T) {
	curious := textTool("curious", "")
	curious.do = func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		peer := call.Caller()
		assert.Error(t, peer.Log(ctx, toolspec.LogMessage{}))
		_, err := peer.Elicit(ctx, &toolspec.ElicitRequest{})
		assert.Error(t, err)
		_, err = peer.Sample(ctx, &toolspec.SampleRequest{})
		assert.Error(t, err)
		_, err = peer.Roots(ctx)
		assert.Error(t, err)
		return toolspec.TextResult("ok"), peer.Progress(ctx, toolspec.Progress{Done: 1, Total: 2, Message: "half"})
	}
	events, err := watch(t, newClient(t, chattest.NewModel(chattest.Call("curious", "{}"), chattest.Say("done")), chat.ClientOptions{Tools: source{curious}}).Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	told := find[*chat.ToolCallProgress](events)
	require.Len(t, told, 1)
	assert.Equal(t, "half", told[0].Message)
}
