package egress_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

const apiKey = `k3y "with" 100% & more`

// vault makes a guard whose server is example.com over TLS and everything else in
// plain text, with a secret for example.com.
func vault(t *testing.T, change func(*egress.Options)) (*egress.Guard, *journal) {
	t.Helper()
	j := &journal{}
	srv := httptest.NewTLSServer(j)
	t.Cleanup(srv.Close)
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	n := &network{t: t, server: srv.Listener.Addr().String()}
	dns := &answers{table: map[string][]string{"example.com": {"93.184.215.20"}, "www.example.com": {"93.184.215.21"}}}
	opts := &egress.Options{Resolver: dns, Dial: n.dial, TLS: &tls.Config{RootCAs: roots}, Call: egress.CallOptions{
		Secrets: []egress.Secret{{Name: "API_KEY", Hosts: []string{"example.com:443"}}, {Name: "plain2", Hosts: []string{"*.example.com"}}, {Name: "GONE", Hosts: []string{"example.com"}}, {Name: "BROKEN", Hosts: []string{"example.com"}}, {Name: "NOWHERE"}},
		Lookup:  secret.Map(map[string]string{"API_KEY": apiKey, "plain2": "second-value", "BROKEN": "a\r\nX-B: c", "NOWHERE": "nothing-here", "OTHER": "not declared"}),
	}}
	if change != nil {
		change(opts)
	}
	g, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, opts)
	require.NoError(t, err)
	t.Cleanup(func() { g.Close() })
	return g, j
}

