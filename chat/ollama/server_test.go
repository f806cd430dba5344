package ollama_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/toolspec"
)

// server is a scripted Ollama server on the loopback device.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	show map[string]string // model -> answer of /api/show
	ask  []string          // request bodies of /api/chat
	chat func(w http.ResponseWriter, r *http.Request, n int)
}

// describe returns the answer of /api/show for a model with capabilities.
func describe(capabilities ...string) string {
	list, _ := json.Marshal(capabilities)
	return fmt.Sprintf(`{"details":{"family":"llama"},"model_info":{"general.architecture":"llama","llama.context_length":131072},"capabilities":%s}`, list)
}

// newServer serves the model "m:latest", which can do all that is named, and "chat"
// for the exchanges; n counts them from 1.
func newServer(t *testing.T, chat func(w http.ResponseWriter, r *http.Request, n int), capabilities ...string) *server {
	s := &server{chat: chat, show: map[string]string{"m:latest": describe(append([]string{"completion"}, capabilities...)...)}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.mu.Lock()
		answer, ok := s.show[body.Model]
		s.mu.Unlock()
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"error":"model '%s' not found"}`, body.Model)
			return
		}
		fmt.Fprint(w, answer)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.ask = append(s.ask, string(body))
		n := len(s.ask)
		s.mu.Unlock()
		s.chat(w, r, n)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// asked returns the nth body, from 1.
func (s *server) asked(t *testing.T, n int) map[string]any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.GreaterOrEqual(t, len(s.ask), n)
	var body map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.ask[n-1]), &body))
	return body
}

func (s *server) rawBody(t *testing.T, n int) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.GreaterOrEqual(t, len(s.ask), n)
	return s.ask[n-1]
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ask)
}

// says returns a handler that answers each exchange with lines.
func says(lines ...string) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { write(w, lines...) }
}

func write(w http.ResponseWriter, lines ...string) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, l := range lines {
		fmt.Fprintln(w, l)
		w.(http.Flusher).Flush()
	}
}

const (
	hello = `{"model":"m","message":{"role":"assistant","content":"Hello"},"done":false}`
	bye   = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":912000000,"prompt_eval_count":88,"eval_count":21}`
	call  = `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1a2b3c4d","function":{"index":0,"name":"getTime","arguments":{"zone":"Asia/Seoul"}}}]},"done":false}`
)

func text(s string) string {
	quoted, _ := json.Marshal(s)
	return `{"model":"m","message":{"role":"assistant","content":` + string(quoted) + `},"done":false}`
}

// provider returns a provider of the server.
func provider(t *testing.T, s *server, opts ollama.Options) *ollama.Provider {
	t.Helper()
	opts.BaseURL = s.URL
	p, err := ollama.New(&opts)
	require.NoError(t, err)
	return p
}

// modelOf returns the model m of the server.
func modelOf(t *testing.T, s *server, opts ollama.Options) llm.Model {
	t.Helper()
	m, err := provider(t, s, opts).Model(t.Context(), "m")
	require.NoError(t, err)
	return m
}

// getTime returns a tool whose schema has members that the library would lose.
func getTime() toolspec.Definition {
	return toolspec.Definition{Name: "getTime", Description: "Tells the time.", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"zone":{"type":"string","minLength":3,"pattern":"^[A-Z]","default":"UTC"}},"required":["zone"],"additionalProperties":false}`)}
}

func question(parts ...llm.Message) *llm.ModelRequest {
	if len(parts) == 0 {
		parts = []llm.Message{llm.UserText("Hi")}
	}
	return &llm.ModelRequest{Messages: parts, Turn: "t1", Round: 1}
}

// result is the result of an exchange.
type result struct {
	deltas    []llm.Delta
	text      string
	reasoning string
	calls     []string // name, arguments, …
	adjusted  []llm.Adjustment
	warnings  []string
	usage     *llm.Usage
	finish    llm.FinishReason
	err       error
}

// generate makes an exchange and checks the order of its deltas.
func generate(t *testing.T, m llm.Model, req *llm.ModelRequest) result {
	t.Helper()
	var r result
	open := ""
	for d, err := range m.Generate(t.Context(), req) {
		require.NoError(t, r.err, "an error is the last element")
		require.Empty(t, r.finish, "nothing comes after the end")
		if err != nil {
			require.Zero(t, d)
			r.err = err
			continue
		}
		r.deltas = append(r.deltas, d)
		switch d.Kind {
		case llm.DeltaText:
			r.text += d.Text
		case llm.DeltaReasoning:
			r.reasoning += d.Text
		case llm.DeltaToolStart:
			require.Empty(t, open, "calls do not interleave")
			open = d.CallID
			require.NotEmpty(t, open)
			r.calls = append(r.calls, d.Name)
		case llm.DeltaToolArgs:
			require.Equal(t, open, d.CallID)
			r.calls = append(r.calls, d.Text)
		case llm.DeltaToolEnd:
			require.Equal(t, open, d.CallID)
			open = ""
		case llm.DeltaAdjusted:
			r.adjusted = append(r.adjusted, *d.Adjusted)
		case llm.DeltaWarning:
			r.warnings = append(r.warnings, d.Name)
		case llm.DeltaUsage:
			r.usage = d.Usage
		case llm.DeltaFinish:
			r.finish = d.Finish
		}
	}
	if r.err == nil {
		require.NotEmpty(t, r.finish, "a good end is a finish delta")
	}
	checkEvents(t, m, req)
	return r
}

// checkEvents runs the exchange again as a round of a client and checks the order of the
// events.
func checkEvents(t *testing.T, m llm.Model, req *llm.ModelRequest) {
	t.Helper()
	h := chat.NewModelHandler(m)
	var events []chat.Event
	for ev, err := range h.Handle(t.Context(), &chat.Request{Messages: req.Messages, Options: req.Options, Round: req.Round}) {
		if err != nil {
			break
		}
		events = append(events, ev)
	}
	require.NoError(t, chattest.CheckRound(events))
}

func codeOf(t *testing.T, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "ollama", e.Provider)
	return e
}

func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
