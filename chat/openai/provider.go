package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec/secret"
)

var _ llm.Provider = (*Provider)(nil)

// Provider is one server. It is safe for concurrent use, and has nothing to close.
type Provider struct {
	id       string
	base     *url.URL
	api      API
	quirks   *Quirks  // nil if determined by base URL and model
	efforts  []string // nil for those of the quirks
	describe func(llm.ModelInfo) llm.ModelInfo
	http     *http.Client
	header   http.Header // includes the API key
	redact   *secret.Redactor
	client   *goopenai.Client
	refused  refusals
	not      responsesRefusals

	mu     sync.Mutex
	listed map[string]listedModel // the last list of models; nil if there is none yet
	shown  map[string][]string    // capabilities of models on Ollama
	blind  map[string]bool        // models for which the server has refused images
}

// shortSecret is the minimum length of a word in a header that is masked as a secret;
// shorter words may be ordinary words in messages.
const shortSecret = 8

// New returns the provider of a server. It makes no request.
func New(opts *Options) (*Provider, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	base, err := o.check()
	if err != nil {
		return nil, err
	}
	p := &Provider{id: o.ID, base: base, api: o.API, efforts: slices.Clone(o.Efforts), describe: o.Describe, http: wire.Client(o.HTTPClient), header: o.Header.Clone()}
	if o.Quirks != nil {
		q := o.Quirks.clone()
		p.quirks = &q
	}
	if p.header == nil {
		p.header = make(http.Header)
	}
	secrets := []string{o.APIKey}
	for _, values := range o.Header {
		for _, value := range values {
			for _, word := range strings.Fields(value) { // "Bearer …"
				if len(word) >= shortSecret {
					secrets = append(secrets, word)
				}
			}
		}
	}
	if o.APIKey != "" {
		p.header.Set("Authorization", "Bearer "+o.APIKey)
	}
	if o.Organization != "" {
		p.header.Set("OpenAI-Organization", o.Organization)
	}
	if o.Project != "" {
		p.header.Set("OpenAI-Project", o.Project)
	}
	p.redact = secret.NewRedactor(slices.DeleteFunc(secrets, func(s string) bool { return len(s) < secret.MinLength })...)
	config := goopenai.DefaultConfig("") // transport.go adds the key
	config.BaseURL = base.String()
	config.HTTPClient = doer{p}
	config.EmptyMessagesLimit = 1 << 31 // slow servers send many empty lines
	p.client = goopenai.NewClientWithConfig(config)
	return p, nil
}

// ID is the id of the options.
func (p *Provider) ID() string { return p.id }

// String names the provider and its server.
func (p *Provider) String() string { return fmt.Sprintf("openai.Provider(%s, %s)", p.id, p.base) }

// GoString is String: the fields hold the key.
func (p *Provider) GoString() string { return p.String() }

// listedModel is the entry of a model in the list of a server.
type listedModel struct {
	ID    string `json:"id"`
	Owner string `json:"owned_by"`
	// The context size of the model, under the name that the server uses.
	MaxModelLen   int `json:"max_model_len"`      // vLLM
	ContextLength int `json:"context_length"`     // OpenRouter
	LoadedContext int `json:"loaded_context"`     // LM Studio
	MaxContext    int `json:"max_context_length"` // LM Studio
	Meta          struct {
		ContextTrain int `json:"n_ctx_train"` // llama.cpp
		Context      int `json:"n_ctx"`
	} `json:"meta"`
	Architecture struct {
		Input []string `json:"input_modalities"` // OpenRouter
	} `json:"architecture"`
	// Capabilities are those that llama.cpp reports, in a separate list next to the one
	// with the ids, or those that Ollama reports, for a separate request.
	Capabilities []string `json:"-"`
}

// sees reports whether the model supports images; known is false if the server does not
// report it.
func (l *listedModel) sees() (sees, known bool) {
	switch {
	case len(l.Architecture.Input) > 0:
		return slices.Contains(l.Architecture.Input, "image"), true
	case len(l.Capabilities) > 0:
		return slices.Contains(l.Capabilities, "multimodal") || slices.Contains(l.Capabilities, "vision"), true
	}
	return false, false
}

func (l *listedModel) contextTokens() int {
	for _, n := range [...]int{l.MaxModelLen, l.ContextLength, l.LoadedContext, l.Meta.Context, l.MaxContext, l.Meta.ContextTrain} {
		if n > 0 {
			return n
		}
	}
	return 0
}

// mostList is the maximum length of a list of models, in bytes.
const mostList = 16 << 20

