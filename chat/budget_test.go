package chat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/toolspec"
)

// small returns a model with a small context.
func small(tokens int, steps ...chattest.Step) *chattest.Model {
	m := chattest.NewModel(steps...)
	m.Described.ContextTokens = tokens
	return m
}

// words returns a text of about that many tokens.
func words(tokens int) string { return strings.Repeat("word", tokens) }

// turns returns n turns of about 100 tokens each, with a tool call.
func turns(n int) (out []llm.Message) {
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		out = append(out, llm.UserText(fmt.Sprintf("question %d ", i)+words(20)),
			llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: id, Name: "look", Arguments: json.RawMessage(`{}`)}}},
			llm.ToolResults(llm.ToolResult{CallID: id, Name: "look", Content: []toolspec.Content{toolspec.Text(words(20))}}),
			llm.AssistantText(words(20)))
	}
	return out
}

func budgets(events []chat.Event) (out []conversation.Budget) {
	for _, e := range turntest.Find[*chat.ContextBudget](events) {
		out = append(out, e.Budget)
	}
	return out
}

func cutsOf(b conversation.Budget) (out []string) {
	for _, c := range b.Cuts {
		out = append(out, c.What)
	}
	return out
}

func TestBudgetLedger(t *testing.T) {
	m := small(8000, chattest.Say("ok"))
	most := 500
	req := &chat.Request{Messages: append(append([]llm.Message{llm.SystemText(words(50))}, turns(2)...), llm.UserText(words(30))),
		Tools: []toolspec.Tool{turntest.TextTool("look", "x")}, Options: llm.Options{MaxTokens: &most}}
	events, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), req))
	require.NoError(t, err)
	all := budgets(events)
	require.Len(t, all, 1)
	b := all[0]
	assert.Equal(t, 8000, b.Window)
	assert.Equal(t, 500, b.Reserve)
	assert.Equal(t, 400, b.Margin)
	assert.Equal(t, 54, b.System)
	assert.Equal(t, 34, b.Question)
	assert.Positive(t, b.Tools)
	assert.Positive(t, b.Memory)
	assert.Zero(t, b.Rounds)
	assert.Empty(t, b.Cuts)
	assert.Equal(t, b.System+b.Question+b.Tools+b.Memory, turntest.Find[*chat.RoundStarted](events)[0].PromptTokens)
	assert.Len(t, m.Asked()[0].Messages, 10)

	m = chattest.NewModel(chattest.Say("ok"))
	m.Described.ContextTokens = 0
	events, err = turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), req))
	require.NoError(t, err)
	assert.Empty(t, budgets(events), "the context size is unknown")
}

// For every context size, the model gets a valid history with the system prompt and the
// question.
func TestBudgetCutsMemoryInWholeTurns(t *testing.T) {
	history := append(append([]llm.Message{llm.SystemText("be kind")}, turns(8)...), llm.UserText("the question"))
	before := 0
	for window := 100; window < 3000; window += 50 {
		m := small(window, chattest.Say("ok"))
		events, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), &chat.Request{Messages: history}))
		require.NoError(t, err, window)
		sent := m.Asked()[0].Messages
		require.NoError(t, llm.CheckHistory(sent))
		assert.Equal(t, llm.RoleSystem, sent[0].Role)
		assert.Equal(t, "the question", sent[len(sent)-1].Text())
		assert.Zero(t, (len(sent)-2)%4, "whole turns")
		assert.GreaterOrEqual(t, len(sent), before)
		before = len(sent)
		b := budgets(events)[0]
		assert.LessOrEqual(t, b.System+b.Question+b.Tools+b.Memory, window-b.Reserve-b.Margin)
		assert.Equal(t, len(sent) < len(history), len(b.Cuts) == 1)
		if len(sent) > 2 {
			assert.Contains(t, sent[len(sent)-5].Text(), "question 7", "the newest turn is cut last")
		}
	}
	assert.Len(t, history, before, "a large context takes everything")
}

