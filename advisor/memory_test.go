package advisor_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

func chain(t *testing.T, advisors ...advisor.Advisor) chat.Middleware {
	t.Helper()
	m, err := advisor.Chain(advisors...)
	require.NoError(t, err)
	return m
}

func client(t *testing.T, m llm.Model, opts chat.ClientOptions, advisors ...advisor.Advisor) *chat.Client {
	t.Helper()
	opts.Middleware = chain(t, advisors...)
	c, err := chat.NewClient(m, &opts)
	require.NoError(t, err)
	return c
}

// ask runs a turn and holds its events against their order.
func ask(t *testing.T, c *chat.Client, conversation, question string, opts *chat.TurnOptions) ([]chat.Event, *chat.Response, error) {
	t.Helper()
	collect := chat.NewCollector()
	var events []chat.Event
	var failed error
	for ev, err := range c.Stream(t.Context(), conversation, llm.UserText(question), opts) {
		if err != nil {
			failed = err
			break
		}
		events = append(events, ev)
		collect.Add(ev)
	}
	require.NoError(t, chattest.CheckEvents(events))
	return events, collect.Response(), failed
}

func texts(messages []llm.Message) (all []string) {
	for i := range messages {
		all = append(all, string(messages[i].Role)+": "+messages[i].Text())
	}
	return all
}

func remember(t *testing.T, m chat.Memory, opts *advisor.MemoryOptions) advisor.Advisor {
	t.Helper()
	a, err := advisor.Memory(m, opts)
	require.NoError(t, err)
	return a
}

type list []toolspec.Tool

func (l list) Tools(context.Context) ([]toolspec.Tool, error) { return l, nil }

func look(t *testing.T) toolspec.Tool {
	t.Helper()
	tool, err := toolspec.Func("look", "Looks at something.", func(context.Context, struct{}) (string, error) { return "seen", nil },
		&toolspec.FuncOptions{Level: toolspec.L0})
	require.NoError(t, err)
	passed, err := studio.Certify(t.Context(), tool, []toolspec.Case{{Want: []byte(`"seen"`)}}, nil)
	require.NoError(t, err)
	return passed
}

func TestMemoryRemembers(t *testing.T) {
	kept := chat.NewMemory(0)
	shout := advisor.Before("shout", 0, func(_ context.Context, r *chat.Request) (*chat.Request, error) {
		r.Messages = append(r.Messages[:len(r.Messages)-1], llm.UserText("WHAT?"))
		return r, nil
	})
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("one"), chattest.Say("two"), chattest.Say("other"))
	c := client(t, m, chat.ClientOptions{System: "be kind", Tools: list{look(t)}}, shout, remember(t, kept, nil))
	_, _, err := ask(t, c, "c_1", "first", nil)
	require.NoError(t, err)
	_, _, err = ask(t, c, "c_1", "second", nil)
	require.NoError(t, err)
	_, _, err = ask(t, c, "c_2", "elsewhere", nil)
	require.NoError(t, err)

	asked := m.Asked()
	assert.Equal(t, []string{"system: be kind", "user: first", "assistant: ", "tool: ", "assistant: one", "user: WHAT?"}, texts(asked[2].Messages))
	assert.Equal(t, []string{"system: be kind", "user: WHAT?"}, texts(asked[3].Messages))
	all, err := kept.Load(t.Context(), "c_1", chat.Window{Messages: 50, Tools: conversation.ToolFull})
	require.NoError(t, err)
	assert.Equal(t, []string{"user: first", "assistant: ", "tool: ", "assistant: one", "user: second", "assistant: two"}, texts(all), "what the person wrote, not what advisors made of it")
}

func TestMemoryWindow(t *testing.T) {
	kept := chat.NewMemory(0)
	m := chattest.NewModel()
	m.Rule = func(*llm.ModelRequest) chattest.Step { return chattest.Say("a") }
	c := client(t, m, chat.ClientOptions{}, remember(t, kept, &advisor.MemoryOptions{Window: chat.Window{Messages: 4}}))
	for range 5 {
		_, _, err := ask(t, c, "c_1", "q", nil)
		require.NoError(t, err)
	}
	assert.Len(t, m.Asked()[4].Messages, 5)
	two := 2
	_, _, err := ask(t, c, "c_1", "q", &chat.TurnOptions{Options: &llm.Options{MemoryWindow: &two}})
	require.NoError(t, err)
	assert.Len(t, m.Asked()[5].Messages, 3)
}

// Whatever stops a turn, what is kept can be gone on from.
func TestMemoryOfTurnsThatStop(t *testing.T) {
	for k := 1; k < 30; k++ {
		kept := chat.NewMemory(0)
		m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("a longer answer"))
		c := client(t, m, chat.ClientOptions{Tools: list{look(t)}}, remember(t, kept, nil))
		n := 0
		for range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
			if n++; n == k {
				break
			}
		}
		all, err := kept.Load(t.Context(), "c_1", chat.Window{Messages: 50, Tools: conversation.ToolFull})
		require.NoError(t, err)
		require.NoError(t, llm.CheckHistory(all))
		if k > 2 {
			assert.Equal(t, "q", all[0].Text())
		}
	}
	kept := chat.NewMemory(0)
	c := client(t, chattest.NewModel(chattest.Steps(chattest.Text("half"), chattest.Fail(&llm.Error{Code: llm.CodeStreamBroken}))), chat.ClientOptions{}, remember(t, kept, nil))
	_, _, err := ask(t, c, "c_1", "q", nil)
	require.Error(t, err)
	all, err := kept.Load(t.Context(), "c_1", chat.Window{})
	require.NoError(t, err)
	assert.Equal(t, []string{"user: q", "assistant: half"}, texts(all))
}

