package chat_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// uploads is an interceptor that asks the user for a file.
type uploads struct {
	err   error
	panic bool
	open  bool // FailClosed is false
}

func (uploads) Name() string { return "uploads" }

func (u uploads) FailClosed() bool { return !u.open }

func (u uploads) Intercept(_ context.Context, calls []llm.ToolCall, in chat.RoundInput, emit func(chat.Event) bool) (map[string]chat.InterceptResult, error) {
	if u.panic {
		panic("oh")
	}
	claims := map[string]chat.InterceptResult{}
	for _, c := range calls {
		switch {
		case c.Name != "upload":
		case !in.Turn.Interact():
			claims[c.ID] = chat.InterceptResult{Result: &llm.ToolResult{IsError: true, Outcome: llm.OutcomeBudget,
				Content: []toolspec.Content{toolspec.Text(chat.English(chat.ToolMessage{Outcome: llm.OutcomeBudget, Tool: c.Name}))}}}
		default:
			follow := llm.UserText("here is the file")
			claims[c.ID] = chat.InterceptResult{Result: &llm.ToolResult{Outcome: llm.OutcomeExecuted, Content: []toolspec.Content{toolspec.Text("uploaded")}}, FollowUp: &follow}
		}
	}
	return claims, u.err
}

// A round asks the user once: after an approval request, an upload has to wait for the
// next round. Results keep the order of the calls, and follow-up messages come after
// them.
func TestOneInteractionInARound(t *testing.T) {
	approver := &turntest.Decider{}
	gate := turntest.NewGate(t, memory.New(), approver)
	model := chattest.NewModel(chattest.Calls("free", "{}", "gated", "{}", "upload", "{}", "nowhere", "{}"), chattest.Calls("upload", `{"again":true}`, "free", `{"n":2}`), chattest.Say("done"))
	store := turntest.NewStore(t)
	client := turntest.NewClient(t, model, chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.TextTool("free", "free"), turntest.GatedTool("gated", turntest.Returns("done")), turntest.TextTool("upload", "never")},
		Manager: turntest.NewManager(t, chat.ToolManagerOptions{Gate: gate, Interceptors: []chat.Interceptor{uploads{}}})})
	events, err := turntest.Turn(t, client, "c_1", "q", me)
	require.NoError(t, err)
	assert.Equal(t, 1, approver.Asked)
	ended(t, store, events)
	requests := model.Asked()
	first := requests[1].Messages[2].Results()
	require.Len(t, first, 4)
	for i, want := range []struct {
		name    string
		outcome llm.Outcome
	}{{"free", llm.OutcomeExecuted}, {"gated", llm.OutcomeExecuted}, {"upload", llm.OutcomeBudget}, {"nowhere", llm.OutcomeUnknownTool}} {
		assert.Equal(t, want.name, first[i].Name)
		assert.Equal(t, want.outcome, first[i].Outcome)
	}
	second := requests[2].Messages
	assert.Equal(t, "uploaded", second[4].Results()[0].Text())
	assert.Equal(t, "here is the file", second[5].Text(), "follow-up messages come after the results")
}

// If an interceptor fails, its calls are declined, or run if FailClosed is false.
func TestInterceptorFails(t *testing.T) {
	for _, c := range []struct {
		name string
		in   uploads
		want llm.Outcome
	}{
		{"fails closed", uploads{err: errors.New("no")}, llm.OutcomeDeclined},
		{"panics", uploads{panic: true}, llm.OutcomeDeclined},
		{"fails open", uploads{err: errors.New("no"), open: true}, llm.OutcomeExecuted},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := chattest.NewModel(chattest.Call("upload", "{}"), chattest.Say("done"))
			client := turntest.NewClient(t, model, chat.ClientOptions{Tools: turntest.Tools{turntest.TextTool("upload", "ran")}, Manager: turntest.NewManager(t, chat.ToolManagerOptions{Interceptors: []chat.Interceptor{c.in}})})
			events, err := turntest.Turn(t, client, "", "q", nil)
			require.NoError(t, err)
			assert.Equal(t, []llm.Outcome{c.want}, turntest.Outcomes(events))
		})
	}
	_, err := chat.NewToolCallingManager(&chat.ToolManagerOptions{Interceptors: []chat.Interceptor{nil}})
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

type failingCheck struct{}

func (failingCheck) Name() string { return "virus scan" }

func (failingCheck) FailClosed() bool { return true }

func (failingCheck) Intercept(context.Context, []llm.ToolCall, chat.RoundInput, func(chat.Event) bool) (map[string]chat.InterceptResult, error) {
	return nil, errors.New("the scanner is away")
}

// The model does not get the failure of an interceptor as a decision of the user.
func TestInterceptorFailureIsNoDecision(t *testing.T) {
	store := turntest.NewStore(t)
	model := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("well"))
	c := turntest.NewClient(t, model, chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.TextTool("look", "09:00")},
		Manager: turntest.NewManager(t, chat.ToolManagerOptions{Interceptors: []chat.Interceptor{failingCheck{}}})})
	_, err := c.Ask(t.Context(), "c_1", "q", nil)
	require.NoError(t, err)
	asked := model.Asked()
	require.Len(t, asked, 2)
	said := asked[1].Messages
	text := said[len(said)-1].Results()[0].Text()
	assert.Contains(t, text, "was NOT run")
	assert.Contains(t, text, "virus scan")
	assert.NotContains(t, text, "The user declined")
	assert.NotContains(t, text, "scanner is away", "the internal error is only logged")
}
