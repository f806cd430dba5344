package chatapi_test

import (
	"bufio"
	"bytes"
	"cmp"
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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// apiWorld is an API on a real connection, and a client of it that holds every
// answer against the description.
type apiWorld struct {
	*httptest.Server
	t     testing.TB
	store conversation.Store
	api   *chatapi.API
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

// newAPIWorld serves a model. clientOpts may leave the store out.
func newAPIWorld(t testing.TB, m llm.Model, clientOpts chat.ClientOptions, opts chatapi.Options) *apiWorld {
	t.Helper()
	w := &apiWorld{t: t, log: &apiLog{}}
	if clientOpts.Store == nil {
		var err error
		clientOpts.Store, err = conversation.NewStore(memory.New())
		require.NoError(t, err)
	}
	w.store = clientOpts.Store
	c := newClient(t, m, clientOpts)
	opts.Logger = slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var err error
	if opts.Presets == nil {
		opts.Presets, err = prompt.NewPresets(memory.New())
		require.NoError(t, err)
	}
	w.api, err = chatapi.New(c, &opts)
	require.NoError(t, err)
	w.spec = readAPIDescription(t, w.api.OpenAPI())
	w.Server = httptest.NewServer(w.api)
	t.Cleanup(func() {
		assert.NoError(t, w.api.Close())
		w.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return w
}

// apiReply is an answer of the API.
type apiReply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (r *apiReply) into(v any) {
	r.t.Helper()
	require.NoError(r.t, json.Unmarshal([]byte(r.body), v), r.body)
}

// problem checks that the answer is the problem.
func (r *apiReply) problem(status int, code string) map[string]any {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.body)
	require.Equal(r.t, "application/problem+json", r.header.Get("Content-Type"))
	var p map[string]any
	r.into(&p)
	require.Equal(r.t, code, p["code"], r.body)
	return p
}

func (w *apiWorld) send(method, path, body string, headers ...string) *http.Response {
	w.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	w.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, w.URL+path, reader)
	require.NoError(w.t, err)
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
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(w.t, err)
	return resp
}

// do sends a request; headers are "Name: value".
func (w *apiWorld) do(method, path, body string, headers ...string) *apiReply {
	w.t.Helper()
	resp := w.send(method, path, body, headers...)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	r := &apiReply{w.t, resp.StatusCode, resp.Header, string(data)}
	w.spec.check(w.t, method, path, r)
	return r
}

// as does a request, checks its status and reads what it answers.
func apiAs[T any](w *apiWorld, status int, method, path, body string, headers ...string) (out T) {
	w.t.Helper()
	r := w.do(method, path, body, headers...)
	require.Equal(w.t, status, r.status, r.body)
	r.into(&out)
	return out
}

// newConversation makes a conversation and returns its id.
func (w *apiWorld) newConversation(body string, headers ...string) string {
	w.t.Helper()
	return apiAs[chatapi.APIConversation](w, 201, "POST", "/api/conversations", cmp.Or(body, "{}"), headers...).ID
}

// apiFrame is an event as it came.
type apiFrame struct{ id, kind, data string }

// apiStream is an open stream of events.
type apiStream struct {
	t      testing.TB
	w      *apiWorld
	schema json.RawMessage
	body   io.ReadCloser
	lines  *bufio.Scanner
	frames []apiFrame
}

// open begins to read a stream.
func (w *apiWorld) open(method, path, body string, headers ...string) *apiStream {
	w.t.Helper()
	resp := w.send(method, path, body, headers...)
	if resp.StatusCode != 200 {
		data, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		require.Equal(w.t, 200, resp.StatusCode, string(data))
	}
	require.Equal(w.t, "text/event-stream", resp.Header.Get("Content-Type"))
	require.Equal(w.t, "no", resp.Header.Get("X-Accel-Buffering"))
	require.Contains(w.t, resp.Header.Get("Cache-Control"), "no-")
	w.t.Cleanup(func() { _ = resp.Body.Close() })
	plain, query, _ := strings.Cut(path, "?")
	_, route := w.spec.route(plain)
	content := route[strings.ToLower(method)].Responses["200"].Content["text/event-stream"].Schema
	require.NotEmpty(w.t, content, "%s %s is described", method, path)
	if strings.Contains(query, "dialect=responses") {
		content = json.RawMessage(`{"$ref":"#/$defs/chat.APIResponsesEvent"}`)
	}
	s := &apiStream{t: w.t, w: w, schema: content, body: resp.Body, lines: bufio.NewScanner(resp.Body)}
	s.lines.Buffer(nil, 1<<20)
	return s
}

// next is the next event; ok is false when the stream has ended. Each event is held
// against the description.
func (s *apiStream) next() (f apiFrame, ok bool) {
	s.t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "id":
			f.id = value
		case "event":
			f.kind = value
		case "data":
			f.data = value
		case "":
			if line == "" && f.kind != "" {
				require.NoError(s.t, s.w.spec.schemaOf(s.t, s.schema).Validate(json.RawMessage(f.data)), f.data)
				s.frames = append(s.frames, f)
				return f, true
			}
		}
	}
	return f, false
}

