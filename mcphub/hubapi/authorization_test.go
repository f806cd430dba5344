package hubapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

// doorkeeper authorizes whoever says "yes".
type doorkeeper struct {
	mu   sync.Mutex
	fail error
	in   map[string]bool // by address
	did  []string
}

func (d *doorkeeper) note(what string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.did = append(d.did, what)
	return d.fail
}

func (d *doorkeeper) Begin(_ context.Context, e client.Endpoint, _ json.RawMessage) (string, error) {
	return "https://login.example.com/ask", d.note("begin " + e.Address)
}

func (d *doorkeeper) Standing(_ context.Context, e client.Endpoint, _ json.RawMessage) (client.Authorization, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return client.Authorization{Resource: e.Address, Authorized: d.in[e.Address], Scopes: []string{}}, d.fail
}

func (d *doorkeeper) Revoke(_ context.Context, e client.Endpoint, _ json.RawMessage) error {
	err := d.note("revoke " + e.Address)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.in, e.Address)
	return err
}

func (d *doorkeeper) Complete(_ context.Context, answer url.Values) error {
	switch answer.Get("state") {
	case "known":
		return nil
	case "refused":
		return errors.New("the person said no")
	}
	return fmt.Errorf("%w: nobody waits", client.ErrNoAttempt)
}

func (d *doorkeeper) RedirectURI() string { return "http://127.0.0.1/back" }

func TestAuthorizationAPI(t *testing.T) {
	const server = "/api/mcp/servers/far"
	keeper := &doorkeeper{in: map[string]bool{"https://far.example/mcp": true}}
	w := serveAPI(t, hubtest.Fakes{}, func(_ *servedAPI, o *hubapi.Options) { o.Authorizer = keeper })
	save := func(id, connection string) {
		w.OK(201, "POST", "/api/mcp/servers", `{"id":"`+id+`","transport":"http","connection":`+connection+`}`)
	}
	save("far", `{"url":"https://far.example","oauth":{}}`)
	save("plain", `{"url":"https://plain.example"}`)
	assert.Equal(t, "http://127.0.0.1/back", w.OK(200, "GET", "/api/mcp/oauth", "").Get("redirectUri"))
	got := w.OK(200, "GET", server+"/authorization", "")
	assert.Equal(t, []any{true, true}, []any{got.Get("configured"), got.Get("authorized")})
	assert.Equal(t, false, w.OK(200, "GET", "/api/mcp/servers/plain/authorization", "").Get("configured"))
	w.Fails(404, "not_found", "GET", "/api/mcp/servers/nobody/authorization", "")
	w.Fails(422, "validation_failed", "POST", "/api/mcp/servers/plain/authorization", "")
	w.Fails(422, "validation_failed", "DELETE", "/api/mcp/servers/plain/authorization", "")
	w.Fails(404, "not_found", "POST", "/api/mcp/servers/nobody/authorization", "")
	w.Fails(404, "not_found", "DELETE", "/api/mcp/servers/nobody/authorization", "")

	assert.Equal(t, "https://login.example.com/ask", w.OK(200, "POST", server+"/authorization", "").Get("url"))
	assert.Equal(t, "AWAITING_AUTHORIZATION", w.OK(200, "GET", server+"/status", "").Get("state"))
	assert.Equal(t, false, w.OK(200, "DELETE", server+"/authorization", "").Get("authorized"))
	assert.Equal(t, "IDLE", w.OK(200, "GET", server+"/status", "").Get("state"))
	w.OK(200, "DELETE", server+"/authorization", "") // there is none: nobody is asked
	assert.Equal(t, []string{"begin https://far.example/mcp", "revoke https://far.example/mcp"}, keeper.did)

	answer := func(query string) string { return `{"query":"` + query + `"}` }
	assert.Equal(t, true, w.OK(200, "POST", "/api/mcp/oauth/answer", answer("state=known&code=x")).Get("ok"))
	no := w.OK(200, "POST", "/api/mcp/oauth/answer", answer("state=refused&error=access_denied"))
	assert.Equal(t, []any{false, true, "the person said no"}, []any{no.Get("ok"), no.Get("denied"), no.Get("error")})
	w.Fails(410, "not_pending", "POST", "/api/mcp/oauth/answer", answer("state=old"))
	w.Fails(422, "validation_failed", "POST", "/api/mcp/oauth/answer", answer("code=x"))
	w.Fails(422, "validation_failed", "POST", "/api/mcp/oauth/answer", answer("state=%zz"))

	keeper.mu.Lock()
	keeper.fail = errors.New("the way there is broken")
	keeper.mu.Unlock()
	w.Fails(502, "upstream_failed", "GET", server+"/authorization", "")
	w.Fails(502, "upstream_failed", "POST", server+"/authorization", "")
	w.Fails(502, "upstream_failed", "DELETE", server+"/authorization", "")
	keeper.mu.Lock()
	keeper.fail = &client.MissingConfigError{Names: []string{"ID"}}
	keeper.mu.Unlock()
	w.Fails(409, "missing_configuration", "POST", server+"/authorization", "")

	// With the last server that goes by an authorization it ends.
	keeper.mu.Lock()
	keeper.fail, keeper.did = nil, nil
	keeper.mu.Unlock()
	save("same", `{"url":"https://far.example","oauth":{}}`)
	w.OK(204, "DELETE", "/api/mcp/servers/same", "")
	w.OK(204, "DELETE", server, "")
	require.Eventually(t, func() bool {
		keeper.mu.Lock()
		defer keeper.mu.Unlock()
		return slices.Equal(keeper.did, []string{"revoke https://far.example/mcp"})
	}, hubtest.Patience, time.Millisecond)
}

// Servers that are wanted from the start are connected to, and no others.
func TestConnectAuto(t *testing.T) {
	c := hubtest.Connections(t, hubtest.Fakes{"a": &hubtest.Fake{}, "b": &hubtest.Fake{}}, nil)
	rec, err := c.Get("a")
	require.NoError(t, err)
	rec.AutoConnect = true
	_, err = c.Save(t.Context(), rec)
	require.NoError(t, err)
	require.NoError(t, c.ConnectAuto(t.Context()))
	states := map[string]servers.State{}
	for _, s := range c.Statuses() {
		states[s.ID] = s.State
	}
	assert.Equal(t, map[string]servers.State{"a": servers.StateConnected, "b": servers.StateIdle}, states)
}
