package chat_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/observe/genai"
)

func TestClient(t *testing.T) {
	store := turntest.NewStore(t)
	m := chattest.NewModel(chattest.Call("time", "{}"), chattest.Say("It is nine."), chattest.Say("You asked for the time."))
	c := turntest.NewClient(t, m, chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.TextTool("time", "09:00")}, System: "Be short."})
	events, err := turntest.Turn(t, c, "c_1", "What time is it, please, where I am?", nil)
	require.NoError(t, err)
	end := events[len(events)-1].(*chat.TurnFinished)
	assert.Equal(t, conversation.EndCompleted, end.Status)
	assert.Equal(t, 2, end.Rounds)
	assert.Equal(t, llm.FinishStop, end.Finish)
	conv, err := store.Get(t.Context(), "c_1")
	require.NoError(t, err)
	assert.Equal(t, conversation.StatusCompleted, conv.Status)
	assert.Equal(t, "What time is it, please, where I am?", conv.Title)
	assert.Equal(t, "script", conv.Provider)
	assert.Equal(t, 4, conv.Messages)
	assert.Len(t, turntest.History(t, store, "c_1"), 4)
	turn := turntest.StoredTurn(t, store, "c_1", 1)
	assert.Equal(t, []string{"time"}, turntest.Find[*chat.RoundStarted](events)[0].OfferedTools)
	assert.Equal(t, end.Seq, turn.Events)
	require.Len(t, turn.Calls, 1)
	assert.Equal(t, "09:00", turn.Calls[0].Result)
	assert.Equal(t, conversation.CallCompleted, turn.Calls[0].Status)

	resp, err := c.Ask(t.Context(), "c_1", "What did I ask?", nil)
	require.NoError(t, err)
	assert.Equal(t, "You asked for the time.", resp.Text())
	last := m.Asked()[2].Messages
	require.Len(t, last, 4)
	assert.Equal(t, "Be short.", last[0].Text())
	assert.Equal(t, "[earlier tool call: time, ok: 09:00]\n\nIt is nine.", last[2].Text())
	assert.Equal(t, "What did I ask?", last[3].Text())
}

func TestClientWithoutStore(t *testing.T) {
	c := turntest.NewClient(t, chattest.NewModel(chattest.Say("a"), chattest.Say("b")), chat.ClientOptions{})
	events, err := turntest.Turn(t, c, "", "q", nil)
	require.NoError(t, err)
	assert.NotEmpty(t, events[0].Header().Conversation)
	_, err = c.Ask(t.Context(), "x", "q", nil)
	require.NoError(t, err)
}

// A model never gets two assistant messages in a row: the note about an earlier tool
// round and the answer after it are one message.
func TestAssistantMessagesNeverFollowEachOther(t *testing.T) {
	m := chattest.NewModel(chattest.Call("time", "{}"), chattest.Say("It is nine."), chattest.Say("You asked for the time."))
	c := turntest.NewClient(t, m, chat.ClientOptions{Store: turntest.NewStore(t), Tools: turntest.Tools{turntest.TextTool("time", "09:00")}})
	for _, q := range []string{"What time is it?", "What did I ask?"} {
		_, err := c.Ask(t.Context(), "c_1", q, nil)
		require.NoError(t, err)
	}
	for _, req := range m.Asked() {
		for i := 1; i < len(req.Messages); i++ {
			assert.False(t, req.Messages[i].Role == llm.RoleAssistant && req.Messages[i-1].Role == llm.RoleAssistant)
		}
	}
	last := m.Asked()[2].Messages
	require.Len(t, last, 3)
	assert.Equal(t, "[earlier tool call: time, ok: 09:00]\n\nIt is nine.", last[1].Text())
}

// A panic of a tool is logged to the client's logger or, if that is nil, to the logger of
// its telemetry.
func TestClientLogs(t *testing.T) {
	var own, theirs bytes.Buffer
	tel := &genai.Telemetry{Logger: slog.New(slog.NewTextHandler(&theirs, nil))}
	bad := turntest.NewTool("bad", turntest.Panics("oh"))
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&own, nil)), nil} {
		c := turntest.NewClient(t, chattest.NewModel(chattest.Call("bad", "{}"), chattest.Say("It failed.")), chat.ClientOptions{Tools: turntest.Tools{bad}, Telemetry: tel, Logger: log})
		_, err := c.Ask(t.Context(), "", "Try.", nil)
		require.NoError(t, err)
		if log != nil {
			assert.Contains(t, own.String(), "a tool panicked")
			assert.Empty(t, theirs.String())
		}
	}
	assert.Contains(t, theirs.String(), "a tool panicked")
}

// Middleware is called once for each turn, RoundMiddleware once for each round with the
// results so far.
func TestRoundMiddleware(t *testing.T) {
	var trace []string
	mark := func(name string) chat.Middleware {
		return func(next chat.Handler) chat.Handler {
			return chat.HandlerFunc(func(ctx context.Context, req *chat.Request) chat.Stream {
				return func(yield func(chat.Event, error) bool) {
					trace = append(trace, fmt.Sprint(name, len(req.Messages)))
					next.Handle(ctx, req)(yield)
				}
			})
		}
	}
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Call("look", `{"b":1}`), chattest.Say("done"))
	c := turntest.NewClient(t, m, chat.ClientOptions{Tools: turntest.Tools{turntest.TextTool("look", "seen")}, Middleware: mark("turn"), RoundMiddleware: mark("round")})
	assert.Equal(t, "script-1", c.Model().Name)
	events, err := turntest.Turn(t, c, "", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, "done", turntest.Answer(events))
	assert.Equal(t, []string{"turn1", "round1", "round3", "round5"}, trace)
}
