package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The redirect URI of a sign-in is known once the server listens. A redirect without a
// pending sign-in is refused.
func TestSignIn(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	o := w.get("/api/mcp/oauth")
	assert.Equal(t, w.url+"/oauth/callback", o["redirectUri"])
	status, h, _ := w.do("GET", "/oauth/callback?state=nobody&code=x", nil, "Accept: text/html")
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "no-referrer", h.Get("Referrer-Policy"))
	w.must(http.StatusGone, "POST", "/api/mcp/oauth/answer", jsonObject{"query": "state=nobody&code=x"})
	w.must(http.StatusForbidden, "POST", "/api/mcp/oauth/answer", jsonObject{"query": "state=nobody&code=x"}, "Origin: http://evil.test") // a page of another site answers nothing
	w.must(http.StatusCreated, "POST", "/api/mcp/servers", jsonObject{"id": "far", "transport": "http", "connection": jsonObject{"url": "http://127.0.0.1:1", "oauth": struct{}{}}})
	a := w.get("/api/mcp/servers/far/authorization")
	assert.Equal(t, []any{true, false}, []any{a["configured"], a["authorized"]})
	w.must(http.StatusBadGateway, "POST", "/api/mcp/servers/far/authorization", nil)
}
