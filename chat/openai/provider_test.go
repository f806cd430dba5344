package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

const key = "sk-very-secret-0123456789"

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]openai.Options{
		"no address":      {BaseURL: "localhost:8000"},
		"unreadable":      {BaseURL: "http://[::1"},
		"other scheme":    {BaseURL: "ftp://localhost/v1"},
		"user":            {BaseURL: "https://ada:" + key + "@localhost/v1"},
		"query":           {BaseURL: "https://localhost/v1?a=b"},
		"fragment":        {BaseURL: "https://localhost/v1#a"},
		"api":             {API: "other"},
		"effort":          {Efforts: []string{"low", "very high"}},
		"key with a line": {APIKey: key + "\n"},
		"key in the open": {BaseURL: "http://192.0.2.1/v1", APIKey: key},
		"header too":      {BaseURL: "http://192.0.2.1/v1", Header: http.Header{"Authorization": {"Bearer " + key}}},
	} {
		_, err := openai.New(&o)
		require.ErrorIs(t, err, llm.ErrInvalid, name)
		assert.NotContains(t, err.Error(), key, name)
	}
	for _, o := range []*openai.Options{
		nil, {}, {APIKey: key}, {BaseURL: "http://localhost:1234/v1/", APIKey: key}, {BaseURL: "http://[::1]:8000/v1", APIKey: key},
		{BaseURL: "http://a.localhost/v1", APIKey: key}, {BaseURL: "http://192.0.2.1/v1"}, {BaseURL: "http://192.0.2.1/v1", APIKey: key, AllowKeyOverHTTP: true},
	} {
		p, err := openai.New(o)
		require.NoError(t, err)
		assert.Equal(t, "openai", p.ID())
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	o := openai.Options{BaseURL: "https://ada:" + key + "@localhost/v1?k=" + key, APIKey: key, Header: http.Header{"X-Api-Key": {key}}, ID: "mine", Organization: "o", Project: "p"}
	raw, err := json.Marshal(o)
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "options", o, "pointer", &o)
	o2 := o
	o2.BaseURL = ""
	p, err := openai.New(&o2)
	require.NoError(t, err)
	m, err := p.Model(t.Context(), "gpt-4o")
	require.NoError(t, err)
	for _, shown := range []string{string(raw), log.String(), o.String(), fmt.Sprintf("%v %+v %#v %v", o, o, o, &o), fmt.Sprintf("%v %+v %#v %s", p, p, p, p), fmt.Sprintf("%v %+v %#v", m, m, m)} {
		assert.NotContains(t, shown, key)
		assert.NotEmpty(t, shown)
	}
	assert.Contains(t, o.String(), `"apiKey":"***"`)
	assert.Contains(t, o.String(), "X-Api-Key")

	// The same if the server repeats them in an error.
	s := &server{answers: []answer{
		{status: 401, body: `{"error":{"message":"bad key ` + key + ` "}}`},
		{body: sse(`{"error":{"message":"your key ` + key + ` is used up"}}`)},
	}}
	for range 2 {
		r := run(t, ask(t, s, openai.Options{APIKey: key}, "m"), request())
		require.Error(t, r.err)
		assert.NotContains(t, r.err.Error(), "secret")
	}
	assert.Equal(t, "Bearer "+key, s.headers[0].Get("Authorization"))
}

func TestHeaders(t *testing.T) {
	s := &server{answers: []answer{{body: fine}}}
	run(t, ask(t, s, openai.Options{APIKey: key, Organization: "o", Project: "p", Header: http.Header{"X-Title": {"localpass"}}}, "m"), request())
	h := s.headers[0]
	assert.Equal(t, "Bearer "+key, h.Get("Authorization"))
	assert.Equal(t, "o", h.Get("OpenAI-Organization"))
	assert.Equal(t, "p", h.Get("OpenAI-Project"))
	assert.Equal(t, "localpass", h.Get("X-Title"))
	assert.Equal(t, "text/event-stream", h.Get("Accept"))
	assert.Equal(t, "application/json", h.Get("Content-Type"))
	bare := &server{answers: []answer{{body: fine}}}
	run(t, ask(t, bare, openai.Options{}, "m"), request())
	assert.NotContains(t, bare.headers[0], "Authorization")
}

