package modelservers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
)

// Kind is a kind of server that can be started, with one model.
type Kind struct {
	// Name is a descriptive name: the program, and how it was started.
	Name string
	// BaseURL is the base URL that its clients use, such as http://localhost:8080/v1.
	BaseURL string
	// Model is the name of its model.
	Model string
	// Key is the only API key that it accepts. Empty: it accepts any key, and requests
	// without one.
	Key string

	bare  bool                // it also serves without the path of the base URL
	list  any                 // the answer to GET /models
	check func(*Asked) *reply // returns an error for a rejected request, otherwise nil; it may clear values that the server ignores
	fault func(status int, message, kind, code string) *reply
	// also handles requests outside of the OpenAI API, and reports whether it handled
	// one; nil: there are none.
	also   func(w http.ResponseWriter, r *http.Request) bool
	chat   chatStyle
	sees   bool // the model accepts images
	thinks bool
	// summarised says that Responses shows a summary of the reasoning.
	summarised bool
}

// reply is an answer that is not a stream.
type reply struct {
	status int
	body   any
	inside bool // the status is 200, and the error is an event of the stream
}

// Server is a running server. It must be closed.
type Server struct {
	kind Kind
	http *httptest.Server
	host string // the host of the base URL
	next chan struct{}

	mu      sync.Mutex
	loading int
	asked   []Asked
}

// Start starts a server on a loopback address.
func Start(k Kind) (*Server, error) {
	base, err := url.Parse(k.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("modelservers: %w", err)
	}
	s := &Server{kind: k, host: base.Host, next: make(chan struct{})}
	s.http = httptest.NewServer(s)
	return s, nil
}

// Close stops the server.
func (s *Server) Close() { s.http.Close() }

// URL returns the base URL on the loopback address, for programs that cannot use Client.
// Its port does not reveal the kind.
func (s *Server) URL() string {
	base, _ := url.Parse(s.kind.BaseURL) // Start has already parsed this URL
	return s.http.URL + base.Path
}

// Client returns an HTTP client that reaches this server at the base URL of its kind, and
// refuses every other host.
func (s *Server) Client() *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host != s.host {
			return nil, errors.New("modelservers: a request for another host: " + r.URL.Host)
		}
		to := r.Clone(r.Context())
		to.URL.Scheme, to.URL.Host = "http", strings.TrimPrefix(s.http.URL, "http://")
		return s.http.Client().Transport.RoundTrip(to)
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Load makes the server answer the next n questions with HTTP 503, as llama-server does
// while it loads the model.
func (s *Server) Load(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loading = n
}

// Continue lets the answer to the question "long" continue after its first word. It waits
// until this answer has begun.
func (s *Server) Continue() { s.next <- struct{}{} }

// Asked returns the received questions, without requests for the list of models.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// mostBody is the maximum size of a request, in bytes.
const mostBody = 8 << 20

// ServeHTTP answers like the original server.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.kind.also != nil && s.kind.also(w, r) {
		return
	}
	base, _ := url.Parse(s.kind.BaseURL) // Start has already parsed this URL
	path, ok := strings.CutPrefix(r.URL.Path, base.Path)
	if !ok && !s.kind.bare {
		http.NotFound(w, r)
		return
	}
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.kind.Key != "" && key != s.kind.Key {
		s.kind.fault(http.StatusUnauthorized, "", "", "").write(w)
		return
	}
	read := map[string]func([]byte) (*Asked, error){"POST /chat/completions": readChat, "POST /responses": readResponses}[r.Method+" "+path]
	switch {
	case r.Method == http.MethodGet && path == "/models":
		if s.isLoading() {
			loadingFault().write(w)
			return
		}
		(&reply{status: http.StatusOK, body: s.kind.list}).write(w)
	case read != nil:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
		if err != nil {
			return // the client is gone
		}
		a, err := read(body)
		if err != nil {
			s.kind.fault(http.StatusBadRequest, err.Error(), "invalid_request_error", "").write(w)
			return
		}
		a.Key = key
		s.answer(w, r, a)
	default:
		http.NotFound(w, r)
	}
}

// isLoading reports whether the model is being loaded.
func (s *Server) isLoading() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loading > 0
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, a *Asked) {
	refused := s.kind.check(a)
	s.mu.Lock()
	s.asked = append(s.asked, *a)
	if s.loading > 0 {
		s.loading--
		refused = loadingFault()
	}
	s.mu.Unlock()
	if refused != nil {
		refused.write(w)
		return
	}
	said := s.kind.say(a)
	if !a.Stream { // no test of this module sends such a request
		s.kind.fault(http.StatusNotImplemented, "only streams are scripted", "", "").write(w)
		return
	}
	out := newEvents(w)
	if a.API == "responses" {
		s.kind.writeResponse(r.Context(), out, a, said, s.next)
		return
	}
	s.kind.writeChat(r.Context(), out, a, said, s.next)
}

func (r *reply) write(w http.ResponseWriter) {
	body, _ := json.Marshal(r.body) // marshalling maps and strings cannot fail
	if r.inside {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: error\ndata: %s\n\n", body)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	w.Write(body)
}
