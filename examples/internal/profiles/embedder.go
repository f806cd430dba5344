package profiles

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/ollama"
	"github.com/localpass/localpass/rag/openai"
	"github.com/localpass/localpass/toolspec/secret"
)

// Embedder returns what embeds documents for a profile; nil: they are found by words. It
// sends nothing yet. The key and the headers of the profile go to its own server alone.
func Embedder(p *config.Profile, lookup secret.Lookup) (rag.Embedder, error) {
	provider := cmp.Or(p.Embedding.Provider, p.Provider)
	switch {
	case p.Embedding.Model == "":
		return nil, nil
	case provider == config.Ollama && p.Provider != config.Ollama:
		return ollama.New(&ollama.Options{Model: p.Embedding.Model})
	}
	resolver := &secret.Resolver{Lookup: lookup}
	key, err := keyOf(p, resolver)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for name, value := range p.Headers {
		text, _, err := resolver.Resolve(value)
		if err != nil {
			return nil, fmt.Errorf("profiles.%s.headers.%s: %w", p.Name, name, err)
		}
		header.Set(name, text)
	}
	if provider == config.Ollama {
		if key != "" {
			header.Set("Authorization", "Bearer "+key)
		}
		return ollama.New(&ollama.Options{BaseURL: p.BaseURL, Model: p.Embedding.Model, Header: header})
	}
	return openai.New(&openai.Options{Provider: p.Provider, BaseURL: p.BaseURL, Key: key, Model: p.Embedding.Model, Header: header,
		Organization: p.Organization, Project: p.Project})
}
