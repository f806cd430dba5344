package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/oauth"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

func TestDefinitions(t *testing.T) {
	as := newAuthServer(t, "")
	as.life = 3600
	rs := newResource(t, as)
	values := map[string]string{"HOST": rs.URL, "ID": "by-hand", "SECRET": "hidden-value", "SCOPE": "read"}
	clients := oauth.NewClients(nil, func(name string) (string, bool) { v, ok := values[name]; return v, ok })
	t.Cleanup(func() { require.NoError(t, clients.Close()) })
	endpoint := client.Endpoint{Kind: client.TransportHTTP, Address: "${HOST}/mcp"}
	definition := json.RawMessage(`{"clientId":"${ID}","clientSecret":"${SECRET}","clientAuthenticationMethod":"CLIENT_SECRET_POST",
		"issuerUri":"` + as.issuer() + `","scopes":"${SCOPE},write","grant":"client_credentials"}`)
	request := func(creds client.Credentials) (client.RequestCredentials, *http.Request) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, rs.address(), nil)
		require.NoError(t, err)
		return creds.(client.RequestCredentials), req
	}
	creds, err := clients.Credentials(endpoint, definition)
	require.NoError(t, err)
	assert.Nil(t, clients.Client(rs.address()), "nothing is made before it is used")
	c, req := request(creds)
	require.NoError(t, c.AuthorizeRequest(req))
	assert.Empty(t, req.Header, "there is no token yet")
	again, err := c.ChallengedRequest(req, &client.ConnError{Status: 401, Challenges: []string{"Bearer"}})
	require.NoError(t, err)
	assert.True(t, again)
	require.NoError(t, c.AuthorizeRequest(req))
	assert.NotEmpty(t, req.Header.Get("Authorization"))
	c.Answered(req, &http.Response{StatusCode: 200})
	form := as.lastForm()
	assert.Equal(t, "by-hand", form.Get("client_id"))
	assert.Equal(t, "hidden-value", form.Get("client_secret"))
	assert.Equal(t, "read write", form.Get("scope"))

	// Another connection of the same kind shares the client.
	same, err := clients.Credentials(endpoint, definition)
	require.NoError(t, err)
	header := http.Header{}
	require.NoError(t, same.Authorize(t.Context(), header))
	assert.Equal(t, req.Header.Get("Authorization"), header.Get("Authorization"))
	require.NotNil(t, clients.Client(rs.address()))
	assert.Nil(t, clients.Client("https://example.com"))
	assert.Nil(t, clients.Client("::"))
	again, err = same.Challenged(t.Context(), &client.ConnError{Status: 403})
	require.NoError(t, err)
	assert.False(t, again)

	// A connection that is deleted ends its authorization.
	require.NoError(t, clients.Revoke(t.Context(), endpoint, definition))
	assert.Equal(t, 2, as.seen("revoke"))
	require.ErrorIs(t, clients.Revoke(t.Context(), endpoint, definition), oauth.ErrNoToken)

	// What is missing is named, and nothing is done.
	delete(values, "SECRET")
	lacking, err := clients.Credentials(endpoint, json.RawMessage(`{"clientId":"${ID}","clientSecret":"${SECRET}","scopes":["${NO}"]}`))
	require.NoError(t, err)
	l, req := request(lacking)
	var missing *client.MissingConfigError
	require.ErrorAs(t, lacking.Authorize(t.Context(), http.Header{}), &missing)
	assert.Equal(t, []string{"NO", "SECRET"}, missing.Names)
	require.ErrorAs(t, l.AuthorizeRequest(req), &missing)
	_, err = l.ChallengedRequest(req, nil)
	require.ErrorAs(t, err, &missing)
	_, err = lacking.Challenged(t.Context(), nil)
	require.ErrorAs(t, err, &missing)
	l.Answered(req, &http.Response{})

	for name, text := range map[string]string{"no JSON": `{`, "scopes": `{"scopes":1}`, "grant": `{"grant":"password"}`} {
		_, err := clients.Credentials(endpoint, json.RawMessage(text))
		require.Error(t, err, name)
	}
	for name, text := range map[string]string{"token endpoint": `{"tokenUri":"x"}`, "method": `{"clientId":"x","clientAuthenticationMethod":"magic"}`} {
		creds, err := clients.Credentials(endpoint, json.RawMessage(text))
		require.NoError(t, err, name)
		require.Error(t, creds.Authorize(t.Context(), http.Header{}), name)
	}
	require.NoError(t, clients.Close())
	closed, err := clients.Credentials(endpoint, json.RawMessage(`{}`))
	require.NoError(t, err)
	require.ErrorIs(t, closed.Authorize(t.Context(), http.Header{}), oauth.ErrClosed)
	require.ErrorIs(t, clients.Revoke(t.Context(), endpoint, json.RawMessage(`{}`)), oauth.ErrClosed)
	require.Error(t, clients.Revoke(t.Context(), endpoint, json.RawMessage(`{`)))
}

// A connection of the hub tells what it lacks, and is tried again when only the
// way to its authorization server is broken.
func TestConnectionsOfAHub(t *testing.T) {
	as := newAuthServer(t, "")
	rs := newResource(t, as)
	rs.meta["/.well-known/oauth-protected-resource/mcp"] = func() (int, any) { return 503, nil }
	clients := oauth.NewClients(nil, nil)
	t.Cleanup(func() { require.NoError(t, clients.Close()) })
	conns, err := servers.New(memory.New(), &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{Credentials: clients.Credentials})})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conns.Close()) })
	for id, definition := range map[string]string{"lacking": `{"clientId":"${NO}"}`, "ill": `{}`} {
		_, err := conns.Save(t.Context(), servers.Record{ID: id, Connection: json.RawMessage(`{"url":"` + rs.address() + `","oauth":` + definition + `}`)})
		require.NoError(t, err)
	}
	require.ErrorIs(t, conns.Connect(t.Context(), "lacking"), client.ErrMissingConfig)
	s, err := conns.Status("lacking")
	require.NoError(t, err)
	assert.Equal(t, servers.StateMissingConfig, s.State)
	assert.Equal(t, []string{"NO"}, s.Missing)
	require.ErrorContains(t, conns.Connect(t.Context(), "ill"), "HTTP 503")
	s, err = conns.Status("ill")
	require.NoError(t, err)
	assert.Equal(t, servers.StateError, s.State)
	assert.False(t, s.RetryAt.IsZero(), "it is tried again")
}

// Endpoints that the operator wrote stand in for metadata.
func TestDefinitionWithEndpoints(t *testing.T) {
	as := newAuthServer(t, "")
	rs := newResource(t, as)
	rs.plain = true
	clear(rs.meta)
	clients := oauth.NewClients(&oauth.Options{}, nil)
	t.Cleanup(func() { require.NoError(t, clients.Close()) })
	creds, err := clients.Credentials(client.Endpoint{Address: rs.address()}, json.RawMessage(`{"clientId":"x","grant":"client_credentials",
		"authorizationUri":"`+as.URL+`/authorize","tokenUri":"`+as.URL+`/token"}`))
	require.NoError(t, err)
	again, err := creds.Challenged(t.Context(), &client.ConnError{Status: 401})
	require.NoError(t, err)
	assert.True(t, again)
	assert.Equal(t, url.Values{"grant_type": {"client_credentials"}, "client_id": {"x"}, "resource": {rs.address()}}, as.lastForm())
}
