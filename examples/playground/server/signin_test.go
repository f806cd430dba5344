package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where browsers come back to is known once the server listens, and shows a page to
// those only whom somebody waits for.
func TestSignIn(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	_, _, o := w.do("GET", "/api/mcp/oauth", nil)
	assert.Equal(t, w.url+"/oauth/callback", o["redirectUri"])
	status, h, _ := w.do("GET", "/oauth/callback?state=nobody&code=x", nil, "Accept", "text/html")
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "no-referrer", h.Get("Referrer-Policy"))
	status, _, _ = w.do("POST", "/api/mcp/oauth/answer", map[string]any{"query": "state=nobody&code=x"})
	assert.Equal(t, http.StatusGone, status)
	status, _, _ = w.do("POST", "/api/mcp/oauth/answer", map[string]any{"query": "state=nobody&code=x"}, "Origin", "http://evil.test")
	assert.Equal(t, http.StatusForbidden, status, "a page of another site answers nothing")
	status, _, saved := w.do("POST", "/api/mcp/servers", map[string]any{"id": "far", "transport": "http", "connection": map[string]any{"url": "http://127.0.0.1:1", "oauth": struct{}{}}})
	require.Equal(t, http.StatusCreated, status, saved)
	_, _, a := w.do("GET", "/api/mcp/servers/far/authorization", nil)
	assert.Equal(t, []any{true, false}, []any{a["configured"], a["authorized"]})
	status, _, failed := w.do("POST", "/api/mcp/servers/far/authorization", nil)
	assert.Equal(t, http.StatusBadGateway, status, failed)
}
