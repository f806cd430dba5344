package toolspec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec/internal/rawjson"
)

// MarshalJSON writes the document: the members in the order in which they were read, then
// new members. Members that were not changed are written exactly as they were read,
// including the spelling of numbers, escapes, null members and members that this version
// does not know. Text is written without HTML escaping.
//
// json.Marshal escapes <, > and & in the output of this method, so call MarshalJSON
// directly to write a file for people. It fails if a field of raw JSON is not valid JSON.
func (s *Spec) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	var was []rawjson.Member
	var base *Spec
	if s.source != nil {
		was, base = s.source.members, &s.source.base
	}
	known := make([]outMember, len(specMembers))
	for i := range specMembers {
		m := &specMembers[i]
		known[i] = outMember{
			name:  m.name,
			same:  base != nil && m.same(s, base),
			empty: m.empty(s),
			write: func(dst, raw []byte) ([]byte, error) { return m.write(dst, s, base, raw) },
		}
	}
	return appendObject(make([]byte, 0, 256+len(s.Code)), was, known, s.Extra)
}

// outMember is one member to write.
type outMember struct {
	name string
	// same says that the value is unchanged since it was read, so its text is reused.
	same bool
	// empty says that the value is empty, so a member that was absent stays absent.
	empty bool
	// optional says that null would have a meaning, so an empty value removes the member.
	optional bool
	// write appends the value; raw is its text in the document, nil if it was absent.
	write func(dst, raw []byte) ([]byte, error)
}

