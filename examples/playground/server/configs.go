package server

import (
	"net/http"
	"strings"

	"github.com/localpass/localpass/internal/httpapi"
)

// ClientConfig is the configuration of one MCP client for this server.
type ClientConfig struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Where lists the configuration files, or the place in the user interface of the
	// client, each with its operating system.
	Where    []ConfigPlace `json:"where"`
	Language string        `json:"language" enum:"json,toml,shell,go,python"`
	// Text is for clients without a token, WithToken for clients that read the token from
	// the environment, and Literal for clients whose configuration contains the token
	// itself: there Mark stands for the token.
	Text      string `json:"text"`
	WithToken string `json:"withToken"`
	Literal   string `json:"literal"`
	Note      string `json:"note,omitempty"`
	// Names are the known names, in lower case, that the client reports for itself: the
	// reported name begins with one of them, or ends with the name of the bridge. Empty:
	// any name.
	Names []string `json:"names"`
	// Checked is when the configuration was last compared with the documentation of the
	// client.
	Checked string `json:"checked"`
}

// ConfigPlace is the place of a configuration.
type ConfigPlace struct {
	System string `json:"system"`
	Path   string `json:"path"`
}

// tokenName is the environment variable from which a client's configuration reads the
// token, so that the token is never written into the configuration.
const tokenName = "LOCALPASS_MCP_TOKEN"

// tokenMark is the placeholder for a token.
const tokenMark = "PASTE-THE-TOKEN-HERE"

// configChecked is when the configurations were last checked.
const configChecked = "2026-11"

// forms are the texts for one client: with a token from the environment, without a token,
// and with a literal token. An empty literal means the first text with the reference
// replaced.
type forms struct{ with, without, literal string }

// configsFor returns the configurations for an endpoint.
func configsFor(url string) []ClientConfig {
	list := clientForms()
	fill := strings.NewReplacer("URL", url, "TOKEN", tokenName)
	written := strings.NewReplacer("URL", url, "${env:TOKEN}", tokenMark, "${TOKEN}", tokenMark, "$TOKEN", tokenMark, "TOKEN", tokenMark)
	out := make([]ClientConfig, len(list))
	for i, one := range list {
		c := one.ClientConfig
		if one.literal == "" {
			one.literal = one.with
		}
		c.Text, c.WithToken, c.Literal = fill.Replace(one.without), fill.Replace(one.with), written.Replace(one.literal)
		if c.Checked = configChecked; c.Names == nil {
			c.Names = []string{}
		}
		out[i] = c
	}
	return out
}

type clientForm struct {
	ClientConfig
	forms
}

