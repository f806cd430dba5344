package server

import (
	"log/slog"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat/llm"
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

	// Profile is the provider that answers where no other was chosen: one of ollama,
	// openai, compatible and demo. Empty: the first of openai, where OPENAI_API_KEY or
	// OPENAI_BASE_URL is set, ollama, where it answers, and demo.
	Profile string
	// Model is its model; empty: one that is there. Without Profile it is
	// PROVIDER/NAME, or a model of the provider that is there. BaseURL is where the
	// provider of Profile is; empty: what OPENAI_BASE_URL or OLLAMA_HOST say, else
	// where it usually is. OPENAI_API_KEY is sent to the server of OPENAI_BASE_URL
	// alone, or to OpenAI's own where that is not set.
	Model, BaseURL string
	// DemoPace is the time between two words of the demo model; 0 is at once.
	DemoPace time.Duration
	// TurnTimeout bounds a turn of a chat; default 30 minutes.
	TurnTimeout time.Duration
	// Retry says which calls of models are made again; nil is the default of a
	// [chat.Client].
	Retry *llm.RetryPolicy

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
	// Logger receives what went wrong. nil is off.
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

const (
	defaultToolTimeout     = 30 * time.Second
	defaultApprovalTimeout = 2 * time.Minute
	defaultTurnTimeout     = 30 * time.Minute
	// storePoll is how often the home is polled for changes by other programs: that is
	// most of what an idle server does; its own changes it knows.
	storePoll = 250 * time.Millisecond
)

func (o *Options) defaults() {
	if o.ToolTimeout <= 0 {
		o.ToolTimeout = defaultToolTimeout
	}
	if o.ApprovalTimeout <= 0 {
		o.ApprovalTimeout = defaultApprovalTimeout
	}
	if o.TurnTimeout <= 0 {
		o.TurnTimeout = defaultTurnTimeout
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}
