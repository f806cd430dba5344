package advisor_test

import (
	"context"
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
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/rag"
)

func TestAdvisorSpans(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tel := &genai.Telemetry{TracerProvider: trace.NewTracerProvider(trace.WithSpanProcessor(spans))}
	boom := errors.New("boom")
	fail := advisor.After("late", 1, func(_ context.Context, r *chat.Response) error {
		if strings.Contains(r.Text(), "bad") {
			return boom
		}
		return nil
	})
	m := chattest.NewModel(chattest.Say("good"), chattest.Say("bad"), chattest.Say("left"), chattest.Call("look", "{}"))
	store := turntest.NewStore(t)
	c := client(t, m, chat.ClientOptions{Telemetry: tel, Store: store, Tools: turntest.Tools{turntest.TextTool("look", "seen")}, Manager: &turntest.PausingManager{}}, retrieve(t, &recordingRetriever{found: []rag.Match{match("d", "t", "x", 1)}}, nil), fail)
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
	assert.NotContains(t, attrs, genai.KeyErrorType, "a pause is no error")
}

// silent is a handler that yields nothing, to measure the cost of advisors alone.
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
	tel := &genai.Telemetry{TracerProvider: trace.NewTracerProvider()}
	assert.LessOrEqual(t, allocs(&genai.Telemetry{}), allocs(nil))
	assert.Greater(t, allocs(tel), allocs(nil))
}
