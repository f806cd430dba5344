package studioapi

import (
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// unasked says in one line what a call of the spec may do without a person being asked. A
// nil posture permits nothing.
func unasked(spec *toolspec.Spec, p *toolspec.Posture) string {
	switch {
	case p == nil:
		return "It cannot run on this host."
	case asksApproval(spec):
		return "Nothing: it asks before each call."
	}
	var may []string
	for _, sentence := range p.Effect() {
		if what, ok := strings.CutPrefix(sentence, "It may "); ok {
			may = append(may, strings.TrimSuffix(what, "."))
		} else if strings.HasPrefix(sentence, "It says") {
			may = append(may, "delete or move things")
		}
	}
	if len(may) == 0 {
		return "Runs without asking. It reaches no file and no host."
	}
	return "Runs without asking. It may " + strings.Join(may, ", and ") + "."
}
