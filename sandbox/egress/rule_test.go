package egress_test

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{ // its usual form; empty: refused
		"api.example.com":                "api.example.com",
		" API.Example.COM. ":             "api.example.com",
		"*.example.com":                  "*.example.com",
		"*":                              "*",
		"*:443":                          "*:443",
		"bücher.example":                 "xn--bcher-kva.example",
		"*.BÜCHER.example":               "*.xn--bcher-kva.example",
		"xn--bcher-kva.example":          "xn--bcher-kva.example",
		"my_bucket.example":              "my_bucket.example",
		"192.0.2.7":                      "192.0.2.7",
		"192.0.2.7:80":                   "192.0.2.7:80",
		"2001:db8::7":                    "[2001:db8::7]",
		"[2001:DB8:0::7]:80":             "[2001:db8::7]:80",
		"localhost":                      "localhost",
		"example.com:443,8443":           "example.com:443,8443",
		"GET example.com/v1/*":           "GET example.com/v1/*",
		"GET,POST   example.com:80/a/b":  "GET,POST example.com:80/a/b",
		"example.com/":                   "example.com/",
		"example.com/*":                  "example.com/*",
		"example.com/repos/*/issues":     "example.com/repos/*/issues",
		"example.com/a%20b/c":            "example.com/a%20b/c",
		"example.com/é":                  "example.com/%C3%A9",
		"PURGE example.com":              "PURGE example.com",
		"":                               "",
		"/v1":                            "",
		"https://example.com":            "",
		"get example.com":                "",
		"G@T example.com":                "",
		"GET POST example.com":           "",
		"GET, POST example.com":          "",
		"user@example.com":               "",
		"example.com?x":                  "",
		"example.com/a#b":                "",
		"exa mple.com":                   "",
		"example.com\\x":                 "",
		"exam*ple.com":                   "",
		"*.*.example.com":                "",
		"*.":                             "",
		"*.192.0.2.7":                    "",
		"**":                             "",
		"127.1":                          "",
		"0x7f000001":                     "",
		"fe80::1%eth0":                   "",
		"[192.0.2.7]":                    "",
		"[example.com]":                  "",
		"[2001:db8::7":                   "",
		"example.com:":                   "",
		"example.com:0":                  "",
		"example.com:99999":              "",
		"example.com:80,":                "",
		"example.com:http":               "",
		"a..b":                           "",
		strings.Repeat("a", 64) + ".com": "",
		"example.com/a/../b":             "",
		"example.com/%2e%2e/b":           "",
		"example.com/a%2fb":              "",
		"example.com/a%5cb":              "",
		"example.com/a%zz":               "",
		"example.com/a%2":                "",
		"example.com/v1*":                "",
		"example.com/a*b/c":              "",
		"example.com/%2a":                "",
	} {
		r, err := egress.ParseRule(text)
		if want == "" {
			assert.Equal(t, "invalid-rule", reason(t, err), "%q", text)
			assert.Error(t, err, "%q", text)
			continue
		}
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, r.String(), "%q", text)
		again, err := egress.ParseRule(r.String())
		require.NoError(t, err, "%q", text)
		assert.Equal(t, r, again, "%q", text)
		assert.True(t, r.Covers(again))
	}
}

// paths lists what a path of a rule lets through.
func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		rule, path string
		want       bool
	}{
		{"/v1/*", "/v1/", true}, {"/v1/*", "/v1/x", true}, {"/v1/*", "/v1/x/y", true}, {"/v1/*", "/v1", false}, {"/v1/*", "/v10/x", false}, {"/v1/*", "/V1/x", false},
		{"/v1/*", "/v1/..", false}, {"/v1/*", "/v1/../x", false}, {"/v1/*", "/v1/%2e%2e/x", false}, {"/v1/*", "/v1/%2E./x", false}, {"/v1/*", "/v1/./x", false},
		{"/v1/*", "/v1/%252e%252e/x", false}, {"/v1/*", "/v1/%25252e%25252e/x", false}, {"/v1/*", "/v1/..;a=b/x", false}, {"/v1/*", "/v1/%2e%2e%3b/x", false},
		{"/v1/*", "/v1/..%2fx", false}, {"/v1/*", "/v1/a%2fb", false}, {"/v1/*", "/v1/a%5cb", false}, {"/v1/*", "/v1/a%255cb", false}, {"/v1/*", "/v1/a%00", false},
		{"/v1/*", "/v1/...", true}, {"/v1/*", "/v1/a..b", true}, {"/v1/*", "/v1/a%20b", true}, {"/v1/*", "/v1/100%25", true}, {"/v1/*", "//v1/x", false}, {"/v1/*", "/x/v1/y", false},
		{"/v1/*", "/%76%31/x", true}, {"/", "/", true}, {"/", "", true}, {"/", "/x", false}, {"/*", "/x/y", true}, {"/*", "", true},
		{"/a/b", "/a/b", true}, {"/a/b", "/a/b/", false}, {"/a/b", "/a", false}, {"/a/b", "/a/%62", true},
		{"/r/*/i", "/r/x/i", true}, {"/r/*/i", "/r//i", false}, {"/r/*/i", "/r/x/y/i", false}, {"/r/*/i", "/r/x/i/z", false}, {"/r/*/i/*", "/r/x/i/z", true},
	} {
		b := newBench(t, allow("good.test"+tt.rule), nil, public(), nil)
		raw := tt.path
		u := &url.URL{Scheme: "http", Host: "good.test", Path: raw}
		if parsed, err := url.Parse("http://good.test" + raw); err == nil {
			u = parsed
		}
		resp, err := b.RoundTrip(&http.Request{URL: u})
		if err == nil {
			resp.Body.Close()
		}
		assert.Equal(t, tt.want, err == nil, "%s %s", tt.rule, tt.path)
		if err != nil {
			assert.Equal(t, "path-not-allowed", reason(t, err))
		}
	}
}

