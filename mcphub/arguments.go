package mcphub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// checkArguments checks the arguments against the tool's input schema. A spec
// does so itself, by rules that know more than the schema (specification 2.4).
func checkArguments(e *entry, call *toolspec.Call) error {
	call.Arguments = bytes.TrimSpace(call.Arguments)
	if len(call.Arguments) == 0 || string(call.Arguments) == "null" {
		call.Arguments = json.RawMessage(`{}`)
	}
	if !rpc.IsObject(call.Arguments) || !rpc.ValidJSON(call.Arguments) {
		return errors.New("the arguments must be a JSON object")
	}
	if e.args == nil || e.flat.accepts(call.Arguments) {
		return nil
	}
	if err := e.args.Validate(call.Arguments); err != nil {
		return fmt.Errorf("the arguments do not match the tool's input schema: %w", err)
	}
	return nil
}

// flatSchema is an input schema of the common kind: an object whose properties
// have a type and nothing else to be checked. It accepts without building
// values, which takes a tenth of what a validator takes; when it does not, the
// validator decides.
type flatSchema struct {
	properties map[string]flatProperty
	required   uint64 // by property number
	closed     bool   // no other properties
}

type flatProperty struct {
	kind    scan.Kind
	integer bool
	bit     uint64 // of a required property
}

// flatten returns the flat form of a schema, or nil when it is not of that kind.
func flatten(raw json.RawMessage) *flatSchema {
	var top struct {
		Type       string                                `json:"type"`
		Properties map[string]map[string]json.RawMessage `json:"properties"`
		Required   []string                              `json:"required"`
		Additional *bool                                 `json:"additionalProperties"`
	}
	if !only(raw, "type", "properties", "required", "additionalProperties") || json.Unmarshal(raw, &top) != nil ||
		top.Type != "object" || len(top.Required) > 64 {
		return nil
	}
	f := &flatSchema{properties: make(map[string]flatProperty, len(top.Properties)), closed: top.Additional != nil && !*top.Additional}
	for name, keywords := range top.Properties {
		body, err := json.Marshal(keywords)
		if err != nil || !only(body, "type") {
			return nil
		}
		kind, _ := rpc.Text(keywords["type"])
		p := flatProperty{kind: flatKinds(kind), integer: kind == "integer"}
		if p.kind == scan.Invalid {
			return nil
		}
		f.properties[name] = p
	}
	for i, name := range top.Required {
		p, ok := f.properties[name]
		if !ok || p.bit != 0 {
			return nil
		}
		p.bit = 1 << i
		f.properties[name] = p
		f.required |= p.bit
	}
	return f
}

func flatKinds(name string) scan.Kind {
	switch name {
	case "string":
		return scan.String
	case "integer", "number":
		return scan.Number
	case "boolean":
		return scan.Bool
	case "object":
		return scan.Object
	case "array":
		return scan.Array
	}
	return scan.Invalid
}

// only reports whether a schema has these keywords and others that check
// nothing.
func only(raw []byte, keywords ...string) bool {
	span, bad := scan.Text(raw, canon.MaxDepth)
	if bad != nil || !rpc.IsObject(span.Of(raw)) {
		return false
	}
	return rpc.Members(span.Of(raw), func(name, _ []byte) error {
		switch string(name) {
		case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema":
			return nil
		}
		for _, k := range keywords {
			if k == string(name) {
				return nil
			}
		}
		return errors.ErrUnsupported
	}) == nil
}

var errUnsure = errors.New("not sure")

// accepts reports that the arguments match, or that it cannot decide. raw must
// be a valid object.
func (f *flatSchema) accepts(raw []byte) bool {
	if f == nil {
		return false
	}
	var seen uint64
	err := rpc.Members(raw, func(name, value []byte) error {
		p, ok := f.properties[string(name)]
		switch {
		case !ok && f.closed:
			return errUnsure
		case !ok:
			return nil
		case scan.KindOf(value) != p.kind, p.integer && bytes.ContainsAny(value, ".eE"):
			return errUnsure
		}
		seen |= p.bit
		return nil
	})
	return err == nil && seen == f.required
}

// compile prepares the check of the arguments of a tool.
func (e *entry) compile() {
	// A pass is not given to a tool whose schema does not compile.
	e.args, _ = schema.CompileObject(e.def.InputSchema)
	e.flat = flatten(e.def.InputSchema)
}
