package oauth_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/oauth"
	"github.com/localpass/localpass/sandbox/egress"
)

func TestDiscovery(t *testing.T) {
	const root = "/.well-known/oauth-protected-resource"
	found := func(w *setup, path string, change func(d map[string]any)) {
		clear(w.rs.meta)
		w.rs.meta[path] = func() (int, any) {
			d := w.rs.document()
			if change != nil {
				change(d)
			}
			return 200, d
		}
	}
	for name, c := range map[string]struct {
		path   string // of the issuer
		change func(w *setup, o *oauth.Options)
		err    error
	}{
		"from the challenge": {"", func(*setup, *oauth.Options) {}, nil},
		"with the path":      {"", func(w *setup, _ *oauth.Options) { w.rs.plain = true }, nil},
		"at the root": {"", func(w *setup, _ *oauth.Options) {
			w.rs.plain = true
			found(w, root, func(d map[string]any) { d["resource"] = w.rs.URL })
		}, nil},
		"named and not there": {"", func(w *setup, _ *oauth.Options) { found(w, root, nil) }, oauth.ErrMetadata},
		"server that is ill": {"", func(w *setup, _ *oauth.Options) {
			w.rs.plain = true
			found(w, root, nil)
			w.rs.meta[root+"/mcp"] = func() (int, any) { return 500, nil }
		}, oauth.ErrMetadata},
		"another resource": {"", func(w *setup, _ *oauth.Options) {
			found(w, root+"/mcp", func(d map[string]any) { d["resource"] = "https://evil.example.com/mcp" })
		}, oauth.ErrResourceMismatch},
		"another path": {"", func(w *setup, _ *oauth.Options) {
			found(w, root+"/mcp", func(d map[string]any) { d["resource"] = w.rs.URL + "/mc" })
		}, oauth.ErrResourceMismatch},
		"no servers": {"", func(w *setup, _ *oauth.Options) {
			found(w, root+"/mcp", func(d map[string]any) { delete(d, "authorization_servers") })
		}, oauth.ErrMetadata},
		"no servers but an own one": {"", func(w *setup, o *oauth.Options) {
			found(w, root+"/mcp", func(d map[string]any) { delete(d, "authorization_servers") })
			o.Issuer = w.as.issuer()
		}, nil},
		"issuer with a path": {"/tenant", func(*setup, *oauth.Options) {}, nil},
		"openid":             {"", func(w *setup, _ *oauth.Options) { w.as.metaPath = []string{"/.well-known/openid-configuration"} }, nil},
		"openid inserted":    {"/tenant", func(w *setup, _ *oauth.Options) { w.as.metaPath = []string{"/.well-known/openid-configuration/tenant"} }, nil},
		"openid appended":    {"/tenant", func(w *setup, _ *oauth.Options) { w.as.metaPath = []string{"/tenant/.well-known/openid-configuration"} }, nil},
		"at the wrong place": {"/tenant", func(w *setup, _ *oauth.Options) { w.as.metaPath = []string{"/.well-known/oauth-authorization-server"} }, oauth.ErrMetadata},
		"another issuer": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { m["issuer"] = "https://evil.example.com" }
		}, oauth.ErrIssuerMismatch},
		"issuer with a slash": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { m["issuer"] = w.as.issuer() + "/" }
		}, oauth.ErrIssuerMismatch},
		"no PKCE": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { delete(m, "code_challenge_methods_supported") }
		}, oauth.ErrNoPKCE},
		"plain PKCE": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} }
		}, oauth.ErrNoPKCE},
		"no codes": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { m["response_types_supported"] = []string{"token"} }
		}, oauth.ErrMetadata},
		"no page": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { delete(m, "authorization_endpoint") }
		}, oauth.ErrMetadata},
		"no token endpoint": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { delete(m, "token_endpoint") }
		}, oauth.ErrMetadata},
		"endpoint in the clear": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { m["token_endpoint"] = "http://example.com/token" }
		}, oauth.ErrUnsafe},
		"a page that is no page": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { m["authorization_endpoint"] = "file:///etc/passwd" }
		}, oauth.ErrMetadata},
		"not the operator's": {"", func(_ *setup, o *oauth.Options) { o.Issuer = "https://auth.example.com" }, oauth.ErrIssuerMismatch},
		"chosen": {"", func(w *setup, o *oauth.Options) {
			found(w, root+"/mcp", func(d map[string]any) {
				d["authorization_servers"] = []string{"https://a.example.com", w.as.issuer()}
			})
			o.ChooseIssuer = func(_ context.Context, _ string, all []string) (string, error) { return all[1], nil }
		}, nil},
		"chosen badly": {"", func(w *setup, o *oauth.Options) {
			found(w, root+"/mcp", func(d map[string]any) {
				d["authorization_servers"] = []string{"https://a.example.com", w.as.issuer()}
			})
			o.ChooseIssuer = func(context.Context, string, []string) (string, error) { return "https://b.example.com", nil }
		}, oauth.ErrIssuerMismatch},
		"nobody chose": {"", func(w *setup, o *oauth.Options) {
			found(w, root+"/mcp", func(d map[string]any) {
				d["authorization_servers"] = []string{"https://a.example.com", w.as.issuer()}
			})
			o.ChooseIssuer = func(context.Context, string, []string) (string, error) { return "", context.DeadlineExceeded }
		}, context.DeadlineExceeded},
		"too long": {"", func(w *setup, _ *oauth.Options) {
			w.as.change = func(m map[string]any) { m["padding"] = strings.Repeat("x", 300<<10) }
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSetup(t, func(w *setup, o *oauth.Options) {
				w.as.path = c.path
				c.change(w, o)
			})
			_, err := w.call()
			switch {
			case name == "too long":
				require.Error(t, err)
			case c.err == nil:
				require.NoError(t, err)
				return
			default:
				require.ErrorIs(t, err, c.err)
			}
			assert.Empty(t, w.opened(), "nobody is sent anywhere")
			assert.Zero(t, w.as.seen("register"))
		})
	}
}

