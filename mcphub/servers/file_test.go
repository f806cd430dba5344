package servers_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
)

const someServers = `{
  "$schema": "x",
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "some-server", "${HOME}"], "env": {"KEY": "${FILES_KEY}"}, "cwd": "/srv", "alwaysAllow": ["x"], "disabled": true},
    "search": {"type": "streamable-http", "url": "https://mcp.example.com/mcp?k=${K_2}", "headers": {"Authorization": "Bearer ${T}"}, "requiredEnv": ["T"],
      "timeoutMs": 30000, "protocolVersions": ["2025-11-25"], "name": "Search", "tags": ["web"], "hitl": true, "toolSelection": {"except": ["drop"]}, "toolPrefix": "web",
      "tools": ["find", {"tool": "open", "alias": "open_page", "description": "Opens a page.", "hitl": false, "approve": true}]},
    "old": {"transport": "sse", "url": "http://127.0.0.1:1", "approve": true, "hitl": false},
    "own": {"type": "web-socket", "address": "ws://x", "anything": [1]}
  },
  "inputs": []
}`

func TestParseServers(t *testing.T) {
	f, err := servers.Read(strings.NewReader("\xef\xbb\xbf" + someServers))
	require.NoError(t, err)
	assert.Equal(t, []string{"mcpServers.files.alwaysAllow", "$schema", "inputs"}, f.Unknown)
	require.Len(t, f.Servers, 4)
	files, search, old, own := f.Servers[0], f.Servers[1], f.Servers[2], f.Servers[3]

	assert.Equal(t, "files", files.Record.ID)
	assert.Equal(t, client.TransportStdio, files.Record.Kind)
	assert.True(t, files.Record.Disabled)
	assert.JSONEq(t, `{"command":"npx","args":["-y","some-server","${HOME}"],"env":{"KEY":"${FILES_KEY}"},"cwd":"/srv"}`, string(files.Record.Connection), "placeholders stay")
	assert.Nil(t, files.Tools)
	assert.Equal(t, servers.AskByRule, files.Ask)

	assert.Equal(t, client.TransportHTTP, search.Record.Kind)
	assert.JSONEq(t, `{"url":"https://mcp.example.com/mcp?k=${K_2}","headers":{"Authorization":"Bearer ${T}"},"requiredEnv":["T"]}`, string(search.Record.Connection))
	assert.Equal(t, int64(30000), search.Record.TimeoutMS)
	assert.Equal(t, "Search", search.Record.Name)
	assert.Equal(t, &servers.Selection{Except: []string{"drop"}}, search.Record.Selection)
	assert.Equal(t, "web", search.Record.Prefix)
	assert.Equal(t, []servers.ToolEntry{
		{Tool: "find", Ask: servers.AskAlways},
		{Tool: "open", Alias: "open_page", Description: "Opens a page.", Approve: true, Ask: servers.AskNever},
	}, search.Tools)

	assert.Equal(t, client.TransportSSE, old.Record.Kind)
	assert.True(t, old.Approve)
	assert.Equal(t, client.TransportKind("web-socket"), own.Record.Kind)
	assert.JSONEq(t, `{"address":"ws://x","anything":[1]}`, string(own.Record.Connection), "its factory knows them")

	assert.Empty(t, files.Policies())
	assert.Equal(t, []approval.Policy{{Server: "search", Tool: "open", Side: approval.SideServer, Effect: approval.AlwaysAllow}}, search.Policies())
	assert.Equal(t, []approval.Policy{{Server: "old", Tool: "*", Side: approval.SideServer, Effect: approval.AlwaysAllow}}, old.Policies())

	for _, e := range f.Servers {
		e.Record.Extra = maps.Clone(e.Record.Extra)
		none, err := servers.EntryOf(e.Record)
		require.NoError(t, err)
		assert.Nil(t, none, "it came from no file")
		if e.Record.Extra == nil {
			e.Record.Extra = map[string]json.RawMessage{}
		}
		e.Record.Extra["source"] = json.RawMessage(`"/f"`)
		back, err := servers.EntryOf(e.Record)
		require.NoError(t, err)
		assert.Equal(t, e, *back)
	}
	search.Record.Extra["source"], search.Record.Extra["tools"] = json.RawMessage(`"/f"`), json.RawMessage(`1`)
	_, err = servers.EntryOf(search.Record)
	assert.ErrorContains(t, err, "search.tools: it is a number")
}

