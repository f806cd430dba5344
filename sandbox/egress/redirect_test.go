package egress_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// journal is a server that redirects by its query and writes down what it gets.
type journal struct {
	mu   sync.Mutex
	seen []seen
}

type seen struct {
	method, host, path, body string
	header                   http.Header
}

func (j *journal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	j.mu.Lock()
	j.seen = append(j.seen, seen{r.Method, r.Host, r.URL.RequestURI(), string(body), r.Header.Clone()})
	j.mu.Unlock()
	if to := r.URL.Query().Get("to"); to != "" {
		status, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}
}

func TestRedirectMethods(t *testing.T) {
	for _, tt := range []struct {
		method string
		status int
		want   string
		body   string
	}{
		{"GET", 301, "GET", ""}, {"GET", 302, "GET", ""}, {"GET", 303, "GET", ""}, {"GET", 307, "GET", ""}, {"GET", 308, "GET", ""}, {"GET", 300, "GET", ""},
		{"HEAD", 301, "HEAD", ""}, {"HEAD", 307, "HEAD", ""}, {"HEAD", 303, "GET", ""},
		{"POST", 301, "GET", ""}, {"POST", 302, "GET", ""}, {"POST", 303, "GET", ""}, {"POST", 307, "POST", "b"}, {"POST", 308, "POST", "b"}, {"POST", 305, "POST", "b"},
		{"PUT", 301, "GET", ""}, {"PUT", 302, "GET", ""}, {"PUT", 303, "GET", ""}, {"PUT", 307, "PUT", "b"},
		{"PATCH", 302, "GET", ""}, {"PATCH", 308, "PATCH", "b"},
		{"DELETE", 301, "DELETE", "b"}, {"DELETE", 302, "DELETE", "b"}, {"DELETE", 303, "GET", ""}, {"DELETE", 307, "DELETE", "b"},
		{"OPTIONS", 302, "OPTIONS", ""},
	} {
		j := &journal{}
		b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, j, public(), nil)
		_, err := send(t, b, tt.method, "http://good.test/"+strconv.Itoa(tt.status)+"?to=/next", "b", http.Header{"Content-Type": {"text/x"}})
		require.NoError(t, err)
		require.Len(t, j.seen, 2)
		name := tt.method + " " + strconv.Itoa(tt.status)
		assert.Equal(t, tt.want, j.seen[1].method, name)
		assert.Equal(t, tt.body, j.seen[1].body, name)
		if tt.method == "GET" || tt.method == "HEAD" || tt.method == "OPTIONS" {
			assert.Empty(t, j.seen[0].body, "%s: no body goes out", name)
		} else {
			assert.Equal(t, "b", j.seen[0].body, name)
			assert.Equal(t, tt.body != "", j.seen[1].header.Get("Content-Type") != "", "%s: the type goes with the body", name)
		}
	}
}

// Five redirects are followed, a sixth is not.
func TestRedirectCount(t *testing.T) {
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/")); n > 0 {
			http.Redirect(w, r, "/"+strconv.Itoa(n-1), http.StatusFound)
			return
		}
		io.WriteString(w, "end")
	}), public(), nil)
	client := &http.Client{Transport: b.Guard}
	for n, want := range map[string]string{"5": "", "6": "too-many-redirects"} {
		body, err := get(t, b, "http://good.test/"+n)
		assert.Equal(t, want, reason(t, err), n)
		assert.Equal(t, want == "", body == "end")
		resp, err := client.Get("http://good.test/" + n)
		assert.Equal(t, want, reason(t, err), "client, %s", n)
		if err == nil {
			resp.Body.Close()
		}
	}
	none := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, http.HandlerFunc(redirecting), public(), func(o *egress.Options) { o.Limits.Redirect = -1 })
	_, err := get(t, none, "http://good.test/go?to=/x")
	assert.Equal(t, "too-many-redirects", reason(t, err))
}

// The final URL and the way there can be read from the response.
func TestRedirectedRequest(t *testing.T) {
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, http.HandlerFunc(redirecting), public(), nil)
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://good.test/go?to=http://also.test/x%23y", nil)
	require.NoError(t, err)
	resp, err := b.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, "http://also.test/x#y", resp.Request.URL.String())
	assert.Equal(t, req.URL, resp.Request.Response.Request.URL)
}

