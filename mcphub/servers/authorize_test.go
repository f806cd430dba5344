package servers_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec/secret"
)

// proofs are credentials that belong to one request.
type proofs struct {
	hubtest.ChangingToken
	mu       sync.Mutex
	good     bool
	ask      error
	again    bool
	answered []int
	asked    int
	methods  []string
}

func (p *proofs) AuthorizeRequest(req *http.Request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.methods = append(p.methods, req.Method+" "+req.URL.Path)
	if p.Fail != nil {
		return p.Fail
	}
	if p.good {
		req.Header.Set("Authorization", "Bearer good")
	}
	return nil
}

func (p *proofs) Answered(_ *http.Request, resp *http.Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = append(p.answered, resp.StatusCode)
}

func (p *proofs) ChallengedRequest(req *http.Request, refused *client.ConnError) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if req == nil || refused.Status != 401 || len(refused.Challenges) == 0 {
		return false, errors.New("no challenge")
	}
	return p.again, p.ask
}

func (p *proofs) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func TestRequestCredentials(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	creds := &proofs{}
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), Credentials: creds})
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, nil)
	refuse := mcphubtest.Unauthorized("Bearer")
	creds.set(func() { creds.again, creds.answered = true, nil })
	peer.On("tools/call", refuse, refuse, refuse, mcphubtest.Echo())
	_, err = hubtest.CallTool(s)
	require.NoError(t, err, "a nonce, a token, more scopes")
	assert.Equal(t, []int{401, 401, 401, 200}, creds.answered)
	assert.Contains(t, creds.methods, "POST /mcp")

	creds.set(func() { creds.asked = 0 })
	peer.On("tools/call", refuse)
	_, err = hubtest.CallTool(s)
	require.ErrorIs(t, err, client.ErrAuthorizationRequired)
	assert.Equal(t, 3, creds.asked, "it ends")
	creds.set(func() { creds.again, creds.asked = false, 0 })
	_, err = hubtest.CallTool(s)
	require.ErrorIs(t, err, client.ErrAuthorizationRequired)
	assert.Equal(t, 1, creds.asked)
	creds.set(func() { creds.ask = passing{} })
	_, err = hubtest.CallTool(s)
	require.ErrorContains(t, err, "the issuer is ill")
	require.NotErrorIs(t, err, client.ErrAuthorizationRequired, "nobody has to do anything")
	assert.False(t, hubtest.Classed(t, err, client.ConnTransport).Sent)
	creds.set(func() { creds.Fail = errors.New("the issuer is away") })
	_, err = hubtest.CallTool(s)
	require.ErrorContains(t, err, "the issuer is away")
	assert.False(t, hubtest.Classed(t, err, client.ConnTransport).Sent)
	assert.Empty(t, creds.ChangingToken.Asked, "the other methods are not used")
}

type passing struct{}

func (passing) Error() string   { return "the issuer is ill" }
func (passing) Temporary() bool { return true }

// changing are credentials whose secret changes.
type changing struct {
	hubtest.ChangingToken
	secret string
}

func (c *changing) Redactor() *secret.Redactor { return secret.NewRedactor(c.secret) }

func TestSecretsOfCredentialsAreMasked(t *testing.T) {
	for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportSSE} {
		peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: kind == client.TransportSSE})
		creds := &changing{secret: "not-this-one"}
		make := client.NewHTTP
		if kind == client.TransportSSE {
			make = client.NewSSE
		}
		tr, err := make(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), Credentials: creds})
		require.NoError(t, err)
		s := hubtest.Connect(t, tr, nil)
		creds.secret = "a-new-token"
		if kind == client.TransportHTTP { // the other has accepted the message by then
			peer.On("tools/call", mcphubtest.Status(http.StatusBadGateway, "what is a-new-token?"))
			_, err = hubtest.CallTool(s)
			require.ErrorContains(t, err, "what is ***?")
		}
		peer.On("tools/call", func(x *mcphubtest.Exchange) { x.Refuse(-1, "bad a-new-token", `{"of":"a-new-token"}`) })
		_, err = hubtest.CallTool(s)
		require.ErrorContains(t, err, "bad ***", kind)
		var refused *client.RPCError
		require.ErrorAs(t, err, &refused)
		assert.JSONEq(t, `{"of":"***"}`, string(refused.Data), kind)
	}
}

// page is what credentials say when a person has to open one.
type page struct{}

func (page) Error() string            { return "a person has to say yes" }
func (page) AuthorizationURL() string { return "https://auth.example.com/yes" }

func TestConnectionsGoOnAfterAnAuthorization(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(nil)
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		peer.ServeHTTP(w, r)
	})
	creds := &proofs{ask: page{}}
	c, err := servers.New(memory.New(), &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{
		RoundTripper: mcphubtest.RoundTripper(guarded),
		Lookup:       func(string) (string, bool) { return "https://other.example.com", true },
		Credentials:  func(client.Endpoint, json.RawMessage) (client.Credentials, error) { return creds, nil },
	})})
	require.NoError(t, err)
	defer c.Close()
	for id, address := range map[string]string{"one": "https://Peer.example.com", "two": "https://two.example.com/mcp", "filled": "${SOMEWHERE}/mcp"} {
		_, err := c.Save(t.Context(), servers.Record{ID: id, Connection: json.RawMessage(`{"url":"` + address + `","oauth":{}}`), Kind: "http"})
		require.NoError(t, err)
		require.ErrorIs(t, c.Connect(t.Context(), id), client.ErrAuthorizationRequired)
		s, err := c.Status(id)
		require.NoError(t, err)
		assert.Equal(t, servers.StateAwaitingAuthorization, s.State)
		assert.Equal(t, "https://auth.example.com/yes", s.AuthorizationURL)
		assert.NotContains(t, s.Error, "https://auth.example.com/yes")
	}
	creds.set(func() { creds.good = true })
	c.Authorized("https://nobody.example.com/mcp")
	c.Authorized("::")
	c.Authorized("https://peer.example.com/mcp")
	for _, id := range []string{"one", "filled"} {
		require.Eventually(t, func() bool { return hubtest.StateOf(t, c, id) == servers.StateConnected }, hubtest.Patience, time.Millisecond, id)
	}
	assert.Equal(t, servers.StateAwaitingAuthorization, hubtest.StateOf(t, c, "two"))
	s, err := c.Status("one")
	require.NoError(t, err)
	assert.Empty(t, s.AuthorizationURL)
	c.Authorized("https://peer.example.com/mcp") // nobody waits
}
