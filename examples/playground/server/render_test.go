package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page that draws diagrams has no origin and no network access, and loads only its own
// script.
func TestRender(t *testing.T) {
	s := open(t, nil)
	get := func(method, host, path string) *http.Response {
		r := httptest.NewRequest(method, "http://"+host+path, nil)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Result()
	}
	res := get(http.MethodGet, "127.0.0.1:8282", "/render/diagram")
	require.Equal(t, http.StatusOK, res.StatusCode)
	policy := res.Header.Get("Content-Security-Policy")
	for _, part := range []string{"sandbox allow-scripts;", "default-src 'none'", "script-src 'self'", "connect-src 'none'", "img-src 'none'", "frame-ancestors 'self'", "form-action 'none'", "base-uri 'none'"} {
		assert.Contains(t, policy, part)
	}
	assert.NotContains(t, policy, "allow-same-origin")
	assert.Equal(t, "same-origin", res.Header.Get("Cross-Origin-Resource-Policy"))
	assert.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	script := regexp.MustCompile(`<script src="([^"]+)" defer>`).FindSubmatch(body)
	require.NotNil(t, script, "%s", body)

	res = get(http.MethodGet, "127.0.0.1:8282", string(script[1]))
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, "text/javascript; charset=utf-8", res.Header.Get("Content-Type"))
	assert.Equal(t, "cross-origin", res.Header.Get("Cross-Origin-Resource-Policy"), "a document without an origin may load it")

	for path, want := range map[string]int{
		"/render/": http.StatusNotFound, "/render/other": http.StatusNotFound, "/render/0000/diagram.js": http.StatusNotFound,
		"/render/diagram.js": http.StatusNotFound, "/render/x/../core.js": http.StatusTemporaryRedirect,
	} {
		assert.Equal(t, want, get(http.MethodGet, "127.0.0.1:8282", path).StatusCode, path)
	}
	assert.Equal(t, http.StatusMethodNotAllowed, get(http.MethodPost, "127.0.0.1:8282", "/render/diagram").StatusCode)
	assert.Equal(t, http.StatusMisdirectedRequest, get(http.MethodGet, "evil.test", "/render/diagram").StatusCode)
	head := get(http.MethodHead, "127.0.0.1:8282", "/render/diagram")
	assert.Equal(t, http.StatusOK, head.StatusCode)
}
