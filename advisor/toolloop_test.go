package advisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/rag"
)

// counting is a manager that counts its rounds.
type counting struct {
	chat.ToolCallingManager
	rounds int
}

func (c *counting) ExecuteRound(ctx context.Context, in chat.RoundInput, emit func(chat.Event) bool) (chat.RoundResult, error) {
	c.rounds++
	return c.ToolCallingManager.ExecuteRound(ctx, in, emit)
}

func TestToolLoop(t *testing.T) {
	own, err := chat.NewToolCallingManager(nil)
	require.NoError(t, err)
	theirs, ours := &counting{own, 0}, &counting{own, 0}
	loop, err := advisor.ToolLoop(ours)
	require.NoError(t, err)
	var trace []string
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Call("look", `{"b":1}`), chattest.Say("done"))
	c := client(t, m, chat.ClientOptions{Manager: theirs, Tools: list{look(t)}}, loop, marker("outside", -7100, &trace), marker("inside", 0, &trace))
	_, resp, err := ask(t, c, "c_1", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, "done", resp.Text())
	assert.Equal(t, 3, resp.Rounds)
	assert.Equal(t, 2, ours.rounds)
	assert.Zero(t, theirs.rounds, "one of them runs the tools, and not both")
	assert.Equal(t, "outside inside /inside inside /inside inside /inside /outside", strings.Join(trace, " "))

	_, err = advisor.Chain(loop, owner{advisor.Logger(nil)})
	assert.ErrorContains(t, err, "both run tools")
	byDefault, err := advisor.ToolLoop(nil)
	require.NoError(t, err)
	m = chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("done"))
	_, resp, err = ask(t, client(t, m, chat.ClientOptions{Tools: list{look(t)}}, byDefault), "c_1", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, "done", resp.Text())
}

// A turn that waits goes on also where an advisor runs the tools.
func TestToolLoopResumes(t *testing.T) {
	loop, err := advisor.ToolLoop(&pausing{})
	require.NoError(t, err)
	store, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("done"))
	c := client(t, m, chat.ClientOptions{Store: store, Tools: list{look(t)}}, loop)
	_, resp, err := ask(t, c, "c_1", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, conversation.EndPaused, resp.Status)
	resp, err = chat.Collect(c.Resume(t.Context(), "c_1", nil))
	require.NoError(t, err)
	assert.Equal(t, "done", resp.Text())
}

