package secret

import (
	"fmt"
	"strings"
)

// Resolver puts values in the place of placeholders. The zero value knows no
// names: every placeholder is missing. It is safe for concurrent use as long as
// its fields do not change.
type Resolver struct {
	// Lookup finds values. nil finds none.
	Lookup Lookup
	// Allow names the placeholders that may be resolved; nil allows every name
	// that Lookup knows.
	Allow []string
}

// MissingError names the placeholders that have no value here. A value that is empty or
// only white space counts as missing.
type MissingError struct{ Names []string }

// Error tells which names to set.
func (e *MissingError) Error() string {
	return fmt.Sprintf("secret: no value for ${%s}: set it in the environment of this program", strings.Join(e.Names, "}, ${"))
}

// Missing returns the names in text that would not resolve, each once.
func (r *Resolver) Missing(text string) []string {
	var missing []string
	for _, name := range Names(text) {
		if _, ok := r.value(name); !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

// Resolve replaces every placeholder in text, alone or within other text, and
// returns the values that it put in beside the result. When some have no value
// the error is a *MissingError with all of them. A value is never scanned again.
func (r *Resolver) Resolve(text string) (resolved string, values []string, err error) {
	start, end, name := nextPlaceholder(text)
	if end < 0 {
		return text, nil, nil
	}
	whole := text
	var b strings.Builder
	for end >= 0 {
		b.WriteString(text[:start])
		if v, ok := r.value(name); ok {
			b.WriteString(v)
			values = append(values, v)
		} else {
			return "", nil, &MissingError{Names: r.Missing(whole)}
		}
		text = text[end:]
		start, end, name = nextPlaceholder(text)
	}
	b.WriteString(text)
	return b.String(), values, nil
}

func (r *Resolver) value(name string) (string, bool) {
	if r == nil || r.Lookup == nil || r.Allow != nil && !contains(r.Allow, name) {
		return "", false
	}
	v, ok := r.Lookup(name)
	if !ok || strings.TrimSpace(v) == "" {
		return "", false
	}
	return v, true
}