func clientForms() []clientForm {
	return []clientForm{
		{ClientConfig{ID: "claude-code", Title: "Claude Code", Language: "shell",
			Where: []ConfigPlace{{"any", "a shell, or .mcp.json in the project"}},
			Names: []string{"claude-code", "claude code"},
			Note:  "In .mcp.json the entry needs \"type\": \"http\"."}, forms{
			"claude mcp add --transport http localpass URL --header \"Authorization: Bearer $TOKEN\"", "claude mcp add --transport http localpass URL",
			""}},
		{ClientConfig{ID: "claude-json", Title: "Claude Code (file)", Language: "json",
			Where: []ConfigPlace{{"any", ".mcp.json in the project, or ~/.claude.json"}},
			Names: []string{"claude-code", "claude code"},
			Note:  "The entry needs its type."}, forms{
			"{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"type\": \"http\",\n      \"url\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer ${TOKEN}\" }\n    }\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"localpass\": { \"type\": \"http\", \"url\": \"URL\" }\n  }\n}", ""}},
		{ClientConfig{ID: "claude-desktop", Title: "Claude Desktop", Language: "json",
			Where: []ConfigPlace{{"macOS", "~/Library/Application Support/Claude/claude_desktop_config.json"}, {"Windows", `%APPDATA%\Claude\claude_desktop_config.json`}},
			Names: []string{"claude-ai", "claude desktop", "mcp-remote"},
			Note:  "Without Node: build ./examples/mcpserver and give its path as the command."}, forms{
			"{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"mcp-remote\", \"URL\", \"--header\", \"Authorization: Bearer ${TOKEN}\"]\n    }\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"mcp-remote\", \"URL\"]\n    }\n  }\n}",
			""}},
		{ClientConfig{ID: "cursor", Title: "Cursor", Language: "json",
			Where: []ConfigPlace{{"any", "~/.cursor/mcp.json, or .cursor/mcp.json in the project"}},
			Names: []string{"cursor"}}, forms{
			"{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"url\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer ${env:TOKEN}\" }\n    }\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"localpass\": { \"url\": \"URL\" }\n  }\n}",
			""}},
		{ClientConfig{ID: "vscode", Title: "VS Code", Language: "json",
			Where: []ConfigPlace{{"any", ".vscode/mcp.json in the workspace"}},
			Names: []string{"visual studio code", "vscode"},
			Note:  "The member is \"servers\", not \"mcpServers\"."}, forms{
			"{\n  \"servers\": {\n    \"localpass\": {\n      \"type\": \"http\",\n      \"url\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer ${env:TOKEN}\" }\n    }\n  }\n}",
			"{\n  \"servers\": {\n    \"localpass\": { \"type\": \"http\", \"url\": \"URL\" }\n  }\n}",
			""}},
		{ClientConfig{ID: "codex", Title: "Codex CLI", Language: "toml",
			Where: []ConfigPlace{{"any", "~/.codex/config.toml, or .codex/config.toml in a trusted project"}},
			Names: []string{"codex"},
			Note:  "A token comes from bearer_token_env_var; a member of another name is ignored without a word."}, forms{
			"[mcp_servers.localpass]\nurl = \"URL\"\nbearer_token_env_var = \"TOKEN\"\n# Further headers go into http_headers.\n",
			"[mcp_servers.localpass]\nurl = \"URL\"\n# Further headers go into http_headers.\n",
			"[mcp_servers.localpass]\nurl = \"URL\"\nhttp_headers = { \"Authorization\" = \"Bearer TOKEN\" }\n"}},
		{ClientConfig{ID: "gemini", Title: "Gemini CLI", Language: "json",
			Where: []ConfigPlace{{"any", "~/.gemini/settings.json"}},
			Names: []string{"gemini"}}, forms{
			"{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"httpUrl\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer $TOKEN\" }\n    }\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"localpass\": { \"httpUrl\": \"URL\" }\n  }\n}",
			""}},
		{ClientConfig{ID: "antigravity", Title: "Antigravity", Language: "json",
			Where: []ConfigPlace{{"any", "~/.gemini/config/mcp_config.json"}},
			Names: []string{"antigravity"}}, forms{
			"{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"serverUrl\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer ${TOKEN}\" }\n    }\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"localpass\": { \"serverUrl\": \"URL\" }\n  }\n}",
			""}},
		{ClientConfig{ID: "stdio", Title: "Clients with stdio only", Language: "json",
			Where: []ConfigPlace{{"any", "the client's own configuration"}}}, forms{
			"{\n  \"command\": \"npx\",\n  \"args\": [\"-y\", \"mcp-remote\", \"URL\", \"--header\", \"Authorization: Bearer ${TOKEN}\"]\n}",
			"{\n  \"command\": \"npx\",\n  \"args\": [\"-y\", \"mcp-remote\", \"URL\"]\n}",
			""}},
		{ClientConfig{ID: "curl", Title: "curl", Language: "shell", Where: []ConfigPlace{{"any", "a shell"}},
			Names: []string{"curl"}}, forms{
			curlWith("-H \"Authorization: Bearer $TOKEN\" "), curlWith(""),
			""}},
		{ClientConfig{ID: "python", Title: "Python", Language: "python", Where: []ConfigPlace{{"any", "a program, with nothing installed"}},
			Names: []string{"python"}}, forms{
			pythonWith(", \"Authorization\": \"Bearer \" + os.environ[\"TOKEN\"]"), pythonWith(""),
			pythonWith(", \"Authorization\": \"Bearer TOKEN\"")}},
		{ClientConfig{ID: "go", Title: "Go", Language: "go", Where: []ConfigPlace{{"any", "a program"}},
			Names: []string{"go"}}, forms{
			goWith("\n\treq.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"TOKEN\"))"), goWith(""),
			goWith("\n\treq.Header.Set(\"Authorization\", \"Bearer TOKEN\")")}},
	}
}

// Requests of protocol version 2026-07-28 are self-contained: no session has to be
// opened.
const statelessList = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"CLIENT","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

func curlWith(auth string) string {
	return "curl -s URL -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\\n  " + auth +
		"-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' \\\n  -d '" + strings.Replace(statelessList, "CLIENT", "curl", 1) + "'"
}

func pythonWith(auth string) string {
	return "import json, os, urllib.request\n\nbody = '" + strings.Replace(statelessList, "CLIENT", "python", 1) + "'\nheaders = {\"Content-Type\": \"application/json\", \"Accept\": \"application/json\",\n" +
		"           \"MCP-Protocol-Version\": \"2026-07-28\", \"Mcp-Method\": \"tools/list\"" + auth + "}\n" +
		"request = urllib.request.Request(\"URL\", body.encode(), headers)\n" +
		"for tool in json.load(urllib.request.urlopen(request))[\"result\"][\"tools\"]:\n    print(tool[\"name\"])\n"
}

func goWith(auth string) string {
	imports := "\t\"fmt\"\n\t\"io\"\n\t\"net/http\"\n"
	if strings.Contains(auth, "os.") {
		imports += "\t\"os\"\n"
	}
	return "package main\n\nimport (\n" + imports + "\t\"strings\"\n)\n\nfunc main() {\n\tbody := `" + strings.Replace(statelessList, "CLIENT", "go", 1) + "`\n" +
		"\treq, err := http.NewRequest(\"POST\", \"URL\", strings.NewReader(body))\n\tif err != nil {\n\t\tpanic(err)\n\t}\n" +
		"\treq.Header.Set(\"Content-Type\", \"application/json\")\n\treq.Header.Set(\"Accept\", \"application/json\")\n" +
		"\treq.Header.Set(\"MCP-Protocol-Version\", \"2026-07-28\")\n\treq.Header.Set(\"Mcp-Method\", \"tools/list\")" + auth + "\n" +
		"\tres, err := http.DefaultClient.Do(req)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tdefer res.Body.Close()\n\tanswer, err := io.ReadAll(res.Body)\n\tfmt.Println(string(answer), err)\n}\n"
}

func (s *Server) clientConfigs(w http.ResponseWriter, _ *http.Request) error {
	return httpapi.Reply(w, http.StatusOK, ConfigList{Required: s.mcp.access.tokens.Required(), Mark: tokenMark, Variable: tokenName, Items: configsFor(s.endpoint())})
}
