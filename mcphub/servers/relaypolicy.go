package servers

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// RelayPolicy says which questions of a server are passed to the client whose call caused
// them. The zero value passes only questions to the user. Capabilities that are not
// allowed here are not declared to the server either.
type RelayPolicy struct {
	// NoForms and NoURLs block questions to the user: forms, and requests to open a page.
	NoForms bool `json:"noForms,omitempty"`
	NoURLs  bool `json:"noUrls,omitempty"`
	// MaxQuestions bounds the questions to the user in one call. Default 16.
	MaxQuestions int `json:"maxQuestions,omitempty"`
	// Sampling lets the server use the client's model, and SamplingTools lets that model
	// use tools. The owner of the client pays for this, and the model reads the server's
	// text.
	Sampling      bool `json:"sampling,omitempty"`
	SamplingTools bool `json:"samplingTools,omitempty"`
	// MaxTokens bounds the tokens of one completion: a request for more is reduced.
	// Default 4,096. MaxSamples bounds the completions in one call. Default 8.
	MaxTokens  int `json:"maxTokens,omitempty"`
	MaxSamples int `json:"maxSamples,omitempty"`
	// Roots lets the server ask for the folders in which the client works.
	Roots bool `json:"roots,omitempty"`
	// MaxDepth is how many hubs in a row, including this one, may pass a question on,
	// which stops loops. Default 4.
	MaxDepth int `json:"maxDepth,omitempty"`
}

const (
	defaultMaxQuestions = 16
	defaultMaxTokens    = 4_096
	defaultMaxSamples   = 8
	defaultMaxDepth     = 4
)

func (p RelayPolicy) withDefaults() RelayPolicy {
	p.MaxQuestions = cmp.Or(max(p.MaxQuestions, 0), defaultMaxQuestions)
	p.MaxTokens = cmp.Or(max(p.MaxTokens, 0), defaultMaxTokens)
	p.MaxSamples = cmp.Or(max(p.MaxSamples, 0), defaultMaxSamples)
	p.MaxDepth = cmp.Or(max(p.MaxDepth, 0), defaultMaxDepth)
	return p
}

// Validate reports what is wrong with the policy.
func (p *RelayPolicy) Validate() error {
	if p == nil {
		return nil
	}
	for _, limit := range []struct {
		name  string
		value int
	}{{"maxQuestions", p.MaxQuestions}, {"maxTokens", p.MaxTokens}, {"maxSamples", p.MaxSamples}, {"maxDepth", p.MaxDepth}} {
		if limit.value < 0 {
			return fmt.Errorf("relay.%s is %d: use a positive number, or none for the default", limit.name, limit.value)
		}
	}
	if p.SamplingTools && !p.Sampling {
		return errors.New("relay.samplingTools needs relay.sampling")
	}
	return nil
}

// declare adds what the policy allows to the capabilities that this side has itself.
func (p *RelayPolicy) declare(own client.ClientCapabilities) client.ClientCapabilities {
	own.Form = own.Form || !p.NoForms
	own.URL = own.URL || !p.NoURLs
	own.SamplingTools = own.SamplingTools || p.Sampling && p.SamplingTools
	own.Sampling = own.Sampling || p.Sampling
	own.Roots = own.Roots || p.Roots
	return own
}

// allows reports whether a question may be forwarded to the client.
func (p *RelayPolicy) allows(k rpc.QuestionKind) bool {
	switch k {
	case rpc.FormQuestion:
		return !p.NoForms
	case rpc.URLQuestion:
		return !p.NoURLs
	case rpc.ModelQuestion:
		return p.Sampling
	case rpc.ModelToolsQuestion:
		return p.Sampling && p.SamplingTools
	case rpc.RootsQuestion:
		return p.Roots
	}
	return false
}
