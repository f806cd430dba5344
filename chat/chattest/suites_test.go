package chattest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
)

// The suites pass for correct implementations.
func TestSuites(t *testing.T) {
	t.Run("store", func(t *testing.T) {
		chattest.TestStore(t, func(t *testing.T) conversation.Store {
			s, err := conversation.NewStore(memory.New())
			require.NoError(t, err)
			return s
		})
	})
	t.Run("memory", func(t *testing.T) {
		chattest.TestMemory(t, func(*testing.T) chat.Memory { return chat.NewMemory(1000) })
	})
}

// said returns the deltas of one model call.
func said(m llm.Model, ctx context.Context) (out []llm.Delta, err error) {
	for d, err := range m.Generate(ctx, &llm.ModelRequest{Round: 2}) {
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

func TestModelFollowsItsScript(t *testing.T) {
	boom := errors.New("boom")
	m := chattest.NewModel(chattest.Steps(chattest.Think("생각"), chattest.Calls("a", `{"x":"é"}`, "b", ""), chattest.Uses(llm.Usage{Input: 1})), chattest.Fail(boom))
	m.Add(chattest.Hang(), chattest.Say("x"))
	all, err := said(m, t.Context())
	require.NoError(t, err)
	var calls []string
	arguments := ""
	for _, d := range all {
		switch d.Kind {
		case llm.DeltaToolStart:
			calls = append(calls, d.CallID)
		case llm.DeltaToolArgs:
			arguments += d.Text
		}
	}
	assert.Equal(t, []string{"call_2_0", "call_2_1"}, calls)
	assert.Equal(t, `{"x":"é"}`, arguments)
	_, err = said(m, t.Context())
	assert.ErrorIs(t, err, boom)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = said(m, ctx)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = said(m, ctx)
	assert.ErrorIs(t, err, context.DeadlineExceeded, "a call that was stopped before it began")
	_, err = said(m, t.Context())
	assert.ErrorContains(t, err, "the script has 4 steps")
	assert.Len(t, m.Asked(), 5)
	assert.Panics(t, func() { _, _ = said(chattest.NewModel(chattest.Panic("oh")), t.Context()) })
	for range chattest.NewModel(chattest.Call("a", `{"x":1}`)).Generate(t.Context(), &llm.ModelRequest{}) {
		break
	}
}

// Each stream breaks one rule, and the checker reports it.
func TestCheckEventsRefuses(t *testing.T) {
	start, end := func() chat.Event { return &chat.TurnStarted{} }, func() chat.Event { return &chat.TurnFinished{Status: conversation.EndCompleted} }
	round, over := func() chat.Event { return &chat.RoundStarted{} }, func() chat.Event { return &chat.RoundFinished{} }
	call := func(id string) []chat.Event {
		return []chat.Event{&chat.ToolCallStarted{CallID: id, Name: "a"}, &chat.ToolCallReady{CallID: id, Name: "a"}}
	}
	in := func(events ...chat.Event) []chat.Event {
		return append(append([]chat.Event{start(), round()}, events...), over(), end())
	}
	for _, c := range []struct {
		says   string
		events []chat.Event
	}{
		{"turn.started must be first", []chat.Event{round(), over(), end()}},
		{"a turn starts once", []chat.Event{start(), start(), end()}},
		{"a turn fails once", []chat.Event{start(), &chat.TurnFailed{}, &chat.TurnFailed{}, end()}},
		{"no turn is under way", []chat.Event{start(), end(), end()}},
		{"nothing may follow", []chat.Event{start(), &chat.TurnFailed{}, round(), over(), end()}},
		{"a round is open", []chat.Event{start(), round(), end()}},
		{"the round before is open", in(round())},
		{"no round is open", []chat.Event{start(), over(), end()}},
		{"no round is open", []chat.Event{start(), &chat.TextDelta{Text: "x"}, end()}},
		{"without turn.finished", []chat.Event{start()}},
		{"reasoning.delta is still open", in(&chat.ReasoningDelta{Text: "x"}, &chat.TextDelta{Text: "y"})},
		{"it is empty", in(&chat.TextDelta{})},
		{"it is empty", in(&chat.ReasoningDelta{})},
		{"no text is open", in(&chat.TextEnd{})},
		{"no reasoning is open", in(&chat.ReasoningEnd{})},
		{"was not completed", in(&chat.TextDelta{Text: "x"}, &chat.TextEnd{})},
		{"its deltas said", in(&chat.TextDelta{Text: "x"}, &chat.TextEnd{}, &chat.MessageCompleted{Role: llm.RoleAssistant, Content: "y"})},
		{"is still open", in(&chat.TextDelta{Text: "x"}, &chat.MessageCompleted{Role: llm.RoleAssistant, Content: "x"})},
		{"was started before", in(append(call("c"), call("c")...)...)},
		{"another part is open", in(&chat.TextDelta{Text: "x"}, &chat.ToolCallStarted{CallID: "c"})},
		{"is still being written", in(&chat.ToolCallStarted{CallID: "c"}, &chat.TextDelta{Text: "x"})},
		{"is not in a state for it", in(&chat.ToolCallArguments{CallID: "c"})},
		{"is not in a state for it", in(&chat.ToolCallReady{CallID: "c"})},
		{"is not in a state for it", in(&chat.ToolCallProgress{CallID: "c"})},
		{"is not in a state for it", in(&chat.CardShown{CallID: "c"})},
		{"is not in a state for it", in(&chat.ApprovalRequired{CallID: "c"})},
		{"no event asked", in(&chat.ApprovalResolved{ApprovalID: "ap"})},
		{"has no result", in(call("c")...)},
		{"stands before its result", in(append(call("c"), &chat.ToolCallUpdate{CallID: "c", Status: conversation.CallFailed})...)},
		{"is due", in(append(call("c"), &chat.ToolCallResult{CallID: "c"}, &chat.Warned{})...)},
		{"cannot go from", in(append(call("c"), &chat.ToolCallResult{CallID: "c"}, &chat.ToolCallUpdate{CallID: "c", Status: conversation.CallFailed}, &chat.ToolCallUpdate{CallID: "c", Status: conversation.CallInProgress})...)},
		{"their fragments were", in(&chat.ToolCallStarted{CallID: "c"}, &chat.ToolCallArguments{CallID: "c", Fragment: "{}"}, &chat.ToolCallReady{CallID: "c", Arguments: []byte(`{"x":1}`)})},
	} {
		assert.ErrorContains(t, chattest.CheckEvents(number(c.events)), c.says)
	}
	beat := &chat.Heartbeat{}
	beat.Seq = 3
	assert.ErrorContains(t, chattest.CheckRound([]chat.Event{beat}), "a heartbeat has no number")
	untimed := []chat.Event{start(), end()}
	untimed[0].Header().Seq, untimed[1].Header().Seq = 1, 2
	assert.ErrorContains(t, chattest.CheckEvents(untimed), "time and turn are missing")
	well := in(&chat.TextDelta{Text: "void"}, &chat.ModelRetry{Retry: llm.Retry{Reset: true}}, &chat.RefusalDelta{Text: "no"}, &chat.MessageCompleted{Role: llm.RoleAssistant})
	assert.NoError(t, chattest.CheckEvents(number(well)))
}
