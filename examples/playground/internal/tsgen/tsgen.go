// Package tsgen converts the schemas of an OpenAPI 3.1 description to TypeScript types,
// so that the page and the server always use the same names.
//
// openapi-typescript 7.13.0 was tried. It is built on the API of TypeScript 5, which the
// compiler of the page, TypeScript 7, no longer has, and the test that compares the types
// with the description would need Node.
package tsgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// schema is the part of JSON Schema that the descriptions of this project use.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        json.RawMessage    `json:"type"`
	Enum        []json.RawMessage  `json:"enum"`
	AnyOf       []*schema          `json:"anyOf"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  json.RawMessage    `json:"additionalProperties"`
	Description string             `json:"description"`
}

// Types returns one exported type for each component of a description. The component
// pkg.Type becomes PkgType.
func Types(description []byte) ([]byte, error) {
	var doc struct {
		Components struct {
			Schemas map[string]*schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(description, &doc); err != nil {
		return nil, fmt.Errorf("tsgen: the description: %w", err)
	}
	if len(doc.Components.Schemas) == 0 {
		return nil, errors.New("tsgen: the description has no schemas")
	}
	var out strings.Builder
	out.WriteString("// Made from the description of the API; do not edit. See server/types_test.go.\n")
	taken := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		if other, two := taken[typeName(name)]; two {
			return nil, fmt.Errorf("tsgen: %s and %s would both be named %s", other, name, typeName(name))
		}
		taken[typeName(name)] = name
		s := doc.Components.Schemas[name]
		comment(&out, "", s.Description)
		text, err := typeOf(s, "")
		if err != nil {
			return nil, fmt.Errorf("tsgen: %s: %w", name, err)
		}
		fmt.Fprintf(&out, "export type %s = %s;\n", typeName(name), text)
	}
	return []byte(out.String()), nil
}

// typeName turns pkg.Type into PkgType.
func typeName(name string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(name, ".") {
		if part != "" {
			out.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return out.String()
}

func comment(out *strings.Builder, indent, text string) {
	if text != "" {
		fmt.Fprintf(out, "%s/** %s */\n", indent, strings.ReplaceAll(strings.ReplaceAll(text, "*/", "* /"), "\n", " "))
	}
}

func typeOf(s *schema, indent string) (string, error) {
	if s == nil {
		return "unknown", nil
	}
	switch {
	case s.Ref != "":
		name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/")
		if !ok {
			return "", fmt.Errorf("the reference %q leads out of the components", s.Ref)
		}
		return typeName(name), nil
	case len(s.AnyOf) > 0:
		var parts []string
		for _, one := range s.AnyOf {
			text, err := typeOf(one, indent)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, " | "), nil
	case len(s.Enum) > 0:
		var parts []string
		for _, v := range s.Enum {
			parts = append(parts, string(v))
		}
		return strings.Join(parts, " | "), nil
	}
	var one string
	if len(s.Type) == 0 || json.Unmarshal(s.Type, &one) != nil {
		return "unknown", nil // any type, or one of several
	}
	switch one {
	case "string", "boolean", "null":
		return one, nil
	case "integer", "number":
		return "number", nil
	case "array":
		items, err := typeOf(s.Items, indent)
		if strings.Contains(items, " | ") {
			items = "(" + items + ")"
		}
		return items + "[]", err
	case "object":
		return objectOf(s, indent)
	}
	return "", fmt.Errorf("the type %q is none", one)
}

func objectOf(s *schema, indent string) (string, error) {
	if len(s.Properties) == 0 {
		var values schema
		if len(s.Additional) == 0 || json.Unmarshal(s.Additional, &values) != nil {
			return "Record<string, unknown>", nil
		}
		text, err := typeOf(&values, indent)
		return "Record<string, " + text + ">", err
	}
	var out strings.Builder
	out.WriteString("{\n")
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		text, err := typeOf(p, indent+"  ")
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		comment(&out, indent+"  ", p.Description)
		mark := "?"
		if slices.Contains(s.Required, name) {
			mark = ""
		}
		if !isIdentifier(name) {
			name = strconv.Quote(name)
		}
		fmt.Fprintf(&out, "%s  %s%s: %s;\n", indent, name, mark, text)
	}
	out.WriteString(indent + "}")
	return out.String(), nil
}

func isIdentifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || r == '$' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
