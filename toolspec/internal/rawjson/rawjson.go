// Package rawjson splits valid JSON texts without decoding the values: objects into
// members, arrays into elements. The results share the memory of the text.
package rawjson

import (
	"encoding/json"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// Member is one member of an object, with its value as it is in the text.
type Member struct {
	Name string
	Raw  json.RawMessage
}

// Members returns the members of an object in order, nil for any other value.
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

// Elements returns the elements of an array, nil for any other value.
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

// Lookup returns the value of the first member with this name, and whether it is present
// and not null.
func Lookup(members []Member, name string) (json.RawMessage, bool) {
	for _, m := range members {
		if m.Name == name {
			return m.Raw, scan.KindOf(m.Raw) != scan.Null
		}
	}
	return nil, false
}

// Canonical returns a value in canonical form (RFC 8785) for comparison: "" if it is
// absent or null, and the text unchanged if it is not valid JSON.
func Canonical(raw []byte) string {
	if len(raw) == 0 || scan.KindOf(raw) == scan.Null {
		return ""
	}
	if text, err := canon.Transform(raw); err == nil {
		return string(text)
	}
	return string(raw)
}