// appendObject writes an object that was read as was, with the present values of its
// known members and the other members from extra.
func appendObject(dst []byte, was []rawjson.Member, known []outMember, extra map[string]json.RawMessage) ([]byte, error) {
	written := make(map[string]bool, len(was)+len(known))
	first := true
	dst = append(dst, '{')
	name := func(n string) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		written[n] = true
		dst = append(canon.AppendString(dst, n), ':')
	}
	var err error
	put := func(k *outMember, raw []byte) error {
		name(k.name)
		if raw != nil && k.same {
			dst = scan.Compact(dst, raw)
			return nil
		}
		dst, err = k.write(dst, raw)
		return err
	}
	find := func(n string) *outMember {
		for i := range known {
			if known[i].name == n {
				return &known[i]
			}
		}
		return nil
	}
	for _, m := range was {
		if written[m.Name] {
			continue
		}
		if k := find(m.Name); k != nil {
			if k.optional && k.empty {
				continue
			}
			if err := put(k, m.Raw); err != nil {
				return nil, err
			}
		} else if raw, ok := extra[m.Name]; ok {
			name(m.Name)
			if dst, err = appendRaw(dst, raw, m.Name); err != nil {
				return nil, err
			}
		}
	}
	for i := range known {
		k := &known[i]
		absent := was != nil && k.same // it was not there, and nothing was set since
		if !k.empty && !absent && !written[k.name] {
			if err := put(k, nil); err != nil {
				return nil, err
			}
		}
	}
	var rest []string
	for n := range extra {
		if !written[n] {
			rest = append(rest, n)
		}
		if find(n) != nil {
			return nil, fmt.Errorf("toolspec: Extra holds %q, which has a field of its own; set that field", n)
		}
	}
	slices.Sort(rest)
	for _, n := range rest {
		name(n)
		if dst, err = appendRaw(dst, extra[n], n); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendRaw writes the raw JSON of a field; an empty value is written as null.
func appendRaw(dst, raw []byte, name string) ([]byte, error) {
	if len(raw) == 0 {
		return append(dst, "null"...), nil
	}
	at, bad := scan.Text(raw, canon.MaxDepth)
	if bad != nil {
		return nil, fmt.Errorf("toolspec: %s does not hold JSON: %w", name, bad)
	}
	return scan.Compact(dst, at.Of(raw)), nil
}

// specMember describes one member of the document.
type specMember struct {
	name  string
	same  func(a, b *Spec) bool
	empty func(s *Spec) bool
	write func(dst []byte, s, base *Spec, raw []byte) ([]byte, error)
}

// specMembers lists the members of the specification in the order in which a
// new document has them.
var specMembers = [...]specMember{
	textMember("toolId", func(s *Spec) *string { return &s.ToolID }, false),
	textMember("name", func(s *Spec) *string { return &s.Name }, true),
	textMember("description", func(s *Spec) *string { return &s.Description }, true),
	textMember("category", func(s *Spec) *string { return &s.Category }, false),
	{
		name:  "tags",
		same:  func(a, b *Spec) bool { return slices.Equal(a.Tags, b.Tags) },
		empty: func(s *Spec) bool { return len(s.Tags) == 0 },
		write: func(dst []byte, s, _ *Spec, _ []byte) ([]byte, error) { return appendStrings(dst, s.Tags), nil },
	},
	{
		name:  "params",
		same:  func(a, b *Spec) bool { return slices.EqualFunc(a.Params, b.Params, sameParam) },
		empty: func(*Spec) bool { return false },
		write: writeParams,
	},
	{
		name:  "staticVariables",
		same:  func(a, b *Spec) bool { return slices.Equal(a.StaticVariables, b.StaticVariables) },
		empty: func(s *Spec) bool { return len(s.StaticVariables) == 0 },
		write: func(dst []byte, s, _ *Spec, _ []byte) ([]byte, error) {
			dst = append(dst, '[')
			for i, v := range s.StaticVariables {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = append(canon.AppendString(append(dst, '{'), v.Name), ':')
				dst = append(canon.AppendString(dst, v.Value), '}')
			}
			return append(dst, ']'), nil
		},
	},
	textMember("code", func(s *Spec) *string { return &s.Code }, true),
	textMember("codeType", func(s *Spec) *string { return &s.CodeType }, true),
	{
		name:  "sandboxOverrides",
		same:  func(a, b *Spec) bool { return sameOverrides(a.Overrides, b.Overrides) },
		empty: func(s *Spec) bool { return sameOverrides(s.Overrides, Overrides{}) },
		write: writeOverrides,
	},
	rawMember("toolSafety", func(s *Spec) *json.RawMessage { return &s.ToolSafety }),
	{
		name:  "humanInTheLoop",
		same:  func(a, b *Spec) bool { return sameApproval(a.Approval, b.Approval) },
		empty: func(s *Spec) bool { return s.Approval == nil },
		write: writeApproval,
	},
	{
		name:  "draft",
		same:  func(a, b *Spec) bool { return a.Draft == b.Draft },
		empty: func(*Spec) bool { return false },
		write: func(dst []byte, s, _ *Spec, _ []byte) ([]byte, error) { return strconv.AppendBool(dst, s.Draft), nil },
	},
	wholeMember("createTimestamp", func(s *Spec) *int64 { return &s.Created }),
	wholeMember("updateTimestamp", func(s *Spec) *int64 { return &s.Updated }),
	rawMember(memberOutputSchema, func(s *Spec) *json.RawMessage { return &s.OutputSchema }),
	{
		name:  memberFixtures,
		same:  func(a, b *Spec) bool { return sameFixtures(a.Fixtures, b.Fixtures) },
		empty: func(s *Spec) bool { return s.Fixtures.Empty() },
		write: writeFixtures,
	},
	{
		name:  memberTests,
		same:  func(a, b *Spec) bool { return slices.EqualFunc(a.Tests, b.Tests, sameCase) },
		empty: func(s *Spec) bool { return len(s.Tests) == 0 },
		write: writeCases,
	},
	textMember(memberLanguage, func(s *Spec) *string { return &s.Language }, false),
	{
		name:  memberLimits,
		same:  func(a, b *Spec) bool { return a.Limits == b.Limits },
		empty: func(s *Spec) bool { return s.Limits == (Limits{}) },
		write: writeLimits,
	},
}

func textMember(name string, of func(*Spec) *string, always bool) specMember {
	return specMember{
		name:  name,
		same:  func(a, b *Spec) bool { return *of(a) == *of(b) },
		empty: func(s *Spec) bool { return !always && *of(s) == "" },
		write: func(dst []byte, s, _ *Spec, _ []byte) ([]byte, error) {
			if *of(s) == "" && !always {
				return append(dst, "null"...), nil // the member was removed
			}
			return canon.AppendString(dst, *of(s)), nil
		},
	}
}

func wholeMember(name string, of func(*Spec) *int64) specMember {
	return specMember{
		name:  name,
		same:  func(a, b *Spec) bool { return *of(a) == *of(b) },
		empty: func(s *Spec) bool { return *of(s) == 0 },
		write: func(dst []byte, s, _ *Spec, _ []byte) ([]byte, error) {
			return strconv.AppendInt(dst, *of(s), 10), nil
		},
	}
}

func rawMember(name string, of func(*Spec) *json.RawMessage) specMember {
	return specMember{
		name:  name,
		same:  func(a, b *Spec) bool { return bytes.Equal(*of(a), *of(b)) },
		empty: func(s *Spec) bool { return len(*of(s)) == 0 },
		write: func(dst []byte, s, _ *Spec, _ []byte) ([]byte, error) { return appendRaw(dst, *of(s), name) },
	}
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(dst, s)
	}
	return append(dst, ']')
}
