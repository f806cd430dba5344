package sandbox_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// sink collects ended operations as "name errorType", with their attributes.
type sink struct {
	names []string
	attrs []map[string]string
}

func (s *sink) Observe(_ context.Context, e genai.Event) {
	s.names = append(s.names, e.Name+" "+e.ErrorType)
	attrs := map[string]string{}
	for _, kv := range e.Attrs {
		attrs[string(kv.Key)] = kv.Value.String()
	}
	s.attrs = append(s.attrs, attrs)
}

// TestTelemetry: a span for each run, and a count of what was refused or
// stopped.
func TestTelemetry(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		var got sink
		reader := sdkmetric.NewManualReader()
		meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Telemetry: &genai.Telemetry{Sink: &got, MeterProvider: meters}})

		run(t, s, request(`console.log(1); return 1`))
		run(t, s, request(`throw new TypeError('x')`))
		req := request(`for (;;);`)
		req.Posture.Limits.Timeout = 20 * time.Millisecond
		run(t, s, req)
		req = request(`return 1`)
		req.Posture.FileRead = true
		run(t, s, req)
		req = request(`try { await localpass.callTool('x', {}) } catch {} return 1`)
		req.CallTool = func(context.Context, string, json.RawMessage) (*toolspec.Result, error) {
			return nil, &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: "denied"}
		}
		run(t, s, req)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := s.Run(ctx, request(`return 1`))
		require.Error(t, err)

		require.Len(t, got.names, 6)
		for i, kind := range []string{"", "JS_ERROR", "TIMEOUT", "SECURITY", "", "error"} {
			assert.Contains(t, got.names[i], " "+kind, "run %d", i)
		}
		assert.Equal(t, "1", got.attrs[0][genai.KeySandboxConsole])
		assert.Equal(t, string(tier), got.attrs[0][genai.KeySandboxTier])
		assert.Equal(t, "TypeError", got.attrs[1][genai.KeySandboxReason])

		var data metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(context.Background(), &data))
		blocked := map[string]int64{}
		for _, scope := range data.ScopeMetrics {
			for _, m := range scope.Metrics {
				if sum, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == genai.MetricSandboxBlocked {
					for _, p := range sum.DataPoints {
						reason, _ := p.Attributes.Value(genai.KeySandboxReason)
						blocked[reason.AsString()] += p.Value
					}
				}
			}
		}
		assert.Equal(t, map[string]int64{"deadline": 1, sandbox.ReasonUnsupportedCapability: 1, "denied": 1}, blocked)
	})
}
