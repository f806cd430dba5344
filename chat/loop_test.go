package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// tool is a tool for tests.
type tool struct {
	def toolspec.Definition
	do  func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)
}

func (t *tool) Definition() toolspec.Definition { return t.def }

func (t *tool) Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
	return t.do(ctx, call)
}

const anyObject = `{"type":"object"}`

func textTool(name, text string) *tool {
	return &tool{def: toolspec.Definition{Name: name, InputSchema: json.RawMessage(anyObject)},
		do: func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return toolspec.TextResult(text), nil }}
}

// loopRun is a turn of the loop alone.
type loopRun struct {
	model  *chattest.Model
	tools  []toolspec.Tool
	policy chat.TurnPolicy
	opts   *chat.ToolManagerOptions
	turn   *chat.Turn
	format *llm.OutputFormat
}

// run runs it and holds its events, with a frame around them, against the order.
func (r *loopRun) run(t *testing.T, ctx context.Context) ([]chat.Event, error) {
	t.Helper()
	events, err := r.collect(t, ctx, -1)
	framed := append([]chat.Event{&chat.TurnStarted{}}, events...)
	if err != nil {
		framed = append(framed, &chat.TurnFailed{})
	}
	framed = append(framed, &chat.TurnFinished{})
	for i, e := range framed {
		h := e.Header()
		h.Seq, h.Time, h.Turn = int64(i+1), time.Now(), "t"
	}
	assert.NoError(t, chattest.CheckEvents(framed))
	assert.NoError(t, llm.CheckHistory(history(events)))
	return events, err
}

func (r *loopRun) collect(t *testing.T, ctx context.Context, most int) (events []chat.Event, err error) {
	t.Helper()
	m, err := chat.NewToolCallingManager(r.opts)
	require.NoError(t, err)
	if r.turn == nil {
		r.turn, err = chat.NewTurn("t", r.policy, names(r.tools)...)
		require.NoError(t, err)
	}
	req := &chat.Request{Turn: r.turn, Messages: []llm.Message{llm.UserText("question")}, Tools: r.tools, Format: r.format}
	for ev, err := range chat.NewToolLoop(chat.NewModelHandler(r.model), m).Handle(ctx, req) {
		if err != nil {
			return events, err
		}
		if events = append(events, ev); len(events) == most {
			break
		}
	}
	return events, nil
}

// history is what the turn added.
func history(events []chat.Event) []llm.Message {
	messages := []llm.Message{llm.UserText("question")}
	for _, e := range find[*chat.MessageCompleted](events) {
		messages = append(messages, *e.Message)
	}
	return messages
}

func answers(events []chat.Event) string {
	done := find[*chat.MessageCompleted](events)
	return done[len(done)-1].Message.Text()
}

func outcomes(events []chat.Event) (out []llm.Outcome) {
	for _, e := range find[*chat.ToolCallResult](events) {
		out = append(out, e.Outcome)
	}
	return out
}

