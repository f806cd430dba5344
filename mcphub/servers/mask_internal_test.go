package servers

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

func TestMaskedConnection(t *testing.T) {
	for name, test := range map[string]struct {
		in, want string
		hidden   []string
	}{
		"nothing": {``, `{}`, nil},
		"headers": {`{"url":"https://a.example/mcp","headers":{"X-Any":"abc","Authorization":"Bearer ${TOKEN}","X-Empty":"","X-Mixed":"id-${TOKEN}"}}`,
			`{"url":"https://a.example/mcp","headers":{"X-Any":"***","Authorization":"Bearer ${TOKEN}","X-Empty":"","X-Mixed":"***"}}`, []string{"headers.X-Any", "headers.X-Mixed"}},
		"env": {`{"command":"run","env":{"HOME":"/h","KEY":"${KEY}"},"requiredEnv":["API_KEY"],"cwd":"/w"}`,
			`{"command":"run","env":{"HOME":"***","KEY":"${KEY}"},"requiredEnv":["API_KEY"],"cwd":"/w"}`, []string{"env.HOME"}},
		"address": {`{"url":"https://ada:pw@a.example/x?key=1&plain=${P}&flag#frag","endpoint":"/m?token=abc"}`,
			`{"url":"https://***@a.example/x?key=***&plain=${P}&***#***","endpoint":"/m?token=***"}`, []string{"url", "endpoint"}},
		"arguments": {`{"command":"npx","args":["-y","server","--token","abc","--api-key=abc","--auth-type=oauth","-e","SECRET=abc","--header","Authorization: Bearer abc",` +
			`"postgres://u:p@db/x","--token","${T}","--password","--verbose","C:\\keys","--key-file","/k"]}`,
			`{"command":"npx","args":["-y","server","--token","***","--api-key=***","--auth-type=oauth","-e","SECRET=***","--header","Authorization:***",` +
				`"postgres://***@db/x","--token","${T}","--password","--verbose","C:\\keys","--key-file","/k"]}`,
			[]string{"args.3", "args.4", "args.7", "args.9", "args.10"}},
		"oauth": {`{"url":"https://a.example","oauth":{"clientId":"me","clientSecret":"abc","tokenUri":"https://t.example/token","scopes":["a"],"clientAuthenticationMethod":"basic"}}`,
			`{"url":"https://a.example","oauth":{"clientId":"me","clientSecret":"***","tokenUri":"https://t.example/token","scopes":["a"],"clientAuthenticationMethod":"basic"}}`, []string{"oauth.clientSecret"}},
		"unknown members": {` {"to":"x","apiKey":"abc","credentials":{"user":"u","pin":1234,"more":["x"],"on":true,"none":null},"PAT":"abc","path":"/p","depth":3}`,
			`{"to":"x","apiKey":"***","credentials":{"user":"***","pin":"***","more":["***"],"on":true,"none":null},"PAT":"***","path":"/p","depth":3}`,
			[]string{"apiKey", "credentials.user", "credentials.pin", "credentials.more.0", "PAT"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, hidden := maskedConnection(json.RawMessage(test.in))
			assert.JSONEq(t, test.want, string(got))
			assert.Equal(t, test.hidden, hidden)
			// What comes back as it was shown is what was kept.
			back, err := unmaskedConnection("", got, "", json.RawMessage(test.in))
			require.NoError(t, err)
			if test.in != "" {
				assert.JSONEq(t, test.in, string(back))
			}
		})
	}
}

