package server_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// Behind a proxy the server answers to the proxy's name, tells it to clients, and
// trusts nothing but the token.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	const token = "a-token-for-the-page-behind-a-proxy"
	w := serve(t, &server.Options{PublicURL: "https://Tools.example.com/", Token: token, MCPToken: token + "-mcp"})
	ask := func(host, auth string, header http.Header) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/api/meta", nil)
		require.NoError(t, err)
		for name, values := range header {
			req.Header[name] = values
		}
		req.Host = host
		if auth != "" {
			req.Header.Set("Authorization", "Bearer "+auth)
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(body)
	}
	status, body := ask("tools.example.com", token, nil)
	require.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, `"endpoint":"https://tools.example.com/mcp"`)
	assert.Contains(t, body, `"exposed":true`)
	status, _ = ask("tools.example.com", "", http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Forwarded": {"for=127.0.0.1;host=localhost"}})
	assert.Equal(t, http.StatusUnauthorized, status)
	status, _ = ask("evil.example.com", token, http.Header{"X-Forwarded-Host": {"tools.example.com"}})
	assert.Equal(t, http.StatusMisdirectedRequest, status)
}

// Without a token nothing but whether the server is up is told through a proxy.
func TestForwardedWithoutToken(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	ask := func(path string, header http.Header) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, nil)
		require.NoError(t, err)
		req.Header = header.Clone()
		req.Header.Set("Accept", "text/html")
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(body)
	}
	for _, path := range []string{"/api/meta", "/", "/tools"} {
		status, _ := ask(path, http.Header{})
		assert.Equal(t, http.StatusOK, status, path)
		status, body := ask(path, http.Header{"X-Forwarded-For": {"127.0.0.1"}})
		assert.Equal(t, http.StatusForbidden, status, path)
		assert.Contains(t, body, "-token", path)
	}
	status, _ := ask("/healthz", http.Header{"Via": {"1.1 balancer"}})
	assert.Equal(t, http.StatusOK, status)
	status, body := ask("/mcp", http.Header{"Forwarded": {"for=127.0.0.1"}})
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
