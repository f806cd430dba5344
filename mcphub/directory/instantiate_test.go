package directory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/directory"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestInstantiate(t *testing.T) {
	d := open(t, nil)
	set := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for _, tt := range []struct {
		id     string
		values *directory.Values
		want   string
	}{
		{"deepwiki", nil, `{"url":"https://mcp.deepwiki.com/mcp"}`},
		{"notion", nil, `{"url":"https://mcp.notion.com/mcp","oauth":{}}`},
		{"notion", &directory.Values{Set: set("NOTION_OAUTH_CLIENT_ID", "abc")}, `{"url":"https://mcp.notion.com/mcp","oauth":{"clientId":"abc"}}`},
		{"exa", nil, `{"url":"https://mcp.exa.ai/mcp","headers":{"x-api-key":"${EXA_API_KEY}"}}`},
		{"exa", &directory.Values{Set: set("EXA_API_KEY", "${MY_EXA}")}, `{"url":"https://mcp.exa.ai/mcp","headers":{"x-api-key":"${MY_EXA}"}}`},
		{"github", &directory.Values{Lookup: secret.Map(set("GITHUB_PERSONAL_ACCESS_TOKEN", "t")), Set: set("GITHUB_OAUTH_CLIENT_ID", "c")},
			`{"url":"https://api.githubcopilot.com/mcp/","headers":{"Authorization":"Bearer ${GITHUB_PERSONAL_ACCESS_TOKEN}"}}`},
		{"github", &directory.Values{Set: set("GITHUB_OAUTH_CLIENT_ID", "c")}, `{"url":"https://api.githubcopilot.com/mcp/","oauth":{"clientId":"c"}}`},
		{"outlook-mail", &directory.Values{Set: set("MS_TENANT_ID", "t1", "OUTLOOK_MAIL_OAUTH_CLIENT_ID", "c")},
			`{"url":"https://agent365.svc.cloud.microsoft/agents/tenants/t1/servers/mcp_MailTools","oauth":{"clientId":"c","issuerUri":"https://login.microsoftonline.com/t1/v2.0","scopes":["Mail.ReadWrite"]}}`},
		{"git", &directory.Values{Set: set("GIT_REPOSITORY", "/srv/a b;c")}, `{"command":"uvx","args":["mcp-server-git@2026.10.19","--repository","/srv/a b;c"]}`},
		{"memory", &directory.Values{System: "linux"}, `{"command":"npx","args":["-y","@modelcontextprotocol/server-memory@2026.8.31"]}`},
		{"memory", &directory.Values{System: "windows", Set: set("MEMORY_FILE_PATH", `C:\m`)},
			`{"command":"npx.cmd","args":["-y","@modelcontextprotocol/server-memory@2026.8.31"],"env":{"MEMORY_FILE_PATH":"C:\\m"}}`},
	} {
		e, err := d.Get(tt.id)
		require.NoError(t, err)
		r, err := e.Instantiate(tt.values)
		require.NoError(t, err, tt.id)
		assert.JSONEq(t, tt.want, string(r.Connection))
		assert.Equal(t, tt.id, r.ID)
		assert.Equal(t, e.Category, r.Category)
	}
	e, err := d.Get("git")
	require.NoError(t, err)
	r, err := e.Instantiate(&directory.Values{ID: "code", Set: set("GIT_REPOSITORY", ".")})
	require.NoError(t, err)
	assert.Equal(t, "code", r.ID)
	_, err = e.Instantiate(&directory.Values{ID: "a b", Set: set("GIT_REPOSITORY", ".")})
	assert.ErrorContains(t, err, "cannot be the id")
}

// Missing values are named, and the record can be shown before they are given.
func TestMissingValues(t *testing.T) {
	d := open(t, nil)
	e, err := d.Get("outlook-mail")
	require.NoError(t, err)
	r, err := e.Instantiate(nil)
	var missing *directory.MissingError
	require.ErrorAs(t, err, &missing)
	require.Len(t, missing.Variables, 2)
	assert.ErrorContains(t, err, "outlook-mail needs values for MS_TENANT_ID (Id of your Microsoft Entra tenant")
	transport, err := client.NewRegistry(nil).Transport(r.Kind, r.Connection)
	require.NoError(t, err)
	assert.Equal(t, "https://agent365.svc.cloud.microsoft/agents/tenants/${MS_TENANT_ID}/servers/mcp_MailTools", transport.Describe().Address)

	e, err = d.Get("exa")
	require.NoError(t, err)
	_, err = e.Instantiate(&directory.Values{Lookup: secret.Map(nil)})
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, "EXA_API_KEY", missing.Variables[0].Name)
	_, err = e.Instantiate(&directory.Values{Lookup: secret.Map(map[string]string{"EXA_API_KEY": " "})})
	require.ErrorAs(t, err, &missing, "a blank value is none")
}

func TestWrongValues(t *testing.T) {
	d := open(t, nil)
	choose := &directory.Entry{ID: "choose", Name: "Choose", Category: "CUSTOM", Transport: client.TransportHTTP, URL: "https://a.example/mcp", Headers: map[string]string{"Region": "${REGION}"},
		Variables: []directory.Variable{{Name: "REGION", Kind: directory.Plain, Default: "eu", Choices: []string{"eu", "us"}}}}
	for _, tt := range []struct{ id, name, value, reason string }{
		{"git", "OTHER", "x", "git has no such variable: it has GIT_REPOSITORY"},
		{"deepwiki", "OTHER", "x", "it has none"},
		{"git", "GIT_REPOSITORY", "${HOME}", "without ${"},
		{"git", "GIT_REPOSITORY", "a\nb", "one line"},
		{"git", "GIT_REPOSITORY", " ", "one line"},
		{"azure-devops", "AZURE_DEVOPS_ORG", "me/../you", "in an address"},
		{"azure-devops", "AZURE_DEVOPS_ORG", "me@evil.example", "in an address"},
		{"exa", "EXA_API_KEY", "sk-12345", "it is a secret"},
		{"exa", "EXA_API_KEY", "Bearer ${EXA_API_KEY}", "it is a secret"},
		{"choose", "REGION", "mars", `one of ["eu" "us"]`},
	} {
		e := choose
		if tt.id != "choose" {
			var err error
			e, err = d.Get(tt.id)
			require.NoError(t, err)
		}
		r, err := e.Instantiate(&directory.Values{Set: map[string]string{tt.name: tt.value}})
		require.ErrorIs(t, err, directory.ErrValue, tt.id)
		require.ErrorContains(t, err, tt.name+": ")
		require.ErrorContains(t, err, tt.reason)
		assert.NotContains(t, err.Error(), "sk-12345")
		assert.Empty(t, r.ID)
	}
	r, err := choose.Instantiate(nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"url":"https://a.example/mcp","headers":{"Region":"eu"}}`, string(r.Connection))
}