func TestLoop(t *testing.T) {
	var got []string
	add := &tool{def: toolspec.Definition{Name: "add", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`)},
		do: func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
			got = append(got, string(call.Arguments))
			return toolspec.TextResult("3"), nil
		}}
	r := &loopRun{model: chattest.NewModel(chattest.Steps(chattest.Text("Let me see."), chattest.Call("add", `{"a":1,"b":"2"}`)), chattest.Say("It is 3.")),
		tools: []toolspec.Tool{add}}
	events, err := r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, "It is 3.", answers(events))
	require.Len(t, got, 1)
	assert.JSONEq(t, `{"a":1,"b":2}`, got[0], "a number in quotes is meant as a number")
	asked := r.model.Asked()
	require.Len(t, asked, 2)
	require.Len(t, asked[1].Messages, 3)
	assert.Equal(t, "3", asked[1].Messages[2].Results()[0].Content[0].Text)
	assert.Equal(t, []string{"add"}, find[*chat.RoundStarted](events)[0].OfferedTools)
}

func TestRoundModesAreNamed(t *testing.T) {
	for mode, name := range map[chat.RoundMode]string{chat.RoundContinue: "continue", chat.RoundWrapUp: "wrap-up", chat.RoundHardStop: "hard-stop",
		chat.RoundCancelled: "cancelled", 9: "round mode 9"} {
		assert.Equal(t, name, mode.String())
	}
}

func TestLoopEndsAfterTheHardLimitOfRounds(t *testing.T) {
	n := 0
	model := chattest.NewModel()
	model.Rule = func(req *llm.ModelRequest) chattest.Step { // calls tools whatever it is told
		n++
		return chattest.Call("tick", fmt.Sprintf(`{"n":%d}`, n))
	}
	ran := 0
	tick := textTool("tick", "ok")
	tick.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		ran++
		return toolspec.TextResult("ok"), nil
	}
	r := &loopRun{model: model, tools: []toolspec.Tool{tick}}
	events, err := r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, 16, ran, "rounds 1 to 16 run")
	got := outcomes(events)
	require.Len(t, got, 19)
	assert.Equal(t, llm.OutcomeExecuted, got[15])
	assert.Equal(t, []llm.Outcome{llm.OutcomeWrapUp, llm.OutcomeWrapUp, llm.OutcomeHardStop}, got[16:])
	ends := find[*chat.RoundFinished](events)
	assert.Equal(t, llm.FinishRoundLimit, ends[len(ends)-1].Finish)
	assert.Contains(t, answers(events), "stopped after 18 rounds")
	asked := model.Asked()
	assert.Equal(t, llm.ToolAuto, asked[15].ToolChoice.Mode)
	for _, req := range asked[16:] {
		assert.Equal(t, llm.ToolNone, req.ToolChoice.Mode, "behind the soft limit no tool may be called")
		assert.Len(t, req.Tools, 1, "the tools stay listed")
	}
}

func TestLoopAnswersAtTheSoftLimit(t *testing.T) {
	model := chattest.NewModel()
	n := 0
	model.Rule = func(req *llm.ModelRequest) chattest.Step {
		if req.ToolChoice.Mode == llm.ToolNone {
			return chattest.Say("What I have so far.")
		}
		n++
		return chattest.Call("tick", fmt.Sprintf(`{"n":%d}`, n))
	}
	r := &loopRun{model: model, tools: []toolspec.Tool{textTool("tick", "ok")}, policy: chat.TurnPolicy{SoftMaxRounds: 2}}
	events, err := r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, "What I have so far.", answers(events))
	assert.Len(t, model.Asked(), 3)
}

func TestLoopGuards(t *testing.T) {
	failing := textTool("failing", "")
	failing.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return nil, errors.New("no disk") }
	panicking := textTool("panicking", "")
	panicking.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { panic("oh") }
	gated := textTool("gated", "done")
	gated.def.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	typed := textTool("typed", "ok")
	typed.def.InputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	long := textTool("long", strings.Repeat("ä", 20_000))
	tools := []toolspec.Tool{textTool("ok", "fine"), failing, panicking, gated, typed, long, textTool("server_list_files", "x")}
	for _, c := range []struct {
		name    string
		step    chattest.Step
		want    []llm.Outcome
		says    string // in the result of the last call
		isError bool
	}{
		{"well", chattest.Call("ok", "{}"), []llm.Outcome{llm.OutcomeExecuted}, "fine", false},
		{"no arguments", chattest.Call("ok", ""), []llm.Outcome{llm.OutcomeExecuted}, "fine", false},
		{"unknown", chattest.Call("nothing_like_it", "{}"), []llm.Outcome{llm.OutcomeUnknownTool}, `There is no tool "nothing_like_it"`, true},
		{"case", chattest.Call("OK", "{}"), []llm.Outcome{llm.OutcomeUnknownTool}, `Did you mean "ok"?`, true},
		{"without prefix", chattest.Call("list_files", "{}"), []llm.Outcome{llm.OutcomeUnknownTool}, `Did you mean "server_list_files"?`, true},
		{"a slip", chattest.Call("faling", "{}"), []llm.Outcome{llm.OutcomeUnknownTool}, `Did you mean "failing"?`, true},
		{"broken arguments", chattest.Call("ok", "nonsense"), []llm.Outcome{llm.OutcomeBadArguments}, "they are no JSON: at byte 2", true},
		{"wrong arguments", chattest.Call("typed", `{"n":"many"}`), []llm.Outcome{llm.OutcomeBadArguments}, "typed", true},
		{"missing arguments", chattest.Call("typed", `{}`), []llm.Outcome{llm.OutcomeBadArguments}, `"n"`, true},
		{"fails", chattest.Call("failing", `{}`), []llm.Outcome{llm.OutcomeExecuted}, "no disk", true},
		{"panics", chattest.Call("panicking", `{}`), []llm.Outcome{llm.OutcomePanic}, `"panicking" failed unexpectedly: oh`, true},
		{"nobody to ask", chattest.Call("gated", `{}`), []llm.Outcome{llm.OutcomeDeclined}, "no person can be asked here", true},
		{"siblings", chattest.Calls("failing", "{}", "gated", "{}", "ok", "{}"), []llm.Outcome{llm.OutcomeDeclined, llm.OutcomeExecuted, llm.OutcomeExecuted}, "fine", false},
		{"cut off", chattest.Steps(chattest.Write("", "ok", "{}"), chattest.Write("", "ok", `{"a":"b`), chattest.Finish(llm.FinishLength)),
			[]llm.Outcome{llm.OutcomeBadArguments, llm.OutcomeExecuted}, "cut off by the length limit", true},
		{"two cut off", chattest.Steps(chattest.Write("", "ok", `{"a":"b`), chattest.Write("", "ok", `{"a":"c"}`), chattest.Finish(llm.FinishLength)),
			[]llm.Outcome{llm.OutcomeBadArguments, llm.OutcomeBadArguments}, "cut off by the length limit", true},
		{"filtered", chattest.Steps(chattest.Write("", "ok", "{}"), chattest.Write("", "ok", `{"a":"b`), chattest.Finish(llm.FinishContentFilter)),
			[]llm.Outcome{llm.OutcomeBadArguments, llm.OutcomeExecuted}, "cut off by the content filter", true},
		{"same id twice", chattest.Steps(chattest.Write("x", "ok", `{"a":1}`), chattest.Write("x", "ok", `{"a":2}`), chattest.Finish(llm.FinishToolCalls)),
			[]llm.Outcome{llm.OutcomeExecuted, llm.OutcomeExecuted}, "fine", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &loopRun{model: chattest.NewModel(c.step, chattest.Say("end")), tools: tools}
			events, err := r.run(t, t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.want, outcomes(events))
			results := r.model.Asked()[1].Messages[2].Results()
			last := results[len(results)-1]
			assert.Contains(t, last.Text(), c.says)
			assert.Equal(t, c.isError, last.IsError)
			assert.Equal(t, "end", answers(events))
		})
	}
}