func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	const collected = "s3cr3t-value"
	sent := http.Header{
		"Authorization": {"Bearer t"}, "Cookie": {"a=b"}, "X-Api-Key": {"k"}, "X-Auth-Token": {"k"}, "X-Mine": {"id=" + collected}, "X-Coded": {"czNjcjN0LXZhbHVl"},
		"Accept": {"text/x"}, "X-Plain": {"p"},
	}
	for name, tt := range map[string]struct {
		url    string
		method string
		keeps  bool
	}{
		"same origin":           {"http://good.test/302?to=/next", "GET", true},
		"same origin, spelled":  {"http://good.test/302?to=http://GOOD.test.:80/next", "GET", true},
		"other host":            {"http://good.test/302?to=http://also.test/", "GET", false},
		"host below":            {"http://good.test/302?to=http://a.good.test/", "GET", false},
		"other port":            {"http://good.test/302?to=http://good.test:81/", "GET", false},
		"other host and 307":    {"http://good.test/307?to=http://also.test/", "POST", false},
		"there and back":        {"http://good.test/302?to=" + url.QueryEscape("http://also.test/302?to=http://good.test/"), "GET", false},
		"there and on":          {"http://good.test/302?to=" + url.QueryEscape("http://also.test/302?to=/on"), "GET", false},
		"two steps, one origin": {"http://good.test/302?to=" + url.QueryEscape("/302?to=/on"), "GET", true},
	} {
		for _, with := range []string{"Do", "http.Client"} {
			t.Run(name+"/"+with, func(t *testing.T) {
				j := &journal{}
				b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, j, public(), func(o *egress.Options) {
					o.Call.Redactor = secret.NewRedactor(collected)
				})
				var d doer = b
				if with == "http.Client" {
					d = &http.Client{Transport: b.Guard}
				}
				_, err := send(t, d, tt.method, tt.url, "", sent)
				require.NoError(t, err)
				last := j.seen[len(j.seen)-1]
				require.Greater(t, len(j.seen), 1)
				for name := range sent {
					free := name == "Accept" || name == "X-Plain"
					if !free && tt.keeps && with == "http.Client" && (name == "Authorization" || name == "Cookie") {
						continue // the client has rules of its own for spellings of a host
					}
					assert.Equal(t, free || tt.keeps, last.header.Get(name) != "", "%s at %s%s", name, last.host, last.path)
				}
				assert.NotEmpty(t, j.seen[0].header.Get("Authorization"))
				if !tt.keeps {
					for _, s := range j.seen[1:] {
						for _, values := range s.header {
							assert.NotContains(t, strings.Join(values, " "), collected)
						}
					}
				}
			})
		}
	}
}

func TestSecretInABodyIsNotSentOn(t *testing.T) {
	j := &journal{}
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, j, public(), func(o *egress.Options) { o.Call.Redactor = secret.NewRedactor("s3cr3t-value") })
	_, err := send(t, b, "POST", "http://good.test/307?to=http://also.test/", "key=s3cr3t-value", nil)
	assert.Equal(t, "secret-host", reason(t, err))
	assert.Len(t, j.seen, 1)
	_, err = send(t, b, "POST", "http://good.test/307?to=http://also.test/", "key=free", nil)
	require.NoError(t, err)
	assert.Equal(t, "key=free", j.seen[2].body)

	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://good.test/307?to=/x", io.NopCloser(strings.NewReader("once")))
	require.NoError(t, err)
	_, err = b.Do(req)
	assert.Equal(t, "body-not-rewindable", reason(t, err))
}

// From https to http nothing follows, unless everything is open.
func TestDowngrade(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(redirecting))
	defer plain.Close()
	srv := httptest.NewTLSServer(http.HandlerFunc(redirecting))
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	name := func(s *httptest.Server) string {
		_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
		return "127.0.0.1:" + port
	}
	for mode, want := range map[toolspec.NetworkMode]string{toolspec.NetworkStrict: "redirect-downgrade", toolspec.NetworkAllowlist: "redirect-downgrade", toolspec.NetworkOpen: ""} {
		policy := egress.Policy{Mode: mode, OperatorHosts: []string{"127.0.0.1"}}
		if mode == toolspec.NetworkAllowlist {
			policy.Rules = []string{"127.0.0.1"}
		}
		g, err := egress.New(policy, &egress.Options{TLS: &tls.Config{RootCAs: roots}})
		require.NoError(t, err)
		_, err = get(t, g, "https://"+name(srv)+"/go?to=http://"+name(plain)+"/")
		assert.Equal(t, want, reason(t, err), mode)
		_, err = get(t, g, "http://"+name(plain)+"/go?to=https://"+name(srv)+"/")
		assert.NoError(t, err, "the other way is fine")
		require.NoError(t, g.Close())
	}
}
