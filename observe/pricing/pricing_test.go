package pricing_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/observe/pricing"
)

func rate(t testing.TB, text string) pricing.Rate {
	r, err := pricing.ParseRate(text)
	require.NoError(t, err)
	return r
}

func day(text string) pricing.Date {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return pricing.Date{Time: at}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]pricing.Rate{"0": 0, "0.15": 150_000_000, "2.50": 2_500_000_000, "0.000000001": 1,
		"1000000": 1_000_000_000_000_000, "007": 7_000_000_000} {
		r, err := pricing.ParseRate(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, r, text)
		again, err := pricing.ParseRate(r.String())
		require.NoError(t, err, text)
		assert.Equal(t, r, again, text)
	}
	for text, want := range map[string]string{"": "decimal number", "-1": "decimal number", "+1": "decimal number", "1e3": "decimal number", ".5": "decimal number", "1.": "decimal number",
		"0.0000000001": "decimals", "1000000.1": "more than", "99999999999999999999": "more than", strings.Repeat("x", 500): "…"} {
		_, err := pricing.ParseRate(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestParse(t *testing.T) {
	table, err := pricing.Parse([]byte(`{"prices":[
		{"match":"big","provider":"p","input":"0.15","output":0.6,"cacheRead":0.01,"tiers":[{"aboveInputTokens":200000,"input":1,"output":2}],"validFrom":"2026-11-01","source":"a page","note":"n"},
		{"match":"big","provider":"p","input":1,"output":1,"validFrom":"2026-11-20T12:00:00+01:00","source":"a page"}]}`))
	require.NoError(t, err)
	require.Len(t, table.Prices(), 2)
	text, err := json.Marshal(table)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"validFrom":"2026-11-20T11:00:00Z"`)
	again, err := pricing.Parse(text)
	require.NoError(t, err)
	assert.Equal(t, table, again)

	list, err := pricing.Parse([]byte(` [{"model":"m","inputPerMillionTokens":0.15,"outputPerMillionTokens":0.60}]`))
	require.NoError(t, err)
	cost, ok := list.Cost(pricing.Call{Model: "m", Input: 4000, Output: 200})
	assert.True(t, ok)
	assert.Equal(t, "0.000720 USD", cost.Total.String())

	const source = `,"input":1,"output":1,"source":"s"}]}`
	for text, want := range map[string]string{
		`{`:               "not a list of prices",
		`{"prices":[]} x`: "goes on",
		`{"price":[]}`:    `unknown field "price"`,
		`[{"name":"m"}]`:  `unknown field "name"`,
		`{"prices":[{"match":"a","input":-1,"output":1,"source":"s"}]}`:                    "not a price",
		`{"prices":[{"match":"a","input":1,"output":1}]}`:                                  "price 1: a: source is missing",
		`{"prices":[{"match":""` + source:                                                  "give the name",
		`{"prices":[{"match":"a*b"` + source:                                               "star can only be at the end",
		`{"prices":[{"match":"*"` + source:                                                 "needs a provider",
		`{"prices":[{"match":"a","validFrom":"soon"` + source:                              "not a date",
		`{"prices":[{"match":"a","validFrom":5` + source:                                   "cannot unmarshal number",
		`{"prices":[{"match":"a","tiers":[{"aboveInputTokens":0}]` + source:                "tiers",
		`{"prices":[{"match":"` + strings.Repeat("a", 1001) + `"` + source:                 "more than 1000 bytes",
		`{"prices":[{"match":"a","input":1,"output":1,"source":"s"},{"match":"a"` + source: "price 2: a has two prices",
		strings.Repeat(" ", pricing.MaxBytes+1):                                            "more than 8388608 bytes",
	} {
		_, err := pricing.Parse([]byte(text))
		assert.ErrorContains(t, err, want, "%.80s", text)
	}
	_, err = pricing.New(make([]pricing.Price, pricing.MaxPrices+1))
	assert.ErrorContains(t, err, "more than 10000")
	_, err = pricing.New([]pricing.Price{{Match: "a", Source: "s", Input: -1}})
	assert.ErrorContains(t, err, "from 0 to 1,000,000")
	_, err = json.Marshal(pricing.Price{Input: -1})
	assert.ErrorContains(t, err, "out of bounds")
}

func TestFind(t *testing.T) {
	table, err := pricing.New([]pricing.Price{
		{Match: "gpt-4o", Source: "any"},
		{Match: "gpt-4o", Provider: "openai", Source: "own"},
		{Match: "gpt-4o-mini", Source: "mini"},
		{Match: "gpt-*", Source: "short"},
		{Match: "gpt-4*", Provider: "openai", Source: "own star"},
		{Match: "gpt-4o-min*", Source: "long"},
		{Match: "*", Provider: "local", Source: "default"},
		{Match: "qwen3", Source: "qwen"},
		{Match: "qwen3:70b", Source: "tagged"},
		{Match: "dear", Source: "old"},
		{Match: "dear", Source: "new", ValidFrom: day("2026-11-01")},
		{Match: "future", Source: "later", ValidFrom: day("2030-01-01")},
		{Match: "fut*", Source: "until then"},
	})
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		provider, model string
		at              time.Time
		want            string
	}{
		{"openai", "gpt-4o", now, "own"}, {"azure", "gpt-4o", now, "any"}, {"", "gpt-4o", now, "any"},
		{"openai", "gpt-4o-2024-08-06", now, "own"}, {"azure", "gpt-4o-20240806", now, "any"},
		{"openai", "gpt-4o-mini", now, "mini"}, {"openai", "gpt-4o-mini-x", now, "long"},
		{"openai", "gpt-4.1", now, "own star"}, {"azure", "gpt-4.1", now, "short"}, {"openai", "gpt-3.5", now, "short"},
		{"local", "anything", now, "default"}, {"other", "anything", now, ""}, {"local", "", now, ""},
		{"ollama", "qwen3:8b", now, "qwen"}, {"ollama", "qwen3:70b", now, "tagged"},
		{"x", "dear", now, "new"}, {"x", "dear", now.AddDate(0, -1, 0), "old"}, {"x", "dear", day("2026-11-01").Time, "new"},
		{"x", "future", now, "until then"}, {"x", "future", now.AddDate(9, 0, 0), "later"},
		{"x", "gpt-*", now, "short"}, {"x", ":8b", now, ""}, {"x", "-20240806", now, ""},
	} {
		p, ok := table.Find(c.provider, c.model, c.at)
		assert.Equal(t, c.want, p.Source, "%s %s", c.provider, c.model)
		assert.Equal(t, c.want != "", ok, "%s %s", c.provider, c.model)
	}
	var none *pricing.Table
	_, ok := none.Cost(pricing.Call{Model: "gpt-4o"})
	assert.False(t, ok)
	assert.Empty(t, none.Prices())
	text, err := json.Marshal(none.Prices())
	require.NoError(t, err)
	assert.Equal(t, "[]", string(text))
}

func TestCost(t *testing.T) {
	low, high, cached := rate(t, "1"), rate(t, "4"), rate(t, "0.1")
	p := pricing.Price{Input: rate(t, "2"), Output: rate(t, "8"), CacheRead: &cached, CacheWrite: &high, Reasoning: &low,
		PerRequest: rate(t, "0.01"), PerImage: rate(t, "0.0025"),
		Tiers: []pricing.Tier{{AboveInputTokens: 1000, Input: rate(t, "3"), Output: rate(t, "9")}, {AboveInputTokens: 500, Input: rate(t, "2.5"), Output: rate(t, "8.5")}}}
	for _, c := range []struct {
		name string
		call pricing.Call
		want pricing.Amount
	}{
		{"nothing", pricing.Call{}, 0},
		{"plain", pricing.Call{Input: 100, Output: 10}, 280},
		{"cache and reasoning", pricing.Call{Input: 100, CacheRead: 50, CacheWrite: 10, Output: 10, Reasoning: 4}, 40*2 + 5 + 40 + 6*8 + 4},
		{"at a bound", pricing.Call{Input: 500}, 1000},
		{"above a bound", pricing.Call{Input: 501, Output: 2}, 1270}, // 1252.5 + 17 = 1269.5
		{"above both", pricing.Call{Input: 1001, Output: 1}, 3012},
		{"requests and images", pricing.Call{Requests: 2, Images: 3}, 27500},
		{"negative", pricing.Call{Input: -5, Output: -5, CacheRead: -1}, 0},
		{"more cached than input", pricing.Call{Input: 5, CacheRead: 10, CacheWrite: math.MaxInt64}, math.MaxInt64},
	} {
		assert.Equal(t, c.want, p.Cost(c.call).Total, c.name)
	}
	// Without prices of their own, the parts cost what the whole does.
	plain := pricing.Price{Input: rate(t, "2"), Output: rate(t, "8")}
	assert.Equal(t, plain.Cost(pricing.Call{Input: 100, Output: 10}).Total, plain.Cost(pricing.Call{Input: 100, CacheRead: 99, Output: 10, Reasoning: 9}).Total)
	assert.Equal(t, pricing.Amount(0), (&pricing.Price{}).Cost(pricing.Call{Input: math.MaxInt64}).Total)
	assert.Equal(t, "4294.967296 USD", (&pricing.Price{Input: rate(t, "2")}).Cost(pricing.Call{Input: 1 << 31}).Total.String())
	assert.Equal(t, "-1.500000 USD", pricing.Amount(-1_500_000).String())
}

// The parts add up to the total, nothing is negative or overflows, and a call of two calls'
// tokens costs what they cost within a millionth for each rounding.
func TestCostProperties(t *testing.T) {
	check := func(in, out, read, write, think, requests int64, a, b, c uint32) bool {
		low := pricing.Rate(c)
		p := pricing.Price{Input: pricing.Rate(a), Output: pricing.Rate(b), CacheRead: &low, PerRequest: low}
		call := pricing.Call{Input: in, Output: out, CacheRead: read, CacheWrite: write, Reasoning: think, Requests: requests}
		x := p.Cost(call)
		sum := x.Input + x.CacheRead + x.CacheWrite + x.Output + x.Reasoning + x.Request + x.Image
		return x.Total >= 0 && sum == x.Total && p.Cost(call) == x
	}
	require.NoError(t, quick.Check(check, &quick.Config{MaxCount: 2000}))
	halves := func(in, out uint32, a, b uint32) bool {
		p := pricing.Price{Input: pricing.Rate(a), Output: pricing.Rate(b)}
		one, two := pricing.Call{Input: int64(in), Output: int64(out)}, pricing.Call{Input: 2 * int64(in), Output: 2 * int64(out)}
		d := 2*p.Cost(one).Total - p.Cost(two).Total
		return d >= -1 && d <= 1
	}
	require.NoError(t, quick.Check(halves, &quick.Config{MaxCount: 2000}))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"prices":[{"match":"a*","provider":"p","input":0.15,"output":1,"cacheRead":"2","tiers":[{"aboveInputTokens":5,"input":1,"output":1}],"validFrom":"2026-11-01","source":"s"}]}`))
	f.Add([]byte(`[{"model":"m","inputPerMillionTokens":1,"outputPerMillionTokens":2}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := pricing.Parse(data)
		if err != nil {
			return
		}
		text, err := json.Marshal(table)
		require.NoError(t, err)
		again, err := pricing.Parse(text)
		require.NoError(t, err, string(text))
		for _, p := range table.Prices() {
			name := strings.TrimSuffix(p.Match, "*")
			one, ok := table.Find(p.Provider, name, p.ValidFrom.Time)
			two, same := again.Find(p.Provider, name, p.ValidFrom.Time)
			assert.Equal(t, ok, same)
			assert.Equal(t, one, two)
		}
	})
}

func Example() {
	table, err := pricing.Parse([]byte(`{"prices": [
		{"match": "example-large*", "provider": "example", "input": 0.15, "output": 0.60,
		 "source": "an example: not a price of any provider"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	cost, ok := table.Cost(pricing.Call{Provider: "example", Model: "example-large-2026-11-01", Input: 4000, Output: 200})
	fmt.Println(cost.Total, ok)
	_, ok = table.Cost(pricing.Call{Provider: "example", Model: "example-small", Input: 4000, Output: 200})
	fmt.Println(ok)
	// Output:
	// 0.000720 USD true
	// false
}
