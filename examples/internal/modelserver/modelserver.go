// Package modelserver provides model servers for tests of programs: they answer like
// OpenAI's chat completions and like Ollama, and record the requests.
package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Server is a model server.
type Server struct {
	*httptest.Server

	mu      sync.Mutex
	keys    []string
	headers []string
	models  []string
	asked   int
	wanted  string // the key that it accepts; empty: it needs none
	open    bool   // it lists its models without the key
}

// Require lets the server refuse requests without a key with 401. publicList says that it
// lists its models for everyone all the same.
func (s *Server) Require(key string, publicList bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted, s.open = key, publicList
}

// New starts a server whose models answer "I am NAME". Models with a name that begins
// with "broken" answer with 503. The server stops when the test ends.
func New(t testing.TB, name string) *Server {
	t.Helper()
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string `json:"model"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked++
		if key := r.Header.Get("Authorization"); key != "" && !slices.Contains(s.keys, key) {
			s.keys = append(s.keys, key)
		}
		if header := r.Header.Get("X-Test"); header != "" && !slices.Contains(s.headers, header) {
			s.headers = append(s.headers, header)
		}
		switch path := r.URL.Path; {
		case s.wanted != "" && r.Header.Get("Authorization") != "Bearer "+s.wanted && !(s.open && strings.HasSuffix(path, "/models")):
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`))
		case strings.HasPrefix(in.Model, "broken") && !strings.HasSuffix(path, "/show"):
			s.models = append(s.models, in.Model)
			w.WriteHeader(http.StatusServiceUnavailable)
		case strings.HasSuffix(path, "/models"):
			fmt.Fprintf(w, `{"object":"list","data":[{"id":"first-of-%s","object":"model"}]}`, name)
		case strings.HasSuffix(path, "/chat/completions"):
			s.models = append(s.models, in.Model)
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"I am %s"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n", name)
		case strings.HasSuffix(path, "/responses"):
			s.models = append(s.models, in.Model)
			w.Header().Set("Content-Type", "text/event-stream")
			for i, event := range []string{
				`{"type":"response.created","response":{"id":"r"}}`,
				`{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[]}}`,
				`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"I am ` + name + ` by responses"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"id":"m","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I am ` + name + ` by responses"}]}}`,
				`{"type":"response.completed","response":{"id":"r","status":"completed","usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}`,
			} {
				fmt.Fprintf(w, "data: %s\n\n", strings.Replace(event, "{", fmt.Sprintf(`{"sequence_number":%d,`, i), 1))
			}
		case strings.HasSuffix(path, "/api/tags"):
			fmt.Fprintf(w, `{"models":[{"name":"first-of-%s:latest"}]}`, name)
		case strings.HasSuffix(path, "/api/show"):
			_, _ = w.Write([]byte(`{"capabilities":["completion"]}`))
		case strings.HasSuffix(path, "/api/chat"):
			s.models = append(s.models, in.Model)
			fmt.Fprintf(w, `{"message":{"role":"assistant","content":"I am %s"},"done":true,"done_reason":"stop"}`+"\n", name)
		default:
			_, _ = w.Write([]byte(`{}`))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Host returns the host and port of the server.
func (s *Server) Host() string { return strings.TrimPrefix(s.URL, "http://") }

// Keys returns the Authorization headers that the server received, without duplicates.
func (s *Server) Keys() []string { return s.list(&s.keys) }

// Headers returns the X-Test headers that the server received, without duplicates.
func (s *Server) Headers() []string { return s.list(&s.headers) }

// Models returns the models that were asked for an answer.
func (s *Server) Models() []string { return s.list(&s.models) }

func (s *Server) list(of *[]string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(*of)
}

// Asked returns the number of requests that the server received.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Proxy refuses every request and counts the requests.
type Proxy struct {
	*httptest.Server
	Refused atomic.Int32
}

// NewProxy starts a proxy. It stops when the test ends.
func NewProxy(t testing.TB) *Proxy {
	t.Helper()
	p := &Proxy{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.Refused.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(p.Close)
	return p
}
