package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/toolspec/secret"
)

// TestHTTPErrors meets each way of refusing a request.
func TestHTTPErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		react  mcphubtest.Reaction
		class  client.ConnClass
		is     error
		status int
		say    string
	}{
		"401":          {mcphubtest.Unauthorized(`Bearer scope="files"`), client.ConnAuth, client.ErrAuthorizationRequired, 401, "authorization required"},
		"403":          {mcphubtest.Forbidden(`Bearer error="insufficient_scope"`), client.ConnAuth, client.ErrForbidden, 403, "forbidden"},
		"429":          {mcphubtest.Busy(7 * time.Second), client.ConnBusy, client.ErrBusy, 429, "busy"},
		"503":          {mcphubtest.Status(503, "down for now"), client.ConnBusy, client.ErrBusy, 503, "down for now"},
		"500":          {mcphubtest.Status(500, "oh no"), client.ConnServer, nil, 500, "HTTP 500 Internal Server Error: the server said: oh no"},
		"418":          {mcphubtest.Status(418, ""), client.ConnServer, nil, 418, "teapot"},
		"300":          {mcphubtest.Status(300, ""), client.ConnServer, nil, 300, "unknown way"},
		"garbage":      {mcphubtest.Garbage(), client.ConnProtocol, client.ErrProtocol, 0, "not JSON"},
		"html":         {mcphubtest.Status(200, "<html>", "Content-Type", "text/html"), client.ConnProtocol, client.ErrProtocol, 0, `"text/html"`},
		"no type":      {mcphubtest.Status(200, "{}", "Content-Type", ";;"), client.ConnProtocol, client.ErrProtocol, 0, "not with JSON"},
		"accepted":     {mcphubtest.Status(202, ""), client.ConnProtocol, client.ErrProtocol, 0, "HTTP 202"},
		"another's":    {mcphubtest.Status(200, `{"jsonrpc":"2.0","id":99,"result":{}}`, "Content-Type", "application/json; charset=utf-8"), client.ConnProtocol, client.ErrProtocol, 0, "something else"},
		"oversize":     {mcphubtest.Oversize(70 << 10), client.ConnProtocol, client.ErrTooLarge, 0, "65536 bytes"},
		"announced":    {mcphubtest.Status(200, strings.Repeat(" ", 70<<10), "Content-Type", "application/json", "Content-Length", "71680"), client.ConnProtocol, client.ErrTooLarge, 0, "65536"},
		"event":        {mcphubtest.OversizeEvent(70 << 10), client.ConnProtocol, client.ErrTooLarge, 0, "65536 bytes"},
		"bad event":    {mcphubtest.Broken("data: {no\n\n"), client.ConnProtocol, client.ErrProtocol, 0, "not JSON"},
		"broken":       {mcphubtest.Broken(": hello\n\n"), client.ConnTransport, nil, 0, "ended before the answer"},
		"cut":          {mcphubtest.Broken("data: {\"jsonrpc\""), client.ConnTransport, nil, 0, "ended before the answer"},
		"see other":    {mcphubtest.Status(303, "", "Location", "/other"), client.ConnServer, nil, 303, "drops the message"},
		"to nowhere":   {mcphubtest.Status(307, ""), client.ConnServer, nil, 307, "does not say where to"},
		"another host": {mcphubtest.Status(307, "", "Location", "http://evil.example/mcp"), client.ConnServer, nil, 307, "to another host"},
		"round":        {mcphubtest.Status(308, "", "Location", "/mcp"), client.ConnServer, nil, 308, "again and again"},
	} {
		for era, opts := range map[string]*client.DialOptions{"old": {Versions: hubtest.Sessions2025.Versions, MaxMessage: 64 << 10}, "new": {MaxMessage: 64 << 10}} {
			t.Run(name+" "+era, func(t *testing.T) {
				leak.Check(t)
				peer := mcphubtest.NewPeer(nil).On("tools/call", tt.react)
				s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), opts)
				_, err := hubtest.CallTool(s)
				e := hubtest.Classed(t, err, tt.class)
				assert.Equal(t, tt.status, e.Status)
				assert.Contains(t, err.Error(), tt.say)
				assert.True(t, e.Sent)
				assert.Equal(t, "tools/call", e.Op)
				if tt.is != nil {
					require.ErrorIs(t, err, tt.is)
				}
				switch name {
				case "401":
					assert.Equal(t, []string{`Bearer scope="files"`}, e.Challenges)
				case "429":
					assert.Equal(t, 7*time.Second, e.RetryAfter)
				}
				require.NoError(t, s.Err(), "the session lives on")
				require.NoError(t, client.Ping(t.Context(), s))
			})
		}
	}
}