func TestStructured(t *testing.T) {
	form := llm.OutputFormat{Name: "sum", Schema: json.RawMessage(`{"type":"object","required":["sum"],"properties":{"sum":{"type":"integer"}}}`)}
	for _, loop := range []bool{false, true} {
		a, err := advisor.Structured(form, &advisor.StructuredOptions{Tries: 3, Check: func(_ context.Context, answer json.RawMessage) error {
			var v struct{ Sum int }
			if err := json.Unmarshal(answer, &v); err != nil || v.Sum != 4 {
				return errors.New("the sum is wrong: add again")
			}
			return nil
		}})
		require.NoError(t, err)
		advisors := []advisor.Advisor{a}
		if loop {
			l, err := advisor.ToolLoop(nil)
			require.NoError(t, err)
			advisors = append(advisors, l)
		}
		m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("four"), chattest.Say(`{"sum":5}`), chattest.Say("```json\n{\"sum\":4}\n```"))
		c := client(t, m, chat.ClientOptions{Tools: list{look(t)}}, advisors...)
		events, resp, err := ask(t, c, "c_1", "2 and 2?", nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"sum":4}`, chat.CleanJSON(resp.Text()))
		invalid := find[*chat.StructuredInvalid](events)
		require.Len(t, invalid, 2)
		assert.Contains(t, strings.Join(invalid[1].Errors, " "), "add again")
		asked := m.Asked()
		assert.Contains(t, asked[3].Messages[len(asked[3].Messages)-1].Text(), "add again")

		m = chattest.NewModel(chattest.Say("1"), chattest.Say("2"), chattest.Say("3"), chattest.Say("4"))
		_, _, err = ask(t, client(t, m, chat.ClientOptions{}, advisors...), "c_1", "q", nil)
		assert.Equal(t, llm.CodeStructured, llm.CodeOf(err))
		assert.Len(t, m.Asked(), 3)
	}
}

func TestStructuredOptions(t *testing.T) {
	_, err := advisor.Structured(llm.OutputFormat{Schema: json.RawMessage(`{"type":5}`)}, nil)
	require.ErrorIs(t, err, llm.ErrInvalid)
	_, err = advisor.Structured(llm.OutputFormat{}, &advisor.StructuredOptions{Tries: -1})
	require.ErrorIs(t, err, llm.ErrInvalid)

	a, err := advisor.Structured(llm.OutputFormat{}, &advisor.StructuredOptions{Order: new(1), Tries: 2, Check: func(context.Context, json.RawMessage) error { panic("oh") }})
	require.NoError(t, err)
	assert.Equal(t, 1, a.Order())
	m := chattest.NewModel(chattest.Say("[]"), chattest.Say("{}"))
	_, _, err = ask(t, client(t, m, chat.ClientOptions{}, a), "c_1", "q", nil)
	assert.Equal(t, llm.CodeStructured, llm.CodeOf(err))
	assert.ErrorContains(t, err, "the check of advisor structured panicked")

	// A turn's own format stands.
	m = chattest.NewModel(chattest.Say(`[1]`))
	_, resp, err := ask(t, client(t, m, chat.ClientOptions{}, a), "c_1", "q", &chat.TurnOptions{Format: &llm.OutputFormat{Schema: json.RawMessage(`{"type":"array"}`)}})
	require.NoError(t, err)
	assert.Equal(t, "[1]", resp.Text())
}

func TestAdvisorSpans(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tel := &genai.Telemetry{Tracer: trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("test")}
	boom := errors.New("boom")
	fail := advisor.After("late", 1, func(_ context.Context, r *chat.Response) error {
		if strings.Contains(r.Text(), "bad") {
			return boom
		}
		return nil
	})
	m := chattest.NewModel(chattest.Say("good"), chattest.Say("bad"), chattest.Say("left"), chattest.Call("look", "{}"))
	store, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	c := client(t, m, chat.ClientOptions{Telemetry: tel, Store: store, Tools: list{look(t)}, Manager: &pausing{}}, retrieve(t, &shelf{found: []rag.Match{match("d", "t", "x", 1)}}, nil), fail)
	seen := 0
	last := func(name string) (attrs map[string]string, parent string) {
		ended := spans.Ended()
		for _, s := range ended[seen:] {
			if s.Name() != name {
				continue
			}
			attrs = map[string]string{}
			for _, kv := range s.Attributes() {
				attrs[string(kv.Key)] = kv.Value.String()
			}
			for _, p := range ended {
				if p.SpanContext().SpanID() == s.Parent().SpanID() {
					parent = p.Name()
				}
			}
		}
		return attrs, parent
	}
	turn := func(most int) {
		seen = len(spans.Ended())
		n := 0
		for range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
			if n++; n == most {
				break
			}
		}
	}
	turn(0)
	for name, want := range map[string]string{"advisor rag": "invoke_agent", "advisor late": "advisor rag", "chat script-1": "advisor late", "retrieval rag": "advisor rag"} {
		attrs, parent := last(name)
		require.NotNil(t, attrs, name)
		assert.Equal(t, want, parent, name)
		assert.NotContains(t, attrs, genai.KeyErrorType)
		assert.Equal(t, "c_1", attrs[genai.KeyConversationID])
	}
	attrs, _ := last("advisor rag")
	assert.Equal(t, "-7500", attrs[genai.KeyAdvisorOrder])
	turn(0)
	attrs, _ = last("advisor late")
	assert.Equal(t, "internal", attrs[genai.KeyErrorType])
	turn(7)
	attrs, _ = last("advisor late")
	assert.Equal(t, "cancelled", attrs[genai.KeyErrorType])
	turn(0)
	attrs, _ = last("advisor late")
	require.NotNil(t, attrs)
	assert.NotContains(t, attrs, genai.KeyErrorType, "a turn that waits has not failed")
}

// silent answers with nothing, so that what advisors cost shows.
type silent struct{}

func (silent) Handle(context.Context, *chat.Request) chat.Stream {
	return func(func(chat.Event, error) bool) {}
}

func TestChainWithoutObserver(t *testing.T) {
	h := chain(t, advisor.Logger(nil))(silent{})
	allocs := func(tel *genai.Telemetry) float64 {
		req := &chat.Request{Telemetry: tel}
		return testing.AllocsPerRun(100, func() {
			for range h.Handle(t.Context(), req) {
			}
		})
	}
	tel := &genai.Telemetry{Tracer: trace.NewTracerProvider().Tracer("test")}
	assert.LessOrEqual(t, allocs(&genai.Telemetry{}), allocs(nil))
	assert.Greater(t, allocs(tel), allocs(nil))
}
