package server

import (
	"net/http"
	"strings"

	"github.com/localpass/localpass/internal/httpapi"
)

// ClientConfig is how one MCP client is told of this server.
type ClientConfig struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Where are the files, or the place in the program, with the system that each
	// is for.
	Where    []ConfigPlace `json:"where"`
	Language string        `json:"language" enum:"json,toml,shell,go,python"`
	Text     string        `json:"text"`
	Note     string        `json:"note,omitempty"`
	// Checked is when the form was last held against the client's documentation.
	Checked string `json:"checked"`
}

// ConfigPlace is where a configuration belongs.
type ConfigPlace struct {
	System string `json:"system"`
	Path   string `json:"path"`
}

// tokenName is the variable that a client's configuration takes the token from:
// it is never written into one.
const tokenName = "LOCALPASS_MCP_TOKEN"

// configChecked is when the forms were last looked at.
const configChecked = "2026-11"

// configsFor gives the configurations for an endpoint. With auth, clients send
// the token that the variable holds.
func configsFor(url string, auth bool) []ClientConfig {
	pick := func(with, without string) string {
		text := without
		if auth {
			text = with
		}
		return strings.NewReplacer("URL", url, "TOKEN", tokenName).Replace(text)
	}
	return []ClientConfig{
		{ID: "claude-code", Title: "Claude Code", Language: "shell", Checked: configChecked,
			Where: []ConfigPlace{{"any", "a shell, or .mcp.json in the project"}},
			Text:  pick("claude mcp add --transport http localpass URL --header \"Authorization: Bearer $TOKEN\"", "claude mcp add --transport http localpass URL"),
			Note:  "In .mcp.json the entry needs \"type\": \"http\"."},
		{ID: "claude-desktop", Title: "Claude Desktop", Language: "json", Checked: configChecked,
			Where: []ConfigPlace{{"macOS", "~/Library/Application Support/Claude/claude_desktop_config.json"}, {"Windows", `%APPDATA%\Claude\claude_desktop_config.json`}},
			Text: pick("{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"mcp-remote\", \"URL\", \"--header\", \"Authorization: Bearer ${TOKEN}\"]\n    }\n  }\n}",
				"{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"mcp-remote\", \"URL\"]\n    }\n  }\n}"),
			Note: "Without Node: build ./examples/mcpserver and give its path as the command."},
		{ID: "cursor", Title: "Cursor", Language: "json", Checked: configChecked,
			Where: []ConfigPlace{{"any", "~/.cursor/mcp.json, or .cursor/mcp.json in the project"}},
			Text: pick("{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"url\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer ${env:TOKEN}\" }\n    }\n  }\n}",
				"{\n  \"mcpServers\": {\n    \"localpass\": { \"url\": \"URL\" }\n  }\n}")},
		{ID: "vscode", Title: "VS Code", Language: "json", Checked: configChecked,
			Where: []ConfigPlace{{"any", ".vscode/mcp.json in the workspace"}},
			Text: pick("{\n  \"servers\": {\n    \"localpass\": {\n      \"type\": \"http\",\n      \"url\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer ${env:TOKEN}\" }\n    }\n  }\n}",
				"{\n  \"servers\": {\n    \"localpass\": { \"type\": \"http\", \"url\": \"URL\" }\n  }\n}"),
			Note: "The member is \"servers\", not \"mcpServers\"."},
		{ID: "codex", Title: "Codex CLI", Language: "toml", Checked: configChecked,
			Where: []ConfigPlace{{"any", "~/.codex/config.toml, or .codex/config.toml in a trusted project"}},
			Text: pick("[mcp_servers.localpass]\nurl = \"URL\"\nbearer_token_env_var = \"TOKEN\"\n# Further headers go into http_headers.\n",
				"[mcp_servers.localpass]\nurl = \"URL\"\n# Further headers go into http_headers.\n"),
			Note: "A token comes from bearer_token_env_var; a member of another name is ignored without a word."},
		{ID: "gemini", Title: "Gemini CLI", Language: "json", Checked: configChecked,
			Where: []ConfigPlace{{"any", "~/.gemini/settings.json"}},
			Text: pick("{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"httpUrl\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer $TOKEN\" }\n    }\n  }\n}",
				"{\n  \"mcpServers\": {\n    \"localpass\": { \"httpUrl\": \"URL\" }\n  }\n}")},
		{ID: "antigravity", Title: "Antigravity", Language: "json", Checked: configChecked,
			Where: []ConfigPlace{{"any", "~/.gemini/config/mcp_config.json"}},
			Text: pick("{\n  \"mcpServers\": {\n    \"localpass\": {\n      \"serverUrl\": \"URL\",\n      \"headers\": { \"Authorization\": \"Bearer ${TOKEN}\" }\n    }\n  }\n}",
				"{\n  \"mcpServers\": {\n    \"localpass\": { \"serverUrl\": \"URL\" }\n  }\n}")},
		{ID: "stdio", Title: "Clients with stdio only", Language: "json", Checked: configChecked,
			Where: []ConfigPlace{{"any", "the client's own configuration"}},
			Text: pick("{\n  \"command\": \"npx\",\n  \"args\": [\"-y\", \"mcp-remote\", \"URL\", \"--header\", \"Authorization: Bearer ${TOKEN}\"]\n}",
				"{\n  \"command\": \"npx\",\n  \"args\": [\"-y\", \"mcp-remote\", \"URL\"]\n}")},
		{ID: "curl", Title: "curl", Language: "shell", Checked: configChecked, Where: []ConfigPlace{{"any", "a shell"}},
			Text: pick(curlWith("-H \"Authorization: Bearer $TOKEN\" "), curlWith(""))},
		{ID: "python", Title: "Python", Language: "python", Checked: configChecked, Where: []ConfigPlace{{"any", "a program, with nothing installed"}},
			Text: pick(pythonWith(", \"Authorization\": \"Bearer \" + os.environ[\"TOKEN\"]"), pythonWith(""))},
		{ID: "go", Title: "Go", Language: "go", Checked: configChecked, Where: []ConfigPlace{{"any", "a program"}},
			Text: pick(goWith("\n\treq.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"TOKEN\"))"), goWith(""))},
	}
}

// The requests of 2026-07-28 stand for themselves: no session has to be begun.
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
	if auth != "" {
		imports += "\t\"os\"\n"
	}
	return "package main\n\nimport (\n" + imports + "\t\"strings\"\n)\n\nfunc main() {\n\tbody := `" + strings.Replace(statelessList, "CLIENT", "go", 1) + "`\n" +
		"\treq, err := http.NewRequest(\"POST\", \"URL\", strings.NewReader(body))\n\tif err != nil {\n\t\tpanic(err)\n\t}\n" +
		"\treq.Header.Set(\"Content-Type\", \"application/json\")\n\treq.Header.Set(\"Accept\", \"application/json\")\n" +
		"\treq.Header.Set(\"MCP-Protocol-Version\", \"2026-07-28\")\n\treq.Header.Set(\"Mcp-Method\", \"tools/list\")" + auth + "\n" +
		"\tres, err := http.DefaultClient.Do(req)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tdefer res.Body.Close()\n\tanswer, err := io.ReadAll(res.Body)\n\tfmt.Println(string(answer), err)\n}\n"
}

func (s *Server) clientConfigs(w http.ResponseWriter, _ *http.Request) error {
	return httpapi.Reply(w, http.StatusOK, ConfigList{Items: configsFor(s.endpoint(), s.opts.MCPToken != "")})
}
