// Package poison looks for text that tries to manipulate the model that reads a tool's
// description: hidden instructions, invisible characters, invented roles and dialogues.
// Its rules are data, have the names under which the hub reports them, and match in
// linear time.
//
// A finding is a reason to look, not a proof. The rules look for whole instructions
// ("ignore your previous instructions") and not for single words ("ignore"), so that an
// ordinary description has no findings. Checks that need more than the text, such as the
// annotations of a tool, are elsewhere.
package poison

// Severity is how much a finding weighs.
type Severity string

// The severities, from a hint to what should withhold a tool.
const (
	Medium   Severity = "medium"
	High     Severity = "high"
	Critical Severity = "critical"
)

// Rule describes one rule.
type Rule struct {
	// ID is the stable name, such as "HIDDEN_INSTRUCTION".
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Why says in a few words what text of this kind does; it completes the
	// sentence "it …".
	Why string `json:"why"`
}

// Finding is one place in a text.
type Finding struct {
	// Rule is the ID of the rule.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Offset and Length are in bytes of the text, at the bounds of characters.
	Offset int `json:"offset"`
	Length int `json:"length"`
	// Text is the text found there, cut short, with characters that cannot be seen
	// written as \u{200B}.
	Text string `json:"text"`
}

// Rules lists the rules in their usual order.
func Rules() []Rule {
	out := make([]Rule, len(rules))
	for i := range rules {
		out[i] = rules[i].Rule
	}
	return out
}

// Why gives the Why of a rule; empty for an id that is none.
func Why(id string) string {
	for i := range rules {
		if rules[i].ID == id {
			return rules[i].Why
		}
	}
	return ""
}
