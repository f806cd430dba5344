package toolspec

import (
	"encoding/json"

	"github.com/localpass/localpass/toolspec/internal/rawjson"
)

// memberLocalPass is the member in which other hosts record their passes. Here it proves
// nothing.
const memberLocalPass = "x-local-pass"

// memberForkedFrom is the vendor member that names the spec from which this one was
// forked. It is kept in Extra.
const memberForkedFrom = "x-forked-from"

// Origin identifies the spec from which another was forked, in its state at that time.
type Origin struct {
	Name        string `json:"name"`
	ToolID      string `json:"toolId"`
	CatalogHash string `json:"catalogHash"`
}

// ForkedFrom returns the content of the vendor member "x-forked-from". ok is false if the
// member is absent or invalid.
func (s *Spec) ForkedFrom() (from Origin, ok bool) {
	raw, there := s.Extra[memberForkedFrom]
	if !there || json.Unmarshal(raw, &from) != nil || from.ToolID == "" {
		return Origin{}, false
	}
	return from, true
}

// Fork returns a copy of the spec with a new tool id, no times, and the vendor member
// "x-forked-from", which names the original. It leaves out what the document says about a
// pass of the original, and keeps the name.
func (s *Spec) Fork() (*Spec, error) {
	from, err := json.Marshal(Origin{Name: s.Name, ToolID: s.ID(), CatalogHash: s.CatalogHash()})
	if err != nil {
		return nil, err
	}
	fork := s.Clone()
	if fork.Extra == nil {
		fork.Extra = make(map[string]json.RawMessage)
	}
	fork.Extra[memberForkedFrom] = from
	delete(fork.Extra, memberLocalPass)
	fork.RenewID()
	fork.Created, fork.Updated = 0, 0
	return fork, nil
}

// ClaimedPass is what a document from elsewhere claims about a pass.
type ClaimedPass struct {
	// Members are the members that contain the claim: "x-local-pass", "toolSafety".
	Members []string `json:"members"`
	// Runtime is the runtime that the claim names, if any.
	Runtime string `json:"runtime,omitempty"`
}

// ClaimedPass returns what the document claims about a pass elsewhere; nil if it claims
// nothing.
func (s *Spec) ClaimedPass() *ClaimedPass {
	var claim ClaimedPass
	if raw, ok := s.Extra[memberLocalPass]; ok {
		claim.Members = append(claim.Members, memberLocalPass)
		claim.Runtime = textOf(rawjson.Members(raw), "runtimeId")
	}
	if len(s.ToolSafety) > 0 {
		claim.Members = append(claim.Members, "toolSafety")
		if runtime := s.recorded().runtime; claim.Runtime == "" {
			claim.Runtime = runtime
		}
	}
	if claim.Members == nil {
		return nil
	}
	return &claim
}
