package advisor_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
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
