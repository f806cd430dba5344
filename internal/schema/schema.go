// Package schema compiles and infers JSON Schemas (2020-12). It is the one
// place that knows the schema library.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled schema, immutable and safe for concurrent use.
type Schema struct {
	resolved *jsonschema.Resolved
	top      *rule
}

// Compile compiles raw. References to other documents are refused: nothing is
// ever fetched. So are references that lead back to themselves, text that is nested
// deeper than 200 levels, and what would take more than a second or 100 MB to read:
// see bounds.go and measure.go. No error is longer than 2,000 bytes.
func Compile(raw json.RawMessage) (_ *Schema, err error) {
	defer panicked(&err)
	defer func() { err = brief(err) }()
	if err := outline(raw); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("schema: not a JSON Schema: %w", err)
	}
	if err := (&measure{}).one(&s, 0); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	top, err := read(&s)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{resolved: resolved, top: top}, nil
}

// CompileObject compiles raw and requires that it describes an object, as the
// arguments and the structured result of a tool must be.
func CompileObject(raw json.RawMessage) (*Schema, error) {
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, brief(fmt.Errorf("schema: not a JSON object: %w", err))
	}
	if string(head.Type) != `"object"` {
		return nil, brief(fmt.Errorf(`schema: "type" must be "object", not %s`, orNothing(head.Type)))
	}
	return Compile(raw)
}

func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "absent"
	}
	return string(raw)
}

// Validate checks one JSON value. It fails, too, where the value is nested deeper
// than 200 levels, or where the check would take more than some seconds or a stack
// of more than some 8 MB. No error is longer than 2,000 bytes, and each shows only
// the beginning of a value.
func (s *Schema) Validate(raw json.RawMessage) (err error) {
	defer func() { err = brief(err) }()
	defer panicked(&err)
	if err := nesting(raw); err != nil {
		return fmt.Errorf("schema: the value %w", err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("schema: not JSON: %w", err)
	}
	if err := (&count{}).one(s.top, v); err != nil {
		return err
	}
	return s.resolved.Validate(printed(v))
}

// panicked makes an error of a schema that the library cannot bear.
func panicked(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("schema: %v", p)
	}
}

// For infers the schema of a Go type from its fields and tags: the names of
// encoding/json, a "jsonschema" tag as the description, required unless
// omitempty or omitzero.
func For(t reflect.Type) (json.RawMessage, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		return nil, fmt.Errorf("schema: no schema for %v: %w", t, err)
	}
	markOpen(s)
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema: no schema for %v: %w", t, err)
	}
	return bytes.ReplaceAll(raw, []byte(`{"$comment":"`+openMark+`"}`), []byte(`{}`)), nil
}

// openMark is put into a schema that takes any value while that is written: the
// library writes an empty schema as true, which model providers refuse. Within a
// string its quotes would be escaped, so that it is found where it was put alone.
const openMark = "any value"

func markOpen(s *jsonschema.Schema) {
	if s == nil || s.Not != nil { // {"not": {}} is written as false
		return
	}
	if reflect.ValueOf(*s).IsZero() {
		s.Comment = openMark
		return
	}
	for _, p := range s.Properties {
		markOpen(p)
	}
	markOpen(s.Items)
	markOpen(s.AdditionalProperties)
}
