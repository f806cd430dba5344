package chat

import (
	"maps"
	"slices"

	"github.com/localpass/localpass/chat/llm"
)

// turnState holds the counters of a turn for a checkpoint. It is stored as JSON.
type turnState struct {
	// Batches counts the rounds that called tools, Calls the calls that ran: PerTool by
	// the tool's name, Identical by the tool's name and a digest of the arguments in
	// canonical form.
	Batches   int            `json:"batches"`
	Calls     int            `json:"calls"`
	PerTool   map[string]int `json:"perTool,omitempty"`
	Identical map[string]int `json:"identical,omitempty"`
	// Declined are the names and fingerprints of the calls that the user declined.
	Declined []string       `json:"declined,omitempty"`
	Mistakes map[string]int `json:"mistakes,omitempty"` // counts of the model's mistakes, by kind
	// Interactions is how often the present round has stopped to ask the user.
	Interactions int       `json:"interactions,omitempty"`
	Usage        llm.Usage `json:"usage"`
	// CostMicros is what the turn cost, in millionths of the currency of
	// [TurnPolicy].Price.
	CostMicros int64 `json:"costMicros,omitempty"`
	// Unpriced is a model that was called and whose price is not known.
	Unpriced string `json:"unpriced,omitempty"`
}

// state returns the counters.
func (t *Turn) state() turnState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return turnState{Batches: t.batches, Calls: t.calls, PerTool: maps.Clone(t.perTool), Identical: maps.Clone(t.identical),
		Declined: slices.Sorted(maps.Keys(t.declined)), Mistakes: maps.Clone(t.mistakes), Interactions: t.interactions, Usage: t.usage, CostMicros: t.costMicros, Unpriced: t.unpriced}
}

// resumeTurn returns a turn that continues from a state. The other parameters are those
// of [NewTurn].
func resumeTurn(id string, policy TurnPolicy, s turnState, uncertified ...string) (*Turn, error) {
	t, err := NewTurn(id, policy, uncertified...)
	if err != nil {
		return nil, err
	}
	t.batches, t.calls, t.interactions, t.usage, t.costMicros, t.unpriced = s.Batches, s.Calls, s.Interactions, s.Usage, s.CostMicros, s.Unpriced
	t.perTool, t.identical, t.mistakes = maps.Clone(s.PerTool), maps.Clone(s.Identical), maps.Clone(s.Mistakes)
	if t.perTool == nil {
		t.perTool = map[string]int{}
	}
	if t.identical == nil {
		t.identical = map[string]int{}
	}
	for _, key := range s.Declined {
		if t.declined == nil {
			t.declined = map[string]bool{}
		}
		t.declined[key] = true
	}
	return t, nil
}
