package directory_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/directory"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/toolspec/secret"
)

const weather = `{
  "name": "io.github.user/weather", "title": "Weather", "description": "Tells the weather.", "version": "1.2.3",
  "websiteUrl": "https://weather.example/docs", "repository": {"url": "https://git.example/weather", "source": "git"},
  "remotes": [{"type": "streamable-http", "url": "https://{region}.weather.example/{tenant}/mcp",
    "variables": {"region": {"value": "eu"}, "tenant": {"description": "Your tenant."}},
    "headers": [{"name": "X-API-Key", "isRequired": true}, {"name": "Authorization", "value": "Bearer {token}", "variables": {"token": {"isSecret": true}}}, {"name": "Units", "default": "metric", "choices": ["metric", "imperial"]}]},
   {"type": "sse", "url": "https://weather.example/sse"}],
  "packages": [
   {"registryType": "npm", "registryBaseUrl": "https://packages.example", "identifier": "@user/weather-mcp", "version": "1.2.3", "runtimeHint": "npx", "transport": {"type": "stdio"},
    "runtimeArguments": [{"type": "positional", "value": "-y"}],
    "packageArguments": [{"type": "positional", "value": "serve"}, {"type": "named", "name": "--cache", "valueHint": "dir"}, {"type": "named", "name": "-p", "default": "80"}, {"type": "named", "name": "-v"}, {"type": "positional", "isRequired": true, "valueHint": "city"}],
    "environmentVariables": [{"name": "WEATHER_TOKEN", "isRequired": true, "isSecret": true}, {"name": "MODE", "value": "mcp"}]},
   {"registryType": "pypi", "identifier": "weather-mcp", "version": "1.2.3", "transport": {"type": "stdio"}},
   {"registryType": "oci", "identifier": "images.example/user/weather:1.2.3", "transport": {"type": "stdio"}, "environmentVariables": [{"name": "CITY"}]},
   {"registryType": "nuget", "identifier": "User.Weather", "version": "1.2.3", "transport": {"type": "stdio"}, "packageArguments": [{"type": "positional", "value": "mcp"}]}]
}`

func TestRegistry(t *testing.T) {
	r, err := directory.ParseRegistry([]byte("\xef\xbb\xbf" + weather))
	require.NoError(t, err)
	require.Empty(t, r.Skipped)
	require.Equal(t, []string{"weather-1", "weather-2", "weather-3", "weather-4", "weather-5", "weather-6"}, ids(r.Entries))
	open(t, &directory.Options{More: r.Entries})
	const p = "IO_GITHUB_USER_WEATHER__"
	want := []string{
		`{"url":"https://eu.weather.example/t1/mcp","headers":{"Units":"metric","X-API-Key":"${` + p + `X_API_KEY}"},"oauth":null}`,
		`{"url":"https://weather.example/sse","oauth":{}}`,
		`{"command":"npx","args":["-y","@user/weather-mcp@1.2.3","serve","-p","80","Rome"],"env":{"MODE":"mcp","WEATHER_TOKEN":"${` + p + `WEATHER_TOKEN}"}}`,
		`{"command":"uvx","args":["weather-mcp@1.2.3"]}`,
		`{"command":"docker","args":["run","-i","--rm","--env=CITY","images.example/user/weather:1.2.3"]}`,
		`{"command":"dnx","args":["User.Weather@1.2.3","--yes","--","mcp"]}`,
	}
	for i, e := range r.Entries {
		assert.Equal(t, "Weather", e.Name)
		assert.Equal(t, "io.github.user", e.Vendor)
		assert.Equal(t, risk.TrustNone, e.Trust)
		assert.Equal(t, "https://weather.example/docs", e.Docs)
		set := map[string]string{}
		for _, v := range e.Variables {
			assert.True(t, strings.HasPrefix(v.Name, p), v.Name)
			switch v.Name {
			case p + "TENANT":
				set[v.Name] = "t1"
			case p + "CITY":
				if v.Required {
					set[v.Name] = "Rome"
				}
			}
		}
		record, err := e.Instantiate(&directory.Values{Set: set, System: "linux"})
		require.NoError(t, err)
		assert.JSONEq(t, strings.Replace(want[i], `,"oauth":null`, "", 1), string(record.Connection))
	}
	assert.Len(t, r.Entries[2].Notes, 1, "another package registry is named")

	// The fixed header needs a token: with it, there are two headers.
	record, err := r.Entries[0].Instantiate(&directory.Values{Set: map[string]string{p + "TENANT": "t1", p + "TOKEN": "${" + p + "TOKEN}"}})
	require.NoError(t, err)
	assert.Contains(t, string(record.Connection), `"Authorization":"Bearer ${`+p+`TOKEN}"`)

	answer, err := directory.ParseRegistry([]byte(`{"server":` + weather + `,"_meta":{}}`))
	require.NoError(t, err)
	assert.Len(t, answer.Entries, 6)
}

