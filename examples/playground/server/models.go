package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/profiles"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec/secret"
)

const (
	// lookFor is how long a server on this machine is looked for at the start,
	// checkWithin how long a provider may take to say that it is there.
	lookFor     = time.Second
	checkWithin = 3 * time.Second
)

// The states of a model.
const (
	modelDemo        = "demo"
	modelChecking    = "checking"
	modelReady       = "ready"
	modelUnreachable = "unreachable"
)

// ModelState is the model that answers where no other was chosen, and its status.
type ModelState struct {
	Provider string `json:"provider"`
	Name     string `json:"name" doc:"Empty while its provider was not reached."`
	State    string `json:"state" enum:"demo,checking,ready,unreachable"`
	Why      string `json:"why" doc:"Why it is this one."`
	Place    string `json:"place,omitempty" doc:"Where its provider is asked."`
	Problem  string `json:"problem,omitempty" doc:"Why it cannot be reached."`
	// Capabilities are what is known of the model.
	Capabilities  llm.Capabilities `json:"capabilities,omitzero"`
	ContextTokens int              `json:"contextTokens,omitempty"`
}

// ModelChoice names a model.
type ModelChoice struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
}

// standing is the client's model: the one that was chosen last, opened when it is
// first asked, so that a provider that is away keeps nothing from starting.
type standing struct {
	mu       sync.Mutex
	provider llm.Provider
	name     string // empty: the first that the provider lists
	model    llm.Model
}

func (m *standing) use(p llm.Provider, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.provider, m.name, m.model = p, name, nil
}

// open asks the provider for the model, once.
func (m *standing) open(ctx context.Context) (llm.Model, error) {
	m.mu.Lock()
	p, name, model := m.provider, m.name, m.model
	m.mu.Unlock()
	if model != nil {
		return model, nil
	}
	if name == "" {
		all, err := p.Models(ctx)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, &llm.Error{Code: llm.CodeModelNotFound, Provider: p.ID(), Message: p.ID() + " has no model yet: fetch one under Settings, Models"}
		}
		name = all[0].Name
	}
	model, err := p.Model(ctx, name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.provider == p && m.model == nil {
		m.name, m.model = name, model
	}
	return model, nil
}

// Info implements chat.Model.
func (m *standing) Info() llm.ModelInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.model != nil {
		return m.model.Info()
	}
	return llm.ModelInfo{Provider: m.provider.ID(), Name: cmp.Or(m.name, "default"), Capabilities: llm.Capabilities{Tools: true}}
}

// Generate implements chat.Model.
func (m *standing) Generate(ctx context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		model, err := m.open(ctx)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		for d, err := range model.Generate(ctx, req) {
			if !yield(d, err) {
				return
			}
		}
	}
}

// models are the servers of the profiles, and the choice among them.
type models struct {
	*core
	lookup    secret.Lookup
	servers   map[string]*profiles.Server // by the name of the profile
	providers []llm.Provider
	own       standing

	mu    sync.Mutex
	state ModelState
	turn  int // of the checks: an older one says nothing any more
}

