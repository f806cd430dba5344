package approvalapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// apiWorld is an API that serves a gate.
type apiWorld struct {
	*httptest.Server
	t     *testing.T
	store localpass.Persistence
	gate  *approval.Gate
	api   *approvalapi.API
	clock *approvaltest.Clock
}

func newAPIWorld(t *testing.T, gateOpts *approval.Options, opts *approvalapi.Options) *apiWorld {
	t.Helper()
	if gateOpts == nil {
		gateOpts = &approval.Options{}
	}
	if gateOpts.Store == nil {
		gateOpts.Store = memory.New()
	}
	w := &apiWorld{t: t, store: gateOpts.Store, clock: approvaltest.NewClock()}
	gateOpts.NoAudit = true
	gateOpts.Clock = w.clock.Now
	if gateOpts.Approvers == nil {
		gateOpts.Approvers = []approval.Approver{approval.Inbox(-1)}
	}
	var err error
	w.gate, err = approval.NewGate(gateOpts)
	require.NoError(t, err)
	w.api, err = approvalapi.New(w.gate, opts)
	require.NoError(t, err)
	w.Server = httptest.NewServer(w.api)
	t.Cleanup(func() {
		w.CloseClientConnections()
		require.NoError(t, w.api.Close())
		w.Close()
		require.NoError(t, w.gate.Close())
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return w
}

// asks writes a request down, as a gate would.
func (w *apiWorld) asks(change func(*approval.Request)) approval.Record {
	w.t.Helper()
	r := approval.Request{Tool: "writeNote", Level: toolspec.L3, Fingerprint: "f1", Arguments: json.RawMessage(`{"path":"a","text":"b"}`),
		Schema: json.RawMessage(approvaltest.NoteSchema), Prompt: "May it run?", Shown: `{"path":"a","text":"b"}`, Side: approval.SideServer,
		Principal: toolspec.Principal{Subject: "client", Via: "http"}, Scopes: []approval.Scope{approval.ScopeOnce, approval.ScopeCalls, approval.ScopeTime}}
	if change != nil {
		change(&r)
	}
	rec, err := w.gate.Broker().Ask(w.t.Context(), r)
	require.NoError(w.t, err)
	return rec
}

// apiReply is an answer of the API.
type apiReply struct {
	status int
	header http.Header
	body   string
}

func (r *apiReply) into(t *testing.T, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.body), v), r.body)
}

func (r *apiReply) item(t *testing.T) approval.View {
	t.Helper()
	var item approval.View
	r.into(t, &item)
	return item
}

// problem checks that the answer is the problem.
func (r *apiReply) problem(t *testing.T, status int, code string) map[string]any {
	t.Helper()
	require.Equal(t, status, r.status, r.body)
	require.Equal(t, "application/problem+json", r.header.Get("Content-Type"))
	var p map[string]any
	r.into(t, &p)
	require.Equal(t, code, p["code"], r.body)
	return p
}

// do sends a request; headers are "Name: value".
func (w *apiWorld) do(method, path, body string, headers ...string) *apiReply {
	w.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.URL+path, reader)
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
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	return &apiReply{resp.StatusCode, resp.Header, string(data)}
}
