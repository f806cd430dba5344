package directory

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/toolspec/secret"
)

// Entry describes one server and one way to reach it. Its texts may hold ${NAME} for a
// variable. The entries of a [Directory] are shared: do not change them.
type Entry struct {
	// ID names the entry, and by default the record that is made of it.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Category is the id of a [Category].
	Category string   `json:"category"`
	Tags     []string `json:"tags,omitempty"`
	Vendor   string   `json:"vendor,omitempty"`
	// Trust says who answers for the address or the package. An entry with trust is curated.
	Trust       risk.Trust `json:"trust,omitempty"`
	Description string     `json:"description,omitempty"`
	// Docs is the address of the documentation.
	Docs      string    `json:"docs,omitempty"`
	Stability Stability `json:"stability,omitempty"`

	// Transport is "http", "sse" or "stdio". The first two have URL, Headers and OAuth, the
	// last has Command, Args, Env and Package.
	Transport client.TransportKind `json:"transport"`
	URL       string               `json:"url,omitempty"`
	Headers   map[string]string    `json:"headers,omitempty"`
	// OAuth is how a person signs in, unless a header with credentials is sent.
	OAuth   *OAuth            `json:"oauth,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Package *Package          `json:"package,omitempty"`
	// Auth is how the connection authenticates itself if it has all values.
	Auth client.AuthMode `json:"auth"`

	// Variables are the values that the server needs or accepts.
	Variables []Variable `json:"variables,omitempty"`
	// Tools are the names of tools, as far as known before the server is connected to.
	Tools []string `json:"tools,omitempty"`
	// Notes are what a person should know before using it, in sentences.
	Notes []string `json:"notes,omitempty"`
}

// Stability says how far a server is finished. The zero value is unknown.
type Stability string

// The stages.
const (
	StabilityUnknown Stability = ""
	StabilityGA      Stability = "ga" // generally available
	StabilityBeta    Stability = "beta"
	StabilityPreview Stability = "preview"
)

// OAuth are the settings of a sign-in with OAuth, as in the definition of a connection.
type OAuth struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	Issuer       string   `json:"issuerUri,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
}

// Package is the package that a program comes from.
type Package struct {
	// Registry is "npm", "pypi", "oci" or "nuget".
	Registry string `json:"registry"`
	Name     string `json:"name"`
	Version  string `json:"version"`
	// Integrity is the digest of the package that the registry stated when the entry was
	// written, such as "sha512-…". It is for comparison: runners of packages do not take it.
	Integrity string `json:"integrity,omitempty"`
}

// VariableKind says whether a value is a secret.
type VariableKind string

// The kinds of variables.
const (
	Plain  VariableKind = "plain"  // it is written into the record
	Secret VariableKind = "secret" // the record has a placeholder for it
)

// Variable is a value that a server needs.
type Variable struct {
	// Name consists of A-Z, 0-9 and _. ${Name} stands for the value.
	Name        string       `json:"name"`
	Kind        VariableKind `json:"kind"`
	Required    bool         `json:"required,omitempty"`
	Description string       `json:"description,omitempty"`
	// Default is used if no value is given. Choices are the allowed values; nil allows all.
	Default string   `json:"default,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

// Category groups entries.
type Category struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Order       int    `json:"order"`
	Description string `json:"description"`
	// Servers is the number of entries.
	Servers int `json:"servers"`
}

// Variable returns a variable by name; nil if there is none.
func (e *Entry) Variable(name string) *Variable {
	if i := slices.IndexFunc(e.Variables, func(v Variable) bool { return v.Name == name }); i >= 0 {
		return &e.Variables[i]
	}
	return nil
}

// texts returns the texts of the connection, in which placeholders are filled in.
func (e *Entry) texts() []string {
	texts := append([]string{e.URL, e.Command}, e.Args...)
	for _, values := range []map[string]string{e.Headers, e.Env} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			texts = append(texts, values[name])
		}
	}
	if o := e.OAuth; o != nil {
		texts = append(append(texts, o.ClientID, o.ClientSecret, o.Issuer), o.Scopes...)
	}
	return texts
}

// check reports what is wrong with the form of an entry.
func (e *Entry) check() error {
	used := secret.Names(strings.Join(e.texts(), "\n"))
	http, program := e.Transport == client.TransportHTTP || e.Transport == client.TransportSSE, e.Transport == client.TransportStdio
	wrong := ""
	switch {
	case !rpc.IsServerID(e.ID):
		wrong = "its id must have at most 64 characters of A-Z a-z 0-9 . _ and -"
	case e.Name == "" || e.Category == "":
		wrong = "it needs a name and a category"
	case !http && !program || http != (e.URL != "") || program != (e.Command != ""):
		wrong = "it needs the transport http or sse and a url, or the transport stdio and a command"
	}
	for i, v := range e.Variables {
		switch {
		case !slices.Contains(used, v.Name) || e.Variable(v.Name) != &e.Variables[i]:
			wrong = "nothing uses the variable " + v.Name + ", or it occurs twice"
		case v.Kind != Plain && (v.Kind != Secret || v.Default != "" || v.Choices != nil):
			wrong = v.Name + " must be plain, or secret without a default and choices"
		case strings.Contains(v.Default, "${"):
			wrong = "the default of " + v.Name + " must not contain ${"
		}
	}
	for _, name := range used {
		if e.Variable(name) == nil {
			wrong = "${" + name + "} is none of its variables"
		}
	}
	if wrong != "" {
		return fmt.Errorf("directory: entry %q: %s", e.ID, wrong)
	}
	return nil
}
