package demo

import (
	"encoding/json"
	"slices"
	"strings"
)

// fill creates arguments from the evidence. missing lists the required fields for which
// nothing was found; then arguments is nil. Arguments match the schema.
func (e *evidence) fill(form *shape) (arguments json.RawMessage, missing []*shape) {
	for _, m := range e.objects {
		if raw, err := json.Marshal(m); err == nil && knows(form, m) && validJSON(form.raw, raw) {
			return raw, nil
		}
	}
	args, missing := e.fillObject(form)
	if len(missing) > 0 {
		return nil, missing
	}
	return settle(form, args), nil
}

// knows reports whether an object has a field of the form.
func knows(form *shape, m map[string]any) bool {
	return slices.ContainsFunc(form.fields, func(f *shape) bool { _, ok := m[f.name]; return ok })
}

// settle returns arguments that match the schema, if necessary by removing optional
// fields one after another. It returns nil if that does not help.
func settle(form *shape, args map[string]any) json.RawMessage {
	raw, err := json.Marshal(args)
	if err == nil && validJSON(form.raw, raw) {
		return raw
	}
	for _, f := range slices.Backward(form.fields) {
		if _, there := args[f.name]; !there || f.required {
			continue
		}
		delete(args, f.name)
		if raw, err := json.Marshal(args); err == nil && validJSON(form.raw, raw) {
			return raw
		}
	}
	return nil
}

// fillObject fills the fields of an object: first the fields that the question names, then
// numbers in the order of best fit, then the rest. Required fields come before optional
// ones.
func (e *evidence) fillObject(form *shape) (args map[string]any, missing []*shape) {
	args = map[string]any{}
	for _, f := range form.fields {
		if v, ok := e.named(f); ok {
			args[f.name] = v
		}
	}
	e.takeNumbers(form.fields, args)
	for _, required := range []bool{true, false} {
		for _, f := range form.fields {
			if _, done := args[f.name]; done || f.required != required {
				continue
			}
			v, ok := e.field(f)
			switch {
			case ok:
				args[f.name] = v
			case required && f.given && f.fits(f.fallback):
				args[f.name] = f.fallback
			case required:
				missing = append(missing, f)
			}
		}
	}
	return args, missing
}

// named returns the value that the text or a tool result contains under the name of the
// field.
func (e *evidence) named(f *shape) (any, bool) {
	words := wordsOf(f.name)
	key := strings.Join(words, " ")
	if s, ok := e.pairs[key]; ok && f.kind != "array" { // for a list, it would be only the first element
		if v, ok := coerce(f, s); ok {
			e.useText(s)
			return v, true
		}
	}
	for _, m := range e.objects {
		if v, ok := search(m, words, 3); ok {
			if f.fits(v) {
				return v, true
			}
			if s, isText := v.(string); isText {
				if v, ok := coerce(f, s); ok {
					return v, true
				}
			}
		}
	}
	return nil, false
}

// search looks for a member whose name has the same meaning as words, such as "lat" for
// "latitude", up to depth levels deep.
func search(m map[string]any, words []string, depth int) (any, bool) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if alike(wordsOf(k), words) {
			return m[k], true
		}
	}
	for _, k := range keys {
		if within, ok := m[k].(map[string]any); ok && depth > 0 {
			if v, ok := search(within, words, depth-1); ok {
				return v, true
			}
		}
	}
	return nil, false
}

func alike(a, b []string) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		short, long := a[i], b[i]
		if len(short) > len(long) {
			short, long = long, short
		}
		if short != long && (len(short) < 3 || !strings.HasPrefix(long, short)) {
			return false
		}
	}
	return true
}

// coerce converts a text to a value of the field's kind.
func coerce(f *shape, s string) (any, bool) {
	var v any = s
	if len(f.enum) > 0 {
		for _, one := range f.enum {
			if constantText(one) == s || strings.EqualFold(constantText(one), s) {
				return one, f.fits(one)
			}
		}
		return nil, false
	}
	switch f.kind {
	case "number", "integer":
		v = json.Number(strings.TrimSuffix(s, "%"))
		if !json.Valid([]byte(v.(json.Number))) {
			return nil, false
		}
	case "boolean":
		switch strings.ToLower(s) {
		case "true", "yes", "on":
			v = true
		case "false", "no", "off":
			v = false
		default:
			return nil, false
		}
	case "array":
		if f.items == nil {
			return nil, false
		}
		var all []any
		for _, one := range parts(s) {
			item, ok := coerce(f.items, one)
			if !ok {
				return nil, false
			}
			all = append(all, item)
		}
		v = all
	case "object", "null":
		return nil, false
	}
	return v, f.fits(v)
}

// constantText returns a constant as plain text.
func constantText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

// parts splits a list in prose, such as "a, b and c".
func parts(s string) (all []string) {
	s = strings.NewReplacer(" and ", ",", " or ", ",", ";", ",", "\n", ",").Replace(s)
	for _, one := range strings.Split(s, ",") {
		if one = strings.Trim(one, " .?!\"'"); one != "" {
			all = append(all, one)
		}
	}
	return all
}

func (e *evidence) useText(s string) {
	if at := strings.Index(e.text, s); at >= 0 && s != "" {
		for _, n := range e.numbers {
			if n.at >= at && n.at < at+len(s) {
				e.used[n.at] = true
			}
		}
		e.used[at] = true
	}
}

// takeNumbers assigns numbers to the fields that need one, best fit first.
func (e *evidence) takeNumbers(fields []*shape, args map[string]any) {
	for {
		var bestField *shape
		var bestNumber *number
		most := 0.0
		for i, f := range fields {
			if _, done := args[f.name]; done || f.kind != "number" && f.kind != "integer" || len(f.enum) > 0 {
				continue
			}
			for j := range e.numbers {
				n := &e.numbers[j]
				if e.used[n.at] {
					continue
				}
				fit := f.likes(n) - float64(i+j)*0.01
				if !f.required && fit < 2 || fit <= most {
					continue
				}
				if v := json.Number(n.text); json.Valid([]byte(v)) && f.fits(v) {
					bestField, bestNumber, most = f, n, fit
				}
			}
		}
		if bestField == nil {
			return
		}
		args[bestField.name] = json.Number(bestNumber.text)
		e.used[bestNumber.at] = true
	}
}

// likes scores how well a number fits a field: whether the words around the number match
// the field, and whether both are percentages.
func (f *shape) likes(n *number) float64 {
	fit := 2.0
	if !f.required {
		fit = 1
	}
	if overlap(wordsOf(f.name), n.near) {
		fit += 3
	} else if overlap(wordsOf(f.about), n.near) {
		fit++
	}
	percent := false
	for _, w := range append(wordsOf(f.name), wordsOf(f.about)...) {
		percent = percent || strings.HasPrefix(w, "percent") || w == "rate"
	}
	switch {
	case percent && n.percent:
		fit += 4
	case n.percent:
		fit--
	case percent:
		fit -= 0.5
	}
	return fit
}
