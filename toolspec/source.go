package toolspec

import "github.com/localpass/localpass/toolspec/internal/rawjson"

// source stores how a document was written: every member verbatim and in order, and the
// values of its fields. A field that still has the same value is written back verbatim. A
// source is immutable.
type source struct {
	members []rawjson.Member
	base    Spec
	notes   []note
}

// note is a fault of a document that its typed fields cannot show, such as a lower-case
// parameter type. It is valid while its member is unchanged.
type note struct {
	member  string // top-level member
	problem Problem
	strict  bool // an error in strict validation
}

// stillSo returns the notes about unchanged members.
func (s *Spec) stillSo() []note {
	if s.source == nil {
		return nil
	}
	var notes []note
	for _, n := range s.source.notes {
		for i := range specMembers {
			if m := &specMembers[i]; m.name == n.member && m.same(s, &s.source.base) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}
