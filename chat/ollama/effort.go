package ollama

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

var (
	thinkOn  = json.RawMessage("true")
	thinkOff = json.RawMessage("false")
)

// effort sets how much the model thinks, according to its capabilities (see the package
// comment). Each difference between the requested and the sent effort is reported.
func (b *builder) effort(asked llm.Effort) {
	if asked == llm.EffortDefault {
		return
	}
	m := b.model
	switch {
	case !m.info.Capabilities.Thinking:
		if asked != llm.EffortOff {
			b.adjust("effort", string(asked), "", "the model does not think")
		}
	case m.p.refusesThink(m.name):
		b.adjust("effort", string(asked), "", thinkRefused)
	case m.harmony:
		level := asked
		switch asked {
		case llm.EffortOff:
			level = llm.EffortLow
			b.adjust("effort", string(asked), string(level), "the thinking of this model cannot be switched off")
		case llm.EffortMax:
			level = llm.EffortHigh
			b.adjust("effort", string(asked), string(level), "it is the highest level of this model")
		}
		b.body.Think, _ = json.Marshal(level) // cannot fail for a string
	case asked == llm.EffortOff:
		b.body.Think = thinkOff
	default:
		b.body.Think = thinkOn
	}
}

// dropThink removes the setting after the server has refused it. It returns false if the
// setting was already removed.
func (b *builder) dropThink() bool {
	if b.noThink {
		return false
	}
	b.noThink = true
	b.model.p.rememberThink(b.model.name)
	asked := string(b.req.Options.Effort)
	if b.body.Think == nil {
		asked = "by the overlay"
	}
	b.body.Think = nil
	b.adjusted = slices.DeleteFunc(b.adjusted, func(a llm.Adjustment) bool { return a.Name == "effort" })
	b.adjust("effort", asked, "", thinkRefused)
	return true
}

const thinkRefused = "the server refuses the setting for this model"

// isThinkRefusal reports whether a message of the server says that it does not support
// the thinking setting.
func isThinkRefusal(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "does not support thinking") || strings.Contains(message, "think value")
}