func TestModelsAreListedAndDescribed(t *testing.T) {
	answers := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/models", r.URL.Path)
		assert.Equal(t, "Bearer "+key, r.Header.Get("Authorization"))
		w.Write([]byte(<-answers))
	}))
	defer s.Close()
	const list = `{"object":"list","data":[
		{"id":"z-vl","max_model_len":4096},{"id":"a","context_length":8192,"architecture":{"input_modalities":["text","image"]}},
		{"id":"m","meta":{"n_ctx_train":1000}},{"id":"l","max_context_length":5,"loaded_context":4},{"id":"deepseek-r1"},{"id":"gpt-oss:20b"},{"id":""}],
		"models":[{"name":"l","capabilities":["completion"]},{"name":"z-vl","capabilities":["completion","multimodal"]},{"name":"not among them","capabilities":[]}]}`
	p, err := openai.New(&openai.Options{BaseURL: s.URL + "/v1", APIKey: key, ID: "here", Describe: func(i llm.ModelInfo) llm.ModelInfo {
		if i.Name == "deepseek-r1" {
			i.ContextTokens, i.Provider, i.Name = 77, "x", "y"
			i.Capabilities.Tools = false
		}
		return i
	}})
	require.NoError(t, err)
	answers <- list
	m, err := p.Model(t.Context(), "z-vl")
	require.NoError(t, err)
	assert.Equal(t, 4096, m.Info().ContextTokens)
	assert.True(t, m.Info().Capabilities.Vision)
	m, err = p.Model(t.Context(), "not listed")
	require.NoError(t, err, "it is asked once, and does not say everything")
	assert.Zero(t, m.Info().ContextTokens)
	answers <- list
	infos, err := p.Models(t.Context())
	require.NoError(t, err)
	require.Len(t, infos, 6)
	got := map[string]llm.ModelInfo{}
	for i, info := range infos {
		assert.Equal(t, "here", info.Provider)
		if i > 0 {
			assert.Less(t, infos[i-1].Name, info.Name)
		}
		got[info.Name] = info
	}
	assert.Equal(t, 8192, got["a"].ContextTokens)
	assert.True(t, got["a"].Capabilities.Vision)
	assert.True(t, got["m"].Capabilities.Vision, "nothing says that it sees none")
	assert.True(t, got["z-vl"].Capabilities.Vision)
	assert.False(t, got["l"].Capabilities.Vision, "the server lists it without")
	assert.False(t, got["gpt-oss:20b"].Capabilities.Vision)
	assert.Equal(t, 1000, got["m"].ContextTokens)
	assert.Equal(t, 4, got["l"].ContextTokens)
	assert.Equal(t, 77, got["deepseek-r1"].ContextTokens)
	assert.False(t, got["deepseek-r1"].Capabilities.Tools)
	assert.Equal(t, llm.ReasoningSameTurn, got["deepseek-r1"].Capabilities.ReturnReasoning)
	assert.True(t, got["gpt-oss:20b"].Capabilities.Thinking)
	assert.Equal(t, 131_072, got["gpt-oss:20b"].ContextTokens)
	answers <- "<html>"
	_, err = p.Models(t.Context())
	assert.Equal(t, llm.CodeProviderRejected, llm.CodeOf(err))
	_, err = p.Model(t.Context(), "")
	assert.Equal(t, llm.CodeInvalidArgument, llm.CodeOf(err))
	s.Close()
	_, err = p.Models(t.Context())
	assert.Equal(t, llm.CodeUnavailable, llm.CodeOf(err))
}

// Ollama reports the capabilities of a model over its own API.
func TestOllamaIsAskedWhatAModelCanDo(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Model string }
		if r.URL.Path != "/api/show" || json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Model == "unknown" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"capabilities":["completion","%s"]}`, asked.Model)
	}))
	defer s.Close()
	q := openai.QuirksFor("http://localhost:11434/v1", "m")
	p, err := openai.New(&openai.Options{BaseURL: s.URL + "/v1", Quirks: &q})
	require.NoError(t, err)
	for name, want := range map[string][2]bool{"tools": {true, false}, "vision": {false, true}, "unknown": {true, true}} {
		m, err := p.Model(t.Context(), name)
		require.NoError(t, err)
		can := m.Info().Capabilities
		assert.Equal(t, want, [2]bool{can.Tools, can.Vision}, name)
	}
}

func TestAModelNeedsNoListFromTheServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	p, err := openai.New(&openai.Options{BaseURL: s.URL})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), "m")
	require.NoError(t, err)
	assert.Equal(t, "m", m.Info().Name)
}

func TestQuirksOfServers(t *testing.T) {
	for base, server := range map[string]string{
		openai.DefaultBaseURL: "openai", "https://api.deepseek.com/v1": "deepseek", "https://openrouter.ai/api/v1": "openrouter",
		"http://localhost:11434/v1": "ollama", "http://box:1234/v1": "lmstudio", "http://box:4000": "litellm", "http://box:5000/v1": "tabby",
		"http://box:8000/v1": "vllm", "http://box:8080/v1": "llama.cpp", "https://example.test/v1": "other", "https://notdeepseek.com.test/": "other", "::": "other",
	} {
		assert.Equal(t, server, openai.QuirksFor(base, "m").Server, base)
	}
	q := openai.QuirksFor(openai.DefaultBaseURL, "gpt-5")
	q.Efforts[0] = "changed"
	assert.Equal(t, "minimal", openai.QuirksFor(openai.DefaultBaseURL, "gpt-5").Efforts[0], "each has its own")
	assert.Equal(t, llm.ReasoningSameTurn, openai.QuirksFor("http://box/v1", "deepseek-ai/DeepSeek-R1").ReturnReasoning)
	assert.Equal(t, []string{"low", "medium", "high"}, openai.QuirksFor(openai.DefaultBaseURL, "o1").Efforts)
	assert.Empty(t, openai.QuirksFor(openai.DefaultBaseURL, "gpt-4").Efforts)
	assert.Equal(t, []string{"low", "medium", "high"}, openai.QuirksFor(openai.DefaultBaseURL, "o10").Efforts, "another family is not known")
	assert.True(t, openai.QuirksFor(openai.DefaultBaseURL, "ft:gpt-5-mini:acme::1").FixedSampling)
}
