package chat_test

import (
	"context"
	"errors"
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
)

func TestProcessMemory(t *testing.T) {
	chattest.TestMemory(t, func(*testing.T) chat.Memory { return chat.NewMemory(0) })
	m := chat.NewMemory(6)
	for range 5 {
		require.NoError(t, m.Append(t.Context(), "c", llm.UserText("q"), llm.AssistantText("a")))
	}
	got, err := m.Load(t.Context(), "c", chat.Window{Messages: 100})
	require.NoError(t, err)
	assert.Len(t, got, 6)
}

// A client appends whole turns to its memory, including those that failed.
func TestMemoryOfFailedTurns(t *testing.T) {
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("first"), chattest.Text("cut"), chattest.Say("third"))
	c := turntest.NewClient(t, m, chat.ClientOptions{Memory: chat.NewMemory(0), Tools: turntest.Tools{turntest.TextTool("look", "seen")}})
	_, err := c.Ask(t.Context(), "c_1", "one?", nil)
	require.NoError(t, err)
	_, err = c.Ask(t.Context(), "c_1", "two?", nil)
	require.Error(t, err)
	_, err = c.Ask(t.Context(), "c_1", "three?", nil)
	require.NoError(t, err)
	last := m.Asked()[3].Messages
	require.Len(t, last, 5)
	assert.Equal(t, "[earlier tool call: look, ok: seen]\n\nfirst", last[1].Text())
	assert.Equal(t, "two? cut three?", texts(last[2:]))
}

// A memory gets the question of the user, not the question that middleware made of it. A
// model gets only messages of its own conversation.
func TestMemoryGetsWhatTheUserAsked(t *testing.T) {
	kept := chat.NewMemory(0)
	shout := func(next chat.Handler) chat.Handler {
		return chat.HandlerFunc(func(ctx context.Context, req *chat.Request) chat.Stream {
			own := req.Clone()
			own.Messages = append(own.Messages[:len(own.Messages)-1], llm.UserText("WHAT?"))
			return next.Handle(ctx, own)
		})
	}
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("one"), chattest.Say("two"), chattest.Say("other"))
	c := turntest.NewClient(t, m, chat.ClientOptions{System: "be kind", Memory: kept, Tools: turntest.Tools{turntest.TextTool("look", "seen")}, Middleware: shout,
		Window: chat.Window{Tools: conversation.ToolFull}})
	for _, q := range [][2]string{{"c_1", "first"}, {"c_1", "second"}, {"c_2", "elsewhere"}} {
		_, err := c.Ask(t.Context(), q[0], q[1], nil)
		require.NoError(t, err)
	}
	asked := m.Asked()
	assert.Equal(t, []string{"system: be kind", "user: first", "assistant: ", "tool: ", "assistant: one", "user: WHAT?"}, lines(asked[2].Messages))
	assert.Equal(t, []string{"system: be kind", "user: WHAT?"}, lines(asked[3].Messages))
	all, err := kept.Load(t.Context(), "c_1", chat.Window{Messages: 50, Tools: conversation.ToolFull})
	require.NoError(t, err)
	assert.Equal(t, []string{"user: first", "assistant: ", "tool: ", "assistant: one", "user: second", "assistant: two"}, lines(all))
}

// lines returns the role and the text of each message.
func lines(messages []llm.Message) (all []string) {
	for i := range messages {
		all = append(all, string(messages[i].Role)+": "+messages[i].Text())
	}
	return all
}

func TestMemoryWindow(t *testing.T) {
	m := chattest.NewModel()
	m.Rule = func(*llm.ModelRequest) chattest.Step { return chattest.Say("a") }
	c := turntest.NewClient(t, m, chat.ClientOptions{Memory: chat.NewMemory(0), Window: chat.Window{Messages: 5}})
	for range 5 {
		_, err := c.Ask(t.Context(), "c_1", "q", nil)
		require.NoError(t, err)
	}
	assert.Len(t, m.Asked()[4].Messages, 5, "the question is one of them")
	three := 3
	_, err := c.Ask(t.Context(), "c_1", "q", &chat.TurnOptions{Options: &llm.Options{MemoryWindow: &three}})
	require.NoError(t, err)
	assert.Len(t, m.Asked()[5].Messages, 3)
}

// Whenever a turn is stopped, the memory contains a valid history.
func TestMemoryOfStoppedTurns(t *testing.T) {
	for k := 1; k < 30; k++ {
		kept := chat.NewMemory(0)
		m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("a longer answer"))
		c := turntest.NewClient(t, m, chat.ClientOptions{Memory: kept, Tools: turntest.Tools{turntest.TextTool("look", "seen")}})
		n := 0
		for range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
			if n++; n == k {
				break
			}
		}
		all, err := kept.Load(t.Context(), "c_1", chat.Window{Messages: 50, Tools: conversation.ToolFull})
		require.NoError(t, err)
		require.NoError(t, llm.CheckHistory(all))
		assert.Equal(t, "q", all[0].Text())
	}
}

// A paused turn is appended to the memory when it has ended, with the results of its
// calls.
func TestMemoryOfAPausedTurn(t *testing.T) {
	kept := chat.NewMemory(0)
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("done"))
	c := turntest.NewClient(t, m, chat.ClientOptions{Store: turntest.NewStore(t), Memory: kept, Tools: turntest.Tools{turntest.TextTool("look", "seen")}, Manager: &turntest.PausingManager{}})
	remembered := func() []string {
		all, err := kept.Load(t.Context(), "c_1", chat.Window{Tools: conversation.ToolFull})
		require.NoError(t, err)
		return lines(all)
	}
	resp, err := c.Ask(t.Context(), "c_1", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, conversation.EndPaused, resp.Status)
	assert.Empty(t, remembered())
	_, err = chat.Collect(c.Resume(t.Context(), "c_1", nil))
	require.NoError(t, err)
	assert.Equal(t, []string{"user: q", "assistant: ", "tool: ", "assistant: done"}, remembered())
}

// If Append fails, hangs or panics, the turn has a warning. If Load fails, the turn
// fails.
func TestMemoryFails(t *testing.T) {
	full := errors.New("the disk is full")
	for name, write := range map[string]func(ctx context.Context) error{
		"fails":  func(context.Context) error { return full },
		"hangs":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"panics": func(context.Context) error { panic("full") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				c := turntest.NewClient(t, chattest.NewModel(chattest.Say("Hello.")), chat.ClientOptions{Memory: turntest.Memory{Memory: chat.NewMemory(0), BeforeAppend: write}, Store: turntest.NewStore(t)})
				events, err := turntest.Turn(t, c, "c_1", "Hi.", nil)
				require.NoError(t, err)
				assert.Equal(t, "Hello.", turntest.Answer(events))
				assert.Less(t, time.Since(began), time.Minute)
				warned := turntest.Find[*chat.Warned](events)
				require.Len(t, warned, 1)
				assert.Equal(t, chat.WarnArchive, warned[0].Code)
			})
		})
	}
	for name, load := range map[string]func(context.Context) error{
		"fails":  func(context.Context) error { return full },
		"panics": func(context.Context) error { panic(full) },
	} {
		c := turntest.NewClient(t, chattest.NewModel(), chat.ClientOptions{Memory: turntest.Memory{Memory: chat.NewMemory(0), BeforeLoad: load}})
		_, err := c.Ask(t.Context(), "c_1", "Hi.", nil)
		assert.Equal(t, llm.CodeStore, llm.CodeOf(err), name)
	}
}
