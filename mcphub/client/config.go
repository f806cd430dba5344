package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec/secret"
)

// resolver substitutes the values of placeholders in a connection, only when it connects,
// and remembers the values so that they can be masked.
type resolver struct {
	lookup   secret.Lookup
	endpoint Endpoint
	missing  []string
	secrets  []string
	bad      error
}

func (r *resolver) need(names []string) {
	for _, name := range names {
		if !slices.Contains(r.missing, name) {
			r.missing = append(r.missing, name)
		}
	}
}

// text resolves one text. what describes it in errors, which never show the value.
func (r *resolver) text(what, text string) string {
	s := &secret.Resolver{Lookup: r.lookup}
	if names := s.Missing(text); len(names) > 0 {
		r.need(names)
		return ""
	}
	value, secrets, err := s.Resolve(text)
	if err == nil && strings.ContainsAny(value, "\r\n\x00") {
		err = fmt.Errorf("its value holds a line break or a zero byte")
	}
	if err != nil && r.bad == nil {
		r.bad = fmt.Errorf("client: %s: %s: %w", r.endpoint, what, err)
	}
	r.secrets = append(r.secrets, secrets...)
	return value
}

// required adds names that must have a value even if no text contains them.
func (r *resolver) required(names []string) {
	for _, name := range names {
		r.text(name, "${"+name+"}")
	}
}

// finish returns the mask for the values, or why no connection may be made.
func (r *resolver) finish() (*secret.Redactor, error) {
	if len(r.missing) > 0 {
		slices.Sort(r.missing)
		return nil, &MissingConfigError{Endpoint: r.endpoint, Names: r.missing}
	}
	if r.bad != nil {
		return nil, r.bad
	}
	return secret.NewRedactor(r.secrets...), nil
}

// placeholders returns, sorted, the names in the texts and the listed ones.
func placeholders(listed []string, texts ...string) []string {
	names := slices.Clone(listed)
	for _, text := range texts {
		names = append(names, secret.Names(text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkRequired rejects names that are not valid.
func checkRequired(names []string) error {
	for _, name := range names {
		if got := secret.Names("${" + name + "}"); len(got) != 1 || got[0] != name {
			return fmt.Errorf("client: requiredEnv: %q is no name: use A-Z, 0-9 and _", name)
		}
	}
	return nil
}

// tailOf returns the last 2,000 bytes of a text, which must already be masked.
func tailOf(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if over := len(text) - 2000; over > 0 {
		text = "…" + strings.ToValidUTF8(text[over:], "")
	}
	return text
}
