package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/chat/demo"
	profiles "github.com/localpass/localpass/examples/internal/config"
)

// provider is one that -model may name.
type provider struct {
	id string
	// open opens its server. baseURL is where it is; empty: where the environment
	// says, else where it usually is.
	open func(baseURL string) (*profiles.Server, error)
	// where says in the footer where it answers; empty: the host of the server.
	where string
	// fits says why it is a good choice when the person chose none; empty: it is none.
	fits func(ctx context.Context, s *profiles.Server) string
	// set names the variable of the environment that names its server or the key;
	// empty: none does. What is wrong with that value is an error.
	set string
}

// providers are those that come along, in the order in which they are tried when
// the person chose none. env says where their servers are.
func providers(env *profiles.Environment) []provider {
	return []provider{
		{id: profiles.OpenAI, set: env.Sets(profiles.OpenAI),
			open: func(baseURL string) (*profiles.Server, error) { return env.OpenAI("", baseURL) },
			fits: func(context.Context, *profiles.Server) string {
				if env.Sets(profiles.OpenAI) == "" {
					return ""
				}
				return env.Sets(profiles.OpenAI) + " is set"
			}},
		{id: profiles.Ollama, set: env.Sets(profiles.Ollama), open: env.Ollama,
			fits: func(ctx context.Context, s *profiles.Server) string {
				ctx, cancel := context.WithTimeout(ctx, lookFor)
				defer cancel()
				all, err := s.Provider.Models(ctx)
				if err != nil || len(all) == 0 {
					return ""
				}
				return fmt.Sprintf("Ollama answers at %s and has %d models", s.Host(), len(all))
			}},
		{id: profiles.Demo, where: "demonstration",
			open: func(string) (*profiles.Server, error) {
				rules, err := demo.New(nil)
				return &profiles.Server{Provider: rules, Model: demo.Name}, err
			},
			fits: func(context.Context, *profiles.Server) string {
				return "OPENAI_API_KEY is not set and no Ollama is here, so rules answer, not a language model"
			}},
	}
}

// lookFor is how long a server on this machine is looked for.
const lookFor = time.Second

// openModel opens the model of -model, else that of LOCALPASS_MODEL, else one that
// is there, and says which and why.
func (a *app) openModel(ctx context.Context) error {
	if a.cfg.model != "" {
		return a.useModel(ctx, a.cfg.model)
	}
	provider, name := a.cfg.env.Model()
	if provider != "" && slices.Contains(a.providerIDs(), provider) {
		if err := a.useModel(ctx, provider+"/"+name); err != nil {
			return fmt.Errorf("LOCALPASS_MODEL: %w", err)
		}
		a.tellModel("LOCALPASS_MODEL is set")
		return nil
	}
	if provider != "" { // such as compatible, which is none of this program's
		name = ""
	}
	for _, known := range a.providers {
		s, err := known.open("")
		if err != nil && known.set != "" {
			return err
		}
		if err != nil {
			continue // a provider without what it needs, such as a key, is not there
		}
		why := known.fits(ctx, s)
		if why == "" {
			continue
		}
		if err := a.take(ctx, known, s, name); err != nil {
			if name != "" {
				return fmt.Errorf("LOCALPASS_MODEL: %w", err)
			}
			a.say("%s: %v", known.id, err)
			continue
		}
		a.tellModel(why)
		return nil
	}
	return fmt.Errorf("no model is there (tried %s): name one with -model", strings.Join(a.providerIDs(), ", "))
}

// tellModel says which model answers, and why it was chosen.
func (a *app) tellModel(why string) {
	info := a.now.model.Info()
	a.say("model %s/%s: %s; choose another with -model", info.Provider, info.Name, why)
}

func (a *app) providerIDs() []string {
	ids := make([]string, len(a.providers))
	for i, p := range a.providers {
		ids[i] = p.id
	}
	return ids
}

// baseURL is that of -base-url for the provider of -model, and empty for the
// others.
func (a *app) baseURL(id string) string {
	if own, _, _ := strings.Cut(a.cfg.model, "/"); own == id {
		return a.cfg.baseURL
	}
	return ""
}

// useModel takes the model PROVIDER/NAME, or a provider's default.
func (a *app) useModel(ctx context.Context, spec string) error {
	id, name, _ := strings.Cut(spec, "/")
	at := slices.Index(a.providerIDs(), id)
	if at < 0 {
		return fmt.Errorf("-model %q: the provider is one of %s: %w", spec, strings.Join(a.providerIDs(), ", "), errUsage)
	}
	known := a.providers[at]
	s, err := known.open(a.baseURL(id))
	if err != nil {
		return err
	}
	return a.take(ctx, known, s, name)
}

// take makes a model of a server that of the next turns.
func (a *app) take(ctx context.Context, known provider, s *profiles.Server, name string) error {
	name = cmp.Or(name, s.Model)
	if name == "" {
		all, err := s.Provider.Models(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return fmt.Errorf("%s has no model yet: name one with -model %s/NAME", known.id, known.id)
		}
		name = all[0].Name
	}
	model, err := s.Provider.Model(ctx, name)
	if err != nil {
		return err
	}
	if s.Note != "" {
		a.say("%s", s.Note)
	}
	switch a.place, a.now.model = known.where, model; {
	case a.place != "":
	case s.Loopback():
		a.place = "local"
	default:
		a.place = s.Host()
	}
	return nil
}
