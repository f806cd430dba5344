package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec/secret"
)

// The profiles: which provider answers where nobody chose another.
const (
	ProfileOllama     = "ollama"
	ProfileOpenAI     = "openai"
	ProfileCompatible = "compatible"
	ProfileDemo       = "demo"
)

const (
	// modelKey is where the choice of the page is kept.
	modelKey = "model"
	// openAIModel is the model of the openai profile, as in the other examples.
	openAIModel = "gpt-5.4-mini"
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

// ModelState is the model that answers where nobody chose another, and how it is.
type ModelState struct {
	Provider string `json:"provider"`
	Name     string `json:"name" doc:"Empty while its provider was not reached."`
	State    string `json:"state" enum:"demo,checking,ready,unreachable"`
	Why      string `json:"why" doc:"Why it is this one."`
	Place    string `json:"place,omitempty" doc:"Where its provider is asked."`
	Problem  string `json:"problem,omitempty" doc:"Why it cannot be reached."`
	// Capabilities are what is known of the model.
	Capabilities  chat.Capabilities `json:"capabilities,omitzero"`
	ContextTokens int               `json:"contextTokens,omitempty"`
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
	provider chat.Provider
	name     string // empty: the first that the provider lists
	model    chat.Model
}

func (m *standing) use(p chat.Provider, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.provider, m.name, m.model = p, name, nil
}

// open asks the provider for the model, once.
func (m *standing) open(ctx context.Context) (chat.Model, error) {
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
			return nil, &chat.Error{Code: chat.CodeModelNotFound, Provider: p.ID(), Message: p.ID() + " has no model yet: fetch one under Settings, Models"}
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
func (m *standing) Info() chat.ModelInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.model != nil {
		return m.model.Info()
	}
	return chat.ModelInfo{Provider: m.provider.ID(), Name: cmp.Or(m.name, "default"), Capabilities: chat.Capabilities{Tools: true}}
}

// Generate implements chat.Model.
func (m *standing) Generate(ctx context.Context, req *chat.ModelRequest) iter.Seq2[chat.Delta, error] {
	return func(yield func(chat.Delta, error) bool) {
		model, err := m.open(ctx)
		if err != nil {
			yield(chat.Delta{}, err)
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
	s         *Server
	providers []chat.Provider
	places    map[string]string // where each is asked
	own       standing

	mu    sync.Mutex
	state ModelState
	turn  int // of the checks: an older one says nothing any more
}

// openModels makes the providers, and finds out which one answers.
func (s *Server) openModels(ctx context.Context, lookup secret.Lookup) error {
	m := &models{s: s, places: map[string]string{}}
	s.models = m
	o := &s.opts
	key, _ := lookup("OPENAI_API_KEY")
	if o.Profile == ProfileCompatible && o.BaseURL == "" {
		return errors.New("the profile compatible needs -base-url, such as http://localhost:8000/v1")
	}
	base := func(profile string) string {
		if o.Profile == profile && o.BaseURL != "" {
			return o.BaseURL
		}
		switch profile { // as their own programs read them
		case ProfileOllama:
			host, _ := lookup("OLLAMA_HOST")
			return ollamaURL(host)
		case ProfileOpenAI:
			at, _ := lookup("OPENAI_BASE_URL")
			return at
		}
		return ""
	}
	rules, err := demo.New(&demo.Options{Pace: o.DemoPace})
	if err != nil {
		return err
	}
	local, err := ollama.New(&ollama.Options{BaseURL: base(ProfileOllama)})
	if err != nil {
		return err
	}
	m.add(rules, "")
	m.add(local, cmp.Or(base(ProfileOllama), "http://localhost:11434"))
	if key != "" && o.Profile != ProfileCompatible || o.Profile == ProfileOpenAI {
		p, err := openai.New(&openai.Options{BaseURL: base(ProfileOpenAI), APIKey: key})
		if err != nil {
			return err
		}
		m.add(p, cmp.Or(base(ProfileOpenAI), openai.DefaultBaseURL))
	}
	if o.Profile == ProfileCompatible {
		p, err := openai.New(&openai.Options{ID: ProfileCompatible, BaseURL: o.BaseURL, APIKey: key})
		if err != nil {
			return err
		}
		m.add(p, o.BaseURL)
	}
	return m.choose(ctx)
}

// ollamaURL makes a URL of what OLLAMA_HOST may hold: a host, a host and a port,
// or a URL. An address to listen on at all interfaces is asked on this machine.
func ollamaURL(host string) string {
	host = strings.TrimSpace(host)
	if host == "" {
		return ""
	}
	scheme, rest, ok := strings.Cut(host, "://")
	if !ok {
		scheme, rest = "http", host
	}
	name, port, err := net.SplitHostPort(strings.TrimRight(rest, "/"))
	if err != nil {
		name, port = strings.Trim(strings.TrimRight(rest, "/"), "[]"), "11434"
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(name, port)
}

// placeOf is a URL as people see it: credentials stay out.
func placeOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

func (m *models) add(p chat.Provider, place string) {
	m.providers, m.places[p.ID()] = append(m.providers, p), placeOf(place)
}

func (m *models) find(id string) chat.Provider {
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
	o := &m.s.opts
	if o.Profile != "" {
		p := m.find(o.Profile)
		if p == nil {
			return fmt.Errorf("-profile %q: there are %s, %s, %s and %s", o.Profile, ProfileOllama, ProfileOpenAI, ProfileCompatible, ProfileDemo)
		}
		name := o.Model
		if name == "" && o.Profile == ProfileOpenAI {
			name = openAIModel
		}
		if name == "" && o.Profile == ProfileDemo {
			name = demo.Name
		}
		m.take(p, name, "-profile "+o.Profile)
		return nil
	}
	var saved ModelChoice
	doc, err := m.s.local.Store.Get(ctx, tourCollection, modelKey)
	if err == nil && doc.Decode(&saved) == nil {
		if p := m.find(saved.Provider); p != nil {
			m.take(p, saved.Name, "chosen at this page")
			return nil
		}
	}
	if p := m.find(ProfileOpenAI); p != nil {
		m.take(p, cmp.Or(o.Model, openAIModel), "OPENAI_API_KEY is set")
		return nil
	}
	look, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	if all, err := m.find(ProfileOllama).Models(look); err == nil && len(all) > 0 {
		m.take(m.find(ProfileOllama), cmp.Or(o.Model, all[0].Name), fmt.Sprintf("Ollama answers on this machine and has %d models", len(all)))
		return nil
	}
	m.take(m.find(demo.ProviderID), demo.Name, "no Ollama at "+strings.TrimPrefix(m.places[ProfileOllama], "http://")+", no OPENAI_API_KEY")
	return nil
}

// take makes a model the one that answers, and begins to look whether it does.
func (m *models) take(p chat.Provider, name, why string) {
	m.own.use(p, name)
	m.mu.Lock()
	m.state = ModelState{Provider: p.ID(), Name: name, State: modelChecking, Why: why, Place: m.places[p.ID()]}
	if p.ID() == demo.ProviderID {
		m.state.State = modelDemo
	}
	m.turn++
	turn := m.turn
	m.mu.Unlock()
	m.s.background(func(ctx context.Context) { m.check(ctx, turn) })
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
	var known *chat.Error
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
	m.s.events.send("settings", "settings.model", struct{}{})
	m.s.events.send("home", "home.changed", struct{}{})
}

func (m *models) now() ModelState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// checkModel looks again, and answers with what it found.
func (s *Server) checkModel(w http.ResponseWriter, r *http.Request) error {
	s.models.look(r.Context())
	return httpapi.Reply(w, http.StatusOK, s.models.now())
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
func (s *Server) setModel(w http.ResponseWriter, r *http.Request) error {
	var in ModelChoice
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	p := s.models.find(in.Provider)
	if p == nil || in.Name == "" || len(in.Name) > 200 {
		return httpapi.InvalidArgument.New("name a provider that is there, and a model")
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if _, err := s.local.Store.Put(r.Context(), tourCollection, modelKey, localpass.Document{Version: localpass.AnyVersion, Data: raw}); err != nil {
		return err
	}
	s.models.take(p, in.Name, "chosen at this page")
	return httpapi.Reply(w, http.StatusOK, s.models.now())
}

// Model is the model that answers where nobody chose another.
func (s *Server) Model() ModelState { return s.models.now() }