// What a file may not decide is left out, with the reason.
func TestRegistrySkips(t *testing.T) {
	remote := func(members string) string {
		return `{"name":"a.b/c","description":"D.","remotes":[{"type":"streamable-http",` + members + `}]}`
	}
	pack := func(members string) string {
		return `{"name":"a.b/c","packages":[{"registryType":"npm","transport":{"type":"stdio"},"identifier":"x","version":"1.0.0",` + members + `}]}`
	}
	for _, tt := range []struct{ file, reason string }{
		{`{"name":"a.b/c","remotes":[{"type":"websocket","url":"https://a.example"}]}`, `remotes[0]: there is no transport "websocket"`},
		{remote(`"url":"http://a.example/mcp"`), "not an https address"},
		{remote(`"url":"https://u:p@a.example/mcp"`), "not an https address"},
		{remote(`"url":"https://a.example/${HOME}"`), "contains ${"},
		{remote(`"url":"https://a.example/${x}","variables":{"x":{"value":"HOME"}}`), "contains ${"},
		{remote(`"url":"https://a.example/{x}","variables":{"x":{"value":"${HOME}"}}`), "contains $"},
		{remote(`"url":"https://a.example/{x}","variables":{"x":{"default":"${HOME}"}}`), "contains ${"},
		{remote(`"url":"https://a.example","headers":[{"name":"A B"}]`), `"A B" cannot be the name of a header`},
		{remote(`"url":"https://a.example","headers":[{"name":"A","value":"${OPENAI_API_KEY}"}]`), "contains ${"},
		{remote(`"url":"https://a.example","headers":[{"name":"X-K"},{"name":"X_K","value":"{X-K}","variables":{"X-K":{"isSecret":true}}}]`), "cannot be the name"},
		{remote(`"url":"https://a.example/{n}","variables":{"n":{}},"headers":[{"name":"H","value":"{n}","variables":{"n":{"isSecret":true}}}]`), "two values of the name"},
		{pack(`"registryType":"mcpb"`), "occurs twice"},
		{`{"name":"a.b/c","packages":[{"registryType":"mcpb","identifier":"x","version":"1","transport":{"type":"stdio"}}]}`, `the type "mcpb" are not run here`},
		{`{"name":"a.b/c","packages":[{"registryType":"npm","identifier":"x","version":"1.0.0","transport":{"type":"streamable-http","url":"http://localhost:1"}}]}`, "does not serve over stdio"},
		{`{"name":"a.b/c","packages":[{"registryType":"npm","identifier":"x","version":"latest","transport":{"type":"stdio"}}]}`, `no exact version of the package, but "latest"`},
		{`{"name":"a.b/c","packages":[{"registryType":"npm","identifier":"x","version":"^1.0.0","transport":{"type":"stdio"}}]}`, "no exact version"},
		{`{"name":"a.b/c","packages":[{"registryType":"npm","identifier":"--registry=x","version":"1.0.0","transport":{"type":"stdio"}}]}`, "not the name of a package"},
		{`{"name":"a.b/c","packages":[{"registryType":"oci","identifier":"a/b:latest","transport":{"type":"stdio"}}]}`, "no exact version"},
		{pack(`"runtimeHint":"bash"`), `it wants the runner "bash"`},
		{pack(`"runtimeArguments":[{"type":"named","name":"--registry","value":"https://evil.example"}]`), `it wants the option "--registryhttps`},
		{pack(`"environmentVariables":[{"name":"A=B"}]`), "name of an environment variable"},
		{pack(`"packageArguments":[{"type":"named","name":"x"}]`), "cannot be an argument"},
		{pack(`"packageArguments":[{"type":"other"}]`), "cannot be an argument"},
		{pack(`"packageArguments":[{"type":"positional","value":"a\nb"}]`), "a line break"},
		{pack(`"packageArguments":[{"type":"positional","default":"a\nb"}]`), "a line break"},
	} {
		r, err := directory.ParseRegistry([]byte(tt.file))
		if err != nil {
			assert.ErrorContains(t, err, tt.reason, tt.file)
			continue
		}
		assert.Empty(t, r.Entries, tt.file)
		require.Len(t, r.Skipped, 1, tt.file)
		assert.Contains(t, r.Skipped[0], tt.reason)
	}
}