// A server of 2025-03-26 names nobody: it is its own authorization server.
func TestLegacy(t *testing.T) {
	legacy := func(t *testing.T, change func(as *authServer), o *oauth.Options) (*oauth.Client, string, *authServer) {
		as := newAuthServer(t, "")
		as.metaPath = []string{}
		if change != nil {
			change(as)
		}
		authorization := as.Config.Handler
		as.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/mcp" {
				authorization.ServeHTTP(w, r)
				return
			}
			_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			if as.set(func() {}); token == "" {
				w.WriteHeader(401)
			}
		})
		callback, err := oauth.ListenCallback("")
		require.NoError(t, err)
		t.Cleanup(func() { _ = callback.Close() })
		if o == nil {
			o = &oauth.Options{}
		}
		o.Redirect, o.Wait = callback, time.Minute
		o.Open = func(ctx context.Context, page string) error {
			_, err := browse(ctx, page)
			return err
		}
		c, err := oauth.New(as.URL+"/v1/mcp", o)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c, as.URL + "/v1/mcp", as
	}
	t.Run("without metadata", func(t *testing.T) {
		c, address, as := legacy(t, func(as *authServer) { as.answer = func(q url.Values) { q.Del("iss") } }, nil)
		status, err := call(t.Context(), c, address)
		require.NoError(t, err)
		assert.Equal(t, 200, status)
		assert.False(t, as.lastForm().Has("resource"), "that revision has none")
		assert.NotEmpty(t, as.lastForm().Get("code_verifier"))
	})
	t.Run("with metadata at the root", func(t *testing.T) {
		c, address, as := legacy(t, func(as *authServer) {
			as.metaPath = []string{"/.well-known/oauth-authorization-server"}
			as.path = "/anywhere/of/its/own" // the issuer of that revision is tied to nothing but the host
		}, nil)
		_, err := call(t.Context(), c, address)
		require.NoError(t, err)
		assert.Equal(t, 1, as.seen("token"))
	})
	t.Run("of another host", func(t *testing.T) {
		c, address, as := legacy(t, func(as *authServer) {
			as.metaPath = []string{"/.well-known/oauth-authorization-server"}
			as.change = func(m map[string]any) { m["issuer"] = "https://evil.example.com" }
		}, nil)
		_, err := call(t.Context(), c, address)
		require.ErrorIs(t, err, oauth.ErrIssuerMismatch)
		assert.Zero(t, as.seen("authorize"))
	})
	t.Run("refused", func(t *testing.T) {
		c, address, _ := legacy(t, nil, &oauth.Options{NoLegacy: true})
		_, err := call(t.Context(), c, address)
		require.ErrorIs(t, err, oauth.ErrMetadata)
	})
	t.Run("with endpoints of the operator", func(t *testing.T) {
		as := newAuthServer(t, "")
		c, address, own := legacy(t, nil, &oauth.Options{Clients: []oauth.ClientConfig{{ID: "by-hand"}},
			Endpoints: &oauth.ServerMetadata{Issuer: as.issuer(), Authorization: as.URL + "/authorize", Token: as.URL + "/token"}})
		_, err := call(t.Context(), c, address)
		require.NoError(t, err)
		assert.Equal(t, address, as.lastForm().Get("resource"))
		assert.Zero(t, own.seen("authorize"))
	})
}