func TestSecretsArePlaced(t *testing.T) {
	g, j := vault(t, nil)
	type h = http.Header
	for name, tt := range map[string]struct {
		url, body string
		header    h
		check     func(s seen)
	}{
		"header": {"https://example.com/", "", h{"Authorization": {"Bearer {{secret:API_KEY}}"}}, func(s seen) {
			assert.Equal(t, "Bearer "+apiKey, s.header.Get("Authorization"))
		}},
		"two in a header": {"https://example.com/", "", h{"X-A": {"{{secret:API_KEY}}/{{secret:plain2}}"}}, func(s seen) {
			assert.Equal(t, apiKey+"/second-value", s.header.Get("X-A"))
		}},
		"query": {"https://example.com/x?key={{secret:API_KEY}}&b=1", "", nil, func(s seen) {
			assert.Equal(t, "/x?key="+url.QueryEscape(apiKey)+"&b=1", s.path)
		}},
		"encoded query": {"https://example.com/x?key=%7B%7bsecret%3AAPI_KEY%7D%7d", "", nil, func(s seen) {
			assert.Equal(t, "/x?key="+url.QueryEscape(apiKey), s.path)
		}},
		"text": {"https://example.com/", "a={{secret:API_KEY}};", nil, func(s seen) { assert.Equal(t, "a="+apiKey+";", s.body) }},
		"JSON": {"https://example.com/", `{"a":"{{secret:API_KEY}}"}`, h{"Content-Type": {"application/json; charset=utf-8"}}, func(s seen) {
			assert.JSONEq(t, `{"a":"k3y \"with\" 100% & more"}`, s.body)
		}},
		"JSON of a kind": {"https://example.com/", `["{{secret:API_KEY}}"]`, h{"Content-Type": {"application/ld+json"}}, func(s seen) {
			assert.JSONEq(t, `["k3y \"with\" 100% & more"]`, s.body)
		}},
		"form": {"https://example.com/", "a=%7B%7Bsecret%3AAPI_KEY%7D%7D&b=c", h{"Content-Type": {"application/x-www-form-urlencoded"}}, func(s seen) {
			assert.Equal(t, "a="+url.QueryEscape(apiKey)+"&b=c", s.body)
		}},
		"not a handle": {"https://example.com/?a={secret:API_KEY}", "{{secret:}} {{Secret:API_KEY}} ${API_KEY}", h{"X-A": {"{{secret:1A}}"}}, func(s seen) {
			assert.Equal(t, "/?a={secret:API_KEY}", s.path)
			assert.Equal(t, "{{secret:}} {{Secret:API_KEY}} ${API_KEY}", s.body)
			assert.Equal(t, "{{secret:1A}}", s.header.Get("X-A"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			method := "GET"
			if tt.body != "" {
				method = "POST"
			}
			header := tt.header.Clone()
			_, err := send(t, g, method, tt.url, tt.body, tt.header)
			require.NoError(t, err)
			tt.check(j.seen[len(j.seen)-1])
			assert.Equal(t, header, tt.header, "the request that came in is as it was")
		})
	}
}

func TestSecretsAreKept(t *testing.T) {
	g, j := vault(t, nil)
	handle := http.Header{"X-A": {"{{secret:API_KEY}}"}}
	for name, tt := range map[string]struct {
		url    string
		header http.Header
		want   string
	}{
		"another host":     {"https://www.example.com/", handle, "secret-host"},
		"another port":     {"https://example.com:8443/", handle, "secret-host"},
		"no host":          {"https://example.com/", http.Header{"X-A": {"{{secret:NOWHERE}}"}}, "secret-host"},
		"not declared":     {"https://example.com/", http.Header{"X-A": {"{{secret:OTHER}}"}}, "unknown-secret"},
		"no value":         {"https://example.com/", http.Header{"X-A": {"{{secret:GONE}}"}}, "missing-requirements"},
		"line end":         {"https://example.com/", http.Header{"X-A": {"{{secret:BROKEN}}"}}, "invalid-header"},
		"path":             {"https://example.com/{{secret:API_KEY}}/x", nil, "secret-place"},
		"encoded path":     {"https://example.com/%7B%7Bsecret:API_KEY%7D%7D", nil, "secret-place"},
		"plain text":       {"http://www.example.com/?k={{secret:plain2}}", nil, "secret-insecure"},
		"query, elsewhere": {"https://www.example.com/?k={{secret:API_KEY}}", nil, "secret-host"},
	} {
		_, err := send(t, g, "GET", tt.url, "", tt.header)
		assert.Equal(t, tt.want, reason(t, err), name)
		require.Error(t, err)
		for _, value := range []string{apiKey, "second-value", "X-B: c"} {
			assert.NotContains(t, err.Error(), value, name)
		}
	}
	_, err := send(t, g, "POST", "https://www.example.com/", "{{secret:API_KEY}}", nil)
	assert.Equal(t, "secret-host", reason(t, err), "body")
	assert.Empty(t, j.seen, "nothing was sent")

	lonely, _ := vault(t, func(o *egress.Options) { o.Call.Lookup = nil })
	_, err = send(t, lonely, "GET", "https://example.com/", "", handle)
	assert.Equal(t, "missing-requirements", reason(t, err))
	broken, err := http.NewRequestWithContext(t.Context(), "POST", "https://example.com/", io.NopCloser(iotest.ErrReader(errors.New("disk"))))
	require.NoError(t, err)
	_, err = g.RoundTrip(broken)
	assert.Equal(t, "io", reason(t, err), "a body that cannot be read")
	assert.Empty(t, j.seen)
	large, _ := vault(t, func(o *egress.Options) { o.Limits.Send = 10 })
	_, err = send(t, large, "POST", "https://example.com/", strings.Repeat("x", 11), nil)
	assert.Equal(t, "request-body-too-large", reason(t, err))
}

// A redirect takes no secret along, and a server cannot ask for one.
func TestSecretsAndRedirects(t *testing.T) {
	for name, tt := range map[string]struct {
		method, url, body string
		want              string
		last              string // the X-A of the last request
		path              string
	}{
		"same host":               {"GET", "https://example.com/302?to=/next", "", "", apiKey, "/next"},
		"other host":              {"GET", "https://example.com/302?to=https://www.example.com/", "", "", "", "/"},
		"server writes a handle":  {"GET", "https://example.com/302?to=" + url.QueryEscape("/next?k={{secret:API_KEY}}"), "", "", apiKey, "/next?k={{secret:API_KEY}}"},
		"server puts it in path":  {"GET", "https://example.com/302?to=" + url.QueryEscape("/{{secret:API_KEY}}"), "", "", apiKey, "/%7B%7Bsecret:API_KEY%7D%7D"},
		"body to the same host":   {"POST", "https://example.com/307?to=/next", "{{secret:API_KEY}}", "", apiKey, "/next"},
		"body to another":         {"POST", "https://example.com/307?to=https://www.example.com/", "{{secret:API_KEY}}", "secret-host", "", ""},
		"body of none to another": {"POST", "https://example.com/307?to=https://www.example.com/", "x", "", "", "/"},
	} {
		for _, with := range []string{"Do", "http.Client"} {
			t.Run(name+"/"+with, func(t *testing.T) {
				g, j := vault(t, func(o *egress.Options) { o.TLS.InsecureSkipVerify = true })
				var d doer = g
				if with == "http.Client" {
					d = &http.Client{Transport: g}
				}
				// The redirect's own URL carries a handle only in what it leads to.
				start := tt.url
				u, err := url.Parse(start)
				require.NoError(t, err)
				if strings.Contains(tt.url, "secret") {
					to := u.Query().Get("to")
					j2 := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if r.URL.Path == "/start" {
							j.ServeHTTP(httptest.NewRecorder(), r)
							w.Header().Set("Location", to)
							w.WriteHeader(302)
							return
						}
						j.ServeHTTP(w, r)
					})
					srv := httptest.NewTLSServer(j2)
					defer srv.Close()
					n := &network{t: t, server: srv.Listener.Addr().String()}
					g2, _ := vault(t, func(o *egress.Options) { o.TLS.InsecureSkipVerify = true; o.Dial = n.dial })
					if d = g2; with == "http.Client" {
						d = &http.Client{Transport: g2}
					}
					start = "https://example.com/start"
				}
				_, err = send(t, d, tt.method, start, tt.body, http.Header{"X-A": {"{{secret:API_KEY}}"}})
				require.Equal(t, tt.want, reason(t, err))
				if tt.want != "" {
					assert.Len(t, j.seen, 1)
					return
				}
				require.Len(t, j.seen, 2)
				assert.Equal(t, tt.last, j.seen[1].header.Get("X-A"))
				assert.Equal(t, tt.path, j.seen[1].path)
				if tt.body != "" && tt.body != "x" {
					assert.Equal(t, apiKey, j.seen[1].body)
				}
			})
		}
	}
}