func TestParseServersNamesWhatIsWrong(t *testing.T) {
	entry := func(members string) string { return `{"mcpServers":{"a":{` + members + `}}}` }
	for name, test := range map[string]struct{ text, want string }{
		"no JSON":            {"{\"mcpServers\":\n {]}", "line 2, column 3"},
		"empty":              {"", "line 1, column 1"},
		"too large":          {strings.Repeat(" ", 1<<20+1), "larger than 1048576 bytes"},
		"no object":          {`[]`, "the file: it is an array, and should be an object"},
		"nothing there":      {`{}`, `"mcpServers" is missing`},
		"another form":       {`{"servers":{}}`, `call it "mcpServers"`},
		"servers no object":  {`{"mcpServers":[]}`, "mcpServers: it is an array"},
		"entry no object":    {`{"mcpServers":{"a":"npx"}}`, "mcpServers.a: it is a string"},
		"two of a name":      {`{"mcpServers":{"a":{"command":"x"},"\u0061":{"command":"y"}}}`, `mcpServers: the member "\u0061" occurs twice`},
		"a member twice":     {entry(`"command":"x","command":"y"`), `mcpServers.a: the member "command" occurs twice`},
		"bad name":           {`{"mcpServers":{"a b":{"command":"x"}}}`, `"a b" cannot be the name of a server`},
		"neither":            {entry(`"args":[]`), `mcpServers.a: it has neither "command" nor "url"`},
		"both":               {entry(`"command":"x","url":"http://h"`), `it has "command" and "url"`},
		"foreign member":     {entry(`"type":"http","url":"http://h","env":{}`), `mcpServers.a.env: a server of the kind "http" has no such member`},
		"kinds that differ":  {entry(`"type":"sse","transport":"http","url":"http://h"`), "mcpServers.a.transport: "},
		"empty kind":         {entry(`"type":"","url":"http://h"`), "mcpServers.a.type: it is empty"},
		"kind no text":       {entry(`"type":1,"url":"http://h"`), "mcpServers.a.type: it is a number"},
		"command no text":    {entry(`"command":["x"]`), "mcpServers.a.command: it is an array, and should be a string"},
		"empty command":      {entry(`"command":" "`), "mcpServers.a: stdio: no command"},
		"args no list":       {entry(`"command":"x","args":"-y"`), "mcpServers.a.args: it is a string, and should be an array"},
		"arg no text":        {entry(`"command":"x","args":["a",1]`), "mcpServers.a.args[1]: it is a number"},
		"env no text":        {entry(`"command":"x","env":{"A":1}`), "mcpServers.a.env.A: it is a number"},
		"env no name":        {entry(`"command":"x","env":{"A=B":"1"}`), `"A=B" cannot be the name`},
		"oauth no object":    {entry(`"url":"http://h","oauth":true`), "mcpServers.a.oauth: it is a boolean"},
		"bad address":        {entry(`"url":"ftp://h"`), "mcpServers.a: "},
		"other placeholder":  {entry(`"command":"x","env":{"A":"${env:TOKEN}"}`), "mcpServers.a.env.A: after ${ write a name"},
		"small placeholder":  {entry(`"url":"http://h/${token}"`), "mcpServers.a.url: after ${"},
		"open placeholder":   {entry(`"url":"http://h/${T"`), "mcpServers.a.url: after ${"},
		"disabled no flag":   {entry(`"command":"x","disabled":"yes"`), "mcpServers.a: "},
		"timeout":            {entry(`"command":"x","timeoutMs":-1`), "mcpServers.a: server \"a\": timeoutMs is -1"},
		"timeout no number":  {entry(`"command":"x","timeoutMs":"30s"`), "mcpServers.a: "},
		"versions":           {entry(`"command":"x","protocolVersions":["2025-11-25","1999-01-01"]`), `protocolVersions has "1999-01-01"`},
		"selection misspelt": {entry(`"command":"x","toolSelection":{"onyl":["a"]}`), `onyl`},
		"prefix":             {entry(`"command":"x","toolPrefix":"A B"`), `toolPrefix is "A B"`},
		"versions no list":   {entry(`"command":"x","protocolVersions":"2025-11-25"`), "mcpServers.a: "},
		"approve no flag":    {entry(`"command":"x","approve":"true"`), "mcpServers.a.approve: it is a string"},
		"hitl no flag":       {entry(`"command":"x","hitl":1`), "mcpServers.a.hitl: it is a number"},
		"tools no list":      {entry(`"command":"x","tools":"all"`), "mcpServers.a.tools: it is a string"},
		"tool of no kind":    {entry(`"command":"x","tools":[1]`), "mcpServers.a.tools[0]: it must be the name"},
		"tool without name":  {entry(`"command":"x","tools":[{"alias":"a"}]`), "mcpServers.a.tools[0]: it names no tool"},
		"long tool":          {entry(`"command":"x","tools":["` + strings.Repeat("x", 1025) + `"]`), "more than 1,024 bytes"},
		"tool twice":         {entry(`"command":"x","tools":["t",{"tool":"t"}]`), `mcpServers.a.tools[1]: the tool "t" is listed twice`},
		"tool misspelt":      {entry(`"command":"x","tools":[{"tool":"t","hilt":true}]`), "mcpServers.a.tools[0].hilt: there is no such member"},
		"relay misspelt":     {entry(`"command":"x","relay":{"noForm":true}`), "mcpServers.a.relay.noForm: there is no such member: there are noForms,"},
		"relay no object":    {entry(`"command":"x","relay":true`), "mcpServers.a.relay: it is a boolean"},
		"tool bad alias":     {entry(`"command":"x","tools":[{"tool":"t","alias":"a b"}]`), `mcpServers.a.tools[0].alias: "a b" cannot be an alias`},
		"tool alias no text": {entry(`"command":"x","tools":[{"tool":"t","alias":1}]`), "mcpServers.a.tools[0].alias: it is a number"},
		"long description":   {entry(`"command":"x","tools":[{"tool":"t","description":"` + strings.Repeat("x", 9000) + `"}]`), "description: it has more than"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := servers.Parse([]byte(test.text))
			require.Error(t, err)
			assert.Nil(t, f)
			assert.ErrorContains(t, err, test.want)
			assert.True(t, strings.HasPrefix(err.Error(), "servers: "), err.Error())
		})
	}
	_, err := servers.Parse([]byte(`{"mcpServers":{"a":{},"b":{"command":1}}}`))
	assert.ErrorContains(t, err, "mcpServers.a: ")
	assert.ErrorContains(t, err, "mcpServers.b.command: ", "all of it is told at once")
	broken, err := os.Open(filepath.Join(t.TempDir()))
	require.NoError(t, err)
	defer broken.Close()
	_, err = servers.Read(broken)
	require.ErrorContains(t, err, "servers: ")
}

