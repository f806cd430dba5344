package observe_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/observe/pricing"
)

// modelCall reports a call of a model, without tokens if usage is nil.
func modelCall(t *testing.T, tel *genai.Telemetry, provider, model string, usage *genai.Usage) {
	t.Helper()
	ctx, root := tel.StartTurn(t.Context(), genai.Turn{Agent: "helper", ID: "t_" + model, Conversation: "c_1", Provider: provider, Model: model})
	addCall(ctx, tel, provider, model, usage)
	root.End(ctx, "", nil)
}

func addCall(ctx context.Context, tel *genai.Telemetry, provider, model string, usage *genai.Usage) {
	ctx, call := tel.StartModel(ctx, genai.ModelCall{Provider: provider, Model: model, Conversation: "c_1", Round: 1})
	if usage != nil {
		call.Usage(ctx, *usage)
	}
	call.End(ctx, "", nil)
}

func prices(t *testing.T, text string) *pricing.Table {
	t.Helper()
	table, err := pricing.Parse([]byte(`{"prices":[` + text + `]}`))
	require.NoError(t, err)
	return table
}

func micros(n int64) *int64 { return &n }

func TestCost(t *testing.T) {
	table := prices(t, `{"match":"big","provider":"openai","input":2,"output":8,"cacheRead":"0.5","source":"s"},
		{"match":"gift","input":0,"output":0,"source":"s"},{"match":"each","input":0,"output":0,"perRequest":0.01,"source":"s"}`)
	c := collector(t, &observe.Options{Prices: table, Local: func(provider string) bool { return provider == "ollama" }})
	assert.Equal(t, table, c.Prices())
	tel := c.Telemetry()
	modelCall(t, tel, "openai", "big-2026-11-01", &genai.Usage{Input: 1000, CacheRead: 400, Output: 100}) // 600·2 + 400·0.5 + 100·8
	modelCall(t, tel, "openai", "gift", &genai.Usage{Input: 1000, Output: 100})
	modelCall(t, tel, "ollama", "big", &genai.Usage{Input: 1000, Output: 100})
	modelCall(t, tel, "openai", "other", &genai.Usage{Input: 1000, Output: 100})
	modelCall(t, tel, "openai", "big", nil)
	modelCall(t, tel, "any", "each", &genai.Usage{Input: 1, Output: 1})
	page := flushed(t, c)
	require.Len(t, page.Items, 6)
	for i, want := range []struct {
		model, cost string
		micros      *int64
	}{{"each", observe.CostPriced, micros(10_000)}, {"big", observe.CostUnpriced, nil}, {"other", observe.CostUnpriced, nil},
		{"big", observe.CostFree, nil}, {"gift", observe.CostFree, nil}, {"big-2026-11-01", observe.CostPriced, micros(2200)}} {
		assert.Equal(t, want.model, page.Items[i].Models[0].Name)
		assert.Equal(t, want.cost, page.Items[i].Cost, want.model)
		assert.Equal(t, want.micros, page.Items[i].CostMicroUSD, want.model)
	}
	assert.Equal(t, micros(12_200), page.Totals.CostMicroUSD)
	assert.EqualValues(t, 1100, page.Totals.UnpricedTokens)

	// Other prices: the same traces, computed anew, and subscribers hear of it.
	events, err := c.Subscribe(t.Context(), 64)
	require.NoError(t, err)
	models := c.ModelCosts(prices(t, `{"match":"*","provider":"openai","input":1,"output":1,"source":"s"}`))
	require.Len(t, models, 6)
	assert.Equal(t, "each", models[0].Name)
	assert.Equal(t, observe.CostUnpriced, models[0].Cost)
	assert.Equal(t, page.Totals, flushed(t, c).Totals, "asking what a table would cost changes nothing")
	c.SetPrices(nil)
	totals := flushed(t, c).Totals
	assert.Nil(t, totals.CostMicroUSD)
	assert.EqualValues(t, 1100+1100+1100+2, totals.UnpricedTokens, "without prices, all that is not local is unpriced")
	for e := range events {
		assert.Positive(t, e.Trace.Revision)
		break
	}
}

// A turn with several models is priced call by call, and says when a part is not known.
func TestCostOfSeveralModels(t *testing.T) {
	c := collector(t, &observe.Options{Prices: prices(t, `{"match":"a","input":1,"output":0,"source":"s"},{"match":"b","input":10,"output":0,"source":"s"},
		{"match":"tiered","input":1,"output":0,"tiers":[{"aboveInputTokens":100,"input":5,"output":0}],"source":"s"},{"match":"zero","input":0,"output":0,"source":"s"}`)})
	turn := func(id string, models ...string) observe.Summary {
		ctx, root := c.Telemetry().StartTurn(t.Context(), genai.Turn{Agent: "helper", ID: id, Conversation: "c", Provider: "p", Model: "a"})
		for _, m := range models {
			addCall(ctx, c.Telemetry(), "p", m, &genai.Usage{Input: 100})
		}
		root.End(ctx, "", nil)
		return flushed(t, c).Items[0]
	}
	for i, row := range []struct {
		models []string
		cost   string
		micros *int64
	}{
		{[]string{"a", "b"}, observe.CostPriced, micros(1100)},
		{[]string{"a", "zero"}, observe.CostPriced, micros(100)},
		{[]string{"zero", "a"}, observe.CostPriced, micros(100)},
		{[]string{"zero", "zero"}, observe.CostFree, nil},
		{[]string{"zero", "unknown-model"}, observe.CostPartly, nil},
		{[]string{"unknown-model", "a", "a"}, observe.CostPartly, micros(200)},
		{[]string{"tiered", "tiered"}, observe.CostPriced, micros(200)}, // a tier is of one call, not of their sum
	} {
		s := turn(string(rune('a'+i)), row.models...)
		assert.Equal(t, row.cost, s.Cost, "%v", row.models)
		assert.Equal(t, row.micros, s.CostMicroUSD, "%v", row.models)
	}
}

// A call is priced by the price of its time.
func TestCostOfTheTime(t *testing.T) {
	now := time.Now().UTC()
	c := collector(t, &observe.Options{Prices: prices(t, `{"match":"m","input":1,"output":0,"source":"s"},
		{"match":"m","input":7,"output":0,"validFrom":"`+now.Add(time.Hour).Format(time.RFC3339)+`","source":"s"}`)})
	modelCall(t, c.Telemetry(), "p", "m", &genai.Usage{Input: 10})
	assert.Equal(t, micros(10), flushed(t, c).Items[0].CostMicroUSD)
}
