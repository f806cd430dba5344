package httpapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
)

func TestGuard(t *testing.T) {
	w := serve(t, &httpapi.Options{AllowedHosts: []string{"api.example.com"}, AllowedOrigins: []string{"https://app.example.com/"}}, table())
	own := "Origin: " + w.URL
	for name, c := range map[string]struct {
		headers   []string
		get, post int
		code      string
	}{
		"a program":                    {nil, 200, 201, ""},
		"localhost":                    {[]string{"Host: localhost:1"}, 200, 201, ""},
		"an allowed host":              {[]string{"Host: API.example.com"}, 200, 201, ""},
		"rebinding":                    {[]string{"Host: evil.test"}, 421, 421, "forbidden_host"},
		"rebinding, its own origin":    {[]string{"Host: evil.test", "Origin: http://evil.test", "Sec-Fetch-Site: same-origin"}, 421, 421, "forbidden_host"},
		"no host":                      {[]string{"Host: 127.0.0.1.evil.test"}, 421, 421, "forbidden_host"},
		"our page":                     {[]string{own, "Sec-Fetch-Site: same-origin"}, 200, 201, ""},
		"our page, old browser":        {[]string{own}, 200, 201, ""},
		"typed by a person":            {[]string{"Sec-Fetch-Site: none"}, 200, 201, ""},
		"an allowed page":              {[]string{"Origin: https://app.example.com", "Sec-Fetch-Site: cross-site"}, 200, 201, ""},
		"another site":                 {[]string{"Origin: https://evil.test", "Sec-Fetch-Site: cross-site"}, 403, 403, "forbidden_origin"},
		"another site, no origin":      {[]string{"Sec-Fetch-Site: cross-site"}, 403, 403, "forbidden_origin"},
		"another site, old browser":    {[]string{"Origin: https://evil.test"}, 403, 403, "forbidden_origin"},
		"another program's local page": {[]string{"Origin: http://localhost:3000", "Sec-Fetch-Site: same-site"}, 403, 403, "forbidden_origin"},
		"a file":                       {[]string{"Origin: null"}, 403, 403, "forbidden_origin"},
		"two origins":                  {[]string{own, own}, 403, 403, "forbidden_origin"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			r := w.do("GET", "/api/notes/x", "", c.headers...)
			assert.Equal(t, c.get, r.StatusCode)
			if c.code != "" {
				assert.Equal(t, c.code, r.problem(t)["code"])
			}
			assert.Equal(t, c.post, w.do("POST", "/api/notes", `{"text":"x"}`, c.headers...).StatusCode)
			assert.Equal(t, c.get, w.do("GET", httpapi.DescriptionPath, "", c.headers...).StatusCode)
			if c.code != "" {
				assert.Equal(t, c.get, w.do("GET", "/nowhere", "", c.headers...).StatusCode, "what is not there is guarded too")
			}
		})
	}
}

func TestWithoutCredentialsLoopbackOnly(t *testing.T) {
	api, err := httpapi.New(nil, table())
	require.NoError(t, err)
	rec := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/notes/x", nil)
	api.ServeHTTP(rec, req) // it came in on no loopback address
	assert.Equal(t, http.StatusForbidden, rec.Code)
	assert.Contains(t, rec.Body.String(), "forbidden_peer")
}

// A proxy on this machine makes a request of anywhere look like one of this
// machine: without credentials it is refused, whatever it says of the sender.
func TestForwardedIsNotLocal(t *testing.T) {
	open := serve(t, nil, table())
	guarded := serve(t, &httpapi.Options{Authenticate: httpapi.BearerToken("s3cret")}, table())
	for _, header := range []string{"Forwarded: for=127.0.0.1;host=localhost", "X-Forwarded-For: 127.0.0.1", "x-forwarded-host: localhost",
		"X-Forwarded-Proto: https", "X-Real-IP: ::1", "Via: 1.1 proxy"} {
		open.t, guarded.t = t, t
		r := open.do("GET", "/api/notes/x", "", header)
		assert.Equal(t, http.StatusForbidden, r.StatusCode, header)
		problem := r.problem(t)
		assert.Equal(t, "forbidden_peer", problem["code"], header)
		assert.Contains(t, problem["detail"], "start the server with a token", header)
		assert.Equal(t, http.StatusForbidden, open.do("POST", "/api/notes", `{"text":"x"}`, header).StatusCode, header)
		assert.Equal(t, http.StatusUnauthorized, guarded.do("GET", "/api/notes/x", "", header).StatusCode, header)
		assert.Equal(t, http.StatusOK, guarded.do("GET", "/api/notes/x", "", header, "Authorization: Bearer s3cret").StatusCode, header)
	}
	assert.Equal(t, http.StatusOK, open.do("GET", "/api/notes/x", "", "X-Forward: no").StatusCode)
}

func TestBearerToken(t *testing.T) {
	w := serve(t, &httpapi.Options{Authenticate: httpapi.BearerToken("s3cret")}, table())
	for header, want := range map[string]int{
		"Authorization: Bearer s3cret": 200, "Authorization: bearer  s3cret": 200,
		"Authorization: Bearer s3cre": 401, "Authorization: Basic s3cret": 401, "Authorization: Bearer": 401, "X: y": 401,
	} {
		r := w.do("GET", "/api/notes/x", "", header)
		assert.Equal(t, want, r.StatusCode, header)
		if want == 401 {
			assert.Equal(t, "unauthenticated", r.problem(t)["code"])
			assert.Contains(t, r.Header.Get("WWW-Authenticate"), "Bearer")
			assert.NotContains(t, r.body, "s3cret")
		}
	}
	assert.Equal(t, 401, w.do("GET", "/nowhere", "").StatusCode, "who may not come in does not learn what is there")
	assert.Error(t, httpapi.BearerToken("")(&http.Request{Header: http.Header{"Authorization": {"Bearer "}}}))

	w = serve(t, &httpapi.Options{Authenticate: func(*http.Request) error { return httpapi.RateLimited.New("slow down") }}, table())
	assert.Equal(t, 429, w.do("GET", "/api/notes/x", "").StatusCode, "a problem of the hook's own")
	w = serve(t, &httpapi.Options{Authenticate: func(*http.Request) error { return errors.New("the key is hunter2") }}, table())
	assert.NotContains(t, w.do("GET", "/api/notes/x", "").body, "hunter2")
}
