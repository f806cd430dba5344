package toolspec

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/toolspec/internal/rawjson"
)

// This file writes the objects within a document, and determines whether they are
// unchanged since they were read.

func samePointer[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameExtra(a, b map[string]json.RawMessage) bool {
	return maps.EqualFunc(a, b, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

func sameParam(a, b Param) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Required == b.Required && a.Type == b.Type &&
		samePointer(a.TestValue, b.TestValue) && a.AllowEmpty == b.AllowEmpty && sameExtra(a.Extra, b.Extra)
}

func sameOverrides(a, b Overrides) bool {
	return slices.Equal(a.AddAllowClasses, b.AddAllowClasses) && slices.Equal(a.RemoveAllowClasses, b.RemoveAllowClasses) &&
		slices.Equal(a.AddDenyClasses, b.AddDenyClasses) && slices.Equal(a.RemoveDenyClasses, b.RemoveDenyClasses) &&
		a.NetworkMode == b.NetworkMode && slices.Equal(a.HostsAllow, b.HostsAllow) &&
		samePointer(a.FileRead, b.FileRead) && samePointer(a.FileWrite, b.FileWrite) &&
		samePointer(a.FSBasePath, b.FSBasePath) && samePointer(a.Destructive, b.Destructive) && sameExtra(a.Extra, b.Extra)
}

func sameApproval(a, b *Approval) bool {
	return a == b || a != nil && b != nil && a.Mode == b.Mode && a.PromptTemplate == b.PromptTemplate && sameExtra(a.Extra, b.Extra)
}

func sameCase(a, b Case) bool {
	return a.Name == b.Name && bytes.Equal(a.Args, b.Args) && bytes.Equal(a.Want, b.Want) &&
		samePointer(a.WantError, b.WantError) && sameWantFiles(a.WantFiles, b.WantFiles) &&
		sameFixturesPointer(a.Fixtures, b.Fixtures) && sameExtra(a.Extra, b.Extra)
}

// Writers of single values.

func textOut(name, now, was string, always bool) outMember {
	return outMember{name: name, same: now == was, empty: now == "" && !always,
		write: func(dst, _ []byte) ([]byte, error) { return canon.AppendString(dst, now), nil }}
}

func boolOut(name string, now, was *bool) outMember {
	return outMember{name: name, same: samePointer(now, was), empty: now == nil,
		write: func(dst, _ []byte) ([]byte, error) {
			if now == nil {
				return append(dst, "null"...), nil
			}
			return strconv.AppendBool(dst, *now), nil
		}}
}

func textPointerOut(name string, now, was *string) outMember {
	return outMember{name: name, same: samePointer(now, was), empty: now == nil,
		write: func(dst, _ []byte) ([]byte, error) {
			if now == nil {
				return append(dst, "null"...), nil
			}
			return canon.AppendString(dst, *now), nil
		}}
}

func listOut(name string, now, was []string) outMember {
	return outMember{name: name, same: slices.Equal(now, was), empty: len(now) == 0,
		write: func(dst, _ []byte) ([]byte, error) { return appendStrings(dst, now), nil }}
}

func rawOut(name string, now, was json.RawMessage) outMember {
	return outMember{name: name, same: bytes.Equal(now, was), empty: len(now) == 0,
		write: func(dst, _ []byte) ([]byte, error) { return appendRaw(dst, now, name) }}
}

// writeParams writes each parameter based on the text of the parameter with the same
// name, so that an edit of one does not change the others.
func writeParams(dst []byte, s, base *Spec, raw []byte) ([]byte, error) {
	texts := rawjson.Elements(raw)
	var was []Param
	if base != nil && len(base.Params) == len(texts) {
		was = base.Params
	}
	used := make([]bool, len(was))
	dst = append(dst, '[')
	for i, p := range s.Params {
		if i > 0 {
			dst = append(dst, ',')
		}
		var old Param
		var members []rawjson.Member
		for j := range was {
			if !used[j] && was[j].Name == p.Name {
				used[j], old, members = true, was[j], rawjson.Members(texts[j])
				break
			}
		}
		var err error
		dst, err = appendObject(dst, members, []outMember{
			textOut("name", p.Name, old.Name, true),
			textOut("description", p.Description, old.Description, false),
			boolOut("required", &p.Required, &old.Required),
			textOut("type", string(p.Type), string(old.Type), true),
			textPointerOut("testValue", p.TestValue, old.TestValue),
			{name: memberAllowEmpty, same: p.AllowEmpty == old.AllowEmpty, empty: !p.AllowEmpty,
				write: func(dst, _ []byte) ([]byte, error) { return strconv.AppendBool(dst, p.AllowEmpty), nil }},
		}, p.Extra)
		if err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func writeOverrides(dst []byte, s, base *Spec, raw []byte) ([]byte, error) {
	var old Overrides
	if base != nil {
		old = base.Overrides
	}
	o := s.Overrides
	mode := textOut("networkMode", string(o.NetworkMode), string(old.NetworkMode), false)
	if o.NetworkMode == NetworkInherit {
		mode.write = func(dst, _ []byte) ([]byte, error) { return append(dst, "null"...), nil }
	}
	return appendObject(dst, rawjson.Members(raw), []outMember{
		listOut("addAllowClasses", o.AddAllowClasses, old.AddAllowClasses),
		listOut("removeAllowClasses", o.RemoveAllowClasses, old.RemoveAllowClasses),
		listOut("addDenyClasses", o.AddDenyClasses, old.AddDenyClasses),
		listOut("removeDenyClasses", o.RemoveDenyClasses, old.RemoveDenyClasses),
		mode,
		listOut("hostsAllow", o.HostsAllow, old.HostsAllow),
		boolOut("fileRead", o.FileRead, old.FileRead),
		boolOut("fileWrite", o.FileWrite, old.FileWrite),
		textPointerOut("fsBasePath", o.FSBasePath, old.FSBasePath),
		boolOut("destructive", o.Destructive, old.Destructive),
	}, o.Extra)
}

func writeApproval(dst []byte, s, base *Spec, raw []byte) ([]byte, error) {
	a := s.Approval
	if a == nil {
		return append(dst, "null"...), nil // taken away
	}
	old := &Approval{}
	if base != nil && base.Approval != nil {
		old = base.Approval
	}
	return appendObject(dst, rawjson.Members(raw), []outMember{
		textOut("mode", string(a.Mode), string(old.Mode), true),
		textOut("promptTemplate", a.PromptTemplate, old.PromptTemplate, false),
	}, a.Extra)
}

// writeCases writes each case based on the text of the case at the same position.
func writeCases(dst []byte, s, base *Spec, raw []byte) ([]byte, error) {
	texts := rawjson.Elements(raw)
	var was []Case
	if base != nil && len(base.Tests) == len(texts) {
		was = base.Tests
	}
	dst = append(dst, '[')
	for i, c := range s.Tests {
		if i > 0 {
			dst = append(dst, ',')
		}
		var old Case
		var members []rawjson.Member
		if i < len(was) {
			old, members = was[i], rawjson.Members(texts[i])
		}
		want := rawOut("want", c.Want, old.Want)
		want.optional = true
		var err error
		dst, err = appendObject(dst, members, []outMember{
			textOut("name", c.Name, old.Name, false),
			rawOut("args", c.Args, old.Args),
			want,
			{name: "wantError", same: samePointer(c.WantError, old.WantError), empty: c.WantError == nil,
				write: func(dst, _ []byte) ([]byte, error) { return appendWantError(dst, c.WantError), nil }},
			wantFilesOut(c.WantFiles, old.WantFiles),
			fixturesOut(c.Fixtures, old.Fixtures),
		}, c.Extra)
		if err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendWantError(dst []byte, w *WantError) []byte {
	if w == nil {
		return append(dst, "null"...)
	}
	dst, _ = appendObject(dst, nil, []outMember{
		textOut("kind", string(w.Kind), "", false),
		textOut("reason", w.Reason, "", false),
		textOut("message", w.Message, "", false),
	}, nil)
	return dst
}
