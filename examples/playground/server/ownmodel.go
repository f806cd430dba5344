package server

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/profiles"
)

// ownModel is the provider of [Options.Model].
type ownModel struct{ model llm.Model }

// ID implements llm.Provider.
func (p ownModel) ID() string { return p.model.Info().Provider }

// Models implements llm.Provider.
func (p ownModel) Models(context.Context) ([]llm.ModelInfo, error) {
	return []llm.ModelInfo{p.model.Info()}, nil
}

// Model implements llm.Provider.
func (p ownModel) Model(_ context.Context, name string) (llm.Model, error) {
	if name != p.model.Info().Name {
		return nil, &llm.Error{Code: llm.CodeModelNotFound, Provider: p.ID(), Message: fmt.Sprintf("the program brings the model %s alone", p.model.Info().Name)}
	}
	return p.model, nil
}

// addOwn adds the model of the program.
func (m *models) addOwn() error {
	if m.opts.Model == nil {
		return nil
	}
	p := ownModel{m.opts.Model}
	id := p.ID()
	if id == "" || m.server(id) != nil || id == config.OpenAI || id == config.Compatible || id == config.Environment {
		return fmt.Errorf("the provider %q of Options.Model is empty, or the name of a profile: give its Info another provider", id)
	}
	return m.put(id, &profiles.Server{Provider: p, Profile: config.Profile{Name: id, Provider: id}})
}

// isOwn reports whether a provider is that of the program's model.
func (m *models) isOwn(provider string) bool {
	return m.opts.Model != nil && provider == m.opts.Model.Info().Provider
}
