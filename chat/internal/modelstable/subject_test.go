package modelstable

import (
	"context"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/internal/tinymodel"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/modelservers"
)

// subject is a server with a row in the table, and its models.
type subject struct {
	name string
	// model returns the model for most turns, responses the same over the Responses API,
	// or nil if the provider does not support it.
	model, responses func(t *testing.T) llm.Model
	// thinking returns the reasoning model, if it is another one.
	thinking, thinkingResponses func(t *testing.T) llm.Model
	// script is nil for a real server.
	script *modelservers.Server
	kind   modelservers.Kind
}

// kinds returns the scripted servers in the order of the table.
func kinds() []modelservers.Kind {
	return []modelservers.Kind{
		modelservers.OpenAI(),
		modelservers.LiteLLM(true), modelservers.LiteLLM(false),
		modelservers.LlamaCpp(modelservers.LlamaOptions{Jinja: true, Projector: true}),
		modelservers.LlamaCpp(modelservers.LlamaOptions{Jinja: true}),
		modelservers.LlamaCpp(modelservers.LlamaOptions{}),
		modelservers.VLLM(modelservers.VLLMOptions{Tools: true, Images: true}),
		modelservers.VLLM(modelservers.VLLMOptions{Tools: true}),
		modelservers.VLLM(modelservers.VLLMOptions{}),
		modelservers.LMStudio(false), modelservers.LMStudio(true),
		modelservers.OllamaV1(),
	}
}

// scripted starts a server and makes its models with only the base URL, the key and the
// API.
func scripted(t *testing.T, k modelservers.Kind) *subject {
	t.Helper()
	s, err := modelservers.Start(k)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	at := func(api openai.API) func(*testing.T) llm.Model {
		return func(t *testing.T) llm.Model { return configured(t, s, k, k.Key, k.Model, api) }
	}
	return &subject{name: k.Name, script: s, kind: k, model: at(openai.APIAuto), responses: at(openai.APIResponses),
		thinking: at(openai.APIAuto), thinkingResponses: at(openai.APIResponses)}
}

func configured(t *testing.T, s *modelservers.Server, k modelservers.Kind, key, name string, api openai.API) llm.Model {
	t.Helper()
	p, err := openai.New(&openai.Options{BaseURL: k.BaseURL, APIKey: key, API: api, HTTPClient: s.Client()})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), name)
	require.NoError(t, err)
	return m
}

// Names of the rows of the real server.
const (
	rowOllama   = "Ollama, by itself"
	rowOllamaV1 = "Ollama `/v1`"
)

// live returns the rows of the real Ollama with its tiny models:
//
//	.ci/ollama run -- go test ./chat/internal/modelstable -run Live
func live(t *testing.T) []*subject {
	t.Helper()
	base := os.Getenv("LOCALPASS_OLLAMA")
	if base == "" {
		t.Skip("LOCALPASS_OLLAMA does not name a server with the tiny models: run the test by .ci/ollama run")
	}
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	native := func(name string) func(*testing.T) llm.Model {
		return func(t *testing.T) llm.Model {
			t.Helper()
			p, err := ollama.New(&ollama.Options{BaseURL: base, HTTPClient: client})
			require.NoError(t, err)
			return of(t, p, name)
		}
	}
	v1 := func(name string, api openai.API) func(*testing.T) llm.Model {
		return func(t *testing.T) llm.Model {
			t.Helper()
			q := openai.QuirksFor("http://localhost:11434/v1", name) // the usual port identifies the server
			p, err := openai.New(&openai.Options{BaseURL: base + "/v1", API: api, HTTPClient: client, Quirks: &q})
			require.NoError(t, err)
			return of(t, p, name)
		}
	}
	return []*subject{
		{name: rowOllama, model: native(tinymodel.ModelTools), thinking: native(tinymodel.ModelThinking)},
		{name: rowOllamaV1, model: v1(tinymodel.ModelTools, openai.APIAuto), responses: v1(tinymodel.ModelTools, openai.APIResponses),
			thinking: v1(tinymodel.ModelThinking, openai.APIAuto), thinkingResponses: v1(tinymodel.ModelThinking, openai.APIResponses)},
	}
}

func of(t *testing.T, p interface {
	Model(context.Context, string) (llm.Model, error)
}, name string) llm.Model {
	t.Helper()
	m, err := p.Model(t.Context(), name)
	require.NoError(t, err)
	return m
}