func TestHTTPSessionLost(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.LoseSession())
	tr := peer.Transport(client.TransportHTTP)
	s := hubtest.Connect(t, tr, hubtest.Sessions2025)
	label := s.Info().Label
	assert.Len(t, label, 12)
	_, err := hubtest.CallTool(s)
	e := hubtest.Classed(t, err, client.ConnSessionLost)
	assert.Equal(t, http.StatusNotFound, e.Status)
	<-s.Done()
	require.ErrorIs(t, s.Err(), client.ErrSessionLost)
	require.ErrorIs(t, s.Notify(t.Context(), "notifications/x", nil), client.ErrSessionLost)
	require.ErrorIs(t, s.Listen(t.Context(), nil), client.ErrSessionLost)
	require.NoError(t, s.Close())
	assert.NotContains(t, peer.Methods(), "DELETE", "there is nothing to end")

	peer.On("tools/call", mcphubtest.Reply(`{"content":[]}`))
	again := hubtest.Connect(t, tr, hubtest.Sessions2025)
	assert.NotEqual(t, label, again.Info().Label)
	raw, err := hubtest.CallTool(again)
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[]}`, string(raw))
	require.NoError(t, again.Close())
	assert.Equal(t, "DELETE", peer.Methods()[len(peer.Methods())-1])

	// Since 2026-07-28 there is no session to lose.
	peer.On("tools/call", mcphubtest.Status(404, "gone"))
	modern := hubtest.Connect(t, tr, nil)
	_, err = hubtest.CallTool(modern)
	hubtest.Classed(t, err, client.ConnServer)
	require.NoError(t, modern.Err())
}

func TestHTTPHeaders(t *testing.T) {
	peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Echo()).On("resources/read", mcphubtest.Echo())
	open := func(opts *client.DialOptions, headers map[string]string) client.Session {
		tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp", Headers: headers},
			&client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), Lookup: secret.Map(map[string]string{"TOKEN": "tok-12345"})})
		require.NoError(t, err)
		return hubtest.Connect(t, tr, opts)
	}
	last := func() http.Header { all := peer.Seen(); return all[len(all)-1].Header }

	s := open(nil, map[string]string{"authorization": "Bearer ${TOKEN}", "X-Own": "yes", "Accept": "nothing", "X-Empty": ""})
	_, err := hubtest.CallTool(s)
	require.NoError(t, err)
	h := last()
	assert.Equal(t, "Bearer tok-12345", h.Get("Authorization"))
	assert.Equal(t, "yes", h.Get("X-Own"))
	assert.NotContains(t, h, "X-Empty")
	assert.Equal(t, "application/json, text/event-stream", h.Get("Accept"))
	assert.Equal(t, "application/json", h.Get("Content-Type"))
	assert.Equal(t, "localpass/0.1.0", h.Get("User-Agent"))
	assert.Equal(t, "2026-07-28", h.Get("Mcp-Protocol-Version"))
	assert.Equal(t, "tools/call", h.Get("Mcp-Method"))
	assert.Equal(t, "x", h.Get("Mcp-Name"))
	assert.NotContains(t, h, "Mcp-Session-Id")
	_, err = s.Call(t.Context(), "resources/read", json.RawMessage(`{"uri":"file:///ü"}`), nil)
	require.NoError(t, err)
	assert.Equal(t, "=?base64?ZmlsZTovLy/DvA==?=", last().Get("Mcp-Name"))
	require.NoError(t, s.Notify(t.Context(), "notifications/x", json.RawMessage(`{"a":1}`)))
	assert.Equal(t, "notifications/x", last().Get("Mcp-Method"))

	s = open(&client.DialOptions{Versions: []string{"2025-06-18"}, Client: client.Identity{Name: "täst", Version: "2"}}, nil)
	_, err = hubtest.CallTool(s)
	require.NoError(t, err)
	h = last()
	assert.Equal(t, "2025-06-18", h.Get("Mcp-Protocol-Version"))
	assert.Contains(t, h.Get("Mcp-Session-Id"), "peer-session-")
	assert.NotContains(t, h, "Mcp-Method")
	assert.Equal(t, "localpass", h.Get("User-Agent"))

	s = open(&client.DialOptions{Versions: []string{"2025-03-26"}}, nil)
	_, err = hubtest.CallTool(s)
	require.NoError(t, err)
	assert.NotContains(t, last(), "Mcp-Protocol-Version", "there was no such header")
}

func TestHTTPDescribe(t *testing.T) {
	for _, tt := range []struct {
		cfg      client.HTTPConfig
		address  string
		auth     client.AuthMode
		required []string
	}{
		{client.HTTPConfig{URL: "https://a.example/mcp"}, "https://a.example/mcp", client.AuthNone, nil},
		{client.HTTPConfig{URL: "https://a.example/", Path: "/mcp"}, "https://a.example/mcp", client.AuthNone, nil},
		{client.HTTPConfig{URL: "https://ada:pass@a.example/mcp?api_key=k#x"}, "https://a.example/mcp", client.AuthBasic, nil},
		{client.HTTPConfig{URL: "https://a.example/mcp?api_key=k"}, "https://a.example/mcp", client.AuthAPIKey, nil},
		{client.HTTPConfig{URL: "https://u:${PW}@${HOST}/mcp?k=${KEY}"}, "https://${HOST}/mcp", client.AuthAPIKey, []string{"HOST", "KEY", "PW"}},
		{client.HTTPConfig{URL: "https://a.example", Headers: map[string]string{"Authorization": "Bearer ${T}"}, Required: []string{"Q"}}, "https://a.example", client.AuthBearer, []string{"Q", "T"}},
		{client.HTTPConfig{URL: "https://a.example", Headers: map[string]string{"Authorization": "basic abc"}}, "https://a.example", client.AuthBasic, nil},
		{client.HTTPConfig{URL: "https://a.example", Headers: map[string]string{"X-Api-Key": "abc", "X-Other": "d"}}, "https://a.example", client.AuthAPIKey, nil},
		{client.HTTPConfig{URL: "https://a.example", Headers: map[string]string{"X-Other": "d"}}, "https://a.example", client.AuthNone, nil},
	} {
		tr, err := client.NewHTTP(tt.cfg, nil)
		require.NoError(t, err)
		e := tr.Describe()
		assert.Equal(t, tt.address, e.Address)
		assert.Equal(t, tt.auth, e.Auth, tt.address)
		assert.ElementsMatch(t, tt.required, e.Required)
	}
	for name, cfg := range map[string]client.HTTPConfig{
		"scheme": {URL: "ftp://a.example"}, "host": {URL: "http://"}, "none": {}, "no url": {URL: "http://a b"},
		"header name":  {URL: "http://a.example", Headers: map[string]string{"a b": "c"}},
		"header value": {URL: "http://a.example", Headers: map[string]string{"a": "c\r\nd"}},
		"own header":   {URL: "http://a.example", Headers: map[string]string{"mcp-session-id": "c"}},
		"param header": {URL: "http://a.example", Headers: map[string]string{"mcp-param-x": "c"}},
		"twice":        {URL: "http://a.example", Headers: map[string]string{"a": "c", "A": "d"}},
		"required":     {URL: "http://a.example", Required: []string{"no-name"}},
	} {
		_, err := client.NewHTTP(cfg, nil)
		require.Error(t, err, name)
		_, err = client.NewSSE(cfg, nil)
		require.Error(t, err, name)
	}
}

// TestHTTPSecrets: what is filled in, and what is written in full, is masked
// wherever a server gives it back.
func TestHTTPSecrets(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://ada:hunter22@peer.example/${PATH_PART}", Headers: map[string]string{"X-Api-Key": "literal-key"}},
		&client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), Lookup: secret.Map(map[string]string{"PATH_PART": "secretpath"})})
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, nil)
	assert.Equal(t, "Basic YWRhOmh1bnRlcjIy", peer.Seen()[0].Header.Get("Authorization"))
	leaky := "hunter22 YWRhOmh1bnRlcjIy literal-key secretpath"
	peer.On("tools/call", mcphubtest.Status(500, leaky))
	_, err = hubtest.CallTool(s)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "*** *** *** ***")
	peer.On("tools/call", func(x *mcphubtest.Exchange) { x.Refuse(-32000, leaky, `{"was":"literal-key"}`) })
	_, err = hubtest.CallTool(s)
	var refused *client.RPCError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "*** *** *** ***", refused.Message)
	assert.JSONEq(t, `{"was":"***"}`, string(refused.Data))

	tr, err = client.NewHTTP(client.HTTPConfig{URL: "http://${HOST}/mcp", Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"}, Required: []string{"MORE"}},
		&client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), Lookup: secret.Map(map[string]string{"HOST": "x y"})})
	require.NoError(t, err)
	before := len(peer.Seen())
	_, err = tr.Dial(t.Context(), nil)
	var missing *client.MissingConfigError
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, []string{"MORE", "TOKEN"}, missing.Names)
	assert.Len(t, peer.Seen(), before, "nothing was connected to")
	tr, err = client.NewHTTP(client.HTTPConfig{URL: "http://${HOST}/mcp"}, &client.HTTPOptions{Lookup: secret.Map(map[string]string{"HOST": "x y secret"})})
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	require.ErrorContains(t, err, "the address is no URL")
	assert.NotContains(t, err.Error(), "secret")
}

// TestHTTPNotSent: a request that cannot have been sent says so.
func TestHTTPNotSent(t *testing.T) {
	leak.Check(t)
	server := httptest.NewServer(mcphubtest.NewPeer(nil))
	tr, err := client.NewHTTP(client.HTTPConfig{URL: server.URL}, nil)
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, nil)
	server.Close()
	_, err = hubtest.CallTool(s)
	hubtest.Classed(t, err, client.ConnTransport) // the old connection may have taken it
	_, err = tr.Dial(t.Context(), nil)
	assert.False(t, hubtest.Classed(t, err, client.ConnTransport).Sent, "%v", err)

	secure := httptest.NewUnstartedServer(mcphubtest.NewPeer(nil))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	tr, err = client.NewHTTP(client.HTTPConfig{URL: secure.URL}, nil)
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	assert.False(t, hubtest.Classed(t, err, client.ConnTransport).Sent, "a certificate that nobody vouches for")
}

func TestHTTPCredentials(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	creds := &hubtest.ChangingToken{}
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer), Credentials: creds})
	require.NoError(t, err)
	assert.Equal(t, client.AuthOAuth, tr.Describe().Auth)
	s := hubtest.Connect(t, tr, nil)
	peer.On("tools/call", mcphubtest.Unauthorized("Bearer"), mcphubtest.Echo())
	_, err = hubtest.CallTool(s)
	require.NoError(t, err)
	assert.Equal(t, "Bearer tt", hubtest.LastSeen(t, peer, "tools/call").Header.Get("Authorization"))
	peer.On("tools/call", mcphubtest.Forbidden("Bearer"))
	_, err = hubtest.CallTool(s)
	require.ErrorIs(t, err, client.ErrForbidden, "it is tried again once only")
	assert.Equal(t, []int{401, 403}, creds.Asked)
	creds.Stale = true
	_, err = hubtest.CallTool(s)
	require.ErrorIs(t, err, client.ErrForbidden)
	creds.Fail = errors.New("the issuer is away")
	_, err = hubtest.CallTool(s)
	require.ErrorContains(t, err, "the issuer is away")
	assert.False(t, hubtest.Classed(t, err, client.ConnTransport).Sent)
}

// TestHTTPRedirects: a redirection is followed on the same host, with the
// credentials, and nowhere else.
func TestHTTPRedirects(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	var paths []string
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/old", Headers: map[string]string{"Authorization": "Bearer t"}}, &client.HTTPOptions{
		RoundTripper: mcphubtest.RoundTripper(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.URL.Path)
			if r.URL.Path == "/old" {
				http.Redirect(w, r, "https://peer.example/mcp", http.StatusTemporaryRedirect)
				return
			}
			assert.Equal(t, "Bearer t", r.Header.Get("Authorization"))
			peer.ServeHTTP(w, r)
		}))})
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, nil)
	require.NoError(t, client.Ping(t.Context(), s))
	assert.Equal(t, []string{"/old", "/mcp", "/old", "/mcp"}, paths)
}
