package hubapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// apiWorld is an API, and a client of it that holds every answer against the
// description.
type apiWorld struct {
	*httptest.Server
	t     testing.TB
	store localpass.Persistence
	conns *servers.Connections
	api   *hubapi.API
	spec  *apiDescription
	log   *apiLog
}

type apiLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *apiLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *apiLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// newAPIWorld makes an API over these servers. opts may set what else it serves.
func newAPIWorld(t testing.TB, f hubtest.Fakes, opts func(w *apiWorld, o *hubapi.Options)) *apiWorld {
	t.Helper()
	w := &apiWorld{t: t, store: memory.New(), log: &apiLog{}}
	var err error
	w.conns, err = servers.New(w.store, &servers.Options{Kinds: f.Kinds(t)})
	require.NoError(t, err)
	for name := range f {
		_, err := w.conns.Save(t.Context(), hubtest.FakeRecord(name, name))
		require.NoError(t, err)
	}
	o := &hubapi.Options{Logger: slog.New(slog.NewTextHandler(w.log, nil))}
	t.Cleanup(func() { require.NoError(t, w.conns.Close()) })
	if opts != nil {
		opts(w, o)
	}
	w.api, err = hubapi.New(w.conns, o)
	require.NoError(t, err)
	w.Server = httptest.NewServer(w.api)
	w.spec = readAPIDescription(t, w.api.OpenAPI())
	t.Cleanup(func() {
		require.NoError(t, w.api.Close())
		w.CloseClientConnections()
		w.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return w
}

// apiReply is an answer; its members are reached by a path such as "items.0.id".
type apiReply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (w *apiWorld) raw(ctx context.Context, method, path, body string, headers ...string) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.URL+path, strings.NewReader(body))
	require.NoError(w.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(w.t, err)
	return resp
}

// do sends a request and holds the answer against the description.
func (w *apiWorld) do(method, path, body string, headers ...string) *apiReply {
	w.t.Helper()
	resp := w.raw(w.t.Context(), method, path, body, headers...)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	r := &apiReply{w.t, resp.StatusCode, resp.Header, string(data)}
	w.spec.check(w.t, method, strings.SplitN(path, "?", 2)[0], r)
	return r
}

// ok is do for what must succeed with the status.
func (w *apiWorld) ok(status int, method, path, body string, headers ...string) *apiReply {
	w.t.Helper()
	r := w.do(method, path, body, headers...)
	require.Equal(w.t, status, r.status, r.body)
	return r
}

// fails is do for what must fail with the status and the code.
func (w *apiWorld) fails(status int, code, method, path, body string, headers ...string) *apiReply {
	w.t.Helper()
	r := w.do(method, path, body, headers...)
	require.Equal(w.t, status, r.status, r.body)
	require.Equal(w.t, code, r.get("code"), r.body)
	return r
}

func (r *apiReply) get(path string) any {
	r.t.Helper()
	var v any
	require.NoError(r.t, json.Unmarshal([]byte(r.body), &v), r.body)
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

func (r *apiReply) text(path string) string {
	s, _ := r.get(path).(string)
	return s
}

func (r *apiReply) list(path string) []any {
	l, _ := r.get(path).([]any)
	return l
}

// apiStream is an event stream that is open.
type apiStream struct {
	t     testing.TB
	lines *bufio.Scanner
	close func()
}

type apiEvent struct {
	id, kind string
	data     map[string]any
}

// open opens a stream; it ends with the test.
func (w *apiWorld) open(path string, headers ...string) *apiStream {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	resp := w.raw(ctx, http.MethodGet, path, "", headers...)
	require.Equal(w.t, 200, resp.StatusCode)
	require.Equal(w.t, "text/event-stream", resp.Header.Get("Content-Type"))
	s := &apiStream{t: w.t, lines: bufio.NewScanner(resp.Body), close: func() { cancel(); _ = resp.Body.Close() }}
	s.lines.Buffer(nil, 16<<20)
	w.t.Cleanup(s.close)
	return s
}

// next is the next event; ok is false when the stream has ended.
func (s *apiStream) next() (e apiEvent, ok bool) {
	s.t.Helper()
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			require.NoError(s.t, json.Unmarshal([]byte(value), &e.data))
			return e, true
		}
	}
	return e, false
}

// until is the next event of a kind.
func (s *apiStream) until(kind string) apiEvent {
	s.t.Helper()
	for {
		e, ok := s.next()
		require.True(s.t, ok, "the stream ended before %s", kind)
		if e.kind == kind {
			return e
		}
	}
}

// apiDescription is the OpenAPI description, as a judge of answers.
type apiDescription struct {
	doc struct {
		Paths      map[string]map[string]struct{ Responses map[string]apiAnswered }
		Components struct{ Schemas map[string]json.RawMessage }
	}
	mu       sync.Mutex
	compiled map[string]*schema.Schema
	seen     map[string]bool // "METHOD path status" that was answered
}

type apiAnswered struct {
	Content map[string]struct{ Schema json.RawMessage }
}

func readAPIDescription(t testing.TB, raw []byte) *apiDescription {
	d := &apiDescription{compiled: map[string]*schema.Schema{}, seen: map[string]bool{}}
	require.NoError(t, json.Unmarshal(bytes.ReplaceAll(raw, []byte("#/components/schemas/"), []byte("#/$defs/")), &d.doc))
	return d
}

func (d *apiDescription) schemaOf(t testing.TB, raw json.RawMessage) *schema.Schema {
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

// check fails the test for an answer that the description does not foresee.
func (d *apiDescription) check(t testing.TB, method, path string, r *apiReply) {
	t.Helper()
	pattern, route := d.route(path)
	op, ok := route[strings.ToLower(method)]
	if !ok {
		require.Contains(t, []int{404, 405, 421, 403}, r.status, "%s %s is not described", method, path)
		return
	}
	status := strconv.Itoa(r.status)
	require.Contains(t, op.Responses, status, "%s %s answered %s: %s", method, path, status, r.body)
	d.mu.Lock()
	d.seen[method+" "+pattern+" "+status] = true
	d.mu.Unlock()
	content := op.Responses[status].Content
	if len(content) == 0 {
		require.Empty(t, r.body, "%s %s", method, path)
		return
	}
	media := r.header.Get("Content-Type")
	require.Contains(t, content, media, "%s %s", method, path)
	require.NoError(t, d.schemaOf(t, content[media].Schema).Validate(json.RawMessage(r.body)), "%s %s: %s", method, path, r.body)
}

// route finds the path that is described, the one without wildcards first.
func (d *apiDescription) route(path string) (string, map[string]struct{ Responses map[string]apiAnswered }) {
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

// missed are the ways to succeed that were described and not answered, but for
// streams.
func (d *apiDescription) missed() (out []string) {
	for path, route := range d.doc.Paths {
		for method, op := range route {
			for status, answer := range op.Responses {
				if _, stream := answer.Content["text/event-stream"]; stream || status >= "300" || path == "/api/openapi.json" {
					continue
				}
				if what := strings.ToUpper(method) + " " + path + " " + status; !d.seen[what] {
					out = append(out, what)
				}
			}
		}
	}
	return out
}
