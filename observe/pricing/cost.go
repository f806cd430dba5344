package pricing

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Amount is an amount of money in millionths of a US dollar.
type Amount int64

const amountDecimals = 6

// String returns the amount with six decimals, such as "0.000720 USD".
func (a Amount) String() string { return decimal(int64(a), amountDecimals, amountDecimals) + " USD" }

// decimal returns n/10^places without the zeros at its end that are beyond keep.
func decimal(n int64, places, keep int) string {
	sign, text := "", strconv.FormatInt(n, 10)
	if n < 0 {
		sign, text = "-", text[1:]
	}
	text = strings.Repeat("0", max(0, places+1-len(text))) + text
	whole, decimals := text[:len(text)-places], text[len(text)-places:]
	decimals = decimals[:keep] + strings.TrimRight(decimals[keep:], "0")
	if decimals == "" {
		return sign + whole
	}
	return sign + whole + "." + decimals
}

// Call is what a model call used, or several calls of the same model that began at the same
// price. Negative numbers count as 0.
type Call struct {
	Provider, Model string
	At              time.Time // when it began
	Input, Output   int64     // tokens
	// CacheRead and CacheWrite are parts of Input, Reasoning is a part of Output.
	CacheRead, CacheWrite, Reasoning int64
	Requests, Images                 int64
}

// Cost is the cost of a call. The parts add up to Total exactly: what rounding leaves over is
// in the part where the sum passes it.
type Cost struct {
	Total                                                           Amount
	Input, CacheRead, CacheWrite, Output, Reasoning, Request, Image Amount
}

// Cost returns what a call costs, and whether its price is known.
func (t *Table) Cost(c Call) (Cost, bool) {
	p, ok := t.Find(c.Provider, c.Model, c.At)
	if !ok {
		return Cost{}, false
	}
	return p.Cost(c), true
}

// Cost returns what a call costs at this price. An amount beyond the largest [Amount] is the
// largest.
func (p *Price) Cost(c Call) Cost {
	in, out, bound := p.Input, p.Output, int64(0)
	for _, t := range p.Tiers {
		if t.AboveInputTokens < c.Input && t.AboveInputTokens > bound {
			in, out, bound = t.Input, t.Output, t.AboveInputTokens
		}
	}
	or := func(r *Rate, other Rate) Rate {
		if r == nil {
			return other
		}
		return *r
	}
	const million = 1_000_000 // a rate is for a million tokens, or for one request
	var cost Cost
	sum, rounded := new(big.Int), Amount(0)
	for _, part := range []struct {
		of    *Amount
		count int64
		rate  Rate
		each  int64
	}{
		{&cost.Input, rest(c.Input, c.CacheRead, c.CacheWrite), in, 1},
		{&cost.CacheRead, c.CacheRead, or(p.CacheRead, in), 1},
		{&cost.CacheWrite, c.CacheWrite, or(p.CacheWrite, in), 1},
		{&cost.Output, rest(c.Output, c.Reasoning, 0), out, 1},
		{&cost.Reasoning, c.Reasoning, or(p.Reasoning, out), 1},
		{&cost.Request, c.Requests, p.PerRequest, million},
		{&cost.Image, c.Images, p.PerImage, million},
	} {
		n := new(big.Int).Mul(big.NewInt(max(part.count, 0)), big.NewInt(int64(part.rate)))
		sum.Add(sum, n.Mul(n, big.NewInt(part.each)))
		now := micros(sum)
		*part.of, rounded = now-rounded, now
	}
	cost.Total = rounded
	return cost
}

// rest returns the tokens of a whole that are in none of its parts.
func rest(whole, a, b int64) int64 {
	a, b = max(a, 0), max(b, 0)
	if a > math.MaxInt64-b {
		return 0
	}
	return max(whole-a-b, 0)
}

// micros returns a number of 10^-15 dollars in millionths of a dollar, rounded half up.
func micros(n *big.Int) Amount {
	half := new(big.Int).Add(n, big.NewInt(ratesPerDollar/2))
	if half.Quo(half, big.NewInt(ratesPerDollar)); !half.IsInt64() {
		return math.MaxInt64
	}
	return Amount(half.Int64())
}
