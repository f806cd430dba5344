package oauth_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// resource is a server that wants tokens.
type resource struct {
	*httptest.Server
	mu     sync.Mutex
	as     *authServer
	meta   map[string]func() (int, any) // documents by path
	scopes string                       // that a request needs
	named  string                       // where the challenge says that they stand
	plain  bool                         // no challenge says where the metadata stand
	calls  int
	tokens []string
}

func newResource(t testing.TB, as *authServer) *resource {
	r := &resource{as: as, meta: map[string]func() (int, any){}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	r.meta["/.well-known/oauth-protected-resource/mcp"] = func() (int, any) { return 200, r.document() }
	return r
}

func (r *resource) address() string { return r.URL + "/mcp" }

func (r *resource) document() map[string]any {
	return map[string]any{"resource": r.address(), "authorization_servers": []string{r.as.issuer()}}
}

func (r *resource) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *resource) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if document := r.meta[q.URL.Path]; document != nil {
		status, body := document()
		reply(w, status, body)
		return
	}
	if q.URL.Path != "/mcp" {
		http.NotFound(w, q)
		return
	}
	r.calls++
	_, token, _ := strings.Cut(q.Header.Get("Authorization"), " ")
	r.tokens = append(r.tokens, q.Header.Get("Authorization"))
	r.as.mu.Lock()
	have, ok := r.as.access[token]
	r.as.mu.Unlock()
	where := ""
	if !r.plain {
		path := "/.well-known/oauth-protected-resource/mcp"
		if r.named != "" {
			path = r.named
		}
		where = fmt.Sprintf(`, resource_metadata="%s%s"`, r.URL, path)
	}
	want := ""
	if r.scopes != "" {
		want = fmt.Sprintf(`, scope="%s"`, r.scopes)
	}
	switch {
	case !ok:
		w.Header().Set("WWW-Authenticate", `Bearer realm="r"`+where+want)
		w.WriteHeader(http.StatusUnauthorized)
	case !containsAll(strings.Fields(have), strings.Fields(r.scopes)):
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope"`+where+want)
		w.WriteHeader(http.StatusForbidden)
	default:
		_, _ = io.WriteString(w, "hello")
	}
}

func containsAll(have, want []string) bool {
	for _, s := range want {
		if !slices.Contains(have, s) {
			return false
		}
	}
	return true
}
