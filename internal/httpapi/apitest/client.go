package apitest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/schema"
)

// Client sends requests to an API and checks each answer against the API's description.
type Client struct {
	*httptest.Server
	// T is the test, which fails and ends if a check fails.
	T testing.TB
	// Spec is the description of the API.
	Spec *Description
}

// NewClient serves an API until the test ends.
func NewClient(t testing.TB, api interface {
	http.Handler
	OpenAPI() []byte
}) *Client {
	t.Helper()
	c := &Client{Server: httptest.NewServer(api), T: t, Spec: readDescription(t, api.OpenAPI())}
	t.Cleanup(func() {
		c.CloseClientConnections()
		c.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return c
}

// Log is an in-memory log for an API. Its zero value is empty.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// String returns everything that was logged.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Reply is an answer; its members are accessed by a path such as "items.0.id".
type Reply struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   string
}

// Send sends a request with headers such as "Accept: text/plain". The caller must close
// the body.
func (c *Client) Send(ctx context.Context, method, path, body string, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(req)
}

// Raw is Send for a request that must get an answer, with any status.
func (c *Client) Raw(ctx context.Context, method, path, body string, headers ...string) *http.Response {
	c.T.Helper()
	resp, err := c.Send(ctx, method, path, body, headers...)
	require.NoError(c.T, err)
	return resp
}

// Do sends a request and checks the answer against the description.
func (c *Client) Do(method, path, body string, headers ...string) *Reply {
	c.T.Helper()
	resp := c.Raw(c.T.Context(), method, path, body, headers...)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(c.T, err)
	r := &Reply{c.T, resp.StatusCode, resp.Header, string(data)}
	c.Spec.check(c.T, method, strings.SplitN(path, "?", 2)[0], r)
	return r
}

// OK is Do for a request that must succeed with the status.
func (c *Client) OK(status int, method, path, body string, headers ...string) *Reply {
	c.T.Helper()
	r := c.Do(method, path, body, headers...)
	require.Equal(c.T, status, r.Status, r.Body)
	return r
}

// Fails is Do for a request that must fail with the status and the code.
func (c *Client) Fails(status int, code, method, path, body string, headers ...string) *Reply {
	c.T.Helper()
	r := c.Do(method, path, body, headers...)
	require.Equal(c.T, status, r.Status, r.Body)
	require.Equal(c.T, code, r.Get("code"), r.Body)
	return r
}

// Into decodes the JSON body into v.
func (r *Reply) Into(v any) {
	r.T.Helper()
	require.NoError(r.T, json.Unmarshal([]byte(r.Body), v), r.Body)
}

// Problem returns the members of an answer that must be a problem with the status and the
// code.
func (r *Reply) Problem(status int, code string) (members map[string]any) {
	r.T.Helper()
	require.Equal(r.T, status, r.Status, r.Body)
	require.Equal(r.T, "application/problem+json", r.Header.Get("Content-Type"))
	r.Into(&members)
	require.Equal(r.T, code, members["code"], r.Body)
	return members
}

// Get returns the member of the body at a path such as "items.0.id"; nil if there is none.
func (r *Reply) Get(path string) any {
	r.T.Helper()
	var v any
	require.NoError(r.T, json.Unmarshal([]byte(r.Body), &v), r.Body)
	for name := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// Text is Get for a string; it returns "" for anything else.
func (r *Reply) Text(path string) string {
	s, _ := r.Get(path).(string)
	return s
}

// List is Get for a list; it returns nil for anything else.
func (r *Reply) List(path string) []any {
	l, _ := r.Get(path).([]any)
	return l
}

// Stream is an open event stream. Close ends it.
type Stream struct {
	t     testing.TB
	spec  *Description
	lines *bufio.Scanner
	Close func()
	// Schema is what the data of each event except resync must match. If nil, the data is
	// not checked.
	Schema json.RawMessage
	// Events are the events read so far.
	Events []Event
}

// Event is one event of a stream.
type Event struct {
	ID, Kind string
	Text     string // the data as it was sent
	Data     map[string]any
}

// Open opens a stream, which ends with the test.
func (c *Client) Open(path string, headers ...string) *Stream {
	c.T.Helper()
	return c.OpenWith(http.MethodGet, path, "", headers...)
}

// OpenWith is Open for a request with any method and a body.
func (c *Client) OpenWith(method, path, body string, headers ...string) *Stream {
	c.T.Helper()
	ctx, cancel := context.WithCancel(c.T.Context())
	resp := c.Raw(ctx, method, path, body, headers...)
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		cancel()
		require.FailNow(c.T, "no stream", "%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	require.Equal(c.T, "text/event-stream", resp.Header.Get("Content-Type"))
	require.Equal(c.T, "no", resp.Header.Get("X-Accel-Buffering"))
	require.Equal(c.T, "no-store", resp.Header.Get("Cache-Control"))
	s := &Stream{t: c.T, spec: c.Spec, lines: bufio.NewScanner(resp.Body), Close: func() { cancel(); _ = resp.Body.Close() }}
	s.lines.Buffer(nil, 16<<20)
	c.T.Cleanup(s.Close)
	return s
}

// Next returns the next event; ok is false if the stream has ended.
func (s *Stream) Next() (e Event, ok bool) {
	s.t.Helper()
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.ID = value
		case "event":
			e.Kind = value
		case "data":
			e.Text = value
			require.NoError(s.t, json.Unmarshal([]byte(value), &e.Data))
			if s.Schema != nil && e.Kind != "resync" {
				require.NoError(s.t, s.spec.schemaOf(s.t, s.Schema).Validate(json.RawMessage(value)), value)
			}
			s.Events = append(s.Events, e)
			return e, true
		}
	}
	return e, false
}

// Until reads up to the next event of a kind and returns it.
func (s *Stream) Until(kind string) Event {
	s.t.Helper()
	for {
		e, ok := s.Next()
		require.True(s.t, ok, "the stream ended before %s", kind)
		if e.Kind == kind {
			return e
		}
	}
}

// Rest reads to the end and returns all events, starting with the first.
func (s *Stream) Rest() []Event {
	s.t.Helper()
	for {
		if _, ok := s.Next(); !ok {
			require.NoError(s.t, s.lines.Err())
			return s.Events
		}
	}
}

// Description is the OpenAPI description of an API, with which its answers are checked.
type Description struct {
	doc struct {
		Paths      map[string]map[string]struct{ Responses map[string]answered }
		Components struct{ Schemas map[string]json.RawMessage }
	}
	mu       sync.Mutex
	compiled map[string]*schema.Schema
	Seen     map[string]bool // "METHOD path status" of each answer
}

type answered struct {
	Content map[string]struct{ Schema json.RawMessage }
}

func readDescription(t testing.TB, raw []byte) *Description {
	d := &Description{compiled: map[string]*schema.Schema{}, Seen: map[string]bool{}}
	require.NoError(t, json.Unmarshal(bytes.ReplaceAll(raw, []byte("#/components/schemas/"), []byte("#/$defs/")), &d.doc))
	return d
}

func (d *Description) schemaOf(t testing.TB, raw json.RawMessage) *schema.Schema {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.compiled[string(raw)]; s != nil {
		return s
	}
	whole, err := json.Marshal(map[string]any{"$defs": d.doc.Components.Schemas, "allOf": []any{raw}})
	require.NoError(t, err)
	s, err := schema.Compile(whole)
	require.NoError(t, err)
	d.compiled[string(raw)] = s
	return s
}

// EventsOf returns the schema of the events of a route.
func (d *Description) EventsOf(method, path string) json.RawMessage {
	_, route := d.route(path)
	return route[strings.ToLower(method)].Responses["200"].Content["text/event-stream"].Schema
}

// Operations yields the described paths in order, with each method of each path.
func (d *Description) Operations() iter.Seq2[string, string] {
	return func(yield func(path, method string) bool) {
		for _, path := range slices.Sorted(maps.Keys(d.doc.Paths)) {
			for _, method := range slices.Sorted(maps.Keys(d.doc.Paths[path])) {
				if !yield(path, strings.ToUpper(method)) {
					return
				}
			}
		}
	}
}

// check fails the test if the description does not allow the answer.
func (d *Description) check(t testing.TB, method, path string, r *Reply) {
	t.Helper()
	pattern, route := d.route(path)
	op, ok := route[strings.ToLower(method)]
	if !ok {
		require.Contains(t, []int{404, 405, 421, 403}, r.Status, "%s %s is not described", method, path)
		return
	}
	status := strconv.Itoa(r.Status)
	require.Contains(t, op.Responses, status, "%s %s answered %s: %s", method, path, status, r.Body)
	d.mu.Lock()
	d.Seen[method+" "+pattern+" "+status] = true
	d.mu.Unlock()
	content := op.Responses[status].Content
	if len(content) == 0 {
		require.Empty(t, r.Body, "%s %s", method, path)
		return
	}
	media := r.Header.Get("Content-Type")
	require.Contains(t, content, media, "%s %s", method, path)
	if !strings.Contains(media, "json") {
		return
	}
	require.NoError(t, d.schemaOf(t, content[media].Schema).Validate(json.RawMessage(r.Body)), "%s %s: %s", method, path, r.Body)
}

// route finds the described path; a path without wildcards takes precedence.
func (d *Description) route(path string) (string, map[string]struct{ Responses map[string]answered }) {
	if r, ok := d.doc.Paths[path]; ok {
		return path, r
	}
	parts := strings.Split(path, "/")
	for pattern, r := range d.doc.Paths {
		want := strings.Split(pattern, "/")
		same := len(want) == len(parts)
		for i := range want {
			same = same && i < len(parts) && (strings.HasPrefix(want[i], "{") || want[i] == parts[i])
		}
		if same {
			return pattern, r
		}
	}
	return "", nil
}

// Missed returns the described successes, except streams, that did not occur.
func (d *Description) Missed() (out []string) {
	for path, route := range d.doc.Paths {
		for method, op := range route {
			for status, answer := range op.Responses {
				if _, stream := answer.Content["text/event-stream"]; stream || status >= "300" || path == "/api/openapi.json" {
					continue
				}
				if what := strings.ToUpper(method) + " " + path + " " + status; !d.Seen[what] {
					out = append(out, what)
				}
			}
		}
	}
	return out
}
