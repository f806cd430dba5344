package genai_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec/secret"
)

type sink struct{ events []genai.Event }

func (s *sink) Observe(_ context.Context, e genai.Event) { s.events = append(s.events, e) }

func everything(t *testing.T) (*genai.Telemetry, *tracetest.SpanRecorder, *sdkmetric.ManualReader, *sink) {
	t.Helper()
	spans, reader, events := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader(), &sink{}
	return &genai.Telemetry{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		Sink:           events,
		Redactor:       secret.NewRedactor("hunter22"),
	}, spans, reader, events
}

func TestOperations(t *testing.T) {
	tests := []struct {
		name  string
		start func(*genai.Telemetry, context.Context) (context.Context, *genai.Op)
		span  string
		op    string
		attrs map[string]string
	}{
		{"tool", func(tel *genai.Telemetry, ctx context.Context) (context.Context, *genai.Op) {
			return tel.StartTool(ctx, genai.Tool{Name: "hash", CallID: "c1", Conversation: "v1", Origin: genai.OriginSpec, Level: "L0"})
		}, "execute_tool hash", "execute_tool", map[string]string{"gen_ai.tool.name": "hash", "gen_ai.tool.call.id": "c1", "gen_ai.conversation.id": "v1", "localpass.sandbox.level": "L0"}},
		{"sandbox", func(tel *genai.Telemetry, ctx context.Context) (context.Context, *genai.Op) {
			return tel.StartSandbox(ctx, genai.Sandbox{Name: "hash", Level: "L0", Tier: "isolated", Timeout: time.Second})
		}, "sandbox hash", "sandbox", map[string]string{"localpass.sandbox.tier": "isolated", "localpass.sandbox.timeout_ms": "1000"}},
		{"request", func(tel *genai.Telemetry, ctx context.Context) (context.Context, *genai.Op) {
			return tel.StartRequest(ctx, genai.Request{Method: "tools/call", Target: "hash", Transport: "tcp", Protocol: "2025-11-25", Session: "s"})
		}, "tools/call hash", "tools/call", map[string]string{"mcp.method.name": "tools/call", "mcp.protocol.version": "2025-11-25", "localpass.turn.root": "true"}},
		{"pass", func(tel *genai.Telemetry, ctx context.Context) (context.Context, *genai.Op) {
			return tel.StartPass(ctx, "hash")
		}, "local_pass hash", "local_pass", map[string]string{"gen_ai.tool.name": "hash"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tel, spans, _, events := everything(t)
			ctx, op := tt.start(tel, t.Context())
			op.Set("note", "it was hunter22")
			op.Set("empty", "")
			op.SetInt("lines", 3)
			op.SetBool("ok", true)
			op.End(ctx, "TIMEOUT", errors.New("ended at hunter22"))

			require.Len(t, spans.Ended(), 1)
			span := spans.Ended()[0]
			assert.Equal(t, tt.span, span.Name())
			assert.Equal(t, codes.Error, span.Status().Code)
			assert.Equal(t, "ended at ***", span.Status().Description)
			got := attributes(span.Attributes())
			for key, want := range tt.attrs {
				assert.Equal(t, want, got[key], key)
			}
			assert.Equal(t, "it was ***", got["note"])
			assert.Equal(t, "3", got["lines"])
			assert.Equal(t, "true", got["ok"])
			assert.Equal(t, "TIMEOUT", got["error.type"])
			assert.NotContains(t, got, "empty")

			require.Len(t, events.events, 1)
			e := events.events[0]
			assert.Equal(t, tt.op, e.Operation)
			assert.Equal(t, "TIMEOUT", e.ErrorType)
			assert.Equal(t, span.SpanContext().TraceID(), e.TraceID)
			assert.False(t, e.Start.IsZero())
		})
	}
}

func attributes(kvs []attribute.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range kvs {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

func TestMetrics(t *testing.T) {
	tel, _, reader, _ := everything(t)
	ctx, op := tel.StartTool(t.Context(), genai.Tool{Name: "hash", CallID: "unique-per-call", Origin: genai.OriginSpec})
	op.End(ctx, "", nil)
	tel.Blocked(ctx, "SECURITY", "literal-private-ip")

	var rm metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &rm))
	require.Len(t, rm.ScopeMetrics, 1)
	seen := map[string]metricdata.Metrics{}
	for _, m := range rm.ScopeMetrics[0].Metrics {
		seen[m.Name] = m
	}
	h := seen["gen_ai.execute_tool.duration"].Data.(metricdata.Histogram[float64])
	require.Len(t, h.DataPoints, 1)
	labels := attributes(h.DataPoints[0].Attributes.ToSlice())
	assert.Equal(t, map[string]string{"gen_ai.tool.name": "hash", "localpass.tool.origin": "internal_js"}, labels, "a metric carries no ids")
	c := seen["localpass.sandbox.blocked"].Data.(metricdata.Sum[int64])
	assert.Equal(t, int64(1), c.DataPoints[0].Value)
}

