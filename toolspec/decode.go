package toolspec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// decoder reads one spec out of a text that is valid JSON. It collects every
// SPEC_PARSE problem, and as notes what only strict readers mind.
type decoder struct {
	text     []byte // the whole text, for positions
	at       scan.Span
	own      []byte // a copy of the spec's part; raw members point into it
	problems Problems
	notes    []note
}

// field is one member of an object with the pointer to it.
type field struct {
	name       string
	key, value scan.Span
	pointer    string
}

// decode reads the object at the span. The spec is nil when there is a problem
// of severity error.
func decode(text []byte, at scan.Span) (*Spec, Problems) {
	d := &decoder{text: text, at: at, own: bytes.Clone(at.Of(text))}
	spec := d.spec()
	scan.Repeated(text, at, func(pointer string, name scan.Span) {
		d.fail(scan.Join(pointer, scan.Unquote(name.Of(text))), name.Start, "duplicate-member",
			"remove one of them", "the member stands twice in one object")
	})
	if d.problems.Err() != nil {
		return nil, d.problems
	}
	return spec, d.problems
}

// maxProblems bounds what is reported of one document.
const maxProblems = 200

func (d *decoder) fail(pointer string, offset int, reason, remedy, format string, args ...any) {
	if len(d.problems) >= maxProblems {
		return
	}
	line, column := scan.Position(d.text, offset)
	d.problems = append(d.problems, Problem{Code: CodeParse, Severity: SeverityError, Reason: reason, Pointer: pointer,
		Message: fmt.Sprintf(format, args...), Remedy: remedy, Line: line, Column: column})
}

// note keeps what is wrong with a top-level member beyond its JSON kind.
func (d *decoder) note(member, pointer string, severity Severity, reason, remedy, format string, args ...any) {
	if len(d.notes) >= maxProblems {
		return
	}
	d.notes = append(d.notes, note{member: member, strict: true, problem: Problem{Code: CodeInvariant, Severity: severity,
		Reason: reason, Pointer: pointer, Message: fmt.Sprintf(format, args...), Remedy: remedy}})
}

func (d *decoder) raw(s scan.Span) json.RawMessage {
	return scan.Span{Start: s.Start - d.at.Start, End: s.End - d.at.Start}.Of(d.own)
}

func (d *decoder) kind(s scan.Span) scan.Kind { return scan.KindOf(d.text[s.Start:s.End]) }

// fields lists the members of the object at the span.
func (d *decoder) fields(at scan.Span, pointer string) []field {
	var out []field
	_, _ = scan.Members(d.text, at.Start, canon.MaxDepth, func(key, value scan.Span) *scan.Error {
		name := scan.Unquote(key.Of(d.text))
		out = append(out, field{name, key, value, scan.Join(pointer, name)})
		return nil
	})
	return out
}

// is checks the kind of a member's value. null counts as absent and is no
// failure.
func (d *decoder) is(f field, want scan.Kind, remedy string) bool {
	switch got := d.kind(f.value); got {
	case want:
		return true
	case scan.Null:
	default:
		d.fail(f.pointer, f.value.Start, "wrong-type", remedy, "must be %v, is %v", want, got)
	}
	return false
}

func (d *decoder) string(f field) string {
	if !d.is(f, scan.String, "write it in double quotes") {
		return ""
	}
	return scan.Unquote(f.value.Of(d.text))
}

func (d *decoder) bool(f field) *bool {
	if !d.is(f, scan.Bool, "write true or false without quotes") {
		return nil
	}
	v := d.text[f.value.Start] == 't'
	return &v
}

// elements calls visit for each element of the array in f.
func (d *decoder) elements(f field, remedy string, visit func(e field)) {
	if !d.is(f, scan.Array, remedy) {
		return
	}
	n := 0
	_, _ = scan.Elements(d.text, f.value.Start, canon.MaxDepth, func(value scan.Span) *scan.Error {
		visit(field{value: value, pointer: scan.Index(f.pointer, n)})
		n++
		return nil
	})
}

func (d *decoder) strings(f field) []string {
	var out []string
	d.elements(f, `write a list: ["…"]`, func(e field) {
		if d.required(e, scan.String, "write it in double quotes") {
			out = append(out, scan.Unquote(e.value.Of(d.text)))
		}
	})
	return out
}

