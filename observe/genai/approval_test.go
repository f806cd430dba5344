package genai_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/localpass/localpass/observe/genai"
)

func TestApproval(t *testing.T) {
	tel, spans, reader, _ := everything(t)
	ctx, op := tel.StartTool(t.Context(), genai.Tool{Name: "wipe"})
	tel.Approval(ctx, genai.Approval{Tool: "wipe hunter22", Side: "chat", Outcome: "approved", Request: "ap_1"})
	tel.Approval(ctx, genai.Approval{Tool: "wipe", Side: "server", Outcome: "denied"})
	op.End(ctx, "", nil)

	events := spans.Ended()[0].Events()
	require.Len(t, events, 2)
	assert.Equal(t, genai.EventApproval, events[0].Name)
	got := map[string]string{}
	for _, kv := range events[0].Attributes {
		got[string(kv.Key)] = kv.Value.AsString()
	}
	assert.Equal(t, map[string]string{"outcome": "approved", "side": "chat", genai.KeyToolName: "wipe ***", genai.KeyApprovalRequest: "ap_1"}, got)

	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	counts := map[string]int64{}
	for _, m := range all.ScopeMetrics[0].Metrics {
		if m.Name != genai.MetricApproval {
			continue
		}
		for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
			outcome, _ := point.Attributes.Value(genai.KeyApprovalOutcome)
			side, _ := point.Attributes.Value(genai.KeyApprovalSide)
			counts[outcome.AsString()+"/"+side.AsString()] = point.Value
		}
	}
	assert.Equal(t, map[string]int64{"approved/chat": 1, "denied/server": 1}, counts)

	var off *genai.Telemetry
	off.Approval(context.Background(), genai.Approval{}) // nothing listens
	(&genai.Telemetry{}).Approval(context.Background(), genai.Approval{})
}
