package oauth_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/localpass/localpass/mcphub/oauth"
)

func FuzzParseChallenges(f *testing.F) {
	for _, s := range []string{`Bearer resource_metadata="https://a/b", scope="x y"`, `Basic realm="r", Bearer a=b`, `Negotiate a==`, `Bearer a="\`, `,,`, `Bearer a=b; c`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		for _, c := range oauth.ParseChallenges([]string{header, header}) {
			if c.Scheme == "" || c.Scheme != strings.ToLower(c.Scheme) || len(c.Params) > 32 {
				t.Fatalf("%q: %+v", header, c)
			}
			for k, v := range c.Params {
				if k == "" || k != strings.ToLower(k) || len(v) > len(header) {
					t.Fatalf("%q: %q=%q", header, k, v)
				}
			}
		}
	})
}

func FuzzResourceMetadata(f *testing.F) {
	f.Add([]byte(`{"resource":"https://a.example.com/mcp","authorization_servers":["https://x.example.com"],"scopes_supported":["a"]}`), "https://a.example.com/mcp")
	f.Add([]byte(`{"resource":"https://a.example.com/%2e%2e"}`), "https://a.example.com/x")
	f.Add([]byte(`{"resource":"https://a@b"}`), "https://b")
	f.Fuzz(func(t *testing.T, data []byte, address string) {
		m, err := oauth.ParseResourceMetadata(data)
		if err != nil || !oauth.BindsResource(m.Resource, address) {
			return
		}
		r, err := url.Parse(m.Resource)
		if err != nil {
			t.Fatal(err)
		}
		a, err := url.Parse(address)
		if err != nil || r.Scheme != a.Scheme || !strings.EqualFold(r.Hostname(), a.Hostname()) || r.User != nil || r.Fragment != "" {
			t.Fatalf("%q binds %q", m.Resource, address)
		}
	})
}

func FuzzServerMetadata(f *testing.F) {
	f.Add([]byte(`{"issuer":"https://a.example.com","token_endpoint":"https://a.example.com/token","authorization_endpoint":"https://a.example.com/x"}`))
	f.Add([]byte(`{"issuer":"https://a.example.com","token_endpoint":"javascript:1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		const issuer = "https://a.example.com"
		m, err := oauth.ParseServerMetadata(data, issuer)
		if err != nil {
			return
		}
		if m.Issuer != issuer {
			t.Fatal(m.Issuer)
		}
		for _, e := range []string{m.Token, m.Authorization, m.Registration, m.Revocation} {
			if u, err := url.Parse(e); e != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil) {
				t.Fatalf("%q", e)
			}
		}
	})
}
