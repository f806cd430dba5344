package chat_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/observe/genai"
)

// recorder records the spans and metrics of a chat.
type recorder struct {
	tel    *genai.Telemetry
	spans  *tracetest.SpanRecorder
	reader *sdkmetric.ManualReader
}

func newRecorder() *recorder {
	r := &recorder{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	r.tel = &genai.Telemetry{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.spans)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(r.reader)),
	}
	return r
}

func (r *recorder) names() []string {
	var names []string
	for _, s := range r.spans.Ended() {
		names = append(names, s.Name())
	}
	return names
}

func spanAttributes(s sdktrace.ReadOnlySpan) map[string]string {
	m := map[string]string{}
	for _, kv := range s.Attributes() {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

// count returns the sum of a counter or the number of points of a histogram.
func (r *recorder) count(t *testing.T, name string) (n int64) {
	t.Helper()
	var rm metricdata.ResourceMetrics
	require.NoError(t, r.reader.Collect(t.Context(), &rm))
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					n += p.Value
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					n += int64(p.Count)
				}
			case metricdata.Histogram[int64]:
				for _, p := range d.DataPoints {
					n += p.Sum
				}
			}
		}
	}
	return n
}

func TestSpansOfATurn(t *testing.T) {
	r := newRecorder()
	ten, half, budget := 10, 0.5, 256
	model := chattest.NewModel(
		chattest.Steps(chattest.Think("hm"), chattest.Write("a", "look", "{}"), chattest.Write("b", "look", "{}"),
			chattest.Uses(llm.Usage{Input: 20, Output: 5, CacheRead: 4, Reasoning: 2}), chattest.Finish(llm.FinishToolCalls)),
		chattest.Steps(chattest.Text("lost"), chattest.One(llm.Delta{Kind: llm.DeltaRetry, Retry: &llm.Retry{Attempt: 2, Reset: true}}), chattest.Say("done")),
	)
	c := turntest.NewClient(t, model, chat.ClientOptions{Tools: turntest.Tools{turntest.TextTool("look", "seen")}, Policy: chat.TurnPolicy{MaxIdenticalCalls: 1}, Telemetry: r.tel,
		Options: llm.Options{Temperature: &half, TopK: &ten, MaxTokens: &budget}})
	events, err := turntest.Turn(t, c, "c_1", "q", nil)
	require.NoError(t, err)
	require.NotEmpty(t, events)

	assert.Equal(t, []string{"chat script-1", "execute_tool look", "chat script-1", "invoke_agent"}, r.names())
	spans := r.spans.Ended()
	root := spans[3]
	for _, s := range spans[:3] {
		assert.Equal(t, root.SpanContext().SpanID(), s.Parent().SpanID(), s.Name())
		assert.Equal(t, "c_1", spanAttributes(s)[genai.KeyConversationID], s.Name())
	}
	first := spanAttributes(spans[0])
	for key, want := range map[string]string{genai.KeyOperationName: "chat", genai.KeyProvider: "script", genai.KeyInputTokens: "20", genai.KeyOutputTokens: "5",
		genai.KeyCacheRead: "4", genai.KeyReasoningTokens: "2", genai.KeyFinishReasons: `["toolCalls"]`, genai.KeyLoopRound: "1",
		genai.KeyTemperature: "0.5", genai.KeyTopK: "10", genai.KeyMaxTokens: "256", genai.KeyOutputType: "text"} {
		assert.Equal(t, want, first[key], key)
	}
	assert.Contains(t, first, genai.KeyFirstChunk)
	assert.Equal(t, "1", spanAttributes(spans[2])[genai.KeyModelRetries])
	whole := spanAttributes(root)
	for key, want := range map[string]string{genai.KeyOutcome: "ok", genai.KeyLoopRounds: "2", genai.KeyLoopToolCalls: "2", genai.KeyLoopGuard: "repeated",
		genai.KeyTurnRoot: "true"} {
		assert.Equal(t, want, whole[key], key)
	}
	assert.NotContains(t, whole, genai.KeyInputTokens, "only the spans of model calls have usage")
	for name, want := range map[string]int64{genai.MetricTurnDuration: 1, genai.MetricModelDuration: 2, genai.MetricFirstChunk: 2,
		genai.MetricLoopGuard: 1, genai.MetricRetries: 1, genai.MetricToolDuration: 1} {
		assert.Equal(t, want, r.count(t, name), name)
	}
	assert.GreaterOrEqual(t, r.count(t, genai.MetricTokens), int64(25))
}