// randomRule makes a rule out of few parts, so that rules meet.
func randomRule(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	return pick("", "", "GET ", "GET,POST ", "POST ") +
		pick("*", "a.test", "*.a.test", "b.a.test", "*.b.a.test", "test", "*.test", "192.0.2.1") +
		pick("", "", ":80", ":81", ":80,81") +
		pick("", "", "/", "/*", "/x", "/x/*", "/x/y", "/*/y", "/x/*/z", "/*/y/*")
}

// Property: what a rule covers lets through nothing that the rule does not, for
// every request out of few parts.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	covered := 0
	for range 3000 {
		outer, inner := randomRule(r), randomRule(r)
		o, err := egress.ParseRule(outer)
		require.NoError(t, err)
		i, err := egress.ParseRule(inner)
		require.NoError(t, err)
		if !o.Covers(i) {
			continue
		}
		covered++
		for range 20 {
			method, u := randomRequest(r)
			if naive(inner, method, u) {
				assert.True(t, naive(outer, method, u), "%q covers %q but not %s %s", outer, inner, method, u)
			}
		}
	}
	assert.Greater(t, covered, 100)
}

func randomRequest(r *rand.Rand) (string, *url.URL) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	u, err := url.Parse("http://" + pick("a.test", "b.a.test", "c.b.a.test", "xa.test", "test", "192.0.2.1") + pick("", ":80", ":81", ":82") + pick("", "/", "/x", "/x/", "/x/y", "/q/y", "/x/q/z", "/q/y/z", "/x/../x/y", "/x/%2e%2e/y"))
	if err != nil {
		panic(err)
	}
	return pick("GET", "POST", "PUT"), u
}

// naive is another reading of a rule: written from the documentation of Rule,
// sharing no code with it.
func naive(rule, method string, u *url.URL) bool {
	if m, rest, ok := strings.Cut(rule, " "); ok {
		if !strings.Contains(","+m+",", ","+method+",") {
			return false
		}
		rule = rest
	}
	if i := strings.IndexByte(rule, '/'); i >= 0 {
		want, got := rule[i:], u.EscapedPath()
		if got == "" {
			got = "/"
		}
		if strings.Contains(got, "..") || strings.Contains(got, "%") {
			return false
		}
		ws, gs := strings.Split(want, "/"), strings.Split(got, "/")
		if ws[len(ws)-1] == "*" {
			if len(gs) < len(ws) {
				return false
			}
			ws = ws[:len(ws)-1]
			gs = gs[:len(ws)]
		}
		if len(ws) != len(gs) {
			return false
		}
		for k := range ws {
			if ws[k] != gs[k] && !(ws[k] == "*" && gs[k] != "") {
				return false
			}
		}
		rule = rule[:i]
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	if host, ports, ok := strings.Cut(rule, ":"); ok {
		if !strings.Contains(","+ports+",", ","+port+",") {
			return false
		}
		rule = host
	}
	if domain, ok := strings.CutPrefix(rule, "*."); ok {
		return u.Hostname() == domain || strings.HasSuffix(u.Hostname(), "."+domain)
	}
	return rule == "*" || rule == u.Hostname()
}

// Property: enforced is never wider than declared. Whatever a policy lets
// through is let through by one of its rules alone as well, by another reading of
// them.
func TestEnforcedIsNeverWiderThanDeclared(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	dns := map[string][]string{"a.test": {"93.184.215.20"}, "b.a.test": {"93.184.215.20"}, "c.b.a.test": {"93.184.215.20"}, "xa.test": {"93.184.215.20"}, "test": {"93.184.215.20"}}
	passed := 0
	for range 300 {
		policy := egress.Policy{Mode: toolspec.NetworkAllowlist}
		for range 1 + r.IntN(3) {
			policy.Rules = append(policy.Rules, randomRule(r))
		}
		g, err := egress.New(policy, &egress.Options{Resolver: &answers{table: dns}, Call: egress.CallOptions{
			Around: func(http.RoundTripper) http.RoundTripper { return answer(200) }}})
		require.NoError(t, err)
		for range 20 {
			method, u := randomRequest(r)
			declared := false
			for _, rule := range policy.Rules {
				declared = declared || naive(rule, method, u)
			}
			_, err := g.RoundTrip(&http.Request{Method: method, URL: u})
			if u.Hostname() == "192.0.2.1" {
				assert.Error(t, err, "an address that is not public")
				continue
			}
			if err == nil {
				passed++
			}
			assert.Equal(t, declared, err == nil, "%v: %s %s: %v", policy.Rules, method, u, err)
		}
		g.Close()
	}
	assert.Greater(t, passed, 500)
}

// answer is a RoundTripper that needs no network.
type answer int

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
