package studioapi_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// instant is a runner that runs nothing.
type instant struct{}

func (instant) Run(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
	return &toolspec.Outcome{Result: json.RawMessage(`{"ok":true}`)}, nil
}

func (instant) Runtime(toolspec.Level) toolspec.Runtime {
	return toolspec.Runtime{ID: "test/instant", Version: "1.0.0", Tier: toolspec.TierInProcess}
}

// target is an API with one tool, without a network around it.
func target(t *testing.T) (api *studioapi.API, id string) {
	st, err := studio.New(t.Context(), instant{}, memory.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := toolspec.ParseSpec([]byte(shout))
	if err != nil {
		t.Fatal(err)
	}
	draft, err := st.SaveDraft(t.Context(), studio.Draft{Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	if api, err = studioapi.New(st, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	return api, draft.Spec.ToolID
}

func serve(t *testing.T, api *studioapi.API, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		t.Skip() // no URL
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	api.ServeHTTP(rec, r)
	if rec.Code >= 500 || rec.Code < 300 && rec.Code != 204 && !json.Valid(rec.Body.Bytes()) && !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%s %s %q: %d %s", method, path, body, rec.Code, rec.Body)
	}
	return rec
}

// Whatever a body says: an answer, and never a fault of the server.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{shout, `{"receipt":"x","confirm":true}`, `{"args":{"text":"x"},"live":true}`, `{"cases":["hello","2"]}`, `{"toolSpecs":[` + shout + `,{}]}`,
		`{"autoAdd":true,"exposedToolIds":[],"excludedToolIds":[]}`, `{}`, `[`, `null`, `{"name":"\ud800","code":"","codeType":"Javascript","toolId":"\udc00"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		api, id := target(t)
		for _, path := range []string{"/api/tools/validate", "/api/tools/preview", "/api/tools", "/api/tools/import?dryRun=1", "/api/tools/import", "/api/tools/" + id + "/publish",
			"/api/tools/" + id + "/runs?wait=1", "/api/tools/" + id + "/fork"} {
			serve(t, api, "POST", path, body)
		}
		serve(t, api, "PUT", "/api/tools/"+id, body, "If-Match", "*")
		serve(t, api, "GET", "/api/tools", "")
		serve(t, api, "GET", "/api/tools/export", "")
	})
}

// Whatever a query and a header say.
func FuzzQueries(f *testing.F) {
	f.Add("q=x&cat=TEXT,WEB&sort=-level&limit=3", `"v1"`, "e.1")
	f.Add("cursor=eyJzIjoibmFtZSIsImsiOiJhIiwiaSI6ImIifQ", `*`, "")
	f.Add("cursor=e30&limit=-1&state=", `W/"v9"`, "x.99999999999999999999")
	f.Fuzz(func(t *testing.T, query, match, last string) {
		if strings.ContainsAny(match+last, "\r\n\x00") {
			t.Skip()
		}
		api, id := target(t)
		serve(t, api, "GET", "/api/tools?"+query, "", "If-None-Match", match)
		serve(t, api, "GET", "/api/tools/export?"+query, "")
		serve(t, api, "GET", "/api/tools/"+url.PathEscape(query), "")
		serve(t, api, "GET", "/api/tools/"+id+"/diff?"+query, "")
		serve(t, api, "PUT", "/api/tools/"+id, shout, "If-Match", match)
		run := serve(t, api, "POST", "/api/tools/"+id+"/runs?wait=1", "")
		var started struct{ RunID string }
		if json.Unmarshal(run.Body.Bytes(), &started) == nil && started.RunID != "" {
			serve(t, api, "GET", "/api/runs/"+started.RunID+"/events", "", "Last-Event-ID", last)
		}
	})
}