func TestSinkAlone(t *testing.T) {
	events := &sink{}
	tel := &genai.Telemetry{Sink: events}
	ctx, op := tel.StartTool(t.Context(), genai.Tool{Name: "x"})
	op.End(ctx, "", nil)
	require.Len(t, events.events, 1)
	assert.Empty(t, events.events[0].ErrorType)
}

func TestOffIsFree(t *testing.T) {
	for name, tel := range map[string]*genai.Telemetry{"nil": nil, "zero": {}} {
		ctx := t.Context()
		allocs := testing.AllocsPerRun(100, func() {
			c, op := tel.StartTool(ctx, genai.Tool{Name: "hash", CallID: "c", Level: "L0"})
			op.Set("a", "b")
			op.SetInt("n", 1)
			op.SetBool("ok", true)
			op.End(c, "TIMEOUT", context.DeadlineExceeded)
			_, op = tel.StartSandbox(ctx, genai.Sandbox{Name: "hash"})
			op.End(c, "", nil)
			_, op = tel.StartRequest(ctx, genai.Request{Method: "tools/call"})
			op.End(c, "", nil)
			_, op = tel.StartPass(ctx, "hash")
			op.End(c, "", nil)
			tel.Blocked(ctx, "SECURITY", "x")
		})
		assert.Zero(t, allocs, name)
		assert.False(t, tel.Enabled())
		assert.Same(t, slog.Default(), tel.Log(), "warnings are kept")
	}
}

func TestLog(t *testing.T) {
	var buf bytes.Buffer
	tel := &genai.Telemetry{Logger: slog.New(slog.NewTextHandler(&buf, nil))}
	tel.Log().Warn("set aside")
	assert.Contains(t, buf.String(), "set aside")
}

// A call that passes through several packages is one operation with the attributes of
// each. Another call inside it is another operation.
func TestOneOperationForACall(t *testing.T) {
	tel, spans, reader, events := everything(t)
	ctx, outer := tel.StartTool(t.Context(), genai.Tool{Name: "hash", CallID: "c1"})
	within, request := tel.StartRequest(ctx, genai.Request{Method: "tools/call", CallID: "c1", Target: "hash"})
	inner, part := tel.StartTool(within, genai.Tool{Name: "hash", CallID: "c1", Origin: genai.OriginSpec, Level: "L1"})
	part.Set("told", "hunter22")
	part.Note("noted", "", "")
	other, nested := tel.StartTool(inner, genai.Tool{Name: "size", CallID: "c2", Origin: genai.OriginSpec})
	nested.End(other, "", nil)
	part.End(inner, "TIMEOUT", errors.New("no end of its own"))
	request.End(within, "", nil)
	require.Len(t, events.events, 1, "the nested call")
	outer.End(ctx, "", nil)
	part.Set("late", "x")
	require.Len(t, events.events, 2)
	require.Len(t, spans.Ended(), 2)
	e := events.events[1]
	assert.Empty(t, e.ErrorType)
	assert.Equal(t, map[string]string{"gen_ai.tool.name": "hash", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function", "gen_ai.tool.call.id": "c1",
		"localpass.tool.origin": "internal_js", "localpass.sandbox.level": "L1", "mcp.method.name": "tools/call", "localpass.turn.root": "true", "told": "***"}, attributes(e.Attrs))
	require.Len(t, e.Notes, 1)
	assert.Equal(t, e.SpanID, events.events[0].Parent)

	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics, 1)
	for _, m := range all.ScopeMetrics[0].Metrics {
		for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
			assert.EqualValues(t, 1, p.Count)
			origin, _ := p.Attributes.Value(genai.KeyToolOrigin)
			assert.Equal(t, genai.OriginSpec, origin.AsString())
		}
	}

	// Calls without an id, or of another Telemetry, are different operations.
	ctx, _ = tel.StartTool(t.Context(), genai.Tool{Name: "hash"})
	again, op := tel.StartTool(ctx, genai.Tool{Name: "hash"})
	op.End(again, "", nil)
	assert.Len(t, events.events, 3)
	ctx, _ = tel.StartTool(t.Context(), genai.Tool{Name: "hash", CallID: "c1"})
	theirs := &sink{}
	again, op = (&genai.Telemetry{Sink: theirs}).StartTool(ctx, genai.Tool{Name: "hash", CallID: "c1"})
	op.End(again, "", nil)
	assert.Len(t, theirs.events, 1)
}
