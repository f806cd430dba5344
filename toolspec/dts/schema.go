package dts

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec/internal/rawjson"
)

// This file converts JSON Schemas to TypeScript types.

const (
	unknownTS   = "unknown"
	anyObjectTS = "{ [key: string]: unknown }"
)

// Limits for one schema. Anything beyond them becomes the type unknown.
const (
	maxTypeText  = 64 << 10 // bytes
	maxTypes     = 2000     // subschemas, including those that references lead to
	maxTypeDepth = 30
	maxLiterals  = 100 // of one enum
)

// Precedence of a type: a type of lower precedence needs parentheses inside one of higher
// precedence.
const (
	looseUnion = iota
	looseIntersection
	tight
)

// typeTS is a type as text, with its precedence.
type typeTS struct {
	text  string
	binds int
}

func one(text string) typeTS { return typeTS{text, tight} }

// typer converts the subschemas of one schema to types.
type typer struct {
	root  []byte
	left  int // how many more types may be written
	depth int
	open  []string // references being followed, to detect cycles
}

func (t *typer) of(raw []byte, indent string) typeTS {
	t.left--
	t.depth++
	defer func() { t.depth-- }()
	if t.left < 0 || t.depth > maxTypeDepth {
		return one(unknownTS)
	}
	switch scan.KindOf(raw) {
	case scan.Object:
	case scan.Bool:
		if raw[0] == 'f' {
			return one("never")
		}
		return one(unknownTS)
	default:
		return one(unknownTS)
	}
	members := rawjson.Members(raw)
	parts := []typeTS{t.base(members, indent)}
	if ref, ok := rawjson.Lookup(members, "$ref"); ok {
		parts = append(parts, t.reference(ref, indent))
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if list, ok := rawjson.Lookup(members, name); ok {
			parts = append(parts, unionTS(t.each(list, indent)))
		}
	}
	if list, ok := rawjson.Lookup(members, "allOf"); ok {
		parts = append(parts, t.each(list, indent)...)
	}
	result := intersectionTS(parts)
	if nullable, ok := rawjson.Lookup(members, "nullable"); ok && string(nullable) == "true" {
		result = unionTS([]typeTS{result, one("null")})
	}
	return result
}

func (t *typer) each(list []byte, indent string) []typeTS {
	var out []typeTS
	for _, raw := range rawjson.Elements(list) {
		out = append(out, t.of(raw, indent))
	}
	return out
}

// base returns the type, ignoring references and combinations such as anyOf.
func (t *typer) base(members []rawjson.Member, indent string) typeTS {
	// A const whose value is null counts, unlike other members that are null.
	for _, m := range members {
		if m.Name == "const" {
			return one(literalTS(m.Raw))
		}
	}
	if list, ok := rawjson.Lookup(members, "enum"); ok {
		values := rawjson.Elements(list)
		var out []typeTS
		for _, raw := range values {
			if len(values) > maxLiterals {
				out = append(out, kindTS(raw))
				continue
			}
			out = append(out, one(literalTS(raw)))
		}
		return unionTS(out)
	}
	var out []typeTS
	for _, name := range typeNames(members) {
		switch name {
		case "string", "boolean", "null":
			out = append(out, one(name))
		case "number", "integer":
			out = append(out, one("number"))
		case "object":
			out = append(out, t.object(members, indent))
		case "array":
			out = append(out, t.array(members, indent))
		default:
			out = append(out, one(unknownTS))
		}
	}
	return unionTS(out)
}

// typeNames returns the types of a schema, guessed from its other members if it states
// none.
func typeNames(members []rawjson.Member) []string {
	if raw, ok := rawjson.Lookup(members, "type"); ok {
		if scan.KindOf(raw) == scan.String {
			return []string{scan.Unquote(raw)}
		}
		var names []string
		for _, e := range rawjson.Elements(raw) {
			if scan.KindOf(e) == scan.String {
				names = append(names, scan.Unquote(e))
			}
		}
		return names
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(members, func(m rawjson.Member) bool { return slices.Contains(names, m.Name) })
	}
	switch {
	case has("properties", "required", "additionalProperties", "patternProperties"):
		return []string{"object"}
	case has("items", "prefixItems"):
		return []string{"array"}
	}
	return nil
}

func (t *typer) object(members []rawjson.Member, indent string) typeTS {
	raw, _ := rawjson.Lookup(members, "properties")
	properties := rawjson.Members(raw)
	known, required := make(map[string]bool, len(properties)), make(map[string]bool)
	for _, p := range properties {
		known[p.Name] = true
	}
	if raw, ok := rawjson.Lookup(members, "required"); ok {
		for _, e := range rawjson.Elements(raw) {
			if scan.KindOf(e) != scan.String {
				continue
			}
			name := scan.Unquote(e)
			required[name] = true
			if !known[name] {
				known[name] = true
				properties = append(properties, rawjson.Member{Name: name, Raw: json.RawMessage("true")})
			}
		}
	}
	more, there := rawjson.Lookup(members, "additionalProperties")
	_, patterns := rawjson.Lookup(members, "patternProperties")
	closed := there && string(more) == "false" && !patterns
	if len(properties) == 0 {
		switch {
		case closed:
			return one("Record<string, never>")
		case there && !patterns:
			return one("{ [key: string]: " + t.of(more, indent).text + " }")
		}
		return one(anyObjectTS)
	}
	inner := indent + "  "
	var b strings.Builder
	b.WriteString("{\n")
	for _, p := range properties {
		comment(&b, inner, docOf(p.Raw))
		mark := "?"
		if required[p.Name] {
			mark = ""
		}
		b.WriteString(inner + keyTS(p.Name) + mark + ": " + t.of(p.Raw, inner).text + ";\n")
	}
	if there && !closed || patterns {
		b.WriteString(inner + "[key: string]: unknown;\n")
	}
	return one(b.String() + indent + "}")
}