func TestLoopRefusesTheFourthEqualCall(t *testing.T) {
	r := &loopRun{model: chattest.NewModel(chattest.Call("ok", `{"a":1,"b":2}`), chattest.Call("ok", `{"b":2,"a":1}`), chattest.Call("ok", `{ "a": 1, "b": 2 }`),
		chattest.Call("ok", `{"a":1,"b":2}`), chattest.Call("ok", `{"a":2}`), chattest.Say("end")), tools: []toolspec.Tool{textTool("ok", "fine")}}
	events, err := r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, []llm.Outcome{llm.OutcomeExecuted, llm.OutcomeExecuted, llm.OutcomeExecuted, llm.OutcomeRepeated, llm.OutcomeExecuted}, outcomes(events))
}

func TestLoopCutsLongResults(t *testing.T) {
	array := make([]string, 3000)
	for i := range array {
		array[i] = fmt.Sprintf(`{"name":"element %d"}`, i)
	}
	var stored string
	r := &loopRun{model: chattest.NewModel(chattest.Calls("text", "{}", "array", "{}"), chattest.Say("end")),
		tools: []toolspec.Tool{textTool("text", strings.Repeat("가", 20_000)), textTool("array", "["+strings.Join(array, ",")+"]")},
		opts: &chat.ToolManagerOptions{Offload: func(_ context.Context, _, call, text string) (string, error) {
			stored = text
			return "results/" + call + ".txt", nil
		}}}
	events, err := r.run(t, t.Context())
	require.NoError(t, err)
	results := r.model.Asked()[1].Messages[2].Results()
	text := results[0].Text()
	assert.Equal(t, &llm.Truncation{Kept: 12_000, Total: 20_000}, results[0].Truncated)
	assert.True(t, strings.HasPrefix(text, strings.Repeat("가", 9000)+"\n[… 8000 of 20000 characters left out"))
	assert.True(t, strings.HasSuffix(text, "]\n"+strings.Repeat("가", 3000)))
	assert.Equal(t, "results/call_1_1.txt", results[1].StoredAt)
	assert.Len(t, stored, len(strings.Join(array, ","))+2, "the whole text is stored")
	head, _, _ := strings.Cut(results[1].Text(), "\n[…")
	assert.True(t, json.Valid([]byte(head)), "an array is cut between its elements")
	assert.Len(t, find[*chat.ToolCallResult](events), 2)
}

