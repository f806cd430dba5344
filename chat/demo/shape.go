package demo

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/localpass/localpass/internal/schema"
)

// shape is the part of a JSON Schema that helps to find a value. Whether a value is valid
// is decided by the schema itself.
type shape struct {
	name, about string // name and description of a field
	required    bool
	kind        string // such as "string" or "object"; empty for any
	enum        []any
	fallback    any // the default value
	given       bool
	examples    []any
	format      string
	least, most *float64
	minItems    int
	minLength   int
	fields      []*shape
	items       *shape
	raw         json.RawMessage
}

// Limits for reading one schema: a hundred properties that each refer to the root would
// expand to a hundred to the power of the depth. Anything beyond the limits is treated as
// any value.
const (
	maxShape  = 6       // levels
	maxShapes = 2000    // subschemas, including those that references lead to
	maxRead   = 8 << 20 // bytes, counted each time they are read
)

// sketcher creates the shapes of one schema.
type sketcher struct {
	root        map[string]json.RawMessage
	left, bytes int
}

func parseShape(raw json.RawMessage) *shape {
	p := &sketcher{left: maxShapes, bytes: maxRead}
	_ = json.Unmarshal(raw, &p.root) // an invalid schema describes nothing
	return p.parse(raw, maxShape)
}

func (p *sketcher) parse(raw json.RawMessage, depth int) *shape {
	s := &shape{raw: raw}
	var m map[string]json.RawMessage
	p.left--
	p.bytes -= len(raw)
	if depth == 0 || p.left < 0 || p.bytes < 0 || json.Unmarshal(raw, &m) != nil {
		return s
	}
	if ref := decodeString(m["$ref"]); ref != "" {
		if to, ok := p.lookup(ref); ok {
			s = p.parse(to, depth-1)
			if about := decodeString(m["description"]); about != "" {
				s.about = about
			}
			return s
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		var variants []json.RawMessage
		if json.Unmarshal(m[key], &variants) != nil {
			continue
		}
		for _, v := range variants {
			if one := p.parse(v, depth-1); one.kind != "null" {
				s = one
				s.raw = raw
				break
			}
		}
	}
	if kind := kindOf(m["type"]); kind != "" {
		s.kind = kind
	}
	assignNonZero(&s.about, decodeString(m["description"]))
	assignNonZero(&s.format, decodeString(m["format"]))
	s.enum = append(s.enum, decodeList(m["enum"])...)
	if v, ok := m["const"]; ok {
		s.enum = append(s.enum, decodeValue(v))
	}
	if v, ok := m["default"]; ok {
		s.fallback, s.given = decodeValue(v), true
	}
	s.examples = append(s.examples, decodeList(m["examples"])...)
	for key, to := range map[string]**float64{"minimum": &s.least, "exclusiveMinimum": &s.least, "maximum": &s.most, "exclusiveMaximum": &s.most} {
		var n float64
		if v, ok := m[key]; ok && json.Unmarshal(v, &n) == nil {
			*to = &n
		}
	}
	_ = json.Unmarshal(m["minItems"], &s.minItems)
	_ = json.Unmarshal(m["minLength"], &s.minLength)
	if v, ok := m["items"]; ok {
		s.items = p.parse(v, depth-1)
	}
	p.addFields(s, m, depth)
	var all []json.RawMessage
	if json.Unmarshal(m["allOf"], &all) == nil {
		for _, v := range all {
			one := p.parse(v, depth-1)
			assignNonZero(&s.kind, one.kind)
			s.fields = append(s.fields, one.fields...)
		}
	}
	if s.kind == "" && len(s.fields) > 0 {
		s.kind = "object"
	}
	return s
}

// addFields reads the properties in the order of the document.
func (p *sketcher) addFields(s *shape, m map[string]json.RawMessage, depth int) {
	var properties map[string]json.RawMessage
	if json.Unmarshal(m["properties"], &properties) != nil {
		return
	}
	var required []string
	_ = json.Unmarshal(m["required"], &required)
	needed := make(map[string]bool, len(required))
	for _, name := range required {
		needed[name] = true
	}
	for _, name := range keysOf(m["properties"]) {
		f := p.parse(properties[name], depth-1)
		f.name, f.required = name, needed[name]
		s.fields = append(s.fields, f)
	}
}

// keysOf returns the keys of an object, in order, each once.
func keysOf(raw json.RawMessage) (keys []string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		var skip json.RawMessage
		if err != nil || !ok || dec.Decode(&skip) != nil {
			return keys
		}
		if !seen[name] {
			seen[name] = true
			keys = append(keys, name)
		}
	}
	return keys
}

// lookup follows a reference within the schema, such as "#/$defs/city".
func (p *sketcher) lookup(ref string) (json.RawMessage, bool) {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	at := p.root
	var raw json.RawMessage
	for _, step := range strings.Split(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if raw, ok = at[step]; !ok {
			return nil, false
		}
		if p.bytes -= len(raw); p.bytes < 0 {
			return nil, false
		}
		at = nil
		_ = json.Unmarshal(raw, &at)
	}
	return raw, true
}

func assignNonZero[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}

func decodeString(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

func decodeValue(raw json.RawMessage) (v any) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // keep numbers as written
	_ = dec.Decode(&v)
	return v
}

func decodeList(raw json.RawMessage) []any {
	all, _ := decodeValue(raw).([]any)
	return all
}

func kindOf(raw json.RawMessage) string {
	var kinds []string
	if one := decodeString(raw); one != "" {
		return one
	}
	_ = json.Unmarshal(raw, &kinds)
	for _, k := range kinds {
		if k != "null" {
			return k
		}
	}
	return ""
}

// fits reports whether a value is valid for a field. A field whose schema contains
// references is checked later, with the whole schema.
func (s *shape) fits(v any) bool {
	if bytes.Contains(s.raw, []byte(`"$ref"`)) {
		return true
	}
	return valid(s.raw, v)
}

// valid reports whether a value matches a schema. Nothing matches an invalid schema.
func valid(form json.RawMessage, v any) bool {
	raw, err := json.Marshal(v)
	if err != nil {
		return false
	}
	return validJSON(form, raw)
}

func validJSON(form, raw json.RawMessage) bool {
	compiled, err := schema.Compile(form)
	return err == nil && compiled.Validate(raw) == nil
}
