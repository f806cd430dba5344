package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
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

func TestModelCall(t *testing.T) {
	use := llm.Usage{Input: 7, Output: 3}
	m := chattest.NewModel(chattest.Steps(chattest.Think("hm, 생각"), chattest.Text("Hello, wörld"), chattest.Write("c1", "a", `{"x":1}`),
		chattest.Write("c2", "b", ""), chattest.Uses(use), chattest.Finish(llm.FinishStop)))
	events, err := turntest.Run(t, generate(m, llm.UserText("hi")))
	require.NoError(t, err)
	done := turntest.Find[*chat.MessageCompleted](events)
	require.Len(t, done, 1)
	msg := done[0].Message
	assert.Equal(t, "Hello, wörld", done[0].Content)
	assert.Equal(t, conversation.MessageFinal, done[0].Status)
	assert.Equal(t, "hm, 생각", msg.Reasoning())
	calls := msg.ToolCalls()
	require.Len(t, calls, 2)
	assert.JSONEq(t, `{"x":1}`, string(calls[0].Arguments))
	assert.JSONEq(t, `{}`, string(calls[1].Arguments))
	assert.Equal(t, llm.FinishToolCalls, turntest.Find[*chat.RoundFinished](events)[0].Finish, "a stop with calls is reported as tool calls")
	assert.Equal(t, llm.Usage{Input: 7, Output: 3, Total: 10}, turntest.Find[*chat.UsageReported](events)[0].RoundUsage)
	assert.Equal(t, 6, turntest.Find[*chat.ReasoningEnd](events)[0].Chars)
	assert.Equal(t, []llm.PartKind{llm.PartReasoning, llm.PartText, llm.PartToolCall, llm.PartToolCall}, kinds(msg.Parts))

	raw, err := json.Marshal(msg)
	require.NoError(t, err)
	var back llm.Message
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, *msg, back, "a message round-trips as JSON")
}

func kinds(parts []llm.Part) (kinds []llm.PartKind) {
	for _, p := range parts {
		kinds = append(kinds, p.Kind())
	}
	return kinds
}

func TestModelCallEstimatesUsage(t *testing.T) {
	events, err := turntest.Run(t, generate(chattest.NewModel(chattest.Say("a text of some length")), llm.UserText("and a question")))
	require.NoError(t, err)
	u := turntest.Find[*chat.UsageReported](events)[0].RoundUsage
	assert.True(t, u.Estimated)
	assert.Positive(t, u.Input)
	assert.Equal(t, u.Input+u.Output, u.Total)
}

func TestModelCallFailures(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		step chattest.Step
		code llm.Code
		said string // the partial message; "" if there is none
	}{
		{"error at once", chattest.Fail(boom), llm.CodeInternal, ""},
		{"error in the middle", chattest.Steps(chattest.Text("half"), chattest.Fail(boom)), llm.CodeInternal, "half"},
		{"own code", chattest.Fail(&llm.Error{Code: llm.CodeRateLimited}), llm.CodeRateLimited, ""},
		{"no end", chattest.Text("half"), llm.CodeStreamBroken, "half"},
		{"more after the end", chattest.Steps(chattest.Say("x"), chattest.Text("y")), llm.CodeStreamBroken, "x"},
		{"arguments of no call", chattest.One(llm.Delta{Kind: llm.DeltaToolArgs, CallID: "q", Text: "{"}), llm.CodeStreamBroken, ""},
		{"end of no call", chattest.One(llm.Delta{Kind: llm.DeltaToolEnd, CallID: "q"}), llm.CodeStreamBroken, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := turntest.Run(t, generate(chattest.NewModel(c.step), llm.UserText("q")))
			require.Error(t, err)
			assert.Equal(t, c.code, llm.CodeOf(err))
			done := turntest.Find[*chat.MessageCompleted](events)
			if c.said == "" {
				assert.Empty(t, done)
				return
			}
			require.Len(t, done, 1)
			assert.Equal(t, c.said, done[0].Content)
			assert.Equal(t, conversation.MessagePartial, done[0].Status)
		})
	}
}