func TestBudgetCutsSummariesLast(t *testing.T) {
	summary := llm.Message{Role: llm.RoleSummary, Parts: []llm.Part{llm.Text{Text: "what was before"}}}
	m := small(400, chattest.Say("ok"))
	_, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), &chat.Request{Messages: append(append([]llm.Message{summary}, turns(4)...), llm.UserText("q"))}))
	require.NoError(t, err)
	assert.Equal(t, llm.RoleSummary, m.Asked()[0].Messages[0].Role)
}

// Memory is cut first, then retrieved text, then the results of earlier rounds.
func TestBudgetOrderOfCuts(t *testing.T) {
	passages := []chat.Passage{{Text: "<high>" + words(100), Score: 0.9}, {Text: "<low>" + words(100), Score: 0.1}, {Text: "<middle>" + words(100), Score: 0.5}}
	question := "the question\n"
	for _, p := range passages {
		question += p.Text + "\n"
	}
	call := func(id string) []llm.Message {
		return []llm.Message{{Role: llm.RoleAssistant, Round: 1, Parts: []llm.Part{llm.ToolCall{ID: id, Name: "look", Arguments: json.RawMessage(`{}`)}}},
			{Role: llm.RoleTool, Round: 1, Parts: []llm.Part{llm.ToolResult{CallID: id, Name: "look", Content: []toolspec.Content{toolspec.Text(id + words(400)), toolspec.Image([]byte{1}, "image/png")}}}}}
	}
	messages := append(turns(2), llm.UserText(question))
	messages = append(append(messages, call("first")...), call("second")...)
	for _, c := range []struct {
		window int
		want   []string
		rounds []int // approximate length of the two results in runes
	}{
		{2200, nil, []int{1605, 1606}},
		{1900, []string{"memory"}, []int{1605, 1606}},
		{1600, []string{"memory", "rag"}, []int{1605, 1606}},
		{1150, []string{"memory", "rag", "rounds"}, []int{500, 1606}},
		{800, []string{"memory", "rag", "rounds"}, []int{500, 500}},
	} {
		t.Run(fmt.Sprint(c.window), func(t *testing.T) {
			m := small(c.window, chattest.Say("ok"))
			req := &chat.Request{Messages: messages, Values: chat.WithPassages(chat.Values{}, passages)}
			events, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), req))
			require.NoError(t, err)
			b := budgets(events)[0]
			assert.Equal(t, c.want, cutsOf(b))
			sent := m.Asked()[0].Messages
			require.NoError(t, llm.CheckHistory(sent))
			text := sent[len(sent)-5].Text()
			assert.Contains(t, text, "the question")
			if len(c.want) == 2 {
				assert.NotContains(t, text, "<low>", "the lowest score is cut first")
				assert.Contains(t, text, "<high>")
				assert.Positive(t, b.Retrieved)
			}
			for i, want := range c.rounds {
				r := sent[len(sent)-3+2*i].Results()[0]
				assert.InDelta(t, want, len(r.Content[0].Text), 100)
				assert.Len(t, r.Content, 2, "an image is kept")
			}
		})
	}
}

func TestBudgetTooLarge(t *testing.T) {
	for _, c := range []struct {
		name     string
		messages []llm.Message
		says     string
	}{
		{"question", []llm.Message{llm.UserText(words(2000))}, "shorten the question"},
		{"system prompt", []llm.Message{llm.SystemText(words(600)), llm.UserText("q")}, "shorten it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := small(1000, chattest.Say("ok"))
			_, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), &chat.Request{Messages: c.messages}))
			assert.Equal(t, llm.CodeContextOverflow, llm.CodeOf(err))
			assert.ErrorContains(t, err, c.says)
			assert.Empty(t, m.Asked())
			for range chat.NewModelHandler(m).Handle(t.Context(), &chat.Request{Messages: c.messages}) {
				break // at the first event
			}
		})
	}
}

