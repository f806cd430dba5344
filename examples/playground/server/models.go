package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/chat/llm"
	profiles "github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec/secret"
)

// The profiles: which provider answers where no other was chosen.
const (
	ProfileOllama     = profiles.Ollama
	ProfileOpenAI     = profiles.OpenAI
	ProfileCompatible = profiles.Compatible
	ProfileDemo       = profiles.Demo
)

const (
	// modelKey is where the choice of the page is kept.
	modelKey = "model"
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

// models are the providers and the choice among them.
type models struct {
	*core
	store     localpass.Persistence
	providers []llm.Provider
	places    map[string]string // where each is asked
	usual     map[string]string // the model of each where none is named
	notes     map[string]string // what a person would not expect of each
	set       string            // the variable of the environment that names OpenAI's server
	own       standing

	mu    sync.Mutex
	state ModelState
	turn  int // of the checks: an older one says nothing any more
}

// newModels makes the providers, and finds out which one answers.
func newModels(ctx context.Context, c *core, store localpass.Persistence, lookup secret.Lookup) (*models, error) {
	m := &models{core: c, store: store, places: map[string]string{}, usual: map[string]string{}, notes: map[string]string{}}
	o := &c.opts
	switch {
	case o.Profile == ProfileCompatible && o.BaseURL == "":
		return nil, errors.New("the profile compatible needs -base-url, such as http://localhost:8000/v1")
	case o.Profile == "" && o.BaseURL != "":
		return nil, errors.New("-base-url says where a server is, and nothing says which profile it is for: give -profile too")
	}
	// A key may also be stored at the page; which server it is for, the environment
	// alone says.
	env := profiles.ReadEnvironment(func(name string) (string, bool) {
		if name == "OPENAI_API_KEY" {
			return lookup(name)
		}
		return os.LookupEnv(name)
	})
	m.set = env.Sets(ProfileOpenAI)
	rules, err := demo.New(&demo.Options{Pace: o.DemoPace})
	if err != nil {
		return nil, err
	}
	m.add(&profiles.Server{Provider: rules, Model: demo.Name})
	for _, p := range []struct {
		profile string
		open    func(baseURL string) (*profiles.Server, error)
		always  bool
	}{
		{ProfileOllama, env.Ollama, true},
		{ProfileOpenAI, func(baseURL string) (*profiles.Server, error) { return env.OpenAI("", baseURL) }, m.set != ""},
		{ProfileCompatible, func(baseURL string) (*profiles.Server, error) { return env.OpenAI(ProfileCompatible, baseURL) }, false},
	} {
		baseURL, chosen := "", o.Profile == p.profile
		if chosen {
			baseURL = o.BaseURL
		}
		if !chosen && !p.always {
			continue
		}
		server, err := p.open(baseURL)
		if err != nil && o.Profile != "" && !chosen {
			c.opts.Logger.Warn("a provider of models is left out", "provider", p.profile, "error", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		m.add(server)
	}
	return m, m.choose(ctx)
}

func (m *models) add(s *profiles.Server) {
	id := s.Provider.ID()
	m.providers = append(m.providers, s.Provider)
	m.places[id], m.usual[id], m.notes[id] = s.Place, s.Model, s.Note
}

func (m *models) find(id string) llm.Provider {
	for _, p := range m.providers {
		if p.ID() == id {
			return p
		}
	}
	return nil
}

// choose takes the model of the flags, or the one that was chosen at the page, or
// the first provider that is there.
func (m *models) choose(ctx context.Context) error {
	o := &m.opts
	if o.Profile != "" {
		p := m.find(o.Profile)
		if p == nil {
			return fmt.Errorf("-profile %q: there are %s, %s, %s and %s", o.Profile, ProfileOllama, ProfileOpenAI, ProfileCompatible, ProfileDemo)
		}
		why := "-profile " + o.Profile
		if note := m.notes[o.Profile]; note != "" {
			why += "; " + note
		}
		m.selectModel(p, cmp.Or(o.Model, m.usual[o.Profile]), why)
		return nil
	}
	var saved ModelChoice
	doc, err := m.store.Get(ctx, tourCollection, modelKey)
	if err == nil && doc.Decode(&saved) == nil {
		if p := m.find(saved.Provider); p != nil {
			m.selectModel(p, saved.Name, "chosen at this page")
			return nil
		}
	}
	owner, name := profiles.SplitModel(o.Model)
	if p := m.find(owner); p != nil {
		m.selectModel(p, cmp.Or(name, m.usual[owner]), o.Model+" is named")
		return nil
	}
	if owner != "" {
		return fmt.Errorf("the model %s: its provider is not there; name it with -profile %s, and where it is with -base-url", o.Model, owner)
	}
	if p := m.find(ProfileOpenAI); p != nil {
		m.selectModel(p, cmp.Or(name, m.usual[ProfileOpenAI]), m.set+" is set")
		return nil
	}
	look, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	if all, err := m.find(ProfileOllama).Models(look); err == nil && len(all) > 0 {
		m.selectModel(m.find(ProfileOllama), cmp.Or(name, all[0].Name), fmt.Sprintf("Ollama answers at %s and has %d models", strings.TrimPrefix(m.places[ProfileOllama], "http://"), len(all)))
		return nil
	}
	m.selectModel(m.find(demo.ProviderID), demo.Name, "no Ollama at "+strings.TrimPrefix(m.places[ProfileOllama], "http://")+", no OPENAI_API_KEY")
	return nil
}

// selectModel makes a model the one that answers, and begins to look whether it does.
func (m *models) selectModel(p llm.Provider, name, why string) {
	m.own.use(p, name)
	m.mu.Lock()
	m.state = ModelState{Provider: p.ID(), Name: name, State: modelChecking, Why: why, Place: m.places[p.ID()]}
	if p.ID() == demo.ProviderID {
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
		if p := m.find(model.Info().Provider); p != nil && p.ID() != demo.ProviderID {
			_, err = p.Models(ctx) // a name alone proves nothing
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

// setModel chooses the model that answers from now on, and remembers it.
func (m *models) setModel(w http.ResponseWriter, r *http.Request) error {
	var in ModelChoice
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	p := m.find(in.Provider)
	if p == nil || in.Name == "" || len(in.Name) > 200 {
		return httpapi.InvalidArgument.New("name a provider that is there, and a model")
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if _, err := m.store.Put(r.Context(), tourCollection, modelKey, localpass.Document{Version: localpass.AnyVersion, Data: raw}); err != nil {
		return err
	}
	m.selectModel(p, in.Name, "chosen at this page")
	return httpapi.Reply(w, http.StatusOK, m.now())
}

// Model is the model that answers where no other was chosen.
func (s *Server) Model() ModelState { return s.chats.models.now() }
