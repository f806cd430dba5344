package config

import (
	"sync"
	"time"
)

// Config is what a program was told, by its flags, the environment and the file. What
// nobody said is the default.
type Config struct {
	Program Program
	// Home is the directory of the state, and File the file of settings in it, or
	// another one; Read reports whether that is there.
	Home, File string
	Read       bool

	Page     Page
	Chat     Chat
	Tools    Tools
	Approval Approval
	MCP      MCP
	Servers  Servers
	Traces   Traces
	Audit    Audit

	// Choice is which server of models, and which model, was chosen.
	Choice Choice

	profiles    []Profile // of the file, in its order
	environment *environment
	origins     map[string]Origin // by the name of the knob; none: the default
	saving      sync.Mutex        // held while the file is replaced
}

func newConfig(p Program) *Config {
	return &Config{Program: p, origins: map[string]Origin{}, environment: &environment{}}
}

// Origin is where a value comes from.
type Origin struct {
	// Kind is "default", "file", "environment" or "flag".
	Kind string
	// Place is the flag, the variable, or the file and the line.
	Place string
}

// The kinds of origins.
const (
	FromDefault     = "default"
	FromFile        = "file"
	FromEnvironment = "environment"
	FromFlag        = "flag"
)

// Origin returns where the value of a knob comes from.
func (c *Config) Origin(knob string) Origin {
	if o, ok := c.origins[knob]; ok {
		return o
	}
	return Origin{Kind: FromDefault}
}

// Page is how the page of the playground is reached.
type Page struct {
	Addr      string
	Hosts     []string
	Token     string
	TokenFile string
	PublicURL string
	TLSCert   string
	TLSKey    string
	Insecure  bool
}

// Chat bounds conversations and what a model is asked with.
type Chat struct {
	SystemPrompt      string
	Preset            string
	Reasoning         string
	Rounds            int
	HardRounds        int
	IdenticalCalls    int
	CallsPerTool      int
	Calls             int
	ParallelCalls     int
	QuestionsPerRound int
	ResultChars       int
	FirstToken        time.Duration
	Silence           time.Duration
	TurnTimeout       time.Duration // 0: no bound
	TurnTokens        int           // 0: no bound
	TurnCost          float64       // in the currency of Prices; 0: no bound
	Window            int           // in messages
	WindowTokens      int           // 0: no bound
	KeptMessages      int
	MaxTokens         int // of an answer; 0: the provider's own
	Temperature       *float64
	TopP              *float64
	Attempts          int
	RetryWait         time.Duration
	Prices            map[string]Price
}

// Price is what a model costs, for a million tokens, in any currency.
type Price struct {
	Input  float64
	Cached float64 // of input that the provider had already
	Output float64
}

// Tools bounds what tools may do and reach.
type Tools struct {
	Workspace    string
	AllowPaths   []string
	ReadPaths    []string
	AllowHosts   []string
	DenyHosts    []string
	Timeout      time.Duration
	Statements   int // 0: not counted
	Workers      int // 0: by the number of processors
	Queue        int
	QueueTimeout time.Duration
	Memory       Size
	CallDepth    int
	Requests     int
	FetchBytes   Size
	Baseline     Baseline
	Ceiling      Ceiling
}

// Baseline is what every tool may do without asking for it.
type Baseline struct {
	Network string // "off", or a mode
	Hosts   []string
	Files   string // off, read or write
}

// Ceiling is the most that a tool may ask for.
type Ceiling struct {
	Network string // "", for no ceiling at all, or a mode
	Hosts   []string
	Files   string
	Level   string
}

// Approval says how people are asked.
type Approval struct {
	Timeout    time.Duration
	MoreTime   time.Duration
	PerMinute  int
	FourEyes   bool
	PolicyFile string
}

// MCP is the server that the program is.
type MCP struct {
	Name            string
	Token           string
	MaxMessage      Size
	SessionIdle     time.Duration
	MaxSessions     int
	MaxCalls        int
	QuestionTimeout time.Duration
	PageSize        int
	ListTTL         time.Duration
}

// Servers bounds the use of other MCP servers.
type Servers struct {
	CallTimeout   time.Duration
	IdleTimeout   time.Duration
	SyncEvery     time.Duration
	StaleFor      time.Duration
	MaxCalls      int
	MaxQueue      int
	QueueTimeout  time.Duration
	MaxTotalCalls int
}

// Traces says how many traces are kept in memory.
type Traces struct {
	Keep  int
	Bytes Size
	Spans int
}

// Audit says how long the audit log is kept.
type Audit struct {
	KeepFor   time.Duration // 0: for good
	KeepBytes Size          // 0: all
}
