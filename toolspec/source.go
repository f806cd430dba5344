package toolspec

import "github.com/localpass/localpass/toolspec/internal/rawjson"

// source remembers how a document was written: every member verbatim and in
// order, and what its fields were read as. A field that still has the value it
// was read with goes back as it was written. A source is never changed once it
// is made.
type source struct {
	members []rawjson.Member
	base    Spec
	notes   []note
}

// note is something wrong with a document that its typed fields cannot show,
// such as a lower-case parameter type. It holds for as long as the member it
// is about is as it was read.
type note struct {
	member  string // top-level member
	problem Problem
	strict  bool // an error when validated strictly
}

// stillSo returns the notes about members that are as they were read.
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