// The operator may send a secret to a host of its own without TLS.
func TestSecretToAnOperatorHost(t *testing.T) {
	j := &journal{}
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"good.test"}}, j, public(), func(o *egress.Options) {
		o.Call = egress.CallOptions{Secrets: []egress.Secret{{Name: "K", Hosts: []string{"good.test"}}}, Lookup: secret.Map(map[string]string{"K": "value-of-k"})}
	})
	_, err := send(t, b, "GET", "http://good.test/", "", http.Header{"X-A": {"{{secret:K}}"}})
	require.NoError(t, err)
	assert.Equal(t, "value-of-k", j.seen[0].header.Get("X-A"))
}

func TestBadSecrets(t *testing.T) {
	for name, s := range map[string]egress.Secret{
		"any host":  {Name: "K", Hosts: []string{"*"}},
		"path":      {Name: "K", Hosts: []string{"example.com/x"}},
		"method":    {Name: "K", Hosts: []string{"GET example.com"}},
		"no rule":   {Name: "K", Hosts: []string{"https://example.com"}},
		"no name":   {Hosts: []string{"example.com"}},
		"odd name":  {Name: "a b", Hosts: []string{"example.com"}},
		"digit":     {Name: "1a", Hosts: []string{"example.com"}},
		"two names": {Name: "a}}{{secret:b", Hosts: []string{"example.com"}},
	} {
		_, err := egress.New(egress.Policy{}, &egress.Options{Call: egress.CallOptions{Secrets: []egress.Secret{s}}})
		assert.Contains(t, []string{"invalid-secret", "invalid-rule"}, reason(t, err), name)
		require.Error(t, err, name)
	}
	g, err := egress.New(egress.Policy{}, nil)
	require.NoError(t, err)
	defer g.Close()
	_, err = g.NewCall(&egress.CallOptions{Secrets: []egress.Secret{{Name: "a b"}}})
	assert.Equal(t, "invalid-secret", reason(t, err))
}

// What a broken server says back is masked in what an operator reads.
func TestErrorsShowNoSecret(t *testing.T) {
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"good.test"}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			io.WriteString(conn, r.Header.Get("X-A")+" "+r.Header.Get("X-B")+"\r\n\r\n")
			conn.Close()
		}
	}), public(), func(o *egress.Options) {
		o.Call = egress.CallOptions{Secrets: []egress.Secret{{Name: "K", Hosts: []string{"good.test"}}}, Lookup: secret.Map(map[string]string{"K": "value-of-k"}), Redactor: secret.NewRedactor("collected")}
	})
	_, err := send(t, b, "GET", "http://good.test/collected", "", http.Header{"X-A": {"{{secret:K}}"}, "X-B": {"collected"}})
	assert.Equal(t, "io", reason(t, err))
	var e *egress.Error
	require.ErrorAs(t, err, &e)
	for _, text := range []string{e.Error(), e.Err.Error(), e.CallError().Error()} {
		assert.NotContains(t, text, "value-of-k")
		assert.NotContains(t, text, "collected")
	}
	assert.Contains(t, e.Err.Error(), "***")
	assert.Contains(t, e.Message, "http://good.test/***")
}

// What a server echoes can be masked.
func TestMask(t *testing.T) {
	g, _ := vault(t, nil)
	call, err := g.NewCall(nil)
	require.NoError(t, err)
	assert.Equal(t, "second-value", call.Redactor().String("second-value"), "not sent yet")
	assert.Nil(t, call.Redactor())
	_, err = send(t, call, "GET", "https://example.com/", "", http.Header{"X-A": {"{{secret:plain2}}"}})
	require.NoError(t, err)
	assert.Equal(t, "a *** b", call.Redactor().String("a second-value b"))
	assert.NotNil(t, call.Redactor())
	other, err := g.NewCall(&egress.CallOptions{})
	require.NoError(t, err)
	assert.Equal(t, "second-value", other.Redactor().String("second-value"))
}
