package config

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/localpass/localpass/toolspec/secret"
)

// Where servers are that nobody says the place of, and OpenAI's usual model.
const (
	openAIURL     = "https://api.openai.com/v1"
	compatibleURL = "http://localhost:4000"
	ollamaURL     = "http://localhost:11434"
	openAIModel   = "gpt-5.4-mini"
)

// Profile is a server of models and everything that belongs to it. It shows no key
// and no header.
type Profile struct {
	Name string
	// Provider is openai, compatible, ollama or demo.
	Provider string
	BaseURL  string
	// Key and the values of Headers may hold placeholders: they are resolved when the
	// profile is opened. Where KeyOptional is set, a key that is not there is none.
	Key          string
	KeyOptional  bool
	Headers      map[string]string
	KeyOverHTTP  bool
	Organization string
	Project      string
	// API is "chat", "responses", or empty for the one that suits the model.
	API string
	// Model is asked for where none is named; empty: the first that the server lists.
	Model     string
	Fallbacks []string
	// FirstToken and Silence are 0 where chat.firstToken and chat.silence count.
	FirstToken, Silence time.Duration
	KeepAlive           string
	NumCtx              int
	Capabilities        Capabilities
	// Note says what a person would not expect; empty: nothing.
	Note string

	line int // in the file
}

// Capabilities are what a server cannot be asked about its models; nil and zero are
// not said.
type Capabilities struct {
	Tools, Pictures, Thinking *bool
	Efforts                   []string
	ContextTokens             int
}

// String shows no secret.
func (p Profile) String() string {
	return fmt.Sprintf("config.Profile(%s, %s at %s)", p.Name, p.Provider, placeOf(p.BaseURL))
}

// GoString is String.
func (p Profile) GoString() string { return p.String() }

// complete puts the defaults of the provider in.
func (p *Profile) complete() {
	switch p.Provider {
	case OpenAI:
		p.BaseURL = cmp.Or(p.BaseURL, openAIURL)
	case Compatible:
		p.BaseURL = cmp.Or(p.BaseURL, compatibleURL)
	case Ollama:
		p.BaseURL = cmp.Or(p.BaseURL, ollamaURL)
	}
	if p.Model == "" && p.Provider == OpenAI && sameServer(p.BaseURL, openAIURL) {
		p.Model = openAIModel
	}
}

// at is the profile with its server at another URL. Where that is another server,
// nothing goes along that was meant for the first one: no key, no header, no model.
func (p Profile) at(baseURL, key string) Profile {
	if sameServer(p.BaseURL, baseURL) {
		p.BaseURL = baseURL
		if key != "" {
			p.Key, p.KeyOptional = key, false
		}
		return p
	}
	moved := Profile{Name: p.Name, Provider: p.Provider, API: p.API, BaseURL: baseURL, Key: key, FirstToken: p.FirstToken, Silence: p.Silence, Note: p.Note}
	if key == "" && (p.Key != "" || len(p.Headers) > 0) {
		what := "the key and the headers of the profile " + p.Name + " are"
		if names := secret.Names(p.Key); len(names) == 1 && len(p.Headers) == 0 {
			what = names[0] + " is"
		}
		moved.Note = fmt.Sprintf("%s not sent to %s, but to %s alone", what, hostOf(baseURL), hostOf(p.BaseURL))
	}
	moved.complete()
	return moved
}

// ProfileNames are the names of the profiles of the file.
func (c *Config) ProfileNames() []string {
	names := make([]string, len(c.profiles))
	for i := range c.profiles {
		names[i] = c.profiles[i].Name
	}
	return names
}

// Profile returns a profile by name, one of the file or one that is always there. The
// one that was chosen has the URL that was chosen. lookup tells whether there is a key
// in OPENAI_API_KEY.
func (c *Config) Profile(name string, lookup secret.Lookup) (Profile, error) {
	p, err := c.profile(name, lookup)
	if err != nil || c.Choice.BaseURL == "" || name != c.Choice.Profile {
		return p, err
	}
	return p.at(c.Choice.BaseURL, c.Choice.Key), nil
}

func (c *Config) profile(name string, lookup secret.Lookup) (Profile, error) {
	for _, p := range c.profiles {
		if p.Name == name {
			p.Headers = maps.Clone(p.Headers)
			return p, nil
		}
	}
	p := Profile{Name: name, Provider: name}
	switch name {
	case Environment:
		for _, one := range []string{OpenAI, Ollama} {
			if c.EnvironmentSets(one, lookup) != "" {
				return c.profile(one, lookup)
			}
		}
		return p, fmt.Errorf("the profile env: none of %s, %s and %s is set", openAIBase, openAIKey, ollamaHost)
	case OpenAI:
		p.BaseURL, p.Key, p.KeyOptional = c.environment.base, "${"+openAIKey+"}", true
		if p.BaseURL != "" {
			if err := serverURL(p.BaseURL); err != nil {
				return p, fmt.Errorf("%s: %w", openAIBase, err)
			}
		}
	case Ollama:
		if c.environment.host != "" {
			var err error
			if p.BaseURL, err = ollamaAddress(c.environment.host); err != nil {
				return p, fmt.Errorf("%s: %w", ollamaHost, err)
			}
		}
	case Compatible:
		if c.EnvironmentSets(OpenAI, lookup) == openAIKey {
			p.Note = openAIKey + " is not sent to it: name the key of a compatible server in a profile of the file"
		}
	case Demo:
	default:
		names := append(c.ProfileNames(), reserved()...)
		return p, fmt.Errorf("there is no profile %q%s; there are %s", name, meant(name, names), strings.Join(names, ", "))
	}
	p.complete()
	return p, nil
}

// EnvironmentSets returns the variable that makes the profile openai or ollama a choice
// of the environment: it names the server or its key. It is empty where none does.
func (c *Config) EnvironmentSets(profile string, lookup secret.Lookup) string {
	key := ""
	if lookup != nil {
		key, _ = lookup(openAIKey)
	}
	switch {
	case profile == OpenAI && key != "":
		return openAIKey
	case profile == OpenAI && c.environment.base != "":
		return openAIBase
	case profile == Ollama && c.environment.host != "":
		return ollamaHost
	}
	return ""
}

// sameServer reports whether two URLs are of one server: scheme, host and port.
func sameServer(a, b string) bool {
	x, err := url.Parse(a)
	y, err2 := url.Parse(b)
	port := func(u *url.URL) string {
		return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	return err == nil && err2 == nil && x.Host != "" && x.Scheme == y.Scheme && strings.EqualFold(x.Hostname(), y.Hostname()) && port(x) == port(y)
}

// placeOf is a URL as people see it: credentials and what follows the path stay out.
func placeOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func hostOf(place string) string {
	u, err := url.Parse(place)
	if err != nil || u.Host == "" {
		return "another server"
	}
	return u.Host
}

// Place is where the server is, without credentials.
func (p Profile) Place() string { return placeOf(p.BaseURL) }

// Host is where the server is, without scheme and path.
func (p Profile) Host() string { return hostOf(p.BaseURL) }

// Loopback reports whether the server is on this machine.
func (p Profile) Loopback() bool {
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}