func TestLoopReturnDirect(t *testing.T) {
	direct, other := textTool("direct", "the answer itself"), textTool("other", "x")
	direct.def.ReturnDirect = true
	card := textTool("card", "Chart: two bars.\n\n```localpass-action-return-direct\n{\"type\":\"chart\",\"bars\":[1,2]}\n```")
	r := &loopRun{model: chattest.NewModel(chattest.Call("direct", "{}")), tools: []toolspec.Tool{direct, other, card}}
	events, err := r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, "the answer itself", answers(events))
	assert.Len(t, r.model.Asked(), 1)

	r = &loopRun{model: chattest.NewModel(chattest.Calls("direct", "{}", "other", "{}"), chattest.Say("end")), tools: r.tools}
	events, err = r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, "end", answers(events), "not all of the calls are direct")

	r = &loopRun{model: chattest.NewModel(chattest.Call("card", "{}")), tools: r.tools}
	events, err = r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Chart: two bars.\n\n[a card of type chart is shown to the user]", answers(events))
	shown := find[*chat.CardShown](events)
	require.Len(t, shown, 1)
	assert.JSONEq(t, `{"type":"chart","bars":[1,2]}`, string(shown[0].Payload))

	r = &loopRun{model: chattest.NewModel(chattest.Calls("card", "{}", "other", "{}"), chattest.Say("end")), tools: r.tools}
	events, err = r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, "end", answers(events), "a terminal card that is not alone")
}

func TestLoopRunsSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		yes := true
		var running, most atomic.Int32
		slow := &tool{def: toolspec.Definition{Name: "slow", InputSchema: json.RawMessage(anyObject), Annotations: toolspec.Annotations{ReadOnly: &yes}},
			do: func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				_ = call.Caller().Progress(ctx, toolspec.Progress{Done: 1, Total: 2})
				time.Sleep(time.Second)
				return toolspec.TextResult(string(call.Arguments)), nil
			}}
		var calls []string
		for i := range 6 {
			calls = append(calls, "slow", fmt.Sprintf(`{"n":%d}`, i))
		}
		r := &loopRun{model: chattest.NewModel(chattest.Calls(calls...), chattest.Say("end")), tools: []toolspec.Tool{slow}}
		events, err := r.run(t, t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 4, most.Load())
		assert.Len(t, find[*chat.ToolCallProgress](events), 6)
		for i, res := range r.model.Asked()[1].Messages[2].Results() {
			assert.Equal(t, fmt.Sprintf(`{"n":%d}`, i), res.Text(), "results keep the order of the calls")
		}

		most.Store(0)
		slow.def.Annotations.ReadOnly = nil // who knows what it does
		r = &loopRun{model: chattest.NewModel(chattest.Calls(calls...), chattest.Say("end")), tools: []toolspec.Tool{slow}}
		_, err = r.run(t, t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, most.Load())
	})
}

func TestLoopTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := textTool("hang", "")
		hang.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		r := &loopRun{model: chattest.NewModel(chattest.Call("hang", "{}"), chattest.Say("end")), tools: []toolspec.Tool{hang}}
		events, err := r.run(t, t.Context())
		require.NoError(t, err)
		assert.Equal(t, []llm.Outcome{llm.OutcomeTimeout}, outcomes(events))
		assert.Contains(t, r.model.Asked()[1].Messages[2].Results()[0].Text(), `"hang" timed out after 30s. It may or may not have taken effect.`)
	})
}

