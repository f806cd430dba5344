package genai_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/localpass/localpass/observe/genai"
)

func TestChatSpans(t *testing.T) {
	tel, spans, reader, events := everything(t)
	ctx, turn := tel.StartTurn(t.Context(), genai.Turn{Agent: "helper", ID: "t_1", Conversation: "c_1", Provider: "demo", Model: "m", Resumed: true})
	ctx, a := tel.StartAdvisor(ctx, genai.Advisor{Name: "rag", Order: -7500, Conversation: "c_1"})
	_, search := tel.StartRetrieval(ctx, genai.Retrieval{Source: "notes", Conversation: "c_1", TopK: 4, Filtered: true})
	search.SetFloat("score", 0.5)
	search.End(ctx, "", nil)
	within, call := tel.StartModel(ctx, genai.ModelCall{Provider: "demo", Model: "m", Conversation: "c_1", Round: 2, Output: "text"})
	call.FirstChunk(within)
	call.Usage(within, genai.Usage{Input: 10, Output: 3, CacheRead: 2, CacheWrite: 1, Reasoning: 1, Estimated: true})
	call.SetStrings(genai.KeyFinishReasons, "stop", "hunter22")
	call.SetStrings("none")
	call.End(within, "", nil)
	a.End(ctx, "", nil)
	turn.End(ctx, "cancelled", context.Canceled)
	tel.Retried(ctx, "demo", "m")
	tel.Broken(ctx, "demo", "m")
	tel.LoopGuard(ctx, "repeated")

	ended := spans.Ended()
	require.Len(t, ended, 4)
	for i, want := range []struct {
		name  string
		kind  trace.SpanKind
		attrs map[string]string
	}{
		{"retrieval notes", trace.SpanKindInternal, map[string]string{"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "notes",
			"db.vector.query.top_k": "4", "localpass.rag.filter_used": "true", "score": "0.5"}},
		{"chat m", trace.SpanKindClient, map[string]string{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "demo", "gen_ai.conversation.id": "c_1",
			"gen_ai.usage.input_tokens": "10", "gen_ai.usage.cache_read.input_tokens": "2", "gen_ai.usage.reasoning.output_tokens": "1",
			"localpass.usage.estimated": "true", "localpass.loop.round": "2", "gen_ai.response.finish_reasons": `["stop","***"]`}},
		{"advisor rag", trace.SpanKindInternal, map[string]string{"localpass.advisor.name": "rag", "localpass.advisor.order": "-7500", "gen_ai.conversation.id": "c_1"}},
		{"invoke_agent helper", trace.SpanKindInternal, map[string]string{"localpass.turn.root": "true", "localpass.turn.id": "t_1", "localpass.turn.resumed": "true",
			"gen_ai.agent.name": "helper", "error.type": "cancelled"}},
	} {
		assert.Equal(t, want.name, ended[i].Name())
		assert.Equal(t, want.kind, ended[i].SpanKind(), want.name)
		got := attributes(ended[i].Attributes())
		for key, value := range want.attrs {
			assert.Equal(t, value, got[key], want.name+" "+key)
		}
		assert.NotContains(t, got, "none")
	}
	assert.Contains(t, attributes(ended[1].Attributes()), "gen_ai.response.time_to_first_chunk")
	assert.Len(t, events.events, 4)

	var rm metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &rm))
	seen := map[string]metricdata.Metrics{}
	for _, m := range rm.ScopeMetrics[0].Metrics {
		seen[m.Name] = m
	}
	tokens := seen["gen_ai.client.token.usage"].Data.(metricdata.Histogram[int64])
	require.Len(t, tokens.DataPoints, 2)
	for _, p := range tokens.DataPoints {
		labels := attributes(p.Attributes.ToSlice())
		assert.Equal(t, map[string]int64{"input": 10, "output": 3}[labels["gen_ai.token.type"]], p.Sum)
		assert.Len(t, labels, 4, "a metric carries no ids")
	}
	for _, name := range []string{"localpass.model.retries", "localpass.model.broken", "localpass.loop.guard"} {
		assert.Equal(t, int64(1), seen[name].Data.(metricdata.Sum[int64]).DataPoints[0].Value, name)
	}
	for name, labels := range map[string]map[string]string{
		"gen_ai.invoke_agent.duration":                {"gen_ai.request.model": "m", "gen_ai.agent.name": "helper", "error.type": "cancelled"},
		"gen_ai.client.operation.duration":            {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "demo", "gen_ai.request.model": "m"},
		"gen_ai.client.operation.time_to_first_chunk": {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "demo", "gen_ai.request.model": "m"},
	} {
		h := seen[name].Data.(metricdata.Histogram[float64])
		require.Len(t, h.DataPoints, 1, name)
		assert.Equal(t, labels, attributes(h.DataPoints[0].Attributes.ToSlice()), name)
	}

	_, bare := tel.StartTurn(t.Context(), genai.Turn{})
	bare.End(t.Context(), "", nil)
	_, search = tel.StartRetrieval(t.Context(), genai.Retrieval{})
	search.End(t.Context(), "", nil)
	ended = spans.Ended()
	assert.Equal(t, "invoke_agent", ended[4].Name())
	assert.Equal(t, "retrieval", ended[5].Name())
}

func TestChatOffIsFree(t *testing.T) {
	for name, tel := range map[string]*genai.Telemetry{"nil": nil, "zero": {}} {
		ctx := t.Context()
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			c, op := tel.StartTurn(ctx, genai.Turn{Agent: "a", ID: "t"})
			op.End(c, "", nil)
			c, op = tel.StartModel(ctx, genai.ModelCall{Model: "m"})
			op.FirstChunk(c)
			op.Usage(c, genai.Usage{Input: 1})
			op.SetStrings("k", "v")
			op.SetFloat("f", 1)
			op.End(c, "", nil)
			_, op = tel.StartAdvisor(ctx, genai.Advisor{Name: "a"})
			op.End(c, "", nil)
			_, op = tel.StartRetrieval(ctx, genai.Retrieval{Source: "s"})
			op.End(c, "", nil)
			tel.Retried(c, "p", "m")
			tel.Broken(c, "p", "m")
			tel.LoopGuard(c, "repeated")
		}), name)
	}
}
