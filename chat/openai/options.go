package openai

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// DefaultBaseURL is where OpenAI itself serves.
const DefaultBaseURL = "https://api.openai.com/v1"

// API is one of the two APIs for a conversation.
type API string

// The APIs.
const (
	// APIAuto uses Chat Completions, which every server has, and Responses for OpenAI's
	// own models that need it, always or for tools with reasoning.
	APIAuto      API = ""
	APIChat      API = "chat"
	APIResponses API = "responses"
)

// Options describe a server. nil and the zero value mean OpenAI's own server, without a
// key. An Options prints, marshals and logs without its secrets.
type Options struct {
	// BaseURL is the address of the API, such as "http://localhost:8000/v1". Empty:
	// [DefaultBaseURL]. It must not have a user, a query or a fragment.
	BaseURL string
	// APIKey is sent as a bearer token. Empty: none is sent.
	APIKey string
	// AllowKeyOverHTTP allows sending the key or an Authorization header over plain HTTP
	// to another machine, where everyone on the network path can read it. It is not
	// needed for this machine.
	AllowKeyOverHTTP bool
	// Organization and Project are for OpenAI's billing. Optional.
	Organization, Project string
	// Header is sent with each request. Its values are kept secret like the key.
	Header http.Header
	// HTTPClient makes the requests; nil: a client without a time limit, since package
	// chat limits the time to the first output and between outputs. Redirects to other
	// hosts are not followed.
	HTTPClient *http.Client
	// ID is the provider's id; empty: "openai". Each server needs its own id.
	ID string
	// API is the API to use.
	API API
	// Efforts are the values of reasoning_effort that the models take, the lowest first,
	// for a server whose models are not known: none, minimal, low, medium, high, xhigh,
	// max. Empty: what is known.
	Efforts []string
	// Quirks replaces what is known about the server. nil: the result of [QuirksFor].
	Quirks *Quirks
	// Describe may correct what is known about a model, such as its context size or that
	// it reads no images. It is called once for each [Provider.Model], and for each
	// model of a list. Optional.
	Describe func(info llm.ModelInfo) llm.ModelInfo
}

// String names the server.
func (o Options) String() string {
	b, _ := json.Marshal(o.shown())
	return "openai.Options" + string(b)
}

// GoString is String.
func (o Options) GoString() string { return o.String() }

// MarshalJSON leaves the secrets out.
func (o Options) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown()) }

// LogValue leaves the secrets out.
func (o Options) LogValue() slog.Value { return slog.AnyValue(o.shown()) }

// shownOptions holds the part of the options that may be shown.
type shownOptions struct {
	BaseURL      string   `json:"baseUrl,omitempty"`
	APIKey       string   `json:"apiKey,omitempty"`
	Organization string   `json:"organization,omitempty"`
	Project      string   `json:"project,omitempty"`
	Header       []string `json:"header,omitempty"` // only the names of the headers
	ID           string   `json:"id,omitempty"`
	API          API      `json:"api,omitempty"`
}

func (o *Options) shown() shownOptions {
	s := shownOptions{Organization: o.Organization, Project: o.Project, ID: o.ID, API: o.API}
	if u, err := url.Parse(o.BaseURL); err == nil {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		s.BaseURL = u.String()
	}
	if o.APIKey != "" {
		s.APIKey = "***"
	}
	for name := range o.Header {
		s.Header = append(s.Header, name)
	}
	return s
}

// check sets the defaults of the options, or returns an error if they are invalid.
func (o *Options) check() (*url.URL, error) {
	bad := func(what, remedy string) error {
		return fmt.Errorf("chat/openai: %s: %s: %w", what, remedy, llm.ErrInvalid)
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.ID == "" {
		o.ID = "openai"
	}
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil: // err is not wrapped: its text contains the URL, which may include a password
		return nil, bad("the base URL cannot be read", "it must be like "+DefaultBaseURL)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, bad("the base URL is no address of a server", "it must be like "+DefaultBaseURL)
	case u.User != nil:
		return nil, bad("the base URL has a user in it", "use Options.APIKey or Options.Header")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, bad("the base URL has a query or a fragment", "leave it out")
	case o.API != APIAuto && o.API != APIChat && o.API != APIResponses:
		return nil, bad(fmt.Sprintf("API %q", o.API), "it must be chat, responses or empty")
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, bad("the API key has characters that no key has", "leave out spaces and line ends")
	}
	for _, effort := range o.Efforts {
		if !slices.Contains(ladder[:], effort) {
			return nil, bad(fmt.Sprintf("the effort %q", effort), "there are "+strings.Join(ladder[:], ", "))
		}
	}
	secret := o.APIKey != "" || o.Header.Get("Authorization") != ""
	if u.Scheme == "http" && secret && !o.AllowKeyOverHTTP && !loopback(u.Hostname()) {
		return nil, bad("a key for "+u.Host+" would go over plain HTTP", "use https, or set AllowKeyOverHTTP")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
