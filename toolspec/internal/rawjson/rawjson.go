// Package rawjson takes valid JSON texts apart without decoding the values: objects into
// members, arrays into elements. What it gives shares the memory of the text.
package rawjson

import (
	"encoding/json"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// Member is one member of an object, its value verbatim.
type Member struct {
	Name string
	Raw  json.RawMessage
}

// Members gives the members of an object in their order; nil for anything else.
func Members(raw []byte) []Member {
	if scan.KindOf(raw) != scan.Object {
		return nil
	}
	var out []Member
	_, _ = scan.Members(raw, 0, canon.MaxDepth, func(name, value scan.Span) *scan.Error {
		out = append(out, Member{scan.Unquote(name.Of(raw)), value.Of(raw)})
		return nil
	})
	return out
}

// Elements gives the elements of an array; nil for anything else.
func Elements(raw []byte) []json.RawMessage {
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

// Lookup gives the value of the first member of that name, and whether it is there and
// not null.
func Lookup(members []Member, name string) (json.RawMessage, bool) {
	for _, m := range members {
		if m.Name == name {
			return m.Raw, scan.KindOf(m.Raw) != scan.Null
		}
	}
	return nil, false
}

// Canonical gives a value in canonical form (RFC 8785) for comparing: "" for none and
// for null, the text as it is where it is not JSON.
func Canonical(raw []byte) string {
	if len(raw) == 0 || scan.KindOf(raw) == scan.Null {
		return ""
	}
	if text, err := canon.Transform(raw); err == nil {
		return string(text)
	}
	return string(raw)
}
