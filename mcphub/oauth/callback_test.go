package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/oauth"
)

func TestIssuerOfTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		advertised bool
		iss        func(own string) []string
		ok         bool
	}{
		"advertised and right":    {true, func(own string) []string { return []string{own} }, true},
		"advertised and missing":  {true, func(string) []string { return nil }, false},
		"advertised and empty":    {true, func(string) []string { return []string{""} }, false},
		"wrong":                   {true, func(string) []string { return []string{"https://evil.example.com"} }, false},
		"with a slash":            {true, func(own string) []string { return []string{own + "/"} }, false},
		"in capitals":             {true, func(own string) []string { return []string{strings.ToUpper(own)} }, false},
		"twice":                   {true, func(own string) []string { return []string{own, own} }, false},
		"unadvertised and absent": {false, func(string) []string { return nil }, true},
		"unadvertised and right":  {false, func(own string) []string { return []string{own} }, true},
		"unadvertised and wrong":  {false, func(string) []string { return []string{"https://evil.example.com"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, refuses := range []bool{false, true} {
				w := newSetup(t, func(w *setup, _ *oauth.Options) {
					w.as.change = func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = c.advertised }
					w.as.answer = func(q url.Values) {
						q.Del("iss")
						if iss := c.iss(w.as.issuer()); iss != nil {
							q["iss"] = iss
						}
						if refuses {
							q.Del("code")
							q.Set("error", "access_denied")
							q.Set("error_description", "a text by whoever it is")
						}
					}
				})
				_, err := w.call()
				switch {
				case c.ok && refuses:
					var refused *oauth.ServerError
					require.ErrorAs(t, err, &refused)
					assert.Equal(t, "access_denied", refused.Code)
					assert.Equal(t, "a text by whoever it is", refused.Description)
				case c.ok:
					require.NoError(t, err)
				default:
					require.ErrorIs(t, err, oauth.ErrIssuerMismatch)
					assert.NotContains(t, err.Error(), "evil")
					assert.NotContains(t, err.Error(), "whoever")
					assert.Zero(t, w.as.seen("token"), "the code stays here")
				}
			}
		})
	}
}

func TestAnswersAreGoodOnce(t *testing.T) {
	w := newSetup(t, func(_ *setup, o *oauth.Options) { o.Open, o.Wait = nil, 0 })
	_, err := w.call()
	ask := asAuthorization(t, err)
	require.ErrorIs(t, err, client.ErrAuthorizationRequired)
	assert.Equal(t, w.rs.address(), ask.Resource)
	assert.Equal(t, w.as.issuer(), ask.Issuer)
	assert.Equal(t, ask.URL, ask.AuthorizationURL())
	page, err := url.Parse(ask.URL)
	require.NoError(t, err)
	state := page.Query().Get("state")
	assert.NotContains(t, ask.Error(), state)

	for name, answer := range map[string]url.Values{
		"no state":      {"code": {"x"}},
		"another state": {"code": {"x"}, "state": {"x"}},
		"two states":    {"code": {"x"}, "state": {state, state}},
	} {
		require.ErrorIs(t, w.client.Complete(t.Context(), answer), oauth.ErrState, name)
	}
	// The same page for everybody who asks meanwhile.
	_, err = w.call()
	assert.Equal(t, ask.URL, asAuthorization(t, err).URL)
	assert.Equal(t, 1, w.as.seen("register"))

	status, err := browse(t.Context(), ask.URL)
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	w.must()
	status, err = browse(t.Context(), w.callback.URI()+"?code=x&state="+state)
	require.NoError(t, err)
	assert.Equal(t, 400, status, "once")
}

func TestAnswersWithoutACode(t *testing.T) {
	for name, change := range map[string]func(q url.Values){
		"none": func(q url.Values) { q.Del("code") },
		"two":  func(q url.Values) { q.Add("code", "x") },
		"odd":  func(q url.Values) { q.Set("code", "a\r\nb") },
	} {
		w := newSetup(t, func(w *setup, _ *oauth.Options) { w.as.answer = change })
		_, err := w.call()
		require.ErrorIs(t, err, oauth.ErrMetadata, name)
		assert.Zero(t, w.as.seen("token"), name)
	}
}

func TestAnAttemptTakesOnlySoLong(t *testing.T) {
	told := make(chan string, 1)
	w := newSetup(t, func(_ *setup, o *oauth.Options) {
		o.Open, o.Wait = nil, 0
		o.Authorized = func(resource string) { told <- resource }
	})
	page, err := w.client.Begin(t.Context(), "extra")
	require.NoError(t, err)
	assert.Contains(t, page, "scope=extra")
	w.wait(11 * time.Minute)
	status, err := browse(t.Context(), page)
	require.NoError(t, err)
	assert.Equal(t, 400, status)

	first, err := w.client.Begin(t.Context())
	require.NoError(t, err)
	second, err := w.client.Begin(t.Context())
	require.NoError(t, err)
	assert.NotEqual(t, first, second)
	status, err = browse(t.Context(), first)
	require.NoError(t, err)
	assert.Equal(t, 400, status, "a newer one took its place")
	status, err = browse(t.Context(), second)
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Equal(t, w.rs.address(), <-told)
	w.must()
	// Once more, with what is known.
	third, err := w.client.Begin(t.Context(), "more")
	require.NoError(t, err)
	assert.Contains(t, third, "scope=more")
}

