package httpapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"
)

// describer makes JSON Schemas (2020-12) of Go types. A struct with a name
// becomes a component of the description, named after its package, without an
// "api" at its end, and itself: "approval.Answer" for the type answer of
// approvalapi.
type describer struct {
	known      map[reflect.Type]json.RawMessage
	components map[string]any
	types      map[string]reflect.Type
	names      map[reflect.Type]string // Table.Names of all tables
}

// schema returns the schema of t. strict is for what comes in, where a member
// beside those that are named is an error. What comes in is to be described
// first: a type that goes out too is made of the same fields.
func (d *describer) schema(t reflect.Type, strict bool) (any, error) {
	if raw, ok := d.known[t]; ok {
		return raw, nil
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return d.schema(t.Elem(), strict)
	case isTime(t):
		return map[string]any{"type": "string", "format": "date-time"}, nil
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return map[string]any{}, nil
	case is[json.Marshaler](t) && !is[encoding.TextMarshaler](t):
		return nil, fmt.Errorf("%v marshals itself: give its schema in Table.Schemas", t)
	case is[encoding.TextMarshaler](t):
		return map[string]any{"type": "string"}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.String:
		return map[string]any{"type": "string"}, nil
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}, nil
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "contentEncoding": "base64"}, nil
		}
		items, err := d.schema(t.Elem(), strict)
		return map[string]any{"type": "array", "items": items}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("%v has keys that are no strings", t)
		}
		values, err := d.schema(t.Elem(), strict)
		return map[string]any{"type": "object", "additionalProperties": values}, err
	case reflect.Struct:
		return d.object(t, strict)
	}
	return nil, fmt.Errorf("%v is no JSON", t)
}

// exported is the name of a type as an exported one would have it.
func exported(name string) string {
	if rest, ok := strings.CutPrefix(name, "api"); ok {
		return "API" + rest
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// componentName is the part of a component's name that represents a type.
func (d *describer) componentName(t reflect.Type) string {
	if name, ok := d.names[t]; ok {
		return name
	}
	return exported(t.Name())
}

// area is the part of a component's name that represents a package: the package
// without an "api" at its end, or the public package that it is below, so that a name
// stays when a package is split: chat for chatapi, chat/llm and chat, and mcphub for
// mcphub/hubapi.
func area(pkg string) string {
	base := path.Base(pkg)
	above := "" // the public package that it is below
	if rest, ok := strings.CutPrefix(pkg, "github.com/localpass/localpass/"); ok {
		if first, _, deep := strings.Cut(rest, "/"); deep && first != "internal" && first != "examples" {
			above = first
		}
	}
	face, ok := strings.CutSuffix(base, "api")
	switch {
	case ok && !strings.HasSuffix(above, face):
		return face
	case above != "":
		return above
	}
	return base
}

// object returns a reference to a struct's component, which it makes at the
// first use, or the schema itself for a struct without a name.
func (d *describer) object(t reflect.Type, strict bool) (any, error) {
	name := ""
	if t.Name() != "" {
		name = area(t.PkgPath()) + "." + d.componentName(t)
		ref := map[string]any{"$ref": "#/components/schemas/" + name}
		if other, made := d.types[name]; made {
			if other != t {
				return nil, fmt.Errorf("%s and %s would both be named %s", t.PkgPath(), other.PkgPath(), name)
			}
			return ref, nil
		}
		d.types[name] = t // a struct may hold itself
		s, err := d.members(t, strict)
		d.components[name] = s
		return ref, err
	}
	return d.members(t, strict)
}

func (d *describer) members(t reflect.Type, strict bool) (map[string]any, error) {
	properties := make(map[string]any)
	required := []string{}
	for _, f := range fieldsOf(t) {
		s, err := d.schema(f.typ, strict)
		if err != nil {
			return nil, fmt.Errorf("%v.%s: %w", t, f.name, err)
		}
		properties[f.name] = annotated(s, f)
		if f.required {
			required = append(required, f.name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	if strict {
		out["additionalProperties"] = false
	}
	return out, nil
}

// annotated adds what the tags of a field say. Beside a reference other members
// are allowed since JSON Schema 2019-09.
func annotated(s any, f fieldInfo) any {
	nullable := f.required && f.typ.Kind() == reflect.Pointer
	if f.doc == "" && f.enum == nil && !nullable {
		return s
	}
	raw, err := json.Marshal(s)
	var own map[string]any
	if err != nil || json.Unmarshal(raw, &own) != nil { // true and false are schemas too
		return s
	}
	if f.enum != nil {
		target := own
		if items, ok := own["items"].(map[string]any); ok {
			target = items
		}
		target["enum"] = f.enum
	}
	if nullable {
		own = map[string]any{"anyOf": []any{own, map[string]any{"type": "null"}}}
	}
	if f.doc != "" {
		own["description"] = f.doc
	}
	return own
}
