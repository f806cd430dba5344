package demo

import (
	"encoding/json"
	"strings"
)

// sampleJSON returns a made-up value that matches a schema, nil if it finds none. args
// holds the members of an object that are already known.
func sampleJSON(form *shape, args map[string]any) json.RawMessage {
	var v any
	if form.kind == "object" || form.kind == "" && (len(form.fields) > 0 || args != nil) {
		whole := map[string]any{}
		for _, f := range form.fields {
			if known, ok := args[f.name]; ok {
				whole[f.name] = known
			} else if f.required {
				whole[f.name] = sample(f, maxShape)
			}
		}
		if raw := settle(form, whole); raw != nil {
			return raw
		}
	}
	v = sample(form, maxShape)
	raw, err := json.Marshal(v)
	if err != nil || !validJSON(form.raw, raw) {
		return nil
	}
	return raw
}

// samples holds an example text for each format.
var samples = map[string]string{"uri": "https://example.com/", "url": "https://example.com/", "email": "nobody@example.com", "uuid": "00000000-0000-4000-8000-000000000000",
	"date": "2000-01-01", "date-time": "2000-01-01T00:00:00Z", "time": "00:00:00Z", "ipv4": "192.0.2.1", "hostname": "example.com"}

// sample makes up a value for a shape.
func sample(f *shape, depth int) any {
	switch {
	case len(f.enum) > 0:
		return f.enum[0]
	case f.given:
		return f.fallback
	case len(f.examples) > 0:
		return f.examples[0]
	}
	switch f.kind {
	case "number", "integer":
		for _, v := range []float64{1, 0, 2, 10, 100} {
			if f.fits(v) {
				return v
			}
		}
		for _, end := range []*float64{f.least, f.most} {
			if end == nil {
				continue
			}
			for _, v := range []float64{*end, *end + 1, *end - 1} {
				if f.fits(v) {
					return v
				}
			}
		}
		return 0
	case "boolean":
		return false
	case "null":
		return nil
	case "array":
		all := []any{}
		for len(all) < min(f.minItems, 16) && f.items != nil && depth > 0 {
			all = append(all, sample(f.items, depth-1))
		}
		return all
	case "object":
		m := map[string]any{}
		for _, one := range f.fields {
			if one.required && depth > 0 {
				m[one.name] = sample(one, depth-1)
			}
		}
		return m
	}
	if s, ok := samples[f.format]; ok {
		return s
	}
	s := "demonstration"
	if f.minLength > len(s) {
		s += strings.Repeat("-", min(f.minLength, 4096)-len(s))
	}
	if !f.fits(s) && f.fits("x") {
		return "x"
	}
	return s
}
