package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// Factory makes a transport from a connection's definition, a JSON object. It makes no
// connection, and leaves placeholders, ${NAME}, for Dial to replace.
type Factory func(connection json.RawMessage) (Transport, error)

// RegistryOptions are the options of [NewRegistry], for its built-in kinds. The zero
// value works.
type RegistryOptions struct {
	// Lookup finds the values of placeholders. If nil, no placeholder has a value.
	Lookup secret.Lookup
	// RoundTripper, Proxy and EndpointTimeout are as in [HTTPOptions].
	RoundTripper    http.RoundTripper
	Proxy           func(*http.Request) (*url.URL, error)
	EndpointTimeout time.Duration
	// Credentials makes the credentials of an HTTP connection whose definition has a
	// member "oauth", which is passed as the second argument; use the method Credentials
	// of oauth.Clients in package mcphub/oauth. nil: such a connection sends no
	// credentials.
	Credentials func(e Endpoint, oauth json.RawMessage) (Credentials, error)
	// Prepare is as in [StdioOptions].
	Prepare func(*exec.Cmd) error
	// InProcess is the transport for connections of the kind "inprocess", such as the
	// result of a hub's method InProcess. nil: there is none.
	InProcess Transport
}

// Registry makes transports by the name of their kind. It is safe for concurrent
// use.
type Registry struct {
	lookup    secret.Lookup // resolves placeholders; nil resolves none
	mu        sync.RWMutex
	factories map[TransportKind]Factory
}

// NewRegistry returns a registry with the built-in kinds:
//
//   - "http" and "sse" take {"url", "endpoint" or "sse-endpoint", "headers",
//     "requiredEnv", "oauth"}. For a URL without a path, "/mcp" or "/sse" is added.
//   - "stdio" takes {"command", "args", "env", "cwd", "inheritEnv", "requiredEnv",
//     "sandbox"}.
//   - "inprocess" takes {}.
//
// Other members are ignored. The names that other programs use for a kind are accepted
// too: "streamable-http", "streamableHttp", "STREAMABLE_HTTP", "in-process" and similar.
// A connection without a kind is of the kind "stdio" if it has a command, and "http" if
// it has a url.
func NewRegistry(opts *RegistryOptions) *Registry {
	if opts == nil {
		opts = &RegistryOptions{}
	}
	o := *opts
	k := &Registry{lookup: o.Lookup, factories: map[TransportKind]Factory{}}
	for kind, factory := range map[TransportKind]Factory{
		TransportHTTP:  func(c json.RawMessage) (Transport, error) { return o.http(TransportHTTP, c) },
		TransportSSE:   func(c json.RawMessage) (Transport, error) { return o.http(TransportSSE, c) },
		TransportStdio: o.stdio,
		TransportInProcess: func(json.RawMessage) (Transport, error) {
			if o.InProcess == nil {
				return nil, errors.New("client: inprocess: there is no hub in this process to connect to")
			}
			return o.InProcess, nil
		},
	} {
		_ = k.Register(kind, factory) // the names are valid
	}
	return k
}

// Register adds a kind. Its name consists of a-z, 0-9 and -, and must not be in use.
func (k *Registry) Register(kind TransportKind, factory Factory) error {
	switch {
	case kind == "" || strings.Trim(string(kind), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || kind != CanonicalKind(kind):
		return fmt.Errorf("client: register: %q cannot be the name of a kind: use a-z, 0-9 and -", kind)
	case factory == nil:
		return fmt.Errorf("client: register %q: the factory is nil", kind)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.factories[kind] != nil {
		return fmt.Errorf("client: register %q: there is such a kind already", kind)
	}
	k.factories[kind] = factory
	return nil
}

// Lookup returns the value of the placeholder ${name}, and whether there is one.
func (k *Registry) Lookup(name string) (value string, ok bool) {
	if k.lookup == nil {
		return "", false
	}
	return k.lookup(name)
}

// Names returns the kinds, sorted.
func (k *Registry) Names() []TransportKind {
	k.mu.RLock()
	defer k.mu.RUnlock()
	names := make([]TransportKind, 0, len(k.factories))
	for name := range k.factories {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Transport makes a transport from a connection's definition.
func (k *Registry) Transport(kind TransportKind, connection json.RawMessage) (Transport, error) {
	if len(connection) == 0 {
		connection = json.RawMessage("{}")
	}
	if !rpc.ValidJSON(connection) || !rpc.IsObject([]byte(strings.TrimSpace(string(connection)))) {
		return nil, fmt.Errorf("client: the definition of a connection must be a JSON object")
	}
	if kind = CanonicalKind(kind); kind == "" {
		var has struct{ Command, URL string }
		if err := json.Unmarshal(connection, &has); err != nil {
			return nil, fmt.Errorf("client: the definition of a connection: %w", err)
		}
		switch {
		case has.Command != "":
			kind = TransportStdio
		case has.URL != "":
			kind = TransportHTTP
		default:
			return nil, errors.New(`client: the definition of a connection has neither "command" nor "url", and names no kind`)
		}
	}
	k.mu.RLock()
	factory := k.factories[kind]
	k.mu.RUnlock()
	if factory == nil {
		return nil, fmt.Errorf("client: there is no transport of the kind %q: use one of %v", kind, k.Names())
	}
	return factory(slices.Clone(connection))
}

// CanonicalKind converts the spellings of other programs to the names of this package.
func CanonicalKind(kind TransportKind) TransportKind {
	name := strings.ToLower(strings.ReplaceAll(string(kind), "_", "-"))
	switch name {
	case "streamable-http", "streamablehttp", "http-stream":
		return TransportHTTP
	case "http-sse", "legacy-sse":
		return TransportSSE
	case "in-process":
		return TransportInProcess
	}
	return TransportKind(name)
}

func (o *RegistryOptions) http(kind TransportKind, connection json.RawMessage) (Transport, error) {
	var def struct {
		HTTPConfig
		SSEPath string          `json:"sse-endpoint"`
		OAuth   json.RawMessage `json:"oauth"`
	}
	if err := json.Unmarshal(connection, &def); err != nil {
		return nil, fmt.Errorf("client: %s: the definition of the connection: %w", kind, err)
	}
	path := "/mcp"
	if kind == TransportSSE {
		path = "/sse"
		def.Path = cmp.Or(def.SSEPath, def.Path)
	}
	if def.Path == "" && withoutPath(def.URL) {
		def.Path = path
	}
	opts := &HTTPOptions{Lookup: o.Lookup, RoundTripper: o.RoundTripper, Proxy: o.Proxy, EndpointTimeout: o.EndpointTimeout}
	t, err := newHTTP(kind, def.HTTPConfig, opts)
	if err != nil {
		return nil, err
	}
	if rpc.IsObject(def.OAuth) {
		t.endpoint.Auth = AuthOAuth
		if o.Credentials != nil {
			if t.opts.Credentials, err = o.Credentials(t.Describe(), def.OAuth); err != nil {
				return nil, fmt.Errorf("client: %s: oauth: %w", kind, err)
			}
		}
	}
	return t, nil
}

// withoutPath reports whether a URL ends with its host.
func withoutPath(address string) bool {
	_, rest, ok := strings.Cut(address, "://")
	return ok && !strings.ContainsAny(rest, "/?#")
}

func (o *RegistryOptions) stdio(connection json.RawMessage) (Transport, error) {
	var def StdioConfig
	if err := json.Unmarshal(connection, &def); err != nil {
		return nil, fmt.Errorf("client: stdio: the definition of the connection: %w", err)
	}
	return NewStdio(def, &StdioOptions{Lookup: o.Lookup, Prepare: o.Prepare})
}
