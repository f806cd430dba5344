// Package schema compiles and infers JSON Schemas (2020-12). It is the one
// place that knows the schema library.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled schema, immutable and safe for concurrent use.
type Schema struct{ resolved *jsonschema.Resolved }

// Compile compiles raw. References to other documents are refused: nothing is
// ever fetched.
func Compile(raw json.RawMessage) (*Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("schema: not a JSON Schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{resolved: resolved}, nil
}

// CompileObject compiles raw and requires that it describes an object, as the
// arguments and the structured result of a tool must be.
func CompileObject(raw json.RawMessage) (*Schema, error) {
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("schema: not a JSON object: %w", err)
	}
	if string(head.Type) != `"object"` {
		return nil, fmt.Errorf(`schema: "type" must be "object", not %s`, orNothing(head.Type))
	}
	return Compile(raw)
}

func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "absent"
	}
	return string(raw)
}

// Validate checks one JSON value.
func (s *Schema) Validate(raw json.RawMessage) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("schema: not JSON: %w", err)
	}
	return s.resolved.Validate(v)
}

// For infers the schema of a Go type from its fields and tags: the names of
// encoding/json, a "jsonschema" tag as the description, required unless
// omitempty or omitzero.
func For(t reflect.Type) (json.RawMessage, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		return nil, fmt.Errorf("schema: no schema for %v: %w", t, err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema: no schema for %v: %w", t, err)
	}
	return raw, nil
}