// An endless answer is cut off before it uses too much memory.
func TestModelCallEndlessAnswer(t *testing.T) {
	page := strings.Repeat("x", 1<<20)
	for name, deltas := range map[string][]llm.Delta{
		"text":     {{Kind: llm.DeltaText, Text: page}},
		"thinking": {{Kind: llm.DeltaReasoning, Text: page}},
		"calls":    {{Kind: llm.DeltaToolStart, CallID: "c", Name: page}},
		"state":    {{Kind: llm.DeltaReasoning, Provider: map[string]json.RawMessage{"p": json.RawMessage(`"` + page + `"`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			ended := false
			m := chattest.NewModel(func(_ context.Context, _ *llm.ModelRequest, out func(llm.Delta) bool) error {
				defer func() { ended = true }()
				for out(deltas[0]) {
				}
				return nil
			})
			var failed error
			for _, err := range generate(m, llm.UserText("q")) {
				failed = err
			}
			assert.ErrorContains(t, failed, "the answer is longer than 32 MiB")
			assert.Equal(t, llm.CodeStreamBroken, llm.CodeOf(failed))
			assert.True(t, ended)
		})
	}
}

func TestModelCallRepairsArguments(t *testing.T) {
	events, err := turntest.Run(t, generate(chattest.NewModel(chattest.Calls("a", `{"x":1,}`, "b", "nonsense")), llm.UserText("q")))
	require.NoError(t, err)
	calls := turntest.Find[*chat.MessageCompleted](events)[0].Message.ToolCalls()
	require.Len(t, calls, 2)
	assert.JSONEq(t, `{"x":1}`, string(calls[0].Arguments))
	assert.Equal(t, `{"x":1,}`, calls[0].RawArguments)
	assert.Nil(t, calls[1].Arguments)
	assert.Contains(t, calls[1].Problem, "they are no JSON: at byte")
	assert.Len(t, turntest.Find[*chat.Warned](events), 1)
}

func TestModelCallRetryReplaces(t *testing.T) {
	m := chattest.NewModel(chattest.Steps(chattest.Text("wrong"), chattest.Write("c", "a", "{}"),
		chattest.One(llm.Delta{Kind: llm.DeltaRetry, Retry: &llm.Retry{Attempt: 2, Cause: "cut", Reset: true}}), chattest.Say("right")))
	events, err := turntest.Run(t, generate(m, llm.UserText("q")))
	require.NoError(t, err)
	msg := turntest.Find[*chat.MessageCompleted](events)[0].Message
	assert.Equal(t, "right", msg.Text())
	assert.Empty(t, msg.ToolCalls())
}

func TestModelCallSilence(t *testing.T) {
	for _, c := range []struct {
		name  string
		step  chattest.Step
		after time.Duration
		said  string
	}{
		{"before the first token", chattest.Hang(), time.Minute, ""},
		{"later", chattest.Steps(chattest.Text("half"), chattest.Hang()), 3 * time.Second, "half"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turn, err := chat.NewTurn("t", chat.TurnPolicy{FirstToken: time.Minute, Idle: 3 * time.Second})
				require.NoError(t, err)
				began := time.Now()
				events, err := turntest.Run(t, chat.NewModelHandler(chattest.NewModel(c.step)).Handle(t.Context(), &chat.Request{Turn: turn}))
				assert.Equal(t, llm.CodeProviderTimeout, llm.CodeOf(err))
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Equal(t, c.after, time.Since(began))
				assert.Equal(t, c.said != "", len(turntest.Find[*chat.MessageCompleted](events)) == 1)
			})
		})
	}
}

// The time that the consumer of the stream takes does not count as silence of the model.
func TestModelCallSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn, err := chat.NewTurn("t", chat.TurnPolicy{FirstToken: time.Second, Idle: time.Second})
		require.NoError(t, err)
		n := 0
		for _, err := range chat.NewModelHandler(chattest.NewModel(chattest.Say("some text"))).Handle(t.Context(), &chat.Request{Turn: turn}) {
			require.NoError(t, err)
			time.Sleep(5 * time.Second) // synctest time
			n++
		}
		assert.Greater(t, n, 4)
	})
}

func TestModelCallBrokenOff(t *testing.T) {
	script := func() chattest.Step {
		return chattest.Steps(chattest.Think("abc"), chattest.Text("def ghi"), chattest.Write("c", "a", `{"x":1}`), chattest.Finish(llm.FinishToolCalls))
	}
	all, err := turntest.Run(t, generate(chattest.NewModel(script())))
	require.NoError(t, err)
	for k := range all {
		n := 0
		for range generate(chattest.NewModel(script())) {
			if n++; n > k {
				break
			}
		}
		assert.Equal(t, k+1, n)
	}
}

func TestModelCallCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	why := errors.New("enough")
	m := chattest.NewModel(chattest.Steps(chattest.Text("half"), chattest.Hang()))
	var last error
	for ev, err := range chat.NewModelHandler(m).Handle(ctx, &chat.Request{}) {
		if _, ok := ev.(*chat.TextDelta); ok {
			cancel(why)
		}
		last = err
	}
	assert.ErrorIs(t, last, why)
}

func TestModelCallKeepsStateOfReasoning(t *testing.T) {
	state := func(id string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"p": json.RawMessage(`"` + id + `"`)}
	}
	ends := func(text, id string) chattest.Step {
		return chattest.One(llm.Delta{Kind: llm.DeltaReasoning, Text: text, Provider: state(id)})
	}
	m := chattest.NewModel(chattest.Steps(chattest.Think("first"), ends("", "1"), // the state comes after the text
		ends("second", "2"), // together with the text
		ends("", "3"),       // without a text
		chattest.Write("c1", "a", `{}`), chattest.Think("more"), ends("", "4"), chattest.Text("so"), ends("", "5"), chattest.Think("plain"), chattest.Finish(llm.FinishStop)))
	events, err := turntest.Run(t, generate(m, llm.UserText("hi")))
	require.NoError(t, err)
	msg := turntest.Find[*chat.MessageCompleted](events)[0].Message
	assert.Equal(t, []llm.Part{
		llm.Reasoning{Text: "first", Provider: state("1")}, llm.Reasoning{Text: "second", Provider: state("2")}, llm.Reasoning{Provider: state("3")},
		msg.ToolCalls()[0], llm.Reasoning{Text: "more", Provider: state("4")}, llm.Text{Text: "so"}, llm.Reasoning{Provider: state("5")}, llm.Reasoning{Text: "plain"},
	}, msg.Parts)
	assert.Len(t, turntest.Find[*chat.ReasoningEnd](events), 4, "state without text is not shown")

	m = chattest.NewModel(chattest.Steps(chattest.Think("void"), chattest.One(llm.Delta{Kind: llm.DeltaRetry, Retry: &llm.Retry{Attempt: 2, Reset: true}}),
		ends("", "6"), chattest.Text("x"), chattest.Finish(llm.FinishStop)))
	events, err = turntest.Run(t, generate(m, llm.UserText("hi")))
	require.NoError(t, err)
	assert.Equal(t, []llm.Part{llm.Reasoning{Provider: state("6")}, llm.Text{Text: "x"}}, turntest.Find[*chat.MessageCompleted](events)[0].Message.Parts)
}
