package studioapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/localpass/localpass/toolspec"
)

// Fix is a change of a document that settles a finding, or lets a failed run go further.
// It is a proposal: it stores and runs nothing by itself.
type Fix struct {
	Label string `json:"label" doc:"What it does, such as Allow api.example.com."`
	// Set holds the top-level members to replace.
	Set   map[string]json.RawMessage `json:"set" doc:"Members of the document with their new values; null removes one."`
	Level toolspec.Level             `json:"level" doc:"The level of the tool after it."`
}

// fixer makes fixes for one document.
type fixer struct {
	spec *toolspec.Spec
	text []byte // the document
	was  map[string]any
	risk func(*toolspec.Spec) toolspec.Level
}

// fixer returns a maker of fixes, or nil for a document that cannot be written.
func (a *API) fixer(spec *toolspec.Spec) *fixer {
	if spec == nil {
		return nil
	}
	text, err := spec.MarshalJSON()
	if err != nil {
		return nil
	}
	f := &fixer{spec: spec, text: text, risk: func(s *toolspec.Spec) toolspec.Level { return a.studio.Compare(nil, s).To.Level }}
	if f.was = f.document(); f.was == nil {
		return nil
	}
	return f
}

// document returns a copy of the document that a change may edit.
func (f *fixer) document() map[string]any {
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(f.text))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return nil
	}
	return doc
}

// fix returns the fix that makes a change; false if that changes nothing or leaves no
// spec.
func (f *fixer) fix(label string, change func(doc map[string]any)) (Fix, bool) {
	doc := f.document()
	change(doc)
	text, err := json.Marshal(doc)
	if err != nil {
		return Fix{}, false
	}
	spec, _ := parseOne(text)
	if spec == nil {
		return Fix{}, false
	}
	out := Fix{Label: label, Set: make(map[string]json.RawMessage), Level: f.risk(spec)}
	for name := range maps.Keys(f.was) {
		if _, kept := doc[name]; !kept {
			out.Set[name] = json.RawMessage("null")
		}
	}
	for name, value := range doc {
		if before, had := f.was[name]; had && reflect.DeepEqual(before, value) {
			continue
		}
		if out.Set[name], err = json.Marshal(value); err != nil {
			return Fix{}, false
		}
	}
	return out, len(out.Set) > 0
}

// add appends the fix that makes a change, if there is one.
func (f *fixer) add(list []Fix, label string, change func(doc map[string]any)) []Fix {
	if fix, ok := f.fix(label, change); ok {
		return append(list, fix)
	}
	return list
}

// diagnostics returns the findings about the document, each with its fixes. A nil fixer
// proposes none.
func (f *fixer) diagnostics(problems toolspec.Problems) []Diagnostic {
	out := make([]Diagnostic, len(problems))
	for i, p := range problems {
		out[i] = Diagnostic{Path: p.Pointer, Line: p.Line, Column: p.Column, Code: string(p.Code), Reason: p.Reason,
			Severity: string(p.Severity), Message: p.Message, Fix: p.Remedy, Fixes: []Fix{}}
		if f != nil {
			out[i].Fixes = append(out[i].Fixes, f.settle(p)...)
		}
	}
	return out
}
