package toolspec

import (
	"encoding/json"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
)

// This file reads the objects within a document.

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

// paramType accepts a type in lower case, which occurs in foreign documents, with a note.
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
	d.elements(list, maxEntries, listOfVariables, func(e field) {
		if !d.required(e, scan.Object, listOfVariables) {
			return
		}
		// Add a variable even for an invalid element, so that positions match those in
		// the document.
		var v Variable
		fields := d.fields(e.value, e.pointer)
		for i, f := range fields {
			if d.required(f, scan.String, "write the value in double quotes") && i == 0 {
				v = Variable{f.name, scan.Unquote(f.value.Of(d.text))}
			}
		}
		out = append(out, v)
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
