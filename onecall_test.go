package localpass_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// However many packages a call passes through, it is one execute_tool span and one
// count, and one span of its trace is the root: the one without a parent.
func TestOneCallIsOneSpan(t *testing.T) {
	spans, reader := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
	tel := &genai.Telemetry{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
		MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))}
	ctx := t.Context()
	box, err := sandbox.New(&sandbox.Options{Telemetry: tel})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, box.Close()) })
	st, err := studio.New(ctx, box, memory.New(), &studio.Options{Telemetry: tel})
	require.NoError(t, err)
	spec, err := toolspec.ParseSpec([]byte(shout))
	require.NoError(t, err)
	_, _, err = st.TestAndPublish(ctx, spec, nil)
	require.NoError(t, err)
	hub, err := mcphub.New(&mcphub.Options{Telemetry: tel})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, hub.Close()) })
	require.NoError(t, hub.Attach(st))
	server := httptest.NewServer(hub.Handler())
	t.Cleanup(server.Close)

	ask := func(tools toolspec.Source) func(*testing.T) {
		return func(t *testing.T) {
			model := chattest.NewModel(chattest.Call("shout", `{"text":"hello"}`), chattest.Say("Done."))
			client, err := chat.NewClient(model, &chat.ClientOptions{Tools: tools, Telemetry: tel})
			require.NoError(t, err)
			_, err = client.Ask(t.Context(), "", "Shout.", nil)
			require.NoError(t, err)
		}
	}
	direct := func(tools toolspec.Source) func(*testing.T) {
		return func(t *testing.T) {
			list, err := tools.Tools(t.Context())
			require.NoError(t, err)
			result, err := list[0].Call(t.Context(), &toolspec.Call{ID: "c_1", Arguments: []byte(`{"text":"hello"}`)})
			require.NoError(t, err)
			assert.False(t, result.IsError)
		}
	}
	for _, c := range []struct {
		name, root string
		call       func(*testing.T)
	}{
		{"chat, hub, sandbox", "invoke_agent", ask(hub)},
		{"chat, sandbox", "invoke_agent", ask(st)},
		{"MCP, hub, sandbox", "tools/call shout", func(t *testing.T) {
			callOver(context.Background(), server.URL+"/mcp", "shout", map[string]any{"text": "hello"})
		}},
		{"hub, sandbox", "tools/call shout", direct(hub)},
		{"sandbox", "execute_tool shout", direct(st)},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, seen := counted(t, reader), len(spans.Ended())
			c.call(t)
			calls, runs, roots := 0, 0, 0
			for _, s := range spans.Ended()[seen:] {
				switch s.Name() {
				case "execute_tool shout":
					calls++
				case "sandbox shout":
					runs++
				}
				for _, kv := range s.Attributes() {
					switch string(kv.Key) {
					case genai.KeyTurnRoot:
						roots++
						assert.Equal(t, c.root, s.Name())
						assert.False(t, s.Parent().IsValid(), "a root has no parent")
					case genai.KeyToolOrigin:
						assert.Equal(t, genai.OriginSpec, kv.Value.AsString())
					}
				}
			}
			assert.Equal(t, 1, calls, "spans of the call")
			assert.Equal(t, 1, runs, "spans of the run")
			assert.Equal(t, 1, roots, "roots")
			assert.EqualValues(t, 1, counted(t, reader)-before, "counts of the call")
		})
	}
}

// counted is how many tool calls were counted, each with the origin of its tool.
func counted(t *testing.T, reader *sdkmetric.ManualReader) (n uint64) {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != genai.MetricToolDuration {
				continue
			}
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				origin, _ := p.Attributes.Value(genai.KeyToolOrigin)
				assert.Equal(t, genai.OriginSpec, origin.AsString())
				n += p.Count
			}
		}
	}
	return n
}
