package chat_test

import (
	"context"
	"errors"
	"fmt"
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

// What a client's memory is told is what was said, whole turns only.
func TestClientRemembers(t *testing.T) {
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("first"), chattest.Text("cut"), chattest.Say("third"))
	c := newClient(t, m, chat.ClientOptions{Memory: chat.NewMemory(0), Tools: source{textTool("look", "seen")}})
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

// A memory gets what the person wrote and not what middleware made of it, and a model
// gets the window of its own conversation.
func TestMemoryIsOutsideOfMiddleware(t *testing.T) {
	kept := chat.NewMemory(0)
	shout := func(next chat.Handler) chat.Handler {
		return chat.HandlerFunc(func(ctx context.Context, req *chat.Request) chat.Stream {
			own := req.Clone()
			own.Messages = append(own.Messages[:len(own.Messages)-1], llm.UserText("WHAT?"))
			return next.Handle(ctx, own)
		})
	}
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("one"), chattest.Say("two"), chattest.Say("other"))
	c := newClient(t, m, chat.ClientOptions{System: "be kind", Memory: kept, Tools: source{textTool("look", "seen")}, Middleware: shout,
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

// lines are messages, one line each.
func lines(messages []llm.Message) (all []string) {
	for i := range messages {
		all = append(all, string(messages[i].Role)+": "+messages[i].Text())
	}
	return all
}

func TestMemoryWindow(t *testing.T) {
	m := chattest.NewModel()
	m.Rule = func(*llm.ModelRequest) chattest.Step { return chattest.Say("a") }
	c := newClient(t, m, chat.ClientOptions{Memory: chat.NewMemory(0), Window: chat.Window{Messages: 5}})
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

// Wherever a turn is stopped, another can follow what is remembered.
func TestMemoryOfTurnsThatStop(t *testing.T) {
	for k := 1; k < 30; k++ {
		kept := chat.NewMemory(0)
		m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("a longer answer"))
		c := newClient(t, m, chat.ClientOptions{Memory: kept, Tools: source{textTool("look", "seen")}})
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

// A turn that waits is remembered when it has ended, with the results of its calls.
func TestMemoryOfAPause(t *testing.T) {
	kept := chat.NewMemory(0)
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("done"))
	c := newClient(t, m, chat.ClientOptions{Store: newStore(t), Memory: kept, Tools: source{textTool("look", "seen")}, Manager: &pausesOnce{}})
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

// pausesOnce waits in its first round, and answers the calls in the second.
type pausesOnce struct{ rounds int }

func (*pausesOnce) Offer(_ context.Context, req *chat.Request) ([]toolspec.Tool, llm.ToolChoice, error) {
	return req.Tools, req.ToolChoice, nil
}

func (p *pausesOnce) ExecuteRound(_ context.Context, in chat.RoundInput, emit func(chat.Event) bool) (chat.RoundResult, error) {
	p.rounds++
	if p.rounds == 1 {
		return chat.RoundResult{Paused: &chat.Pause{Requests: map[string]string{"a": "b"}, Claims: map[string]llm.ToolResult{}}}, nil
	}
	var out chat.RoundResult
	for _, c := range in.Assistant.ToolCalls() {
		r := llm.ToolResult{CallID: c.ID, Name: c.Name, Outcome: llm.OutcomeExecuted}
		emit(&chat.ToolCallResult{CallID: c.ID, Outcome: r.Outcome, Result: &r})
		emit(&chat.ToolCallUpdate{CallID: c.ID, Status: conversation.CallCompleted})
		out.Results = append(out.Results, r)
	}
	return out, nil
}

// faultyMemory is a memory whose methods do something else.
type faultyMemory struct {
	chat.Memory
	load, write func(ctx context.Context) error
}

func (b faultyMemory) Load(ctx context.Context, id string, w chat.Window) ([]llm.Message, error) {
	if b.load != nil {
		return nil, b.load(ctx)
	}
	return b.Memory.Load(ctx, id, w)
}

func (b faultyMemory) Append(ctx context.Context, _ string, _ ...llm.Message) error {
	return b.write(ctx)
}

// A memory that fails, hangs or panics when it is written makes a warning of it; one
// that cannot be read ends the turn.
func TestMemoryThatFails(t *testing.T) {
	full := errors.New("the disk is full")
	for name, write := range map[string]func(ctx context.Context) error{
		"fails":  func(context.Context) error { return full },
		"hangs":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"panics": func(context.Context) error { panic("full") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				c := newClient(t, chattest.NewModel(chattest.Say("Hello.")), chat.ClientOptions{Memory: faultyMemory{chat.NewMemory(0), nil, write}, Store: newStore(t)})
				events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("Hi."), nil))
				require.NoError(t, err)
				assert.Equal(t, "Hello.", answers(events))
				assert.Less(t, time.Since(began), time.Minute)
				warned := find[*chat.Warned](events)
				require.Len(t, warned, 1)
				assert.Equal(t, chat.WarnArchive, warned[0].Code)
			})
		})
	}
	for name, load := range map[string]func(context.Context) error{
		"fails":  func(context.Context) error { return full },
		"panics": func(context.Context) error { panic(full) },
	} {
		c := newClient(t, chattest.NewModel(), chat.ClientOptions{Memory: faultyMemory{chat.NewMemory(0), load, nil}})
		_, err := c.Ask(t.Context(), "c_1", "Hi.", nil)
		assert.Equal(t, llm.CodeStore, llm.CodeOf(err), name)
	}
}

// A client runs the tools in one place: middleware around it sees a turn once, and
// middleware within it each round, with the results so far.
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
	c := newClient(t, m, chat.ClientOptions{Tools: source{textTool("look", "seen")}, Middleware: mark("turn"), RoundMiddleware: mark("round")})
	assert.Equal(t, "script-1", c.Model().Name)
	events, err := watch(t, c.Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	assert.Equal(t, "done", answers(events))
	assert.Equal(t, []string{"turn1", "round1", "round3", "round5"}, trace)
}