// Models asks the server for its models, and returns them sorted by name.
func (p *Provider) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	listed, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	infos := make([]llm.ModelInfo, 0, len(listed))
	for _, l := range listed {
		infos = append(infos, p.info(l.ID))
	}
	slices.SortFunc(infos, func(a, b llm.ModelInfo) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

func (p *Provider) list(ctx context.Context) (map[string]listedModel, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base.String()+"/models", nil)
	if err != nil {
		return nil, &llm.Error{Code: llm.CodeInvalidArgument, Provider: p.id, Err: err}
	}
	resp, err := doer{p}.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostList))
	if err != nil {
		return nil, wire.TransportError(ctx, p.id, err, true)
	}
	var answer struct {
		Data   []listedModel `json:"data"`
		Models []struct {
			Name         string   `json:"name"`
			Capabilities []string `json:"capabilities"`
		} `json:"models"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, &llm.Error{Code: llm.CodeProviderRejected, Provider: p.id, HTTPStatus: resp.StatusCode,
			Message: "the list of models is no JSON: is the base URL right?"}
	}
	listed := make(map[string]listedModel, len(answer.Data))
	for _, l := range answer.Data {
		if l.ID != "" {
			listed[l.ID] = l
		}
	}
	for _, m := range answer.Models {
		if l, ok := listed[m.Name]; ok {
			l.Capabilities = m.Capabilities
			listed[m.Name] = l
		}
	}
	p.mu.Lock()
	p.listed = listed
	p.mu.Unlock()
	return listed, nil
}

// patience is how long a server may take for its list if the list is optional.
const patience = 3 * time.Second

// Model returns a model by name. It asks a server other than OpenAI's own once for its
// list, to learn the context size; if that fails, the first exchange reports why. Only
// the first exchange also shows whether the model exists, since servers know more names
// than they list.
func (p *Provider) Model(ctx context.Context, name string) (llm.Model, error) {
	if name == "" {
		return nil, &llm.Error{Code: llm.CodeInvalidArgument, Provider: p.id, Message: "a model needs a name"}
	}
	p.mu.Lock()
	asked := p.listed != nil
	p.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if !asked && p.base.Hostname() != openAIHost {
		_, _ = p.list(within) // the list is optional
	}
	if p.quirksFor(name).Server == "ollama" {
		p.show(within, name)
	}
	if ctx.Err() != nil {
		return nil, wire.TransportError(ctx, p.id, ctx.Err(), false)
	}
	return &Model{provider: p, info: p.info(name), quirks: p.quirksFor(name)}, nil
}

// show requests the capabilities of a model from an Ollama server. Ollama's own API
// reports them, while its OpenAI-compatible API, which this package uses, ignores images
// silently. A missing response is not a failure.
func (p *Provider) show(ctx context.Context, name string) {
	root, ok := strings.CutSuffix(p.base.String(), "/v1")
	body, err := json.Marshal(map[string]string{"model": name})
	if !ok || err != nil {
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, root+"/api/show", bytes.NewReader(body))
	if err != nil {
		return
	}
	resp, err := doer{p}.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	var answer struct {
		Capabilities []string `json:"capabilities"`
	}
	if json.NewDecoder(io.LimitReader(resp.Body, mostList)).Decode(&answer) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown == nil {
		p.shown = make(map[string][]string)
	}
	if len(p.shown) < mostRefusals {
		p.shown[name] = answer.Capabilities
	}
}

func (p *Provider) quirksFor(model string) Quirks {
	var q Quirks
	if p.quirks != nil {
		q = *p.quirks
	} else {
		q = quirksOf(p.base.String(), p.entry(model).Owner, model)
	}
	if len(p.efforts) > 0 {
		q.Efforts, q.EffortsByResponses = p.efforts, false
	}
	return q
}

// entry returns the entry of a model in the server's list. A llama.cpp server accepts any
// name for its single model.
func (p *Provider) entry(name string) listedModel {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.listed[name]; ok || len(p.listed) != 1 {
		return l
	}
	for _, l := range p.listed {
		if l.Owner == "llamacpp" {
			return l
		}
	}
	return listedModel{}
}

// info describes a model with all known details.
func (p *Provider) info(name string) llm.ModelInfo {
	q := p.quirksFor(name)
	row := modelRowOf(name)
	p.mu.Lock()
	shown, blind := p.shown[name], p.blind[name]
	p.mu.Unlock()
	listed := p.entry(name)
	if len(shown) > 0 {
		listed.Capabilities = shown
	}
	info := llm.ModelInfo{Provider: p.id, Name: name, Place: p.base.String(), ContextTokens: listed.contextTokens(), Capabilities: llm.Capabilities{
		Tools: len(shown) == 0 || slices.Contains(shown, "tools"), ParallelTools: true, StreamWithTools: true, StructuredOutput: !q.NoSchema,
		Vision:          !blind && sees(row, &listed),
		Thinking:        len(q.Efforts) > 0 || q.ThinkingSwitch || named(name, thinkers[:]),
		ReturnReasoning: q.ReturnReasoning,
	}}
	if info.ContextTokens == 0 {
		info.ContextTokens = row.context
	}
	if p.describe != nil {
		info = p.describe(info)
		info.Provider, info.Name = p.id, name
	}
	return info
}
