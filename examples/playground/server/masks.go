package server

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec/secret"
)

// masks holds the secrets that this program has seen, which must not appear in anything
// stored for users or exported. A removed or replaced secret stays masked until the
// program ends, because older texts may contain it. The zero value knows no secrets.
// masks is safe for concurrent use.
type masks struct {
	mu     sync.RWMutex
	values map[string]struct{}
	made   *secret.Redactor // masks the known values; nil if there are none
}

// follow wraps lookup and adds every value that it returns.
func (m *masks) follow(lookup secret.Lookup) secret.Lookup {
	return func(name string) (string, bool) {
		value, ok := lookup(name)
		if ok {
			m.add(value)
		}
		return value, ok
	}
}

// add adds values. It ignores a value that is too short to be distinguished from ordinary
// text, see [secret.MinLength].
func (m *masks) add(values ...string) {
	if !m.lacks(values) { // most lookups return a known value
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

// redactor returns a redactor that masks the known values.
func (m *masks) redactor() *secret.Redactor {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.made
}

// redactor returns a redactor for exports. It masks every secret, also those that a tool or
// a server would read from the environment and that nothing has looked up so far.
func (s *Server) redactor() *secret.Redactor {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	used, err := s.placeholders(ctx)
	if err != nil {
		s.opts.Logger.Warn("not every name of a secret could be read", "error", err)
	}
	for name := range used {
		s.secrets.lookup(name) // lookup adds the value to the masks
	}
	return s.secrets.masks.redactor()
}