// A turn that waits is kept without the calls that have no results; when it goes on,
// they come.
func TestMemoryOfAPause(t *testing.T) {
	kept := chat.NewMemory(0)
	manager := &pausing{}
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("done"))
	store, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	c := client(t, m, chat.ClientOptions{Store: store, Tools: list{look(t)}, Manager: manager}, remember(t, kept, nil))
	_, _, err = ask(t, c, "c_1", "q", nil)
	require.NoError(t, err)
	all, err := kept.Load(t.Context(), "c_1", chat.Window{Tools: conversation.ToolFull})
	require.NoError(t, err)
	assert.Equal(t, []string{"user: q"}, texts(all))
	_, err = chat.Collect(c.Resume(t.Context(), "c_1", nil))
	require.NoError(t, err)
	all, err = kept.Load(t.Context(), "c_1", chat.Window{Tools: conversation.ToolFull})
	require.NoError(t, err)
	assert.Equal(t, []string{"user: q", "assistant: ", "tool: ", "assistant: done"}, texts(all))
	assert.Equal(t, []string{"user: q", "assistant: ", "tool: "}, texts(m.Asked()[1].Messages), "a resumed request is left as it is")
}

// pausing waits in its first round, and answers the calls in the second.
type pausing struct{ rounds int }

func (*pausing) Offer(_ context.Context, req *chat.Request) ([]toolspec.Tool, llm.ToolChoice, error) {
	return req.Tools, req.ToolChoice, nil
}

func (p *pausing) ExecuteRound(_ context.Context, in chat.RoundInput, emit func(chat.Event) bool) (chat.RoundResult, error) {
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

// broken is a memory that fails.
type broken struct {
	chat.Memory
	load, write error
}

func (b broken) Load(ctx context.Context, id string, w chat.Window) ([]llm.Message, error) {
	if b.load != nil {
		return nil, b.load
	}
	return b.Memory.Load(ctx, id, w)
}

func (b broken) Append(context.Context, string, ...llm.Message) error { return b.write }

func TestMemoryThatFails(t *testing.T) {
	full := errors.New("the disk is full")
	c := client(t, chattest.NewModel(chattest.Say("x")), chat.ClientOptions{}, remember(t, broken{chat.NewMemory(0), nil, full}, nil))
	_, resp, err := ask(t, c, "c_1", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, "x", resp.Text())
	require.Len(t, resp.Warnings, 2)
	assert.Equal(t, chat.WarnArchive, resp.Warnings[0].Code)

	c = client(t, chattest.NewModel(chattest.Fail(&llm.Error{Code: llm.CodeProviderAuth})), chat.ClientOptions{}, remember(t, broken{chat.NewMemory(0), nil, full}, nil))
	_, _, err = ask(t, c, "c_1", "q", nil)
	assert.Equal(t, llm.CodeProviderAuth, llm.CodeOf(err))

	c = client(t, chattest.NewModel(chattest.Say("x")), chat.ClientOptions{}, remember(t, broken{chat.NewMemory(0), full, nil}, nil))
	_, _, err = ask(t, c, "c_1", "q", nil)
	require.ErrorIs(t, err, full)
	assert.Equal(t, llm.CodeStore, llm.CodeOf(err))
	assert.ErrorContains(t, err, "advisor memory")

	h := handler(t, chattest.NewModel(), remember(t, chat.NewMemory(0), nil))
	_, err = chat.Collect(h.Handle(t.Context(), &chat.Request{}))
	assert.ErrorContains(t, err, "names no conversation")

	for n := 1; n < 4; n++ { // broken off at a warning
		c = client(t, chattest.NewModel(chattest.Say("x")), chat.ClientOptions{}, remember(t, broken{chat.NewMemory(0), nil, full}, nil))
		seen := 0
		for range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
			if seen++; seen == n+2 {
				break
			}
		}
	}
}

func TestMemoryOptions(t *testing.T) {
	_, err := advisor.Memory(nil, nil)
	require.ErrorIs(t, err, llm.ErrInvalid)
	_, err = advisor.Memory(chat.NewMemory(0), &advisor.MemoryOptions{Window: chat.Window{Messages: -1}})
	require.ErrorIs(t, err, llm.ErrInvalid)
	a := remember(t, chat.NewMemory(0), &advisor.MemoryOptions{Order: new(5)})
	assert.Equal(t, 5, a.Order())
	second := remember(t, chat.NewMemory(0), nil)
	_, err = advisor.Chain(second, rememberer{advisor.Logger(nil)})
	assert.ErrorContains(t, err, "both remember")
}

// stuck is a memory whose writes do something else.
type stuck struct {
	chat.Memory
	do func(ctx context.Context) error
}

func (s stuck) Append(ctx context.Context, _ string, _ ...llm.Message) error { return s.do(ctx) }

// A memory that hangs or panics when it is written makes the answer neither late for
// ever nor an error.
func TestMemoryThatIsStuck(t *testing.T) {
	for name, do := range map[string]func(ctx context.Context) error{
		"hangs":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"panics": func(context.Context) error { panic("full") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				c := client(t, chattest.NewModel(chattest.Say("Hello.")), chat.ClientOptions{}, remember(t, stuck{chat.NewMemory(0), do}, nil))
				events, answer, err := ask(t, c, "c_1", "Hi.", nil)
				require.NoError(t, err)
				assert.Equal(t, "Hello.", answer.Text())
				assert.Less(t, time.Since(began), time.Minute)
				warned := 0
				for _, ev := range events {
					if w, ok := ev.(*chat.Warned); ok && w.Code == chat.WarnArchive {
						warned++
					}
				}
				assert.Positive(t, warned)
			})
		})
	}
}