// The metadata of some servers stand where only their refusals say.
func TestBeginAsksTheServerFirst(t *testing.T) {
	w := newSetup(t, func(w *setup, o *oauth.Options) {
		o.NoLegacy = true
		document := w.rs.meta["/.well-known/oauth-protected-resource/mcp"]
		clear(w.rs.meta)
		w.rs.meta["/elsewhere"] = document
		w.rs.named = "/elsewhere"
		w.rs.scopes = "read"
	})
	page, err := w.client.Begin(t.Context())
	require.NoError(t, err)
	assert.Contains(t, page, "scope=read")
	_, err = browse(t.Context(), page)
	require.NoError(t, err)
	w.must()
	assert.Equal(t, 2, w.rs.calls)
	_, err = w.client.Begin(t.Context())
	require.NoError(t, err)
}

func TestPeople(t *testing.T) {
	t.Run("one who does not answer", func(t *testing.T) {
		w := newSetup(t, func(_ *setup, o *oauth.Options) {
			o.Open, o.Wait = func(context.Context, string) error { return nil }, time.Millisecond
		})
		_, err := w.call()
		asAuthorization(t, err)
	})
	t.Run("one who has no browser", func(t *testing.T) {
		broken := errors.New("no browser")
		w := newSetup(t, func(_ *setup, o *oauth.Options) { o.Open = func(context.Context, string) error { return broken } })
		_, err := w.call()
		require.ErrorIs(t, err, broken)
		asAuthorization(t, err)
	})
	t.Run("a function that panics", func(t *testing.T) {
		w := newSetup(t, func(_ *setup, o *oauth.Options) { o.Open = func(context.Context, string) error { panic("secret") } })
		_, err := w.call()
		require.ErrorContains(t, err, "panicked")
		assert.NotContains(t, err.Error(), "secret")
	})
	t.Run("a caller who gives up", func(t *testing.T) {
		w := newSetup(t, func(_ *setup, o *oauth.Options) { o.Open, o.Wait = nil, time.Hour })
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for w.as.seen("register") == 0 {
				select {
				case <-time.After(time.Millisecond):
				case <-t.Context().Done():
					return
				}
			}
			cancel()
		}()
		_, err := call(ctx, w.client, w.rs.address())
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("no place to come back to", func(t *testing.T) {
		w := newSetup(t, func(_ *setup, o *oauth.Options) { o.Redirect = nil })
		_, err := w.call()
		require.ErrorContains(t, err, "Options.Redirect")
	})
}

func TestCallback(t *testing.T) {
	c, err := oauth.ListenCallback("")
	require.NoError(t, err)
	defer c.Close()
	u, err := url.Parse(c.URI())
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1", u.Hostname())
	for name, q := range map[string]struct {
		method, path, host string
		status             int
	}{
		"nobody waits":     {"GET", u.Path + "?state=x&code=<script>", "", 400},
		"another path":     {"GET", "/", "", 404},
		"another method":   {"POST", u.Path, "", 405},
		"another host":     {"GET", u.Path, "evil.example.com", 403},
		"an unread query":  {"GET", u.Path + "?a=%zz", "", 400},
		"nothing whatever": {"GET", u.Path, "", 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), q.method, "http://"+u.Host+q.path, nil)
		require.NoError(t, err)
		if q.host != "" {
			req.Host = q.host
		}
		w := httptest.NewRecorder()
		c.ServeHTTP(w, req)
		assert.Equal(t, q.status, w.Code, name)
		assert.NotContains(t, w.Body.String(), "script", name)
		assert.Equal(t, "no-referrer", w.Header().Get("Referrer-Policy"))
		assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	}
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())

	for _, address := range []string{"0.0.0.0:0", "example.com:80", "nothing", "127.0.0.1:-1"} {
		_, err := oauth.ListenCallback(address)
		require.Error(t, err, address)
	}
	for _, address := range []string{"http://example.com/cb", "ftp://localhost", "::", "https://example.com/#x"} {
		_, err := oauth.NewCallback(address)
		require.ErrorIs(t, err, oauth.ErrUnsafe, address)
	}
	own, err := oauth.NewCallback("https://app.example.com/cb")
	require.NoError(t, err)
	assert.Equal(t, "https://app.example.com/cb", own.URI())
	require.NoError(t, own.Close())
}

// A program with a server of its own serves the callback there.
func TestCallbackOfAnotherServer(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	own, err := oauth.NewCallback(server.URL + "/back")
	require.NoError(t, err)
	mux.Handle("/back", own)
	w := newSetup(t, func(_ *setup, o *oauth.Options) { o.Redirect = own })
	w.must()
	assert.Contains(t, w.opened()[0], url.QueryEscape(server.URL+"/back"))
}
