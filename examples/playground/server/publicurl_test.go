package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// Behind a proxy, the server accepts the public host name, shows it to clients, and requires
// the token.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	const token = "a-token-for-the-page-behind-a-proxy"
	w := serve(t, &server.Options{PublicURL: "https://Tools.example.com/", Token: token, MCPToken: token + "-mcp"})
	const path, authorization, host = "/api/meta", "Authorization: Bearer " + token, "Host: tools.example.com"
	status, _, body := w.send("GET", path, "", host, authorization)
	require.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, `"endpoint":"https://tools.example.com/mcp"`)
	assert.Contains(t, body, `"exposed":true`)
	status, _, _ = w.send("GET", path, "", host, "X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1;host=localhost")
	assert.Equal(t, http.StatusUnauthorized, status)
	status, _, _ = w.send("GET", path, "", "Host: evil.example.com", authorization, "X-Forwarded-Host: tools.example.com")
	assert.Equal(t, http.StatusMisdirectedRequest, status)
}

// Without a token, only the health check works through a proxy.
func TestForwardedWithoutToken(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	const html = "Accept: text/html"
	for _, path := range []string{"/api/meta", "/", "/tools"} {
		status, _, _ := w.send("GET", path, "", html)
		assert.Equal(t, http.StatusOK, status, path)
		status, _, body := w.send("GET", path, "", html, "X-Forwarded-For: 127.0.0.1")
		assert.Equal(t, http.StatusForbidden, status, path)
		assert.Contains(t, body, "-token", path)
	}
	status, _, _ := w.send("GET", "/healthz", "", html, "Via: 1.1 balancer")
	assert.Equal(t, http.StatusOK, status)
	status, _, body := w.send("GET", "/mcp", "", html, "Forwarded: for=127.0.0.1")
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Contains(t, body, "forwarded")
}

func TestPublicURLRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://tools.example.com":    "MCPToken",
		"tools.example.com":            "scheme and host",
		"https://tools.example.com?x=": "scheme and host",
	} {
		_, err := server.New(t.Context(), &server.Options{Home: t.TempDir(), PublicURL: text})
		require.ErrorContains(t, err, want, text)
	}
	origin, err := server.CheckPublicURL("HTTP://LocalHost:3000")
	require.NoError(t, err)
	assert.Equal(t, "http://localhost:3000", origin)
}