// When a resource moves to another authorization server nothing of the old one
// goes there.
func TestIssuerChanges(t *testing.T) {
	w := newSetup(t, func(w *setup, o *oauth.Options) { w.rs.scopes, o.Clients = "read", nil })
	w.must()
	old := w.as
	next := newAuthServer(t, "")
	next.n = 1000 // so that nothing is called the same
	w.rs.set(func() { w.rs.as, w.rs.scopes = next, "write" })
	w.must()
	pages := w.opened()
	require.Len(t, pages, 2)
	page, err := url.Parse(pages[1])
	require.NoError(t, err)
	assert.Equal(t, "client-1001", page.Query().Get("client_id"))
	assert.Equal(t, "write", page.Query().Get("scope"), "not those of before")
	assert.True(t, strings.HasPrefix(pages[1], next.URL))
	assert.Equal(t, 1, next.seen("register"))
	assert.Zero(t, next.seen("token refresh_token"))
	assert.Equal(t, 1, old.seen("authorize"))

	// An entry that names no issuer is bound to the first.
	w = newSetup(t, func(_ *setup, o *oauth.Options) { o.Clients = []oauth.ClientConfig{{ID: "by-hand", Secret: "hidden"}} })
	w.must()
	next = newAuthServer(t, "")
	next.change = func(m map[string]any) { delete(m, "registration_endpoint") }
	w.rs.set(func() { w.rs.as = next })
	_, err = w.call()
	require.ErrorIs(t, err, oauth.ErrNoClientID)
	assert.Zero(t, next.seen("authorize"))
}

// The servers in these tests are all on this machine, behind names of the public
// internet.
type internet struct {
	hosts map[string]string // name to address
	to    string
}

func (i *internet) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := i.hosts[strings.TrimSuffix(host, ".")]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (i *internet) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, i.to)
}

