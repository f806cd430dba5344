package oauth_test

import (
	"encoding/json"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/oauth"
)

// answerOf is what the authorization server sends the browser back with.
func answerOf(t *testing.T, as *authServer, page string) url.Values {
	t.Helper()
	asked, err := url.Parse(page)
	require.NoError(t, err)
	as.set(func() { as.codes["the-code"] = asked.Query() })
	return url.Values{"code": {"the-code"}, "state": {asked.Query().Get("state")}, "iss": {as.issuer()}}
}

var _ hubapi.Authorizer = (*oauth.Clients)(nil)

// How an authorization stands, from the first question to its end, for a server
// that shows a page of its own at the redirect address.
func TestStanding(t *testing.T) {
	as := newAuthServer(t, "")
	as.life = 3600
	rs := newResource(t, as)
	callback, err := oauth.NewCallback("http://127.0.0.1/oauth/callback")
	require.NoError(t, err)
	require.NoError(t, callback.Move("http://127.0.0.1:8282/oauth/callback"))
	require.ErrorIs(t, callback.Move("http://example.com/oauth/callback"), oauth.ErrUnsafe)
	require.ErrorIs(t, callback.Move("::"), oauth.ErrUnsafe)
	said, refused := make(chan string, 1), make(chan string, 1)
	var later atomic.Int64
	clients := oauth.NewClients(&oauth.Options{Redirect: callback, Clock: func() time.Time { return time.Now().Add(time.Duration(later.Load())) },
		Authorized: func(resource string) { said <- resource },
		Refused:    func(resource string, _ error) { refused <- resource }}, nil)
	t.Cleanup(func() { require.NoError(t, clients.Close()) })
	assert.Equal(t, "http://127.0.0.1:8282/oauth/callback", clients.RedirectURI())
	ctx := t.Context()
	endpoint, definition := client.Endpoint{Kind: client.TransportHTTP, Address: rs.address()}, json.RawMessage(`{}`)
	standing := func() client.Authorization {
		s, err := clients.Standing(ctx, endpoint, definition)
		require.NoError(t, err)
		return s
	}
	assert.Equal(t, client.Authorization{Resource: rs.address(), Scopes: []string{}}, standing())

	// A person is asked, and says no.
	page, err := clients.Begin(ctx, endpoint, definition)
	require.NoError(t, err)
	assert.Contains(t, page, url.QueryEscape("http://127.0.0.1:8282/oauth/callback"))
	s := standing()
	assert.True(t, s.Waiting)
	assert.Equal(t, as.issuer(), s.Issuer)
	assert.WithinDuration(t, time.Now().Add(10*time.Minute), s.Until, time.Minute)
	answer := answerOf(t, as, page)
	no := url.Values{"error": {"access_denied"}, "state": answer["state"], "iss": answer["iss"]}
	assert.True(t, callback.Waits(no))
	var denied *oauth.ServerError
	require.ErrorAs(t, clients.Complete(ctx, no), &denied)
	s = standing()
	assert.True(t, s.Denied)
	assert.False(t, s.Waiting)
	assert.Contains(t, s.Failure, "access_denied")
	assert.Equal(t, rs.address(), <-refused)
	assert.False(t, callback.Waits(no), "an answer is good once")
	require.ErrorIs(t, clients.Complete(ctx, answer), client.ErrNoAttempt)

	// Who answers too late is told so.
	page, err = clients.Begin(ctx, endpoint, definition)
	require.NoError(t, err)
	assert.Empty(t, standing().Failure, "a new attempt has not failed yet")
	later.Store(int64(11 * time.Minute))
	s = standing()
	assert.False(t, s.Waiting)
	assert.True(t, s.Late)
	require.ErrorIs(t, clients.Complete(ctx, answerOf(t, as, page)), client.ErrNoAttempt)
	assert.True(t, standing().Late)
	later.Store(0)

	// And yes.
	page, err = clients.Begin(ctx, endpoint, definition)
	require.NoError(t, err)
	require.NoError(t, clients.Complete(ctx, answerOf(t, as, page)))
	s = standing()
	assert.True(t, s.Authorized)
	assert.True(t, s.Renewable)
	assert.False(t, s.Expires.IsZero())
	assert.NotEmpty(t, s.ClientID)
	assert.Equal(t, rs.address(), <-said)
	require.NoError(t, clients.Revoke(ctx, endpoint, definition))
	assert.False(t, standing().Authorized)

	// What cannot be begun says why.
	_, err = clients.Begin(ctx, endpoint, json.RawMessage(`{"grant":"telepathy"}`))
	require.ErrorContains(t, err, "telepathy")
	_, err = clients.Standing(ctx, client.Endpoint{Address: "${NO}"}, definition)
	require.ErrorIs(t, err, client.ErrMissingConfig)
	without := oauth.NewClients(nil, nil)
	t.Cleanup(func() { require.NoError(t, without.Close()) })
	assert.Empty(t, without.RedirectURI())
	require.ErrorIs(t, without.Complete(ctx, answer), client.ErrNoAttempt)
}