// A request that is too long for the provider is cut further and sent once more.
func TestBudgetOverflowAtTheProvider(t *testing.T) {
	overflow := chattest.Fail(&llm.Error{Code: llm.CodeContextOverflow, HTTPStatus: 400, Message: "too many tokens"})
	history := append(turns(8), llm.UserText("the question"))
	for _, window := range []int{0, 4000} {
		m := small(window, overflow, chattest.Say("ok"))
		events, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), &chat.Request{Messages: history}))
		require.NoError(t, err)
		asked := m.Asked()
		require.Len(t, asked, 2)
		assert.Less(t, len(asked[1].Messages), len(asked[0].Messages))
		require.NoError(t, llm.CheckHistory(asked[1].Messages))
		again := turntest.Find[*chat.ModelRetry](events)
		require.Len(t, again, 1)
		assert.False(t, again[0].Reset)
		all := budgets(events)
		assert.Equal(t, []string{"memory"}, cutsOf(all[len(all)-1]))
		assert.Len(t, turntest.Find[*chat.RoundStarted](events), 1)
	}
	m := small(4000, overflow, overflow, chattest.Say("ok"))
	_, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), &chat.Request{Messages: history}))
	assert.Equal(t, llm.CodeContextOverflow, llm.CodeOf(err))
	assert.Len(t, m.Asked(), 2, "once")
	m = small(4000, overflow, chattest.Say("ok"))
	_, err = turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), &chat.Request{Messages: []llm.Message{llm.UserText("q")}}))
	assert.Equal(t, llm.CodeContextOverflow, llm.CodeOf(err))
	assert.Len(t, m.Asked(), 1, "there is nothing to cut")
}

// The estimate of each model follows what the provider counts for it.
func TestBudgetFollowsTheProvider(t *testing.T) {
	m := small(100_000)
	count := func(n int) func(*llm.ModelRequest) chattest.Step {
		return func(*llm.ModelRequest) chattest.Step {
			return chattest.Steps(chattest.Uses(llm.Usage{Input: n, Output: 1}), chattest.Say("ok"))
		}
	}
	h := chat.NewModelHandler(m)
	ask := func(name string) int {
		events, err := turntest.Run(t, h.Handle(t.Context(), &chat.Request{Messages: []llm.Message{llm.UserText(words(996))}, Options: llm.Options{Model: name}}))
		require.NoError(t, err)
		return turntest.Find[*chat.RoundStarted](events)[0].PromptTokens
	}
	m.Rule = count(1500)
	assert.Equal(t, 1000, ask(""))
	assert.Equal(t, 1150, ask(""), "the estimate moves by three tenths of the difference")
	assert.Equal(t, 1000, ask("another"))
	m.Rule = count(100)
	before := ask("")
	assert.Equal(t, before, ask(""), "a count that is far too low is ignored: it may leave out a cache")
	m.Rule = count(50_000)
	for range 30 {
		ask("")
	}
	assert.InDelta(t, 2000, ask(""), 2, "the factor is limited")
}

func TestBudgetInATurn(t *testing.T) {
	store := turntest.NewStore(t)
	m := small(600, chattest.Call("look", "{}"), chattest.Say("done"), chattest.Say("again"))
	c := turntest.NewClient(t, m, chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.TextTool("look", strings.Repeat("long ", 400))}})
	events, err := turntest.Turn(t, c, "c_1", "q", nil)
	require.NoError(t, err)
	all := budgets(events)
	require.Len(t, all, 2)
	assert.Equal(t, []string{"rounds"}, cutsOf(all[1]))
	resp, err := c.Ask(t.Context(), "c_1", "and now?", nil)
	require.NoError(t, err)
	require.NotNil(t, resp.Budget)
	assert.Positive(t, resp.Budget.Memory)
	history := turntest.History(t, store, "c_1")
	assert.Greater(t, len(history[2].Results()[0].Text()), 1000, "the stored result is not cut")
}

