package ollama

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass/chat/llm"
)

const (
	defaultID        = "ollama"
	defaultBaseURL   = "http://localhost:11434"
	defaultKeepAlive = "30m"
	// defaultNumCtx is enough for a conversation with a few tools; the server's default
	// of 4096 on a small machine often is not.
	defaultNumCtx = 8192
)

// Options are the settings of a [Provider]. The zero value is for a server on this
// machine.
type Options struct {
	// ID is the provider's id. Conversations are locked to it. Empty: "ollama".
	ID string
	// BaseURL is where the server is, without /api. Empty: http://localhost:11434.
	// The environment (OLLAMA_HOST) is not read.
	BaseURL string
	// HTTPClient makes the requests. It should have no Timeout, which would bound the
	// whole answer; the context does that. nil: a new client.
	HTTPClient *http.Client
	// Header is sent with each request, such as the key of a proxy in front of the
	// server. It is sent to no other host, and its values are never shown.
	Header http.Header
	// AllowKeyOverHTTP allows sending an Authorization header over plain HTTP to another
	// machine, where everyone on the network path can read it. It is not needed for this
	// machine.
	AllowKeyOverHTTP bool
	// KeepAlive is how long the server keeps a model in memory after its last answer: a
	// duration such as "10m", "0" to free it at once, or "-1" to keep it for ever. Empty:
	// "30m".
	KeepAlive string
	// NumCtx is the size of the context in tokens, input and output together. 0 means the
	// size in the model's own parameters, or 8192. It is reduced to the largest context
	// that the model supports.
	NumCtx int
	// ServerContext leaves the size of the context to the server. The size is then known
	// only for a loaded model, and the server does not reload the model when programs
	// request different sizes.
	ServerContext bool
	// Quirks are facts about models that the server does not report, by the name of the
	// model or a prefix of it; the longest match counts. They take precedence over this
	// package's own list.
	Quirks map[string]Quirks
}

// Quirks are peculiarities of a model.
type Quirks struct {
	// WholeToolAnswers requests the answer in one piece whenever tools are offered: for
	// models whose calls the server loses while streaming.
	WholeToolAnswers bool
	// RescueToolCalls accepts a tool call that the model printed as text, if it names a
	// tool of the request and its arguments match that tool's schema. Text that may be
	// such a call is held back until this is decided.
	RescueToolCalls bool
}

// knownQuirks returns the quirks of models that often print their calls as text,
// according to user reports.
func knownQuirks() map[string]Quirks {
	return map[string]Quirks{
		"qwen2.5-coder": {RescueToolCalls: true},
		"llama3.2":      {RescueToolCalls: true},
		"smollm2":       {RescueToolCalls: true},
	}
}

// quirksOf returns the quirks of a model.
func quirksOf(name string, lists ...map[string]Quirks) Quirks {
	for _, list := range lists {
		best, found := "", false
		for prefix := range list {
			if strings.HasPrefix(name, prefix) && (!found || len(prefix) > len(best)) {
				best, found = prefix, true
			}
		}
		if found {
			return list[best]
		}
	}
	return Quirks{}
}

// New returns a provider. It makes no request.
func New(opts *Options) (*Provider, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.NumCtx < 0 {
		return nil, fmt.Errorf("chat/ollama: NumCtx: %d is negative, 0 is the default: %w", o.NumCtx, llm.ErrInvalid)
	}
	if o.NumCtx > 0 && o.ServerContext {
		return nil, fmt.Errorf("chat/ollama: NumCtx and ServerContext exclude each other: %w", llm.ErrInvalid)
	}
	if o.BaseURL == "" {
		o.BaseURL = defaultBaseURL
	}
	base, err := url.Parse(strings.TrimRight(o.BaseURL, "/"))
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, fmt.Errorf("chat/ollama: BaseURL: it must be an address such as %s: %w", defaultBaseURL, llm.ErrInvalid)
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("chat/ollama: BaseURL: it must have no user, query or fragment; a key goes into Header: %w", llm.ErrInvalid)
	}
	if base.Scheme == "http" && o.Header.Get("Authorization") != "" && !o.AllowKeyOverHTTP && !loopback(base.Hostname()) {
		return nil, fmt.Errorf("chat/ollama: a key for %s would go over plain HTTP: use https, or set AllowKeyOverHTTP: %w", base.Host, llm.ErrInvalid)
	}
	keep, err := keepAlive(o.KeepAlive)
	if err != nil {
		return nil, err
	}
	if o.ID == "" {
		o.ID = defaultID
	}
	return newProvider(o, base, keep), nil
}

// keepAlive returns the JSON form of a setting.
func keepAlive(s string) (json.RawMessage, error) {
	if s == "" {
		s = defaultKeepAlive
	}
	seconds, err := strconv.Atoi(s)
	if err == nil && seconds >= -1 {
		return json.RawMessage(strconv.Itoa(seconds)), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return json.RawMessage(strconv.Quote(d.String())), nil
	}
	return nil, fmt.Errorf(`chat/ollama: KeepAlive: %q is no time such as "30m", "0" or "-1": %w`, s, llm.ErrInvalid)
}
