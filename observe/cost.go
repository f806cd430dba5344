package observe

import (
	"cmp"
	"slices"
	"time"

	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/observe/pricing"
)

// Prices returns the prices in use; nil if there are none.
func (c *Collector) Prices() *pricing.Table { return c.prices.Load() }

// SetPrices replaces the prices. The cost of the traces that are kept is computed anew,
// each call by the price of its time, and is reported to subscribers.
func (c *Collector) SetPrices(t *pricing.Table) {
	c.locked(func(time.Time) {
		c.prices.Store(t)
		for at := c.store.order.Front(); at != nil; at = at.Next() {
			if r := at.Value.(*record); r.callsModel() {
				c.changed(r)
			}
		}
	})
	select {
	case c.queue.ready <- struct{}{}: // the changes are published
	default:
	}
}

// ModelCosts returns the use of each model in the traces that are kept, with the cost that
// it has by a table, which may differ from the one in use: this shows what a change of
// prices changes. Of more than 50
// models, the first 50 are listed, sorted by provider and name.
func (c *Collector) ModelCosts(t *pricing.Table) []Model {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var all Summary
	for at := c.store.order.Front(); at != nil; at = at.Next() {
		for _, s := range at.Value.(*record).spans {
			if s.Operation == "chat" {
				all.countModel(s, c.costOf(s, t))
			}
		}
	}
	slices.SortFunc(all.Models, func(a, b Model) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Name, b.Name))
	})
	return all.Models
}

func (r *record) callsModel() bool {
	for _, s := range r.spans {
		if s.Operation == "chat" {
			return true
		}
	}
	return false
}

// modelCost is what is known about the cost of one model call.
type modelCost struct {
	kind   string // one of the Cost constants
	micros int64
}

// costOf returns the cost of a model call by a table. A running call costs nothing yet; an
// ended one whose tokens were not reported is not priced.
func (c *Collector) costOf(sp *span, table *pricing.Table) modelCost {
	provider := wordOf(sp.Attributes, genai.KeyProvider)
	if unknown(provider) {
		provider = ""
	}
	if c.opts.Local != nil && c.opts.Local(provider) {
		return modelCost{kind: CostFree}
	}
	price, found := table.Find(provider, wordOf(sp.Attributes, genai.KeyRequestModel), sp.start)
	call := pricing.Call{Requests: 1}
	told := false
	for _, n := range []struct {
		key  string
		into *int64
	}{{genai.KeyInputTokens, &call.Input}, {genai.KeyOutputTokens, &call.Output}, {genai.KeyCacheRead, &call.CacheRead},
		{genai.KeyCacheCreation, &call.CacheWrite}, {genai.KeyReasoningTokens, &call.Reasoning}} {
		if value, ok := countOf(sp.Attributes, n.key); ok {
			*n.into, told = value, true
		}
	}
	switch {
	case !found, !told && sp.Status != StatusRunning:
		return modelCost{kind: CostUnpriced}
	case price.Free():
		return modelCost{kind: CostFree}
	case !told:
		return modelCost{kind: CostPriced}
	}
	return modelCost{kind: CostPriced, micros: int64(price.Cost(call).Total)}
}

// addTo adds the cost of a call to the cost of several.
func (m modelCost) addTo(kind *string, micros **int64) {
	switch {
	case *kind == "" || *kind == m.kind:
		*kind = m.kind
	case *kind == CostPartly:
	case *kind == CostUnpriced || m.kind == CostUnpriced || m.kind == CostPartly:
		*kind = CostPartly
	default: // free and priced
		*kind = CostPriced
	}
	if m.kind == CostPriced {
		addMicros(micros, &m.micros)
	}
}

// addMicros adds an amount; nil is an unknown one.
func addMicros(to **int64, amount *int64) {
	if amount == nil {
		return
	}
	if *to == nil {
		*to = new(int64)
	}
	**to = sum(**to, *amount)
}
