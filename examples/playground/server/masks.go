package server

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec/secret"
)

// masks are the secrets that this program has had in its hands: what is kept for
// people to read, or given away, must not show them. One that was removed or replaced
// is masked until the program ends: older texts may contain it. The zero value knows
// none; it is safe for concurrent use.
type masks struct {
	mu     sync.RWMutex
	values map[string]struct{}
	made   *secret.Redactor // of the values; nil while there are none
}

// follow remembers every value that is looked up.
func (m *masks) follow(lookup secret.Lookup) secret.Lookup {
	return func(name string) (string, bool) {
		value, ok := lookup(name)
		if ok {
			m.add(value)
		}
		return value, ok
	}
}

// add remembers values. One that is too short to be distinguished from ordinary text is left
// out, see [secret.MinLength].
func (m *masks) add(values ...string) {
	if !m.lacks(values) { // most lookups are of what is known
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string]struct{}{}
	}
	for _, v := range values {
		if len(v) >= secret.MinLength {
			m.values[v] = struct{}{}
		}
	}
	all := make([]string, 0, len(m.values))
	for v := range m.values {
		all = append(all, v)
	}
	m.made = secret.NewRedactor(all...)
}

func (m *masks) lacks(values []string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, v := range values {
		if _, there := m.values[v]; !there && len(v) >= secret.MinLength {
			return true
		}
	}
	return false
}

// redactor masks what is known now.
func (m *masks) redactor() *secret.Redactor {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.made
}

// redactor masks every secret for what is given away: also those that a tool or a
// server would take from the environment, and that nothing has looked up so far.
func (s *Server) redactor() *secret.Redactor {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	used, err := s.placeholders(ctx)
	if err != nil {
		s.opts.Logger.Warn("not every name of a secret could be read", "error", err)
	}
	for name := range used {
		s.secrets.lookup(name) // which remembers it
	}
	return s.secrets.masks.redactor()
}