// required is like is, for places where null does not count as absent.
func (d *decoder) required(f field, want scan.Kind, remedy string) bool {
	if d.kind(f.value) == scan.Null {
		d.fail(f.pointer, f.value.Start, "wrong-type", remedy, "must be %v, is null", want)
		return false
	}
	return d.is(f, want, remedy)
}

// need reports members that must be there and are absent or null.
func (d *decoder) need(at scan.Span, pointer string, fields []field, remedies ...[2]string) {
	for _, r := range remedies {
		there := slices.ContainsFunc(fields, func(f field) bool { return f.name == r[0] && d.kind(f.value) != scan.Null })
		if !there {
			d.fail(scan.Join(pointer, r[0]), at.Start, "missing-member", r[1], "is missing")
		}
	}
}

const listOfParams = `write a list of objects: [{"name": …, "type": …, "required": …}]`

func (d *decoder) spec() *Spec {
	s := &Spec{}
	fields := d.fields(d.at, "")
	src := &source{members: make([]member, len(fields))}
	for i, f := range fields {
		src.members[i] = member{f.name, d.raw(f.value)}
		d.specField(s, f)
	}
	d.need(d.at, "", fields,
		[2]string{"name", `add "name": the tool's name, such as "diffText"`},
		[2]string{"code", `add "code": the body of an async JavaScript function, with a return`},
		[2]string{"codeType", `add "codeType": "Javascript"`})
	src.notes = d.notes
	src.base = *s.Clone()
	s.source = src
	return s
}

func (d *decoder) specField(s *Spec, f field) {
	switch f.name {
	case "toolId":
		s.ToolID = d.string(f)
	case "name":
		s.Name = d.string(f)
	case "description":
		s.Description = d.string(f)
	case "category":
		s.Category = d.string(f)
	case "tags":
		s.Tags = d.strings(f)
	case "params":
		d.elements(f, listOfParams, func(e field) {
			if d.required(e, scan.Object, listOfParams) {
				s.Params = append(s.Params, d.param(e))
			}
		})
	case "staticVariables":
		s.StaticVariables = d.variables(f)
	case "code":
		s.Code = d.string(f)
	case "codeType":
		s.CodeType = d.string(f)
	case "sandboxOverrides":
		if d.is(f, scan.Object, `write an object, such as {"networkMode": "allowlist", "hostsAllow": ["api.example.com"]}`) {
			s.Overrides = d.overrides(f)
		}
	case "toolSafety":
		if d.is(f, scan.Object, "leave it out: each host records its own") {
			s.ToolSafety = d.raw(f.value)
			d.snapshot(f)
		}
	case "humanInTheLoop":
		if d.is(f, scan.Object, `write {"mode": "REQUIRED"} or {"mode": "DISABLED"}`) {
			s.Approval = d.approval(f)
		}
	case "draft":
		if v := d.bool(f); v != nil {
			s.Draft = *v
		}
	case "createTimestamp":
		s.Created = d.timestamp(f)
	case "updateTimestamp":
		s.Updated = d.timestamp(f)
	case memberOutputSchema:
		switch d.kind(f.value) {
		case scan.Object:
			s.OutputSchema = d.raw(f.value)
		case scan.Null:
		default:
			d.note(f.name, f.pointer, SeverityError, "output-schema", `write a JSON Schema object, such as {"type": "object", "properties": {…}}`,
				"must be an object, is %v", d.kind(f.value))
		}
	case memberTests:
		s.Tests = d.cases(f)
	default:
		if s.Extra == nil {
			s.Extra = make(map[string]json.RawMessage)
		}
		s.Extra[f.name] = d.raw(f.value)
	}
}

// The vendor members of a document that mean something here.
const (
	memberOutputSchema = "x-output-schema"
	memberTests        = "x-tests"
	memberAllowEmpty   = "x-allow-empty"
)

