package llm

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Effort is how much a model should think before it answers.
type Effort string

// The efforts. The package comment of each provider says how it applies them; an event
// [chat.OptionAdjusted] reports an effort that a provider cannot apply.
const (
	EffortDefault Effort = "" // the provider's default
	EffortOff     Effort = "off"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortMax     Effort = "max"
)

// Options are the settings of a model call. nil and the zero value leave a
// setting to the provider; a pointer to zero sets it to zero.
type Options struct {
	Model            string          `json:"model,omitempty"` // empty: the model's own name
	Temperature      *float64        `json:"temperature,omitempty"`
	TopP             *float64        `json:"topP,omitempty"`
	TopK             *int            `json:"topK,omitempty"`
	FrequencyPenalty *float64        `json:"frequencyPenalty,omitempty"`
	PresencePenalty  *float64        `json:"presencePenalty,omitempty"`
	MaxTokens        *int            `json:"maxTokens,omitempty"` // limit for the answer
	Seed             *int            `json:"seed,omitempty"`
	Stop             []string        `json:"stop,omitempty"`
	Effort           Effort          `json:"effort,omitempty"`  // for one turn; it is not stored with a conversation
	Overlay          json.RawMessage `json:"overlay,omitempty"` // members of the provider's own request, applied last
	// MemoryWindow is how many messages the model sees; nil leaves it to the
	// [chat.Memory].
	MemoryWindow *int `json:"memoryWindow,omitempty"`
	// KeepRaw keeps what the provider sent, for inspection.
	KeepRaw bool `json:"keepRaw,omitempty"`
}

// Merge returns o, with the settings that over contains replaced.
func (o Options) Merge(over *Options) Options {
	if over == nil {
		return o
	}
	assignNonZero(&o.Model, over.Model)
	assignNonZero(&o.Temperature, over.Temperature)
	assignNonZero(&o.TopP, over.TopP)
	assignNonZero(&o.TopK, over.TopK)
	assignNonZero(&o.FrequencyPenalty, over.FrequencyPenalty)
	assignNonZero(&o.PresencePenalty, over.PresencePenalty)
	assignNonZero(&o.MaxTokens, over.MaxTokens)
	assignNonZero(&o.Seed, over.Seed)
	assignNonZero(&o.Effort, over.Effort)
	assignNonZero(&o.MemoryWindow, over.MemoryWindow)
	assignNonZero(&o.KeepRaw, over.KeepRaw)
	if over.Stop != nil {
		o.Stop = slices.Clone(over.Stop)
	}
	if over.Overlay != nil {
		o.Overlay = over.Overlay
	}
	return o
}

// assignNonZero assigns over to value unless over is the zero value.
func assignNonZero[T comparable](value *T, over T) {
	var zero T
	if over != zero {
		*value = over
	}
}

// mostStops is the maximum number of stop sequences that OpenAI accepts, the lowest of
// all providers.
const mostStops = 4

// Check reports, by name, the first setting whose value no provider accepts.
func (o *Options) Check() error {
	bad := func(name, want string) error {
		return fmt.Errorf("llm: option %s: it must be %s: %w", name, want, ErrInvalid)
	}
	switch {
	case o.Temperature != nil && !(*o.Temperature >= 0 && *o.Temperature <= 2):
		return bad("temperature", "from 0 to 2")
	case o.TopP != nil && !(*o.TopP >= 0 && *o.TopP <= 1):
		return bad("topP", "from 0 to 1")
	case o.FrequencyPenalty != nil && !(*o.FrequencyPenalty >= -2 && *o.FrequencyPenalty <= 2):
		return bad("frequencyPenalty", "from -2 to 2")
	case o.PresencePenalty != nil && !(*o.PresencePenalty >= -2 && *o.PresencePenalty <= 2):
		return bad("presencePenalty", "from -2 to 2")
	case o.TopK != nil && *o.TopK < 0:
		return bad("topK", "0 or more")
	case o.MaxTokens != nil && *o.MaxTokens < 1:
		return bad("maxTokens", "1 or more")
	case o.MemoryWindow != nil && *o.MemoryWindow < 1:
		return bad("memoryWindow", "1 or more")
	case len(o.Stop) > mostStops:
		return bad("stop", fmt.Sprintf("at most %d sequences", mostStops))
	case slices.Contains(o.Stop, ""):
		return bad("stop", "a list of texts that are not empty")
	}
	switch o.Effort {
	case EffortDefault, EffortOff, EffortLow, EffortMedium, EffortHigh, EffortMax:
		return nil
	}
	return bad("effort", "off, low, medium, high or max")
}
