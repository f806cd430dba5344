package chatapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// providers are the providers of an API at one time. They are never changed, only
// replaced.
type providers struct {
	list []llm.Provider
	byID map[string]llm.Provider
}

// SetProviders replaces the providers of [Options.Providers]. A turn that runs keeps its
// model. The error names the invalid provider; then nothing changes.
func (a *API) SetProviders(list []llm.Provider) error {
	next := &providers{slices.Clone(list), make(map[string]llm.Provider, len(list))}
	for i, p := range list {
		switch {
		case p == nil:
			return fmt.Errorf("chatapi: Options.Providers[%d] is nil: %w", i, llm.ErrInvalid)
		case p.ID() == "" || strings.Contains(p.ID(), "/") || next.byID[p.ID()] != nil:
			return fmt.Errorf("chatapi: Options.Providers[%d]: the id %q must be there once, and hold no slash: %w", i, p.ID(), llm.ErrInvalid)
		}
		next.byID[p.ID()] = p
	}
	a.providers.Store(next)
	return nil
}

// provider returns a provider by its id; nil if there is none.
func (a *API) provider(id string) llm.Provider { return a.providers.Load().byID[id] }
