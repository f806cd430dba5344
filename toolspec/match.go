package toolspec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
)

// CheckResult returns an error unless the JSON value got contains Want: an object may
// hold more members than Want names, at every depth; arrays must have the same length;
// anything else must be equal, numbers by their value. The error says where the two
// differ.
func (c Case) CheckResult(got json.RawMessage) error {
	g, err := decodeExact(got)
	if err != nil {
		return fmt.Errorf("the result is not JSON: %w", err)
	}
	w, err := decodeExact(c.Want)
	if err != nil {
		return fmt.Errorf("want is not JSON: %w", err)
	}
	return contains(g, w, "result")
}

// decodeExact decodes one JSON value and keeps its numbers as written.
func decodeExact(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("more text after the value")
	}
	return v, nil
}

func contains(got, want any, at string) error {
	differs := func() error { return fmt.Errorf("%s is %s, not %s", at, brief(got), brief(want)) }
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return differs()
		}
		for name, member := range w {
			value, ok := g[name]
			if !ok {
				return fmt.Errorf("%s has no member %q", at, name)
			}
			if err := contains(value, member, at+"."+name); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok {
			return differs()
		}
		if len(g) != len(w) {
			return fmt.Errorf("%s has %d elements, not %d", at, len(g), len(w))
		}
		for i := range w {
			if err := contains(g[i], w[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return nil
	case json.Number:
		g, ok := got.(json.Number)
		if !ok || !sameNumber(g, w) {
			return differs()
		}
		return nil
	default: // string, bool, nil
		if got != want {
			return differs()
		}
		return nil
	}
}

// sameNumber compares by value: 1, 1.0 and 10e-1 are the same. A number with a very large
// exponent is compared as text.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	const longest = 400 // no float64 needs more
	if len(a) > longest || len(b) > longest {
		return false
	}
	x, okX := new(big.Float).SetPrec(1200).SetString(string(a))
	y, okY := new(big.Float).SetPrec(1200).SetString(string(b))
	return okX && okY && x.Cmp(y) == 0
}

// brief shows a value in at most 120 bytes.
func brief(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "something"
	}
	if len(raw) > 120 {
		return string(bytes.ToValidUTF8(raw[:117], nil)) + "..."
	}
	return string(raw)
}
