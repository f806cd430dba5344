package server

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/toolspec/secret"
)

// Options are the options of [New]. The zero value serves this machine out of
// the default home.
type Options struct {
	// Home keeps tools, passes, servers and settings, where there is no Config. Empty:
	// $LOCALPASS_HOME, else ~/.localpass.
	Home string
	// Config is what tools, conversations, approvals and servers are bounded by, and
	// which model answers. nil: the file localpass.json of the home, and the
	// environment.
	Config *config.Config
	// Policies are approval policies in addition to those in the policy file of Config.
	Policies []approval.Policy
	// DemoPace is the time between two words of the demo model; 0 is at once.
	DemoPace time.Duration

	// Token lets people in at the page and its API. Empty: only connections on a
	// loopback address are served, and no request that a proxy forwarded.
	Token string
	// MCPToken lets clients in at /mcp. Empty: as above.
	MCPToken string
	// AllowedHosts are names beside loopback ones by which the server may be addressed.
	AllowedHosts []string
	// Secure says that browsers come over TLS: cookies are bound to it.
	Secure bool

	// PublicURL is how people and clients reach the server by way of a proxy: scheme
	// and host, such as "https://tools.example.com". The proxy must send the Host
	// that it was asked for; what it says of where a request came from is ignored. Off
	// this machine it needs a Token and an MCPToken. Empty: as it listens.
	PublicURL string

	// Restart restarts the program, after a backup was restored or the home emptied. It
	// must return at once. nil: a person has to do it by hand.
	Restart func()

	// Version is what the program calls itself; default "dev".
	Version string
	// Settings are what the settings page shows, for people to see where a value
	// comes from.
	Settings []Setting
	// Logger receives what went wrong. nil is slog.Default().
	Logger *slog.Logger
	// Clock replaces time.Now.
	Clock func() time.Time
}

// Setting is a value of the configuration and where it comes from.
type Setting struct {
	Name string `json:"name"`
	// Section is the part of the settings page that it belongs to.
	Section string `json:"section,omitempty"`
	// Value is how people read it. A secret is never here.
	Value string `json:"value"`
	// Origin is "default", "file", "environment" or "flag".
	Origin string `json:"origin" enum:"default,file,environment,flag"`
	// Help says what it is for, and Source names the flag, the variable or the
	// member of the file.
	Help   string `json:"help"`
	Source string `json:"source,omitempty"`
	// Member is its name in the file, and Variable that in the environment, where
	// it has one.
	Member   string `json:"member,omitempty"`
	Variable string `json:"variable,omitempty"`
	// Restart says that a change of it counts from the next start on.
	Restart bool `json:"restart"`
}

// storePoll is how often the home is polled for changes by other programs: that is
// most of what an idle server does; its own changes it knows.
const storePoll = 250 * time.Millisecond

func (o *Options) defaults() error {
	if o.Config == nil {
		var args []string
		if o.Home != "" {
			args = []string{"-home", o.Home}
		}
		var err error
		if o.Config, err = config.Load(config.Playground, args, secret.Env()); err != nil {
			return err
		}
	}
	o.Home = o.Config.Home
	if file := o.Config.Approval.PolicyFile; file != "" {
		policies, err := approval.LoadPolicyFile(file)
		if err != nil {
			return fmt.Errorf("the policy file: %w", err)
		}
		o.Policies = append(slices.Clone(o.Policies), policies...)
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return nil
}
