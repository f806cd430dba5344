package ollama_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
)

func TestOptionsThatCannotBe(t *testing.T) {
	for name, o := range map[string]ollama.Options{
		"a negative context":   {NumCtx: -1},
		"two contexts":         {NumCtx: 5, ServerContext: true},
		"no address":           {BaseURL: "localhost:11434"},
		"another scheme":       {BaseURL: "ftp://localhost"},
		"no host":              {BaseURL: "http://"},
		"a password":           {BaseURL: "http://ada:secret@localhost"},
		"a query":              {BaseURL: "http://localhost?key=secret"},
		"not an address":       {BaseURL: "http://local host"},
		"a time that is wrong": {KeepAlive: "for ever"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ollama.New(&o)
			require.ErrorIs(t, err, llm.ErrInvalid)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	p, err := ollama.New(nil)
	require.NoError(t, err)
	assert.Equal(t, "ollama", p.ID())
	assert.Equal(t, "ollama at http://localhost:11434", p.String())
}

func TestModelIsDescribedByTheServer(t *testing.T) {
	for name, c := range map[string]struct {
		show string
		opts ollama.Options
		want llm.ModelInfo
	}{
		"everything": {describe("completion", "tools", "thinking", "vision"), ollama.Options{}, llm.ModelInfo{ContextTokens: 8192, Capabilities: llm.Capabilities{
			Tools: true, ParallelTools: true, StreamWithTools: true, Vision: true, Thinking: true, StructuredOutput: true, ReturnReasoning: llm.ReasoningSameTurn}}},
		"text alone":        {describe("completion"), ollama.Options{NumCtx: 4096}, llm.ModelInfo{ContextTokens: 4096, Capabilities: llm.Capabilities{StructuredOutput: true}}},
		"an old server":     {`{"details":{"family":"llama"}}`, ollama.Options{}, llm.ModelInfo{ContextTokens: 8192, Capabilities: llm.Capabilities{StructuredOutput: true}}},
		"a small model":     {`{"capabilities":["completion"],"model_info":{"general.architecture":"x","x.context_length":2048}}`, ollama.Options{NumCtx: 32768}, llm.ModelInfo{ContextTokens: 2048, Capabilities: llm.Capabilities{StructuredOutput: true}}},
		"its own parameter": {`{"capabilities":["completion"],"parameters":"stop  \"<|end|>\"\nnum_ctx   16384\n"}`, ollama.Options{}, llm.ModelInfo{ContextTokens: 16384, Capabilities: llm.Capabilities{StructuredOutput: true}}},
		"a broken one":      {`{"capabilities":["completion"],"parameters":"num_ctx  many"}`, ollama.Options{}, llm.ModelInfo{ContextTokens: 8192, Capabilities: llm.Capabilities{StructuredOutput: true}}},
		"in the cloud": {`{"capabilities":["completion"],"remote_host":"https://example.com","model_info":{"general.architecture":"x","x.context_length":262144}}`, ollama.Options{},
			llm.ModelInfo{ContextTokens: 262144, Capabilities: llm.Capabilities{StructuredOutput: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, says(hello, bye))
			s.show["m:latest"] = c.show
			m := modelOf(t, s, c.opts)
			c.want.Provider, c.want.Name, c.want.Place = "ollama", "m:latest", m.Info().Place
			assert.Equal(t, c.want, m.Info())
			assert.Regexp(t, `^http://127\.0\.0\.1:[0-9]+$`, c.want.Place)
			require.NoError(t, generate(t, m, question()).err)
			options := s.asked(t, 1)["options"].(map[string]any)
			if name == "in the cloud" {
				assert.NotContains(t, options, "num_ctx")
			} else {
				assert.EqualValues(t, c.want.ContextTokens, options["num_ctx"])
			}
		})
	}
}

func TestModelThatCannotBe(t *testing.T) {
	s := newServer(t, says(hello, bye))
	s.show["embed:latest"] = describe("embedding")
	p := provider(t, s, ollama.Options{})
	_, err := p.Model(t.Context(), "embed")
	e := codeOf(t, err)
	assert.Equal(t, llm.CodeProviderRejected, e.Code)
	assert.Contains(t, e.Message, "embeddings")
	_, err = p.Model(t.Context(), "gone:7b")
	e = codeOf(t, err)
	assert.Equal(t, llm.CodeModelNotFound, e.Code)
	assert.Contains(t, e.Message, "gone:7b")
	_, err = p.Model(t.Context(), " ")
	assert.ErrorIs(t, err, llm.ErrInvalid)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Model(ctx, "m")
	assert.ErrorIs(t, err, context.Canceled)
}

// admin serves the routes other than /api/chat.
func admin(t *testing.T, routes map[string]http.HandlerFunc) *ollama.Provider {
	mux := http.NewServeMux()
	for pattern, h := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // a server sees that its client has gone once it has read all
			r.Body = io.NopCloser(bytes.NewReader(body))
			h(w, r)
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	p, err := ollama.New(&ollama.Options{BaseURL: s.URL + "/", ServerContext: true, Header: http.Header{"X-Key": {"secret"}}})
	require.NoError(t, err)
	return p
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func TestModels(t *testing.T) {
	p := admin(t, map[string]http.HandlerFunc{
		"GET /api/version": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"version":"0.17.4 %s"}`, r.Header.Get("X-Key"))
		},
		"GET /api/tags": answer(`{"models":[{"name":"m:latest"},{"name":"embed:latest"},{"name":"odd:1b"}]}`),
		"GET /api/ps":   answer(`{"models":[{"name":"m:latest","context_length":32768}]}`),
		"POST /api/show": func(w http.ResponseWriter, r *http.Request) {
			var body struct{ Model string }
			_ = json.NewDecoder(r.Body).Decode(&body)
			switch body.Model {
			case "m:latest":
				fmt.Fprint(w, describe("completion", "tools"))
			case "embed:latest":
				fmt.Fprint(w, describe("embedding"))
			default:
				w.WriteHeader(500)
			}
		},
	})
	v, err := p.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "0.17.4 secret", v)
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", p, p, p, p), "secret")
	list, err := p.Models(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []llm.ModelInfo{
		{Provider: "ollama", Name: "m:latest", Place: list[0].Place, ContextTokens: 32768, Capabilities: llm.Capabilities{Tools: true, ParallelTools: true, StreamWithTools: true, StructuredOutput: true}},
		{Provider: "ollama", Name: "odd:1b", Place: list[0].Place},
	}, list)
	m, err := p.Model(t.Context(), "m")
	require.NoError(t, err)
	assert.Equal(t, 32768, m.Info().ContextTokens)
}

func TestStoredModels(t *testing.T) {
	var asked []string
	note := func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.URL.Path+" "+strings.TrimSpace(string(body)))
	}
	p := admin(t, map[string]http.HandlerFunc{
		"GET /api/tags": answer(`{"models":[{"name":"m:latest","size":500},{"name":"embed:latest","size":20}]}`),
		"GET /api/ps":   answer(`{"models":[{"name":"m:latest","size":700}]}`),
		"POST /api/generate": func(w http.ResponseWriter, r *http.Request) {
			note(r)
			fmt.Fprintln(w, `{"model":"m:latest","done":true,"done_reason":"unload"}`)
		},
		"DELETE /api/delete": func(w http.ResponseWriter, r *http.Request) {
			note(r)
			if strings.Contains(asked[len(asked)-1], "gone") {
				w.WriteHeader(404)
				fmt.Fprint(w, `{"error":"model 'gone:latest' not found"}`)
			}
		},
	})
	list, err := p.Stored(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []llm.StoredModel{{Name: "m:latest", Bytes: 500, LoadedBytes: 700}, {Name: "embed:latest", Bytes: 20}}, list)
	require.NoError(t, p.Unload(t.Context(), "m"))
	require.NoError(t, p.Delete(t.Context(), "m"))
	assert.Equal(t, llm.CodeModelNotFound, codeOf(t, p.Delete(t.Context(), "gone")).Code)
	require.Len(t, asked, 3)
	assert.Contains(t, asked[0], `"model":"m:latest"`)
	assert.Contains(t, asked[0], `"keep_alive":"0s"`)
	assert.Contains(t, asked[1], `"m:latest"`)
	require.ErrorIs(t, p.Unload(t.Context(), " "), llm.ErrInvalid)
	require.ErrorIs(t, p.Delete(t.Context(), ""), llm.ErrInvalid)

	down := admin(t, map[string]http.HandlerFunc{})
	_, err = down.Stored(t.Context())
	require.Error(t, err)
	require.Error(t, down.Unload(t.Context(), "m"))
}

func TestModelsFailures(t *testing.T) {
	p := admin(t, map[string]http.HandlerFunc{"GET /api/tags": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }})
	_, err := p.Models(t.Context())
	assert.Equal(t, llm.CodeUnavailable, codeOf(t, err).Code, "an empty answer is one too")
	p = admin(t, map[string]http.HandlerFunc{"GET /api/tags": answer("<html>a router</html>")})
	_, err = p.Models(t.Context())
	assert.Contains(t, codeOf(t, err).Message, "is the base URL right?")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p = admin(t, map[string]http.HandlerFunc{"GET /api/tags": answer(`{"models":[{"name":"m"}]}`), "POST /api/show": func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}})
	_, err = p.Models(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestPull(t *testing.T) {
	progress := join(`{"status":"pulling manifest"}`, `{"status":"pulling aa","digest":"sha256:aa","total":100}`, `{"status":"pulling aa","digest":"sha256:aa","total":100,"completed":60}`,
		`{"status":"pulling bb","digest":"sha256:bb","total":10,"completed":10}`, `{"status":"pulling aa","digest":"sha256:aa","total":100,"completed":100}`, `{"status":"verifying sha256 digest"}`)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   llm.Code
	}{
		"to the end":        {answer(progress + `{"status":"success"}` + "\n"), ""},
		"cut":               {answer(progress), llm.CodeStreamBroken},
		"no such model":     {answer(`{"status":"pulling manifest"}` + "\n" + `{"error":"pull model manifest: file does not exist"}` + "\n"), llm.CodeModelNotFound},
		"no network":        {answer(`{"status":"pulling manifest"}` + "\n" + `{"error":"pull model manifest: dial tcp: no route to host"}` + "\n"), llm.CodeUnavailable},
		"an empty refusal":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, llm.CodeUnavailable},
		"no answer":         {answer(""), llm.CodeStreamBroken},
		"a server too busy": {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, llm.CodeUnavailable},
		"a refusal of names": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error":"invalid model name"}`)
		}, llm.CodeProviderRejected},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Value
			p := admin(t, map[string]http.HandlerFunc{"POST /api/pull": func(w http.ResponseWriter, r *http.Request) {
				var body struct{ Model string }
				_ = json.NewDecoder(r.Body).Decode(&body)
				asked.Store(body.Model)
				c.answer(w, r)
			}})
			var seen []llm.PullProgress
			var last error
			for pr, err := range p.Pull(t.Context(), "m") {
				require.NoError(t, last)
				if last = err; err == nil {
					seen = append(seen, pr)
				}
			}
			assert.Equal(t, "m:latest", asked.Load())
			if c.code != "" {
				assert.Equal(t, c.code, codeOf(t, last).Code)
				return
			}
			require.NoError(t, last)
			assert.Equal(t, llm.PullProgress{Status: "pulling aa", Completed: 60, Total: 100}, seen[2])
			assert.Equal(t, llm.PullProgress{Status: "pulling bb", Completed: 70, Total: 110}, seen[3])
			assert.Equal(t, llm.PullProgress{Status: "success", Completed: 110, Total: 110}, seen[len(seen)-1])
		})
	}
	t.Run("stopped", func(t *testing.T) {
		gone := make(chan struct{})
		p := admin(t, map[string]http.HandlerFunc{"POST /api/pull": func(w http.ResponseWriter, r *http.Request) {
			defer close(gone)
			write(w, strings.Split(strings.TrimSpace(progress), "\n")...)
			<-r.Context().Done()
		}})
		for range p.Pull(t.Context(), "m") {
			break
		}
		<-gone
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := admin(t, map[string]http.HandlerFunc{"POST /api/pull": func(w http.ResponseWriter, r *http.Request) {
			write(w, `{"status":"pulling manifest"}`)
			<-r.Context().Done()
		}})
		var last error
		for _, err := range p.Pull(ctx, "m") {
			cancel()
			last = err
		}
		assert.ErrorIs(t, last, context.Canceled)
	})
	t.Run("without a name", func(t *testing.T) {
		p, err := ollama.New(nil)
		require.NoError(t, err)
		for _, err := range p.Pull(t.Context(), "") {
			assert.ErrorIs(t, err, llm.ErrInvalid)
		}
	})
}

// A key is sent to the server and to no redirect target.
func TestHeadersStayWithTheServer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked %s with %v", r.URL, r.Header) }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		if r.URL.Path == "/api/show" {
			fmt.Fprint(w, describe("completion"))
			return
		}
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	p, err := ollama.New(&ollama.Options{BaseURL: s.URL, Header: http.Header{"Authorization": {"Bearer secret"}}})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), "m")
	require.NoError(t, err)
	r := generate(t, m, question())
	assert.Equal(t, llm.CodeProviderRejected, codeOf(t, r.err).Code)
	assert.NotContains(t, r.err.Error(), "secret")
	_, err = p.Models(t.Context())
	assert.Error(t, err)
}
