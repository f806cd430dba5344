package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/localpass/localpass/chat/llm"
)

// The provider and its models.
const (
	// ProviderID is the provider's id.
	ProviderID = "demo"
	// Name is the model that calls tools.
	Name = "demo"
	// NameTextOnly is a model that can only write text and calls no tools.
	NameTextOnly = "demo-text"
)

// contextTokens is the context size that the models report: that of a small model.
const contextTokens = 32_768

// Options are the options of [New]. The zero value works.
type Options struct {
	// Pace is the time between two words. 0: no delay.
	Pace time.Duration
}

// Provider has the demonstration models. It is immutable.
type Provider struct{ opts Options }

var _ llm.Provider = (*Provider)(nil)

// New returns the provider. opts may be nil.
func New(opts *Options) (*Provider, error) {
	p := &Provider{}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Pace < 0 {
		return nil, fmt.Errorf("demo: Options.Pace is %v: it must not be negative: %w", p.opts.Pace, llm.ErrInvalid)
	}
	return p, nil
}

// ID is [ProviderID].
func (*Provider) ID() string { return ProviderID }

// Models lists the models.
func (*Provider) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return []llm.ModelInfo{infoOf(Name), infoOf(NameTextOnly)}, nil
}

// Model returns a model by name.
func (p *Provider) Model(ctx context.Context, name string) (llm.Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if name != Name && name != NameTextOnly {
		return nil, &llm.Error{Code: llm.CodeModelNotFound, Provider: ProviderID,
			Message: fmt.Sprintf("there is no model %q: there are %q and %q", name, Name, NameTextOnly)}
	}
	return &model{info: infoOf(name), pace: p.opts.Pace}, nil
}

func infoOf(name string) llm.ModelInfo {
	tools := name == Name
	return llm.ModelInfo{Provider: ProviderID, Name: name, ContextTokens: contextTokens,
		Capabilities: llm.Capabilities{Tools: tools, ParallelTools: tools, StreamWithTools: tools, Thinking: true, StructuredOutput: true}}
}
