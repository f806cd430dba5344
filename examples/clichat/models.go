package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/chat/openai"
)

// provider is one that -model may name.
type provider struct {
	id string
	// open makes it. baseURL is where it is; empty: where it usually is.
	open func(baseURL string) (chat.Provider, error)
	// model is the name to use when none is given; empty: the first that it lists.
	model string
	// where says in the footer where it answers.
	where string
	// fits says why it is a good choice when nobody chose; empty: it is none.
	fits func(ctx context.Context, p chat.Provider) string
}

// providers are those that come along, in the order in which they are tried when
// nobody chose.
func providers() []provider {
	return []provider{
		{id: "openai", model: "gpt-5.4-mini", where: "openai",
			open: func(baseURL string) (chat.Provider, error) {
				return openai.New(&openai.Options{BaseURL: baseURL, APIKey: os.Getenv("OPENAI_API_KEY")})
			},
			fits: func(context.Context, chat.Provider) string {
				if os.Getenv("OPENAI_API_KEY") == "" {
					return ""
				}
				return "OPENAI_API_KEY is set"
			}},
		{id: "ollama", where: "local",
			open: func(baseURL string) (chat.Provider, error) { return ollama.New(&ollama.Options{BaseURL: baseURL}) },
			fits: func(ctx context.Context, p chat.Provider) string {
				ctx, cancel := context.WithTimeout(ctx, lookFor)
				defer cancel()
				all, err := p.Models(ctx)
				if err != nil || len(all) == 0 {
					return ""
				}
				return fmt.Sprintf("Ollama answers on this machine and has %d models", len(all))
			}},
		{id: "demo", model: demo.Name, where: "demonstration",
			open: func(string) (chat.Provider, error) { return demo.New(nil) },
			fits: func(context.Context, chat.Provider) string {
				return "OPENAI_API_KEY is not set and no Ollama is here, so rules answer, not a language model"
			}},
	}
}

// lookFor is how long a server on this machine is looked for.
const lookFor = time.Second

// openModel opens the model of -model, or one that is there, and says which and
// why.
func (a *app) openModel(ctx context.Context) error {
	if a.cfg.model != "" {
		return a.useModel(ctx, a.cfg.model)
	}
	var tried []string
	for _, known := range a.providers {
		tried = append(tried, known.id)
		p, err := known.open(a.cfg.baseURL)
		if err != nil {
			continue // a provider without what it needs, such as a key, is not there
		}
		why := known.fits(ctx, p)
		if why == "" {
			continue
		}
		if err := a.take(ctx, known, p, ""); err != nil {
			a.say("%s: %v", known.id, err)
			continue
		}
		info := a.now.model.Info()
		a.say("model %s/%s: %s; choose another with -model", info.Provider, info.Name, why)
		return nil
	}
	return fmt.Errorf("no model is there (tried %s): name one with -model", strings.Join(tried, ", "))
}

// useModel takes the model PROVIDER/NAME, or a provider's default.
func (a *app) useModel(ctx context.Context, spec string) error {
	id, name, _ := strings.Cut(spec, "/")
	at := slices.IndexFunc(a.providers, func(p provider) bool { return p.id == id })
	if at < 0 {
		var ids []string
		for _, p := range a.providers {
			ids = append(ids, p.id)
		}
		return fmt.Errorf("-model %q: the provider is one of %s: %w", spec, strings.Join(ids, ", "), errUsage)
	}
	known := a.providers[at]
	p, err := known.open(a.cfg.baseURL)
	if err != nil {
		return err
	}
	return a.take(ctx, known, p, name)
}

// take makes a provider's model that of the next turns.
func (a *app) take(ctx context.Context, known provider, p chat.Provider, name string) error {
	if name == "" {
		name = known.model
	}
	if name == "" {
		all, err := p.Models(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return fmt.Errorf("%s has no model yet: name one with -model %s/NAME", known.id, known.id)
		}
		name = all[0].Name
	}
	model, err := p.Model(ctx, name)
	if err != nil {
		return err
	}
	a.place, a.now.model = known.where, model
	return nil
}