// A mask keeps what it stands for only where that goes to where it went.
func TestUnmaskedConnection(t *testing.T) {
	const web = `{"url":"https://a.example/mcp","headers":{"A":"one","B":"two"},"oauth":{"clientSecret":"three","tokenUri":"https://t.example/"}}`
	const local = `{"command":"run","args":["x","--token","one"],"env":{"A":"two"}}`
	for name, test := range map[string]struct {
		kind   client.TransportKind
		sent   string
		was    client.TransportKind
		stored string
		want   string // empty: refused
	}{
		"nothing masked":      {"http", `{"url":"https://b.example"}`, "http", web, `{"url":"https://b.example"}`},
		"one header":          {"http", `{"url":"https://a.example/mcp","headers":{"B":"***","C":"new"},"oauth":{"clientSecret":"***","tokenUri":"https://t.example/"}}`, "http", web, `{"url":"https://a.example/mcp","headers":{"B":"two","C":"new"},"oauth":{"clientSecret":"three","tokenUri":"https://t.example/"}}`},
		"another path":        {"http", `{"url":"https://A.example/other","headers":{"A":"***"},"oauth":{"tokenUri":"https://t.example/"}}`, "http", web, `{"url":"https://A.example/other","headers":{"A":"one"},"oauth":{"tokenUri":"https://t.example/"}}`},
		"another spelling":    {"streamable-http", `{"headers":{"A":"***"},"oauth":{"tokenUri":"https://t.example/"},"url":"https://a.example/mcp"}`, "http", web, `{"headers":{"A":"one"},"oauth":{"tokenUri":"https://t.example/"},"url":"https://a.example/mcp"}`},
		"another host":        {"http", `{"url":"https://evil.example/mcp","headers":{"A":"***"},"oauth":{"tokenUri":"https://t.example/"}}`, "http", web, ``},
		"another scheme":      {"http", `{"url":"http://a.example/mcp","headers":{"A":"***"},"oauth":{"tokenUri":"https://t.example/"}}`, "http", web, ``},
		"another port":        {"http", `{"url":"https://a.example:8443/mcp","headers":{"A":"***"},"oauth":{"tokenUri":"https://t.example/"}}`, "http", web, ``},
		"another token host":  {"http", `{"url":"https://a.example/mcp","oauth":{"clientSecret":"***","tokenUri":"https://evil.example/"}}`, "http", web, ``},
		"a new header":        {"http", `{"url":"https://a.example/mcp","headers":{"C":"***"}}`, "http", web, ``},
		"part of a value":     {"http", `{"url":"https://a.example/mcp","headers":{"A":"x***"}}`, "http", web, ``},
		"another kind":        {"stdio", `{"command":"run","env":{"A":"***"}}`, "http", web, ``},
		"moved":               {"http", `{"url":"https://a.example/mcp","other":"***"}`, "http", web, ``},
		"nothing kept":        {"http", `{"url":"https://a.example/mcp","headers":{"A":"***"}}`, "", ``, ``},
		"same command":        {"stdio", `{"command":"run","args":["x","--token","***"],"env":{"A":"***","B":"new"}}`, "", local, `{"command":"run","args":["x","--token","one"],"env":{"A":"two","B":"new"}}`},
		"one argument":        {"", `{"command":"run","args":["x","--token","***"],"env":{}}`, "stdio", `{"command":"run","args":["x","--token","one"]}`, `{"command":"run","args":["x","--token","one"],"env":{}}`},
		"arguments moved":     {"stdio", `{"command":"run","args":["--token","***"]}`, "stdio", local, ``},
		"too many arguments":  {"stdio", `{"command":"run","args":["x","--token","one","***"]}`, "stdio", local, ``},
		"one of several":      {"web", `{"keys":["***","***"],"at":"x"}`, "web", `{"keys":["abc","one"],"at":"x"}`, `{"keys":["abc","one"],"at":"x"}`},
		"fewer of several":    {"web", `{"keys":["***"],"at":"x"}`, "web", `{"keys":["abc","one"],"at":"x"}`, ``},
		"more beside it":      {"http", `{"url":"https://a.example/mcp","oauth":{"tokenUri":"https://t.example/"},"list":["***",{"key":"***"}]}`, "http", web, ``},
		"another command":     {"stdio", `{"command":"evil","args":["x","--token","***"],"env":{"A":"***"}}`, "stdio", local, ``},
		"other arguments":     {"stdio", `{"command":"run","args":["y","--token","***"],"env":{"A":"***"}}`, "stdio", local, ``},
		"another folder":      {"stdio", `{"command":"run","args":["x","--token","***"],"env":{"A":"***"},"cwd":"/evil"}`, "stdio", local, ``},
		"custom, the same":    {"web", `{"at":"x","key":"***"}`, "web", `{"at":"x","key":"abc"}`, `{"at":"x","key":"abc"}`},
		"custom, elsewhere":   {"web", `{"at":"y","key":"***"}`, "web", `{"at":"x","key":"abc"}`, ``},
		"a placeholder in it": {"http", `{"url":"https://${HOST}/b","headers":{"A":"***"}}`, "http", `{"url":"https://${HOST}/a","headers":{"A":"one"}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := unmaskedConnection(test.kind, json.RawMessage(test.sent), test.was, json.RawMessage(test.stored))
			if test.want == "" {
				require.ErrorIs(t, err, ErrMasked)
				for _, hidden := range []string{"one", "two", "three", "abc"} {
					assert.NotContains(t, err.Error(), hidden)
				}
				return
			}
			require.NoError(t, err)
			assert.JSONEq(t, test.want, string(got))
		})
	}
}

// Whatever a connection looks like, what stands in headers and environment is
// never shown, and what was shown can be sent back.
func FuzzMaskedConnection(f *testing.F) {
	f.Add("https://u:p@a.example/?k=v", "--token", "value", "name")
	f.Add("${A}", "a=b", "${B}", "headers")
	f.Add("://", "-", "***", "oauth")
	f.Add("x", "A: b", "\u2028\"\\", "env")
	f.Fuzz(func(t *testing.T, address, argument, value, name string) {
		text := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
		in := `{"url":` + text(address) + `,"args":[` + text(argument) + `,` + text(value) + `],"headers":{"A":` + text("hidden-"+value) + `},"x-` + lettersOf(name) + `":{"env":` + text(value) + `}}`
		if !rpc.ValidJSON([]byte(in)) {
			t.Skip()
		}
		shown, hidden := maskedConnection(json.RawMessage(in))
		if !rpc.ValidJSON(shown) {
			t.Fatalf("%s is no JSON", shown)
		}
		if strings.Contains(string(rpc.Object(shown)["headers"]), "hidden-") || len(hidden) == 0 {
			t.Fatalf("%s shows a header", shown)
		}
		back, err := unmaskedConnection("http", shown, "http", json.RawMessage(in))
		if err != nil {
			t.Fatalf("%s does not come back: %v", shown, err)
		}
		if !canon.Equal(back, []byte(in)) {
			t.Fatalf("%s comes back as %s", in, back)
		}
	})
}

// lettersOf keeps a name from breaking the text.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, s)
}