// until reads to the next event of a kind.
func (s *apiStream) until(kind string) apiFrame {
	s.t.Helper()
	for {
		f, ok := s.next()
		require.True(s.t, ok, "the stream ended before %s", kind)
		if f.kind == kind {
			return f
		}
	}
}

// rest reads to the end and returns all events, from the first.
func (s *apiStream) rest() []apiFrame {
	s.t.Helper()
	for {
		if _, ok := s.next(); !ok {
			require.NoError(s.t, s.lines.Err())
			return s.frames
		}
	}
}

// typedEvents are the events of typed frames, whose frame says the same as they do.
func typedEvents(t testing.TB, frames []apiFrame) []chat.Event {
	t.Helper()
	out := make([]chat.Event, len(frames))
	for i, f := range frames {
		ev, err := chat.UnmarshalEvent([]byte(f.data))
		require.NoError(t, err)
		require.Equal(t, string(ev.Type()), f.kind)
		require.Equal(t, strconv.FormatInt(ev.Header().Seq, 10), f.id)
		out[i] = ev
	}
	return out
}

// checked are the events of frames that are a whole turn.
func checked(t testing.TB, frames []apiFrame) []chat.Event {
	t.Helper()
	list := typedEvents(t, frames)
	require.NoError(t, chattest.CheckEvents(list))
	return list
}

// byHeader is a Principal that believes what it is told.
func byHeader(r *http.Request) (toolspec.Principal, error) {
	return toolspec.Principal{Subject: r.Header.Get("X-User"), Via: "http"}, nil
}

// apiDescription is the OpenAPI description, as a judge of answers.
type apiDescription struct {
	doc struct {
		Paths      map[string]map[string]struct{ Responses map[string]apiAnswered }
		Components struct{ Schemas map[string]json.RawMessage }
	}
	mu       sync.Mutex
	compiled map[string]*schema.Schema
}

type apiAnswered struct {
	Content map[string]struct{ Schema json.RawMessage }
}

func readAPIDescription(t testing.TB, raw []byte) *apiDescription {
	d := &apiDescription{compiled: map[string]*schema.Schema{}}
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
	plain, _, _ := strings.Cut(path, "?")
	_, route := d.route(plain)
	op, ok := route[strings.ToLower(method)]
	if !ok {
		require.Contains(t, []int{404, 405, 421, 403}, r.status, "%s %s is not described", method, path)
		return
	}
	status := strconv.Itoa(r.status)
	require.Contains(t, op.Responses, status, "%s %s answered %s: %s", method, path, status, r.body)
	content := op.Responses[status].Content
	if len(content) == 0 {
		require.Empty(t, r.body, "%s %s", method, path)
		return
	}
	media := r.header.Get("Content-Type")
	require.Contains(t, content, media, "%s %s", method, path)
	if strings.Contains(media, "json") {
		require.NoError(t, d.schemaOf(t, content[media].Schema).Validate(json.RawMessage(r.body)), "%s %s: %s", method, path, r.body)
	}
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

// shownText is the text that a page shows of events.
func shownText(list []chat.Event) string {
	var b strings.Builder
	for _, e := range find[*chat.TextDelta](list) {
		b.WriteString(e.Text)
	}
	return b.String()
}