func TestBudgetWarnsOfManyTools(t *testing.T) {
	big := turntest.TextTool("big", "x")
	big.Def.Description = words(400)
	m := small(1000, chattest.Call("big", "{}"), chattest.Say("ok"))
	events, err := turntest.Turn(t, turntest.NewClient(t, m, chat.ClientOptions{Tools: turntest.Tools{big}}), "", "q", nil)
	require.NoError(t, err)
	warned := turntest.Find[*chat.Warned](events)
	require.Len(t, warned, 1, "once in a turn")
	assert.Equal(t, chat.WarnTools, warned[0].Code)
}

// For any history and context size, the request fits and contains the system prompt, the
// question and only complete pairs of calls and results; or nothing is sent.
func FuzzBudget(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint16(500), uint8(2))
	f.Add([]byte{0, 0, 9, 9, 200, 3}, uint16(50), uint8(0))
	f.Add([]byte{255, 4, 4, 4, 4, 4, 4, 4}, uint16(4000), uint8(7))
	f.Fuzz(func(t *testing.T, shape []byte, window uint16, rounds uint8) {
		if len(shape) > 64 || window == 0 {
			return
		}
		messages := []llm.Message{llm.SystemText("be kind")}
		add := func(i int, size byte, role llm.Role) {
			text := strings.Repeat("word", int(size))
			switch size % 4 {
			case 0:
				id := fmt.Sprintf("c%d", i)
				messages = append(messages, llm.Message{Role: llm.RoleAssistant, Round: 1, Parts: []llm.Part{llm.ToolCall{ID: id, Name: "look"}, llm.ToolCall{ID: id + "x", Name: "look"}}},
					llm.Message{Role: llm.RoleTool, Round: 1, Parts: []llm.Part{llm.ToolResult{CallID: id, Content: []toolspec.Content{toolspec.Text(strings.Repeat(text, 8))}}, llm.ToolResult{CallID: id + "x"}}})
			case 1:
				messages = append(messages, llm.Message{Role: llm.RoleSummary, Parts: []llm.Part{llm.Text{Text: text}}})
			default:
				messages = append(messages, llm.Message{Role: role, Parts: []llm.Part{llm.Text{Text: text}}})
			}
		}
		for i, size := range shape {
			add(i, size, []llm.Role{llm.RoleUser, llm.RoleAssistant}[i%2])
		}
		question := "the question <p>passage</p>"
		messages = append(messages, llm.UserText(question))
		for i := range int(rounds % 8) {
			add(100+i, byte(4*i*i), llm.RoleAssistant)
		}
		m := small(int(window), chattest.Say("ok"))
		before := len(messages)
		req := &chat.Request{Messages: messages, Values: chat.WithPassages(chat.Values{}, []chat.Passage{{Text: "<p>passage</p>", Score: 1}, {Text: "nowhere"}, {}})}
		events, err := turntest.Run(t, chat.NewModelHandler(m).Handle(t.Context(), req))
		require.Len(t, messages, before)
		for i := range messages { // the request is not changed
			if strings.HasPrefix(messages[i].Text(), "the question") {
				require.Equal(t, question, messages[i].Text())
			}
		}
		if err != nil {
			require.Equal(t, llm.CodeContextOverflow, llm.CodeOf(err))
			require.Empty(t, m.Asked())
			return
		}
		sent := m.Asked()[0].Messages
		require.NoError(t, llm.CheckHistory(sent))
		require.Equal(t, "be kind", sent[0].Text())
		asked := false
		for i := range sent {
			asked = asked || strings.HasPrefix(sent[i].Text(), "the question")
		}
		require.True(t, asked)
		b := budgets(events)[0]
		require.LessOrEqual(t, turntest.Find[*chat.RoundStarted](events)[0].PromptTokens, b.Window-b.Reserve-b.Margin)
	})
}