func TestLoopCancelled(t *testing.T) {
	for _, c := range []struct {
		name    string
		mode    chat.CancelMode
		obeys   bool // the tool ends when its context does
		want    []llm.Outcome
		seconds int
	}{
		{"at once", chat.CancelNow, true, []llm.Outcome{llm.OutcomeCancelled, llm.OutcomeCancelled}, 1},
		{"a tool that does not listen", chat.CancelNow, false, []llm.Outcome{llm.OutcomeCancelled, llm.OutcomeCancelled}, 3},
		{"after the tools", chat.CancelAfterTools, true, []llm.Outcome{llm.OutcomeExecuted, llm.OutcomeExecuted}, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := textTool("slow", "")
				slow.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
					stop := ctx.Done()
					if !c.obeys {
						stop = nil
					}
					select {
					case <-stop:
						return nil, ctx.Err()
					case <-time.After(10 * time.Second):
						return toolspec.TextResult("done"), nil
					}
				}
				r := &loopRun{model: chattest.NewModel(chattest.Calls("slow", `{"n":1}`, "slow", `{"n":2}`), chattest.Say("end")), tools: []toolspec.Tool{slow}}
				var err error
				r.turn, err = chat.NewTurn("t", chat.TurnPolicy{}, "slow")
				require.NoError(t, err)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				time.AfterFunc(time.Second, func() {
					r.turn.Cancel(c.mode)
					if c.mode == chat.CancelNow { // what the client does
						stop()
					}
				})
				began := time.Now()
				events, err := r.run(t, ctx)
				assert.ErrorIs(t, err, context.Canceled)
				assert.Equal(t, c.want, outcomes(events))
				assert.Equal(t, time.Duration(c.seconds)*time.Second, time.Since(began))
				time.Sleep(time.Minute) // what was abandoned ends by itself
			})
		})
	}
}

func TestLoopBrokenOff(t *testing.T) {
	script := func() *loopRun {
		return &loopRun{model: chattest.NewModel(chattest.Steps(chattest.Think("a"), chattest.Text("b"), chattest.Calls("ok", "{}", "ok", `{"a":1}`)), chattest.Say("end")),
			tools: []toolspec.Tool{textTool("ok", "fine")}}
	}
	all, err := script().run(t, t.Context())
	require.NoError(t, err)
	for k := range all {
		synctest.Test(t, func(t *testing.T) { // which fails when a goroutine is left
			some, err := script().collect(t, t.Context(), k+1)
			require.NoError(t, err)
			assert.Len(t, some, k+1)
		})
	}
}

func TestLoopEmptyAnswer(t *testing.T) {
	r := &loopRun{model: chattest.NewModel(chattest.Finish(llm.FinishStop), chattest.Say("sorry, here"))}
	events, err := r.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, "sorry, here", answers(events))

	r = &loopRun{model: chattest.NewModel(chattest.Finish(llm.FinishStop), chattest.Steps(chattest.Think("hm"), chattest.Finish(llm.FinishStop)))}
	events, err = r.run(t, t.Context())
	require.NoError(t, err)
	warned := find[*chat.Warned](events)
	require.Len(t, warned, 1)
	assert.Equal(t, chat.WarnEmptyAnswer, warned[0].Code)
}

func TestLoopBudget(t *testing.T) {
	r := &loopRun{model: chattest.NewModel(chattest.Steps(chattest.Uses(llm.Usage{Input: 90, Output: 20, Total: 110}), chattest.Call("ok", "{}")), chattest.Say("end")),
		tools: []toolspec.Tool{textTool("ok", "fine")}, policy: chat.TurnPolicy{MaxTokens: 100}}
	_, err := r.run(t, t.Context())
	assert.Equal(t, llm.CodeBudget, llm.CodeOf(err))
	assert.ErrorContains(t, err, "may use 100 tokens, and has used 110")
}

func gatedTool(name string, run func()) *tool {
	gated := textTool(name, "done")
	gated.def.Fingerprint, gated.def.Level = "f1", toolspec.L3
	gated.def.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	gated.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		run()
		return toolspec.TextResult("done"), nil
	}
	return gated
}