func TestRegistryMistakes(t *testing.T) {
	for _, tt := range []struct{ file, reason string }{
		{``, "line 1, column 1"},
		{"{\n \"name\": }", "line 2, column 10"},
		{`[]`, "the file is an array, and should be an object"},
		{`{"server":1}`, "server is a number, and should be an object"},
		{`{"name":1}`, "name is a number, which is not the right kind of value"},
		{`{"server":{"name":"a.b/c","remotes":[{"url":1}]}}`, "server.remotes[0].url is a number"},
		{`{"name":"a.b/c","packages":[1]}`, "packages[0] is a number"},
		{`{"name":"a.b/c","name":"d.e/f"}`, "occurs twice"},
		{`{"name":"weather"}`, `"weather" is not the name of a server`},
		{`{"name":"a.b/c"}`, "must have 1 to 50 packages and remotes"},
	} {
		_, err := directory.ParseRegistry([]byte(tt.file))
		assert.ErrorContains(t, err, tt.reason, tt.file)
	}
	_, err := directory.ReadRegistry(bytes.NewReader(make([]byte, 2<<20)))
	assert.ErrorContains(t, err, "larger than")
	_, err = directory.ReadRegistry(io.MultiReader(strings.NewReader("{"), brokenReader{}))
	assert.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

func TestFetchRegistry(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/server.json":
			_, _ = io.WriteString(w, weather)
		case "/away":
			http.Redirect(w, r, "http://other.example/server.json", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	r, err := directory.FetchRegistry(t.Context(), nil, s.URL+"/server.json")
	require.NoError(t, err)
	assert.Len(t, r.Entries, 6)
	for address, reason := range map[string]string{
		s.URL + "/none":                  "404",
		s.URL + "/away":                  "not https",
		"http://a.example/server.json":   "give an https address",
		"https://u:p@a.example/":         "give an https address",
		"file:///etc/passwd":             "give an https address",
		":":                              "give an https address",
		"http://127.0.0.1.evil.example/": "give an https address",
	} {
		_, err := directory.FetchRegistry(t.Context(), http.DefaultTransport, address)
		assert.ErrorContains(t, err, reason, address)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = directory.FetchRegistry(ctx, nil, s.URL+"/server.json")
	assert.ErrorIs(t, err, context.Canceled)
}

// Whatever a file says: it makes entries that are well-formed, and whose records ask for no value
// of another server.
func FuzzParseRegistry(f *testing.F) {
	f.Add([]byte(weather))
	f.Add([]byte(`{"server":{"name":"a.b/c","packages":[{"registryType":"oci","identifier":"a/b:1","transport":{"type":"stdio"},"packageArguments":[{"type":"named","name":"-p","value":"{x}{y}","variables":{"x":{},"y":{"value":"1"}}}]}]}}`))
	f.Add([]byte(`{"name":"a.b/c","remotes":[{"type":"sse","url":"https://{h}/","variables":{"h":{"isSecret":true}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := directory.ParseRegistry(data)
		if err != nil {
			return
		}
		for _, e := range r.Entries {
			own := map[string]bool{}
			set := map[string]string{}
			for _, v := range e.Variables {
				own[v.Name] = true
				require.Contains(t, v.Name, "__")
				if v.Kind == directory.Plain && v.Choices == nil {
					set[v.Name] = "x"
				}
			}
			record, err := e.Instantiate(&directory.Values{Set: set})
			var missing *directory.MissingError
			if err != nil && !errors.As(err, &missing) {
				continue // such as an address that is none
			}
			require.True(t, json.Valid(record.Connection))
			for _, name := range secret.Names(string(record.Connection)) {
				require.True(t, own[name], "%s is a value of another", name)
			}
		}
	})
}