// docOf returns the comment for a property.
func docOf(raw []byte) string {
	members := rawjson.Members(raw)
	var lines []string
	for _, name := range []string{"title", "description"} {
		if text, ok := rawjson.Lookup(members, name); ok && scan.KindOf(text) == scan.String {
			lines = append(lines, scan.Unquote(text))
		}
	}
	if raw, ok := rawjson.Lookup(members, "default"); ok && len(raw) <= 80 {
		lines = append(lines, "@default "+string(scan.Compact(nil, raw)))
	}
	if raw, ok := rawjson.Lookup(members, "deprecated"); ok && string(raw) == "true" {
		lines = append(lines, "@deprecated")
	}
	return strings.Join(lines, "\n")
}

func (t *typer) array(members []rawjson.Member, indent string) typeTS {
	items, there := rawjson.Lookup(members, "items")
	first, tuple := rawjson.Lookup(members, "prefixItems")
	if !tuple && scan.KindOf(items) == scan.Array { // the form of older drafts
		first, tuple = items, true
		items, there = rawjson.Lookup(members, "additionalItems")
	}
	rest := one(unknownTS)
	if there {
		rest = t.of(items, indent)
	}
	if !tuple {
		return one(rest.within(tight) + "[]")
	}
	least := 0
	if raw, ok := rawjson.Lookup(members, "minItems"); ok {
		least, _ = strconv.Atoi(string(raw)) // an invalid number means 0
	}
	var parts []string
	for i, e := range t.each(first, indent) {
		if i < least {
			parts = append(parts, e.text)
		} else {
			parts = append(parts, e.within(tight)+"?")
		}
	}
	if string(items) != "false" {
		parts = append(parts, "..."+rest.within(tight)+"[]")
	}
	return one("[" + strings.Join(parts, ", ") + "]")
}

// reference follows a reference within the schema. A reference that leads outside the
// schema, or forms a cycle, becomes unknown.
func (t *typer) reference(raw []byte, indent string) typeTS {
	if scan.KindOf(raw) != scan.String {
		return one(unknownTS)
	}
	ref := scan.Unquote(raw)
	target := t.resolve(ref)
	if target == nil || slices.Contains(t.open, ref) {
		return one(unknownTS)
	}
	t.open = append(t.open, ref)
	defer func() { t.open = t.open[:len(t.open)-1] }()
	found := t.of(target, indent)
	t.left -= len(found.text) / 512 // so that a large type is not repeated a thousand times
	return found
}

// resolve returns the value that the JSON pointer after "#" names, nil if there is none.
func (t *typer) resolve(ref string) []byte {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil
	}
	at := t.root
	if pointer == "" {
		return at
	}
	if pointer[0] != '/' {
		return nil // a named anchor: not supported
	}
	for step := range strings.SplitSeq(pointer[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		var found []byte
		if list := rawjson.Elements(at); list != nil {
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(list) {
				found = list[i]
			}
		} else {
			found, _ = rawjson.Lookup(rawjson.Members(at), step)
		}
		if found == nil {
			return nil
		}
		at = found
	}
	return at
}

// within returns the text of the type for use where the precedence is binds, in
// parentheses if needed.
func (t typeTS) within(binds int) string {
	if t.binds < binds {
		return "(" + t.text + ")"
	}
	return t.text
}

// unionTS returns the union of the types, or unknown for an empty list.
func unionTS(list []typeTS) typeTS {
	var kept []typeTS
	var texts []string
	for _, t := range list {
		if t.text == unknownTS {
			return one(unknownTS)
		}
		if t.text != "never" && !slices.Contains(texts, t.text) {
			kept, texts = append(kept, t), append(texts, t.text)
		}
	}
	switch {
	case len(list) == 0:
		return one(unknownTS)
	case len(kept) == 0:
		return one("never")
	case len(kept) == 1:
		return kept[0]
	}
	return typeTS{strings.Join(texts, " | "), looseUnion}
}

// intersectionTS returns the intersection of the types; it skips unknown ones.
func intersectionTS(list []typeTS) typeTS {
	var kept []typeTS
	for _, t := range list {
		if t.text != unknownTS && !slices.Contains(kept, t) {
			kept = append(kept, t)
		}
	}
	switch len(kept) {
	case 0:
		return one(unknownTS)
	case 1:
		return kept[0]
	}
	texts := make([]string, len(kept))
	for i, t := range kept {
		texts[i] = t.within(tight)
	}
	return typeTS{strings.Join(texts, " & "), looseIntersection}
}

// kindTS returns the type of a JSON value, such as string.
func kindTS(raw []byte) typeTS {
	switch scan.KindOf(raw) {
	case scan.String:
		return one("string")
	case scan.Number:
		return one("number")
	case scan.Bool:
		return one("boolean")
	case scan.Null:
		return one("null")
	}
	return one(unknownTS)
}

// literalTS returns the type whose only value is this one.
func literalTS(raw []byte) string {
	switch scan.KindOf(raw) {
	case scan.String:
		return quoteTS(scan.Unquote(raw))
	case scan.Array:
		var parts []string
		for _, e := range rawjson.Elements(raw) {
			parts = append(parts, literalTS(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case scan.Object:
		var parts []string
		for _, m := range rawjson.Members(raw) {
			parts = append(parts, keyTS(m.Name)+": "+literalTS(m.Raw))
		}
		if len(parts) == 0 {
			return "Record<string, never>"
		}
		return "{ " + strings.Join(parts, "; ") + " }"
	}
	return string(raw)
}
