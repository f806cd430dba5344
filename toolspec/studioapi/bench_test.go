package studioapi_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// A page of a thousand tools: with what was worked out before, as with each
// keystroke of a filter, and after each change anew.
func BenchmarkList(b *testing.B) {
	for _, fresh := range []bool{false, true} {
		b.Run(map[bool]string{false: "known", true: "anew"}[fresh], func(b *testing.B) {
			api, st := benchAPI(b)
			for i := range 1000 {
				spec, err := toolspec.ParseSpec([]byte(strings.Replace(shout, `"shout"`, fmt.Sprintf(`"shout%d"`, i), 1)))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := st.SaveDraft(b.Context(), studio.Draft{Spec: spec}); err != nil {
					b.Fatal(err)
				}
			}
			get(b, api, "/api/tools?q=shout&limit=60")
			for b.Loop() {
				if fresh {
					forget(b, api)
				}
				get(b, api, "/api/tools?q=shout&limit=60")
			}
		})
	}
}

func benchAPI(b *testing.B) (*studioapi.API, *studio.Studio) {
	st, err := studio.New(b.Context(), box, memory.New(), nil)
	if err != nil {
		b.Fatal(err)
	}
	api, err := studioapi.New(st, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { api.Close() })
	return api, st
}

func request(b *testing.B, api *studioapi.API, method, path, body string, want int) {
	ctx := context.WithValue(b.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	api.ServeHTTP(rec, r)
	if rec.Code != want {
		b.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
	}
}

func get(b *testing.B, api *studioapi.API, path string) { request(b, api, "GET", path, "", 200) }

// forget makes a change, so that the next list is worked out anew.
func forget(b *testing.B, api *studioapi.API) {
	request(b, api, "POST", "/api/tools/import", `[]`, 200)
}