func (d *decoder) param(e field) Param {
	var p Param
	fields := d.fields(e.value, e.pointer)
	for _, f := range fields {
		switch f.name {
		case "name":
			p.Name = d.string(f)
		case "description":
			p.Description = d.string(f)
		case "required":
			if v := d.bool(f); v != nil {
				p.Required = *v
			}
		case "type":
			p.Type = d.paramType(f)
		case "testValue":
			if d.is(f, scan.String, "write it as text in double quotes, whatever the type") {
				v := scan.Unquote(f.value.Of(d.text))
				p.TestValue = &v
			}
		case memberAllowEmpty:
			switch d.kind(f.value) {
			case scan.Bool:
				p.AllowEmpty = d.text[f.value.Start] == 't'
			case scan.Null:
			default:
				d.note("params", f.pointer, SeverityError, "allow-empty", "write true or false", "must be a boolean, is %v", d.kind(f.value))
			}
		default:
			if p.Extra == nil {
				p.Extra = make(map[string]json.RawMessage)
			}
			p.Extra[f.name] = d.raw(f.value)
		}
	}
	d.need(e.value, e.pointer, fields,
		[2]string{"name", "add the name by which the code reads it"},
		[2]string{"type", "add one of STRING, INTEGER, NUMBER, BOOLEAN, OBJECT, ARRAY"},
		[2]string{"required", `add "required": true or false`})
	return p
}

// paramType accepts a type in lower case, with a note, as foreign documents
// have it.
func (d *decoder) paramType(f field) ParamType {
	t := ParamType(d.string(f))
	if upper := ParamType(strings.ToUpper(string(t))); upper != t && upper.known() {
		d.note("params", f.pointer, SeverityWarning, "type-case", "write "+string(upper), "%q is not in upper case", string(t))
		return upper
	}
	return t
}

const listOfVariables = `write a list of objects with one entry each: [{"name": "value"}]`

func (d *decoder) variables(list field) []Variable {
	var out []Variable
	d.elements(list, listOfVariables, func(e field) {
		if !d.required(e, scan.Object, listOfVariables) {
			return
		}
		fields := d.fields(e.value, e.pointer)
		for _, f := range fields {
			if d.required(f, scan.String, "write the value in double quotes") {
				out = append(out, Variable{f.name, scan.Unquote(f.value.Of(d.text))})
			}
		}
		if len(fields) != 1 {
			d.note("staticVariables", e.pointer, SeverityError, "static-variable-entries", listOfVariables,
				"has %d entries, must have exactly one", len(fields))
		}
	})
	return out
}

func (d *decoder) overrides(at field) Overrides {
	var o Overrides
	for _, f := range d.fields(at.value, at.pointer) {
		switch f.name {
		case "addAllowClasses":
			o.AddAllowClasses = d.strings(f)
		case "removeAllowClasses":
			o.RemoveAllowClasses = d.strings(f)
		case "addDenyClasses":
			o.AddDenyClasses = d.strings(f)
		case "removeDenyClasses":
			o.RemoveDenyClasses = d.strings(f)
		case "networkMode":
			o.NetworkMode = NetworkMode(d.string(f))
			if d.kind(f.value) == scan.String && o.NetworkMode == NetworkInherit {
				d.note("sandboxOverrides", f.pointer, SeverityError, "network-mode", "write "+modeNames+", or leave it out", "is empty")
			}
		case "hostsAllow":
			o.HostsAllow = d.strings(f)
		case "fileRead":
			o.FileRead = d.bool(f)
		case "fileWrite":
			o.FileWrite = d.bool(f)
		case "fsBasePath":
			if d.is(f, scan.String, "write it in double quotes") {
				v := scan.Unquote(f.value.Of(d.text))
				o.FSBasePath = &v
			}
		case "destructive":
			o.Destructive = d.bool(f)
		default:
			if o.Extra == nil {
				o.Extra = make(map[string]json.RawMessage)
			}
			o.Extra[f.name] = d.raw(f.value)
		}
	}
	return o
}

func (d *decoder) approval(at field) *Approval {
	a := &Approval{Mode: ApprovalDisabled}
	for _, f := range d.fields(at.value, at.pointer) {
		switch f.name {
		case "mode":
			if mode := ApprovalMode(d.string(f)); d.kind(f.value) == scan.String {
				a.Mode = mode
			}
		case "promptTemplate":
			a.PromptTemplate = d.string(f)
		default:
			if a.Extra == nil {
				a.Extra = make(map[string]json.RawMessage)
			}
			a.Extra[f.name] = d.raw(f.value)
		}
	}
	return a
}

func (d *decoder) timestamp(f field) int64 {
	if !d.is(f, scan.Number, "write milliseconds since 1970 as a number") {
		return 0
	}
	v, ok := wholeNumber(f.value.Of(d.text))
	if !ok || v < 0 {
		d.note(f.name, f.pointer, SeverityError, "timestamp", "write milliseconds since 1970, or leave it out",
			"must be a whole number from 0 on")
		return 0
	}
	return v
}