func TestSpansOfFailedTurns(t *testing.T) {
	for _, tt := range []struct {
		name          string
		step          chattest.Step
		most          int // events to read; 0 means all
		call, outcome string
		broken        int64
	}{
		{"broken", chattest.Text("half"), 0, "stream_broken", "error", 1},
		{"refused", chattest.Fail(&llm.Error{Code: llm.CodeProviderAuth}), 0, "provider_auth", "error", 0},
		{"left", chattest.Say("a long answer"), 4, "cancelled", "cancelled", 0},
		{"left at once", chattest.Say("an answer"), 1, "", "cancelled", 0},
		{"panic", chattest.Panic("oh"), 0, "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRecorder()
			c := turntest.NewClient(t, chattest.NewModel(tt.step), chat.ClientOptions{Telemetry: r.tel})
			n := 0
			func() {
				defer func() { _ = recover() }() // see TestModelPanics
				for range c.Stream(t.Context(), "", llm.UserText("q"), nil) {
					if n++; n == tt.most {
						break
					}
				}
			}()
			for _, s := range r.spans.Started() {
				assert.False(t, s.EndTime().IsZero(), "%s did not end", s.Name())
			}
			got := map[string]map[string]string{}
			for _, s := range r.spans.Ended() {
				got[s.Name()] = spanAttributes(s)
			}
			if tt.outcome == "" {
				return
			}
			assert.Equal(t, tt.outcome, got["invoke_agent"][genai.KeyOutcome])
			assert.Equal(t, tt.call, got["chat script-1"][genai.KeyErrorType])
			assert.Equal(t, tt.broken, r.count(t, genai.MetricBroken))
		})
	}
}

// The span of a turn ends when the turn pauses, without an error.
func TestSpanOfAPausedTurn(t *testing.T) {
	r := newRecorder()
	c := turntest.NewClient(t, chattest.NewModel(chattest.Call("look", "{}")), chat.ClientOptions{Store: turntest.NewStore(t), Tools: turntest.Tools{turntest.TextTool("look", "x")}, Manager: &turntest.PausingManager{}, Telemetry: r.tel})
	_, err := turntest.Turn(t, c, "c_1", "q", nil)
	require.NoError(t, err)
	spans := r.spans.Ended()
	got := spanAttributes(spans[len(spans)-1])
	assert.Equal(t, "paused", got[genai.KeyOutcome])
	assert.NotContains(t, got, genai.KeyErrorType, "a pause is no error")
}

func TestSpanNamesJSON(t *testing.T) {
	r := newRecorder()
	h := chat.NewModelHandler(chattest.NewModel(chattest.Say("{}")))
	_, err := chat.Collect(h.Handle(t.Context(), &chat.Request{Telemetry: r.tel, Format: &llm.OutputFormat{Schema: json.RawMessage("{}")}, Options: llm.Options{Model: "other"}}))
	require.NoError(t, err)
	require.Equal(t, []string{"chat other"}, r.names())
	assert.Equal(t, attribute.StringValue("json"), attribute.StringValue(spanAttributes(r.spans.Ended()[0])[genai.KeyOutputType]))
}

// Without providers, telemetry allocates nothing.
func TestTelemetryWithoutProviders(t *testing.T) {
	model := &silent{}
	allocs := func(tel *genai.Telemetry) float64 {
		h := chat.NewModelHandler(model)
		req := &chat.Request{Telemetry: tel}
		return testing.AllocsPerRun(200, func() {
			for range h.Handle(t.Context(), req) {
			}
		})
	}
	without := allocs(nil)
	assert.LessOrEqual(t, allocs(&genai.Telemetry{}), without)
	assert.Greater(t, allocs(newRecorder().tel), without)
}

// silent is a model that answers nothing.
type silent struct{}

func (*silent) Info() llm.ModelInfo { return llm.ModelInfo{Provider: "p", Name: "m"} }

func (*silent) Generate(context.Context, *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		yield(llm.Delta{Kind: llm.DeltaFinish, Finish: llm.FinishStop}, nil)
	}
}

func TestSpanOfATurnAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := turntest.NewClient(t, chattest.NewModel(chattest.Steps(chattest.Text("so"), chattest.Hang())), chat.ClientOptions{Telemetry: r.tel, Policy: chat.TurnPolicy{Deadline: time.Minute}})
		_, err := turntest.Turn(t, c, "", "q", nil)
		require.Error(t, err)
		spans := r.spans.Ended()
		require.Len(t, spans, 2)
		assert.Equal(t, "timeout", spanAttributes(spans[0])[genai.KeyErrorType])
		assert.Equal(t, "budget_exceeded", spanAttributes(spans[1])[genai.KeyErrorType])
	})
}
