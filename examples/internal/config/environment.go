package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/toolspec/secret"
)

// The variables that name servers of models, and the model.
const (
	openAIKey  = "OPENAI_API_KEY"
	openAIBase = "OPENAI_BASE_URL"
	ollamaHost = "OLLAMA_HOST"
	modelName  = "LOCALPASS_MODEL"
)

// openAIModel is asked for at OpenAI itself where none is named.
const openAIModel = "gpt-5.4-mini"

const (
	ollamaURL  = "http://localhost:11434"
	ollamaPort = "11434"
	// ollamaForms ends the errors about OLLAMA_HOST, which do not show its value.
	ollamaForms = "write a host, host:port, or a URL such as " + ollamaURL
)

// Environment are the servers of models that variables of the environment name. It
// is safe for concurrent use, and shows no key.
type Environment struct {
	key, base, host, model string
}

// ReadEnvironment reads OPENAI_API_KEY, OPENAI_BASE_URL, OLLAMA_HOST and
// LOCALPASS_MODEL. A value that cannot be used is an error of the provider that
// needs it, when that is opened.
func ReadEnvironment(lookup secret.Lookup) *Environment {
	get := func(name string) string {
		value, _ := lookup(name)
		return value
	}
	e := &Environment{key: get(openAIKey), base: strings.TrimSpace(get(openAIBase)), host: strings.TrimSpace(get(ollamaHost)), model: strings.TrimSpace(get(modelName))}
	if get("LOCALPASS_PROFILE") != "" || get("LOCALPASS_BASE_URL") != "" {
		e.model = "" // it is a model of that profile
	}
	return e
}

// String says which variables are set.
func (e *Environment) String() string {
	var set []string
	for _, v := range []struct{ name, value string }{{openAIKey, e.key}, {openAIBase, e.base}, {ollamaHost, e.host}, {modelName, e.model}} {
		if v.value != "" {
			set = append(set, v.name)
		}
	}
	return "config.Environment(" + strings.Join(set, " ") + ")"
}

// GoString is String.
func (e *Environment) GoString() string { return e.String() }

// Model is LOCALPASS_MODEL, which is PROVIDER/NAME or NAME; both are empty where it
// is not set, or where LOCALPASS_PROFILE or LOCALPASS_BASE_URL make it a member of
// another profile.
func (e *Environment) Model() (provider, name string) { return SplitModel(e.model) }

// Sets returns the variable that makes a profile a choice of the environment: it
// names the server or its key. It is empty where none does.
func (e *Environment) Sets(profile string) string {
	switch {
	case profile == OpenAI && e.key != "":
		return openAIKey
	case profile == OpenAI && e.base != "":
		return openAIBase
	case profile == Ollama && e.host != "":
		return ollamaHost
	}
	return ""
}

// Server is a server of models, opened.
type Server struct {
	Provider llm.Provider
	// Place is its URL, without credentials.
	Place string
	// Model is asked for where none is named; empty: the first that it lists.
	Model string
	// Note says what a person would not expect; empty: nothing.
	Note string
}

// Loopback reports whether the server is on this machine.
func (s *Server) Loopback() bool {
	u, err := url.Parse(s.Place)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// Host is where the server is, without scheme and path.
func (s *Server) Host() string { return hostOf(s.Place) }

// OpenAI opens the server that speaks as OpenAI does at baseURL; empty: at
// OPENAI_BASE_URL, else OpenAI's own. id is that of the provider. OPENAI_API_KEY is
// sent to the server of OPENAI_BASE_URL alone, or to OpenAI's own where that is not
// set.
func (e *Environment) OpenAI(id, baseURL string) (*Server, error) {
	owner := cmp.Or(e.base, openai.DefaultBaseURL)
	o := openai.Options{ID: id, BaseURL: cmp.Or(baseURL, owner)}
	p, err := openai.New(&o)
	if err != nil {
		if baseURL == "" {
			err = fmt.Errorf("%s: %w", openAIBase, err)
		}
		return nil, err
	}
	s := &Server{Provider: p, Place: placeOf(o.BaseURL)}
	if sameServer(o.BaseURL, openai.DefaultBaseURL) {
		s.Model = openAIModel
	}
	switch {
	case e.key == "":
	case sameServer(o.BaseURL, owner):
		o.APIKey = e.key
		if s.Provider, err = openai.New(&o); err != nil {
			return nil, fmt.Errorf("%s: %w", openAIKey, err)
		}
	default:
		s.Note = fmt.Sprintf("%s is not sent to %s, because it is the key for %s: set %s for another server", openAIKey, s.Host(), hostOf(placeOf(owner)), openAIBase)
	}
	return s, nil
}

// Ollama opens the Ollama at baseURL; empty: at OLLAMA_HOST, else on this machine.
func (e *Environment) Ollama(baseURL string) (*Server, error) {
	at, name := baseURL, ""
	if at == "" && e.host != "" {
		var err error
		name = ollamaHost + ": "
		if at, err = ollamaAddress(e.host); err != nil {
			return nil, fmt.Errorf("%s%w", name, err)
		}
	}
	at = cmp.Or(at, ollamaURL)
	p, err := ollama.New(&ollama.Options{BaseURL: at})
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	return &Server{Provider: p, Place: placeOf(at)}, nil
}

// ollamaAddress makes a URL of what OLLAMA_HOST may hold, as Ollama's own client
// does: a host, a host and a port, or a URL, in quotes too. An address to listen on
// at all interfaces is asked on this machine.
func ollamaAddress(text string) (string, error) {
	text = strings.TrimSpace(strings.Trim(text, `"'`))
	scheme, rest, ok := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	port := ollamaPort
	switch {
	case !ok && text == "ollama.com":
		scheme, rest, port = "https", text, "443"
	case !ok:
		scheme, rest = "http", text
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return "", errors.New("it is a URL of another kind than http and https: " + ollamaForms)
	}
	rest, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(rest, "@?# \t") || strings.ContainsAny(path, "?#") {
		return "", errors.New("it has a user, a query or a space in it: " + ollamaForms)
	}
	host, given, err := net.SplitHostPort(rest)
	if err != nil {
		host = strings.Trim(rest, "[]")
		if strings.Contains(host, ":") && net.ParseIP(host) == nil {
			return "", errors.New("it is neither a host nor host:port: " + ollamaForms)
		}
	} else if given != "" {
		port = given
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", errors.New("its port is no number up to 65535: " + ollamaForms)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	return u.String(), nil
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