// newModels opens the servers of the profiles, and finds out which one answers. lookup
// finds keys: one may also be stored at the page.
func newModels(ctx context.Context, c *core, lookup secret.Lookup) (*models, error) {
	m := &models{core: c, lookup: lookup, servers: map[string]*profiles.Server{}}
	chosen := c.opts.Config.Choice.Profile
	if chosen == config.Environment {
		p, err := c.opts.Config.Profile(chosen, lookup)
		if err != nil {
			return nil, err
		}
		chosen = p.Name
	}
	names := []string{config.Demo, config.Ollama}
	if chosen == config.OpenAI || c.opts.Config.EnvironmentSets(config.OpenAI, lookup) != "" {
		names = append(names, config.OpenAI)
	}
	if chosen == config.Compatible {
		names = append(names, chosen)
	}
	for _, name := range append(names, c.opts.Config.ProfileNames()...) {
		err := m.add(name)
		if err != nil && chosen != "" && name != chosen {
			c.opts.Logger.Warn("a server of models is left out", "profile", name, "error", err)
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return m, m.choose(ctx, chosen)
}

// add opens the server of a profile.
func (m *models) add(name string) error {
	p, err := m.opts.Config.Profile(name, m.lookup)
	if err != nil {
		return err
	}
	server, err := profiles.Open(p, m.lookup, &demo.Options{Pace: m.opts.DemoPace})
	if err != nil {
		return err
	}
	m.servers[name] = server
	if server.Provider.ID() != demo.ProviderID || name == config.Demo { // a profile of the demonstration is that
		m.providers = append(m.providers, server.Provider)
	}
	return nil
}

// choose takes the model of the configuration, or the first server that is there.
func (m *models) choose(ctx context.Context, chosen string) error {
	choice := m.opts.Config.Choice
	if chosen != "" {
		why := choice.ProfileFrom.Place
		switch choice.ProfileFrom.Kind {
		case config.FromFlag:
			why += " " + choice.Profile
		case config.FromFile:
			why = "chosen in " + why
		}
		if note := m.servers[chosen].Profile.Note; note != "" {
			why += "; " + note
		}
		m.selectModel(chosen, choice.Model, why)
		return nil
	}
	if m.servers[config.OpenAI] != nil {
		m.selectModel(config.OpenAI, choice.Model, m.opts.Config.EnvironmentSets(config.OpenAI, m.lookup)+" is set")
		return nil
	}
	look, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	ollama := m.servers[config.Ollama]
	if all, err := ollama.Provider.Models(look); err == nil && len(all) > 0 {
		m.selectModel(config.Ollama, cmp.Or(choice.Model, all[0].Name), fmt.Sprintf("Ollama answers at %s and has %d models", ollama.Profile.Host(), len(all)))
		return nil
	}
	m.selectModel(config.Demo, "", "no Ollama at "+ollama.Profile.Host()+", no OPENAI_API_KEY")
	return nil
}

// profile is that of the model that answers.
func (m *models) profile() *config.Profile {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &m.servers[m.state.Provider].Profile
}

// selectModel makes a model the one that answers, and begins to look whether it does.
func (m *models) selectModel(profile, name, why string) {
	server := m.servers[profile]
	name = cmp.Or(name, server.Profile.Model)
	m.own.use(server.Provider, name)
	m.mu.Lock()
	m.state = ModelState{Provider: server.Provider.ID(), Name: name, State: modelChecking, Why: why, Place: server.Profile.Place()}
	if m.state.Provider == demo.ProviderID {
		m.state.State = modelDemo
	}
	m.turn++
	turn := m.turn
	m.mu.Unlock()
	m.background(func(ctx context.Context) { m.check(ctx, turn) })
}

// check asks whether the model can be reached.
func (m *models) check(ctx context.Context, turn int) {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	model, err := m.own.open(ctx)
	if err == nil {
		if s := m.servers[model.Info().Provider]; s != nil && s.Profile.Provider != config.Demo {
			_, err = s.Provider.Models(ctx) // a name alone proves nothing
		}
	}
	m.mu.Lock()
	if turn != m.turn {
		m.mu.Unlock()
		return
	}
	var known *llm.Error
	switch {
	case err == nil:
		info := model.Info()
		m.state.Name, m.state.Capabilities, m.state.ContextTokens, m.state.Problem = info.Name, info.Capabilities, info.ContextTokens, ""
		if m.state.State != modelDemo {
			m.state.State = modelReady
		}
	case errors.Is(err, syscall.ECONNREFUSED):
		m.state.State, m.state.Problem = modelUnreachable, "nothing listens there (connection refused)"
	case errors.As(err, &known):
		m.state.State, m.state.Problem = modelUnreachable, cmp.Or(known.Message, string(known.Code))
	case errors.Is(err, context.DeadlineExceeded):
		m.state.State, m.state.Problem = modelUnreachable, "it did not answer within 3 s"
	default:
		m.state.State, m.state.Problem = modelUnreachable, "it does not answer"
	}
	m.mu.Unlock()
	m.events.send("settings", "settings.model", struct{}{})
	m.events.send("home", "home.changed", struct{}{})
}

func (m *models) now() ModelState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// checkModel looks again, and answers with what it found.
func (m *models) checkModel(w http.ResponseWriter, r *http.Request) error {
	m.look(r.Context())
	return httpapi.Reply(w, http.StatusOK, m.now())
}

// look asks anew whether the model can be reached.
func (m *models) look(ctx context.Context) {
	m.mu.Lock()
	m.turn++
	turn := m.turn
	m.mu.Unlock()
	m.check(ctx, turn)
}

// settingsChanged answers a choice that would hide what another program chose.
var settingsChanged = httpapi.Kind{Code: "settings_changed", Status: http.StatusConflict, Title: "The settings were changed in between"}

// setModel chooses the model that answers from now on, and remembers it.
func (m *models) setModel(w http.ResponseWriter, r *http.Request) error {
	var in ModelChoice
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	if m.servers[in.Provider] == nil || in.Name == "" || len(in.Name) > 200 {
		return httpapi.InvalidArgument.New("name a provider that is there, and a model")
	}
	why := "chosen at this page"
	counts, err := m.opts.Config.SaveModel(in.Provider, in.Name)
	switch {
	case errors.Is(err, config.ErrChanged):
		return settingsChanged.New("%v: start again to see what it says", err)
	case errors.Is(err, config.ErrNoProfile):
		why += ", for this start: " + err.Error()
	case err != nil:
		return err
	case !counts:
		why += "; the environment says something else, and counts more at the next start"
	}
	m.selectModel(in.Provider, in.Name, why)
	return httpapi.Reply(w, http.StatusOK, m.now())
}

// Model is the model that answers where no other was chosen.
func (s *Server) Model() ModelState { return s.chats.models.now() }
