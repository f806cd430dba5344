package server

import (
	"log/slog"
	"time"

	"github.com/localpass/localpass/approval"
)

// Options are the options of [New]. The zero value serves this machine out of
// the default home.
type Options struct {
	// Home keeps tools, passes, servers and settings. Empty: $LOCALPASS_HOME, else
	// ~/.localpass.
	Home string
	// Workspace is where tools with files work; empty: "workspace" in the home.
	Workspace string
	// AllowPaths are directories beside it that specs may name as their own, and
	// AllowHosts internal hosts that tools with the network may reach.
	AllowPaths, AllowHosts []string
	// ToolTimeout bounds one call; default 30 s. ApprovalTimeout is how long a
	// person has to answer; default 2 minutes.
	ToolTimeout, ApprovalTimeout time.Duration
	// Policies are fixed approval policies, those of a policy file.
	Policies []approval.Policy

	// Token lets people in at the page and its API. Empty: only connections on a
	// loopback address are served.
	Token string
	// MCPToken lets clients in at /mcp. Empty: as above.
	MCPToken string
	// Hosts are names beside loopback ones by which the server may be addressed.
	Hosts []string
	// Secure says that browsers come over TLS: cookies are bound to it.
	Secure bool

	// Version is what the program calls itself; default "dev".
	Version string
	// Settings are what the settings page shows, for people to see where a value
	// comes from.
	Settings []Setting
	// Logger is told of what went wrong; nil is off.
	Logger *slog.Logger
	// Now replaces time.Now.
	Now func() time.Time
}

// Setting is a value of the configuration and where it comes from.
type Setting struct {
	Name string `json:"name"`
	// Value is how people read it. A secret is never here.
	Value string `json:"value"`
	// Origin is "default", "file", "environment" or "flag".
	Origin string `json:"origin" enum:"default,file,environment,flag"`
	// Help says what it is for, and Source names the flag, the variable or the
	// member of the file.
	Help   string `json:"help"`
	Source string `json:"source,omitempty"`
}

const (
	defaultToolTimeout     = 30 * time.Second
	defaultApprovalTimeout = 2 * time.Minute
)

func (o *Options) defaults() {
	if o.ToolTimeout <= 0 {
		o.ToolTimeout = defaultToolTimeout
	}
	if o.ApprovalTimeout <= 0 {
		o.ApprovalTimeout = defaultApprovalTimeout
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}
