package toolspec

import (
	"encoding/json"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// source remembers how a document was written: every member verbatim and in
// order, and what its fields were read as. A field that still has the value it
// was read with goes back as it was written. A source is never changed once it
// is made.
type source struct {
	members []member
	base    Spec
	notes   []note
}

// member is one member of an object, its value verbatim.
type member struct {
	name string
	raw  json.RawMessage
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

// membersOf splits a valid object text; nil for anything else.
func membersOf(raw []byte) []member {
	if scan.KindOf(raw) != scan.Object {
		return nil
	}
	var out []member
	_, _ = scan.Members(raw, 0, canon.MaxDepth, func(name, value scan.Span) *scan.Error {
		out = append(out, member{scan.Unquote(name.Of(raw)), value.Of(raw)})
		return nil
	})
	return out
}

// elementsOf splits a valid array text; nil for anything else.
func elementsOf(raw []byte) []json.RawMessage {
	if scan.KindOf(raw) != scan.Array {
		return nil
	}
	var out []json.RawMessage
	_, _ = scan.Elements(raw, 0, canon.MaxDepth, func(value scan.Span) *scan.Error {
		out = append(out, value.Of(raw))
		return nil
	})
	return out
}

// lookup finds a member; a null counts as absent.
func lookup(members []member, name string) (json.RawMessage, bool) {
	for _, m := range members {
		if m.name == name {
			return m.raw, scan.KindOf(m.raw) != scan.Null
		}
	}
	return nil, false
}