// FuzzServersFile reads anything: what is taken makes records that the store
// takes and gives back as they were.
func FuzzServersFile(f *testing.F) {
	for _, seed := range []string{someServers, `{}`, `{"mcpServers":{}}`, `{"mcpServers":{"a":{"command":"x","relay":{"a":1},"timeoutMs":5}}}`, `{"mcpServers":{"a":{"url":"http://h","tools":[]}}}`, "\xff", "[[["} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := servers.Parse(data)
		if err != nil {
			require.Nil(t, file)
			return
		}
		for _, e := range file.Servers {
			require.NoError(t, e.Record.Validate())
			text, err := json.Marshal(e.Record)
			require.NoError(t, err)
			var again servers.Record
			require.NoError(t, json.Unmarshal(text, &again))
			text2, err := json.Marshal(again)
			require.NoError(t, err)
			require.Equal(t, string(text), string(text2))
			_ = e.Policies()
			for _, tool := range e.Tools {
				require.NotEmpty(t, tool.Tool)
			}
		}
	})
}

func TestParseShare(t *testing.T) {
	f, err := servers.Parse([]byte(`{"mcpServers":{
		"all":{"command":"x","share":true},
		"some":{"command":"x","share":{"resources":["notes://*"],"resourceTemplates":["a{b}"],"prompts":["greet"],"allowChanges":true}},
		"none":{"command":"x","share":false}}}`))
	require.NoError(t, err)
	any := []string{"*"}
	assert.Equal(t, &servers.ShareEntry{Resources: any, Templates: any, Prompts: any}, f.Servers[0].Share)
	assert.Equal(t, &servers.ShareEntry{Resources: []string{"notes://*"}, Templates: []string{"a{b}"}, Prompts: []string{"greet"}, AllowChanges: true}, f.Servers[1].Share)
	assert.Nil(t, f.Servers[2].Share)
	for text, want := range map[string]string{
		`1`:                  "it must be true, or",
		`{}`:                 "it chooses nothing",
		`{"tools":["x"]}`:    "mcpServers.a.share.tools: there is no such member",
		`{"prompts":"x"}`:    "mcpServers.a.share.prompts: it is a string",
		`{"prompts":[1]}`:    "mcpServers.a.share.prompts[0]: it is a number",
		`{"resources":[""]}`: "mcpServers.a.share.resources[0]: it has 0 bytes",
		`{"allowChanges":1}`: "mcpServers.a.share.allowChanges: it is a number",
		`{"resources":["*"` + strings.Repeat(`,"x"`, 1000) + `]}`: "it has 1001 patterns",
	} {
		_, err := servers.Parse([]byte(`{"mcpServers":{"a":{"command":"x","share":` + text + `}}}`))
		assert.ErrorContains(t, err, want, text)
	}
}
