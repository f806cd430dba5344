package studioapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// box is the sandbox of all tests that run code for good.
var box *sandbox.Sandbox

func TestMain(m *testing.M) {
	sandbox.Main()
	workspace, err := os.MkdirTemp("", "studioapi")
	if err == nil {
		box, err = sandbox.New(&sandbox.Options{Workers: 2, Files: &sandbox.FileOptions{Workspace: workspace}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	box.Close()
	os.RemoveAll(workspace)
	os.Exit(code)
}

// shout passes and prints.
const shout = `{
  "name": "shout", "description": "Writes a text in capitals, for signs and headlines.", "category": "TEXT", "tags": ["util"], "codeType": "Javascript",
  "params": [{"name": "text", "description": "The text, such as hello.", "type": "STRING", "required": true, "testValue": "quiet"}],
  "code": "console.log('got', text);\nreturn {out: text.toUpperCase()};",
  "x-tests": [{"name": "hello", "args": {"text": "hello"}, "want": {"out": "HELLO"}}, {"args": {"text": "x"}, "want": {"out": "X"}}]
}`

// world is an API over a real sandbox, and a client of it that holds every
// answer against the description.
type world struct {
	t      *testing.T
	api    *studioapi.API
	studio *studio.Studio
	store  *memory.Store
	server *httptest.Server
	spec   *description
	log    *bytes.Buffer
}

func newWorld(t *testing.T, studioOpts *studio.Options, opts *studioapi.Options) *world {
	t.Helper()
	return worldOn(t, box, studioOpts, opts)
}

func worldOn(t *testing.T, runner toolspec.Runner, studioOpts *studio.Options, opts *studioapi.Options) *world {
	t.Helper()
	w := &world{t: t, store: memory.New(), log: &bytes.Buffer{}}
	var err error
	w.studio, err = studio.New(context.Background(), runner, w.store, studioOpts)
	require.NoError(t, err)
	if opts == nil {
		opts = &studioapi.Options{}
	}
	opts.Logger = slog.New(slog.NewTextHandler(&locked{w: w.log}, nil))
	w.api, err = studioapi.New(w.studio, opts)
	require.NoError(t, err)
	w.server = httptest.NewServer(w.api)
	w.spec = readDescription(t, w.api.OpenAPI())
	t.Cleanup(func() {
		require.NoError(t, w.api.Close())
		w.server.Close()
	})
	return w
}

type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// reply is an answer; its members are reached by a path such as "items.0.name".
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

func (w *world) raw(ctx context.Context, method, path, body string, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.server.URL+path, strings.NewReader(body))
	require.NoError(w.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(req)
}

// do sends a request and holds the answer against the description.
func (w *world) do(method, path, body string, headers ...string) *reply {
	w.t.Helper()
	resp, err := w.raw(w.t.Context(), method, path, body, headers...)
	require.NoError(w.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	r := &reply{w.t, resp.StatusCode, resp.Header, string(data)}
	w.spec.check(w.t, method, strings.SplitN(path, "?", 2)[0], r)
	return r
}

// ok is do for what must succeed with the status.
func (w *world) ok(status int, method, path, body string, headers ...string) *reply {
	w.t.Helper()
	r := w.do(method, path, body, headers...)
	require.Equal(w.t, status, r.status, r.body)
	return r
}

// fails is do for what must fail with the status and the code.
func (w *world) fails(status int, code, method, path, body string, headers ...string) *reply {
	w.t.Helper()
	r := w.do(method, path, body, headers...)
	require.Equal(w.t, status, r.status, r.body)
	require.Equal(w.t, code, r.get("code"), r.body)
	return r
}

func (r *reply) get(path string) any {
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

func (r *reply) text(path string) string {
	s, _ := r.get(path).(string)
	return s
}

// create stores a tool and returns its path and its tag.
func (w *world) create(document string) (path, tag string) {
	w.t.Helper()
	r := w.ok(201, "POST", "/api/tools", document)
	return r.header.Get("Location"), r.header.Get("ETag")
}

// description is the OpenAPI description, as a judge of answers.
type description struct {
	doc struct {
		Paths      map[string]map[string]struct{ Responses map[string]answered }
		Components struct{ Schemas map[string]json.RawMessage }
	}
	defs map[string]json.RawMessage

	mu       sync.Mutex
	compiled map[string]*schema.Schema // by the schema's text
}

// schemaOf compiles a schema of an answer, once.
func (d *description) schemaOf(t *testing.T, raw json.RawMessage) *schema.Schema {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.compiled[string(raw)]; s != nil {
		return s
	}
	whole, err := json.Marshal(map[string]any{"$defs": d.defs, "allOf": []any{raw}})
	require.NoError(t, err)
	s, err := schema.Compile(whole)
	require.NoError(t, err)
	d.compiled[string(raw)] = s
	return s
}

type answered struct {
	Content map[string]struct{ Schema json.RawMessage }
}

func readDescription(t *testing.T, raw []byte) *description {
	d := &description{compiled: make(map[string]*schema.Schema)}
	require.NoError(t, json.Unmarshal(bytes.ReplaceAll(raw, []byte("#/components/schemas/"), []byte("#/$defs/")), &d.doc))
	d.defs = d.doc.Components.Schemas
	return d
}

// check fails the test for an answer that the description does not foresee.
func (d *description) check(t *testing.T, method, path string, r *reply) {
	t.Helper()
	route := d.route(path)
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
	if media == "text/event-stream" {
		return
	}
	require.NoError(t, d.schemaOf(t, content[media].Schema).Validate(json.RawMessage(r.body)), "%s %s: %s", method, path, r.body)
}

// route finds the path that is described, the one without wildcards first.
func (d *description) route(path string) map[string]struct{ Responses map[string]answered } {
	if r, ok := d.doc.Paths[path]; ok {
		return maps.Clone(r)
	}
	parts := strings.Split(path, "/")
	for pattern, r := range d.doc.Paths {
		want := strings.Split(pattern, "/")
		same := len(want) == len(parts)
		for i := range want {
			same = same && (strings.HasPrefix(want[i], "{") || want[i] == parts[i])
		}
		if same {
			return r
		}
	}
	return nil
}
