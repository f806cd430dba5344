package oauth_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/mcphub/oauth"
)

func TestParseChallenges(t *testing.T) {
	type c = oauth.Challenge
	p := func(kv ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	for name, x := range map[string]struct {
		headers []string
		want    []c
	}{
		"nothing":              {nil, nil},
		"empty":                {[]string{"", " , ,"}, nil},
		"scheme alone":         {[]string{"Bearer"}, []c{{"bearer", p()}}},
		"usual":                {[]string{`Bearer resource_metadata="https://a/b", scope="x y"`}, []c{{"bearer", p("resource_metadata", "https://a/b", "scope", "x y")}}},
		"names and scheme":     {[]string{`BEARER ScoPe=x`}, []c{{"bearer", p("scope", "x")}}},
		"blanks":               {[]string{"Bearer  a = b ,\tc= \"d\""}, []c{{"bearer", p("a", "b", "c", "d")}}},
		"quotes":               {[]string{`Bearer a="x\"y\\z, Basic q=1"`}, []c{{"bearer", p("a", `x"y\z, Basic q=1`)}}},
		"several in one":       {[]string{`Basic realm="r", Bearer scope="s", DPoP algs="ES256"`}, []c{{"basic", p("realm", "r")}, {"bearer", p("scope", "s")}, {"dpop", p("algs", "ES256")}}},
		"several":              {[]string{`Negotiate`, `Bearer a=b`}, []c{{"negotiate", p()}, {"bearer", p("a", "b")}}},
		"without parameters":   {[]string{`Negotiate, Bearer a=b`}, []c{{"negotiate", p()}, {"bearer", p("a", "b")}}},
		"token":                {[]string{`Negotiate abc/def+ghi==, Bearer a=b`}, []c{{"negotiate", p()}, {"bearer", p("a", "b")}}},
		"token alone":          {[]string{`Negotiate abc==`}, []c{{"negotiate", p()}}},
		"twice":                {[]string{`Bearer a=1, a=2`}, []c{{"bearer", p("a", "1")}}},
		"empty value":          {[]string{`Bearer a="", b=c`}, []c{{"bearer", p("a", "", "b", "c")}}},
		"open quote":           {[]string{`Bearer a=b, c="d`}, []c{{"bearer", p("a", "b")}}},
		"rubbish after":        {[]string{`Bearer a=b; c=d`}, []c{{"bearer", p("a", "b")}}},
		"rubbish":              {[]string{`"Bearer"`, `=x`}, nil},
		"only a comma between": {[]string{`Bearer a=b,,c=d`}, []c{{"bearer", p("a", "b", "c", "d")}}},
	} {
		assert.Equal(t, x.want, oauth.ParseChallenges(x.headers), name)
	}
	assert.Len(t, oauth.ParseChallenges([]string{strings.Repeat("a, ", 1000)}), 16)
	many := oauth.ParseChallenges([]string{"Bearer " + strings.Repeat("a"+"=1, ", 100) + "b=2"})
	assert.Equal(t, "2", many[0].Params["b"])
}

func TestBindsResource(t *testing.T) {
	for _, x := range []struct {
		resource, address string
		want              bool
	}{
		{"https://a.example.com/mcp", "https://a.example.com/mcp", true},
		{"https://a.example.com", "https://a.example.com/mcp", true},
		{"https://a.example.com/", "https://a.example.com/mcp", true},
		{"https://A.example.com:443/mcp", "https://a.example.com/mcp", true},
		{"https://a.example.com/x", "https://a.example.com/x/mcp", true},
		{"https://a.example.com/x/", "https://a.example.com/x/mcp", true},
		{"https://a.example.com/mcp/", "https://a.example.com/mcp", true},
		{"https://a.example.com/mc", "https://a.example.com/mcp", false},
		{"https://a.example.com/mcp/x", "https://a.example.com/mcp", false},
		{"http://a.example.com/mcp", "https://a.example.com/mcp", false},
		{"https://b.example.com/mcp", "https://a.example.com/mcp", false},
		{"https://a.example.com:8443/mcp", "https://a.example.com/mcp", false},
		{"https://a.example.com/mcp#x", "https://a.example.com/mcp", false},
		{"https://a.example.com/mcp?x=1", "https://a.example.com/mcp", false},
		{"https://a.example.com/x/../mcp", "https://a.example.com/x/../mcp/y", false},
		{"https://a.example.com/%2e%2e", "https://a.example.com/%2e%2e/y", false},
		{"https://user@a.example.com/mcp", "https://a.example.com/mcp", false},
		{"", "https://a.example.com/mcp", false},
		{"https://a.example.com", "", false},
		{"a.example.com/mcp", "https://a.example.com/mcp", false},
	} {
		assert.Equal(t, x.want, oauth.BindsResource(x.resource, x.address), "%s for %s", x.resource, x.address)
	}
}

func TestMetadata(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":         ``,
		"no object":       `[]`,
		"cut":             `{"resource":`,
		"no resource":     `{}`,
		"relative":        `{"resource":"/mcp"}`,
		"fragment":        `{"resource":"https://a.example.com/#x"}`,
		"issuer":          `{"resource":"https://a.example.com","authorization_servers":["x"]}`,
		"issuer, a query": `{"resource":"https://a.example.com","authorization_servers":["https://x.example.com/?a"]}`,
		"many":            `{"resource":"https://a.example.com","scopes_supported":["a"` + strings.Repeat(`,"a"`, 2000) + `]}`,
	} {
		_, err := oauth.ParseResourceMetadata([]byte(text))
		assert.ErrorIs(t, err, oauth.ErrMetadata, name)
	}
	const issuer = "https://auth.example.com"
	for name, text := range map[string]string{
		"nothing":  ``,
		"no token": `{"issuer":"https://auth.example.com"}`,
		"relative": `{"issuer":"https://auth.example.com","token_endpoint":"/token"}`,
		"login":    `{"issuer":"https://auth.example.com","token_endpoint":"https://a:b@auth.example.com/token"}`,
		"form":     `{"issuer":1}`,
	} {
		_, err := oauth.ParseServerMetadata([]byte(text), issuer)
		assert.ErrorIs(t, err, oauth.ErrMetadata, name)
	}
	m, err := oauth.ParseServerMetadata([]byte(`{"issuer":"https://auth.example.com","token_endpoint":"https://auth.example.com/token","more":1}`), issuer)
	assert.NoError(t, err)
	assert.Equal(t, "https://auth.example.com/token", m.Token)
	_, err = oauth.ParseServerMetadata([]byte(`{"issuer":"https://auth.example.com","token_endpoint":"https://auth.example.com/token"}`), issuer+"/")
	assert.ErrorIs(t, err, oauth.ErrIssuerMismatch)
}