func TestAddressesThatServersName(t *testing.T) {
	const own = "https://mcp.example.com"
	for name, c := range map[string]struct {
		named  string // where the challenge leads
		issuer string
		token  string
		to     string // a redirect of the metadata
		allow  []string
		unsafe bool
	}{
		"good":                      {},
		"metadata on this machine":  {named: "http://127.0.0.1:1/x", unsafe: true},
		"metadata by a name":        {named: "https://localhost/x", unsafe: true},
		"metadata of the cloud":     {named: "https://169.254.169.254/latest", unsafe: true},
		"metadata in the clear":     {named: "http://public.example.com/x", unsafe: true},
		"metadata in this network":  {named: "https://10.0.0.7/x", unsafe: true},
		"a name of this network":    {named: "https://inside.example.com/x", unsafe: true},
		"octal":                     {named: "https://0177.0.0.1/x", unsafe: true},
		"a number":                  {named: "https://2130706433/x", unsafe: true},
		"v6":                        {named: "https://[::1]/x", unsafe: true},
		"mapped":                    {named: "https://[::ffff:10.0.0.1]/x", unsafe: true},
		"a login":                   {named: "https://mcp.example.com@evil.example.com/x", unsafe: true},
		"a file":                    {named: "file:///etc/passwd", unsafe: true},
		"issuer in this network":    {issuer: "https://inside.example.com", unsafe: true},
		"issuer on this machine":    {issuer: "http://localhost:8080", unsafe: true},
		"endpoint in this network":  {token: "https://inside.example.com/token", unsafe: true},
		"endpoint in the clear":     {token: "http://mcp.example.com/token", unsafe: true},
		"redirected into it":        {to: "https://inside.example.com/x", unsafe: true},
		"redirected in the clear":   {to: "http://mcp.example.com/x", unsafe: true},
		"redirected away":           {to: "https://public.example.com/.well-known/moved"},
		"in this network, but fine": {issuer: "https://inside.example.com", allow: []string{"inside.example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			issuer := c.issuer
			if issuer == "" {
				issuer = "https://auth.example.com"
			}
			var asked []string
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.Host+r.URL.Path)
				switch {
				case strings.Contains(r.URL.Path, "oauth-protected-resource") && c.to != "":
					http.Redirect(w, r, c.to, http.StatusFound)
				case strings.Contains(r.URL.Path, "oauth-protected-resource"), strings.HasSuffix(r.URL.Path, "moved"):
					reply(w, 200, map[string]any{"resource": own + "/mcp", "authorization_servers": []string{issuer}})
				case strings.Contains(r.URL.Path, "oauth-authorization-server"):
					token := c.token
					if token == "" {
						token = issuer + "/token"
					}
					reply(w, 200, map[string]any{"issuer": issuer, "token_endpoint": token, "grant_types_supported": []string{"client_credentials"}})
				case r.URL.Path == "/token":
					reply(w, 200, map[string]any{"access_token": "a", "token_type": "Bearer"})
				default:
					http.NotFound(w, r)
				}
			}))
			defer server.Close()
			world := &internet{to: server.Listener.Addr().String(), hosts: map[string]string{"mcp.example.com": "93.184.216.34",
				"auth.example.com": "93.184.216.35", "public.example.com": "93.184.216.36", "evil.example.com": "93.184.216.37", "inside.example.com": "10.1.2.3"}}
			authorizer, err := oauth.New(own+"/mcp", &oauth.Options{AllowHosts: c.allow, Clients: []oauth.ClientConfig{{ID: "me", Secret: "hidden"}},
				Network: &egress.Options{Resolver: world, Dial: world.dial, TLS: &tls.Config{InsecureSkipVerify: true}}}) // the certificate is the test's own
			require.NoError(t, err)
			defer authorizer.Close()
			challenge := "Bearer"
			if c.named != "" {
				challenge += fmt.Sprintf(` resource_metadata=%q`, c.named)
			}
			again, err := authorizer.Challenged(t.Context(), &client.ConnError{Status: 401, Challenges: []string{challenge}})
			if !c.unsafe {
				require.NoError(t, err)
				assert.True(t, again)
				return
			}
			require.ErrorIs(t, err, oauth.ErrUnsafe)
			assert.False(t, again)
			for _, a := range asked {
				assert.NotContains(t, a, "inside", "nothing was sent there")
				assert.NotContains(t, a, "/token")
			}
		})
	}
}
