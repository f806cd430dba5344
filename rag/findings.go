package rag

import (
	"slices"

	"github.com/localpass/localpass/internal/poison"
)

// Keys of the metadata that tie a chunk to its file and mark its text.
const (
	KeyDocument     = "docInfoId"    // the id of the document that was ingested
	KeyConversation = "conversation" // the conversation that a document was attached to
	KeyFindings     = "findings"     // what [Findings] found in the text
)

// Findings looks for text that tries to manipulate the model that reads it: hidden
// instructions, invisible characters, invented roles. It returns the names of the rules
// that match, such as "HIDDEN_INSTRUCTION", in ascending order. A finding is a reason to
// look, not a proof.
func Findings(text string) []string {
	var rules []string
	for _, f := range poison.Scan(text) {
		if f.Severity != poison.Medium {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}
