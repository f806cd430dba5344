package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/smoke/peer"
)

// upstream is another process of this program, an MCP server to connect to.
type upstream struct {
	dir  string // the folder of specs that it serves
	file string // a file of servers with the entry "up"
	home string // the home of the program that connects
}

// newUpstream writes the file of servers. Its entry has these members besides its command.
func newUpstream(t *testing.T, members jsonObject) *upstream {
	t.Helper()
	u := &upstream{dir: t.TempDir(), file: filepath.Join(t.TempDir(), "servers.json"), home: t.TempDir()}
	writeSpec(t, u.dir, "shout", "return 'LOUD'")
	writeSpec(t, u.dir, "whisper", "return 'quiet'")
	u.write(t, jsonObject{"up": u.entry(t, members)})
	return u
}

func (u *upstream) entry(t *testing.T, members jsonObject) jsonObject {
	e := jsonObject{"command": os.Args[0], "args": []string{"-home", t.TempDir(), "-specs", u.dir, "-watch"},
		"env": map[string]string{asProgram: "1"}}
	maps.Copy(e, members)
	return e
}

func (u *upstream) write(t *testing.T, entries jsonObject) {
	t.Helper()
	require.NoError(t, os.WriteFile(u.file, []byte(asJSON(t, jsonObject{"mcpServers": entries})), 0o600))
}

// servers returns the arguments of a command about the servers of the home.
func (u *upstream) servers(args ...string) []string {
	command := []string{"servers"}
	if !strings.HasPrefix(args[0], "-") {
		command, args = append(command, args[0]), args[1:]
	}
	return append(append(command, "-home", u.home), args...)
}

func TestConnectServesWhatIsApproved(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, jsonObject{"hitl": false, "tools": []any{
		jsonObject{"tool": "shout", "alias": "loud", "description": "Is loud.", "approve": true}, "whisper", "missing"}})
	p := startServing(t, "-home", u.home, "-connect", u.file)
	p.waitForTools(t, "loud")
	r := p.callTool(t, "loud", `{}`)
	require.False(t, r.IsError, r.Content)
	assert.Equal(t, "LOUD", r.text())
	said := p.waitForStderr(t, "up: connected over stdio (",
		"1 of 2 tools served; withheld, not approved yet: whisper; withheld, the server does not offer them: missing",
		"say yes with: mcpserver servers approve -home "+u.home+" up\n")
	assert.Equal(t, 1, strings.Count(said, "\n"), said)

	// The operator approves a tool in another process, and revokes the approval.
	stdout := mustSucceed(t, u.servers("approve", "-dry-run", "up")...)
	assert.Contains(t, stdout, "up/whisper  not approved yet, as up_whisper\n  now      {\"")
	stdout = mustSucceed(t, u.servers("approve", "up", "whisper")...)
	assert.Contains(t, stdout, "up/whisper  approved, as up_whisper")
	p.waitForTools(t, "loud", "up_whisper")
	assert.Equal(t, "quiet", p.callTool(t, "up_whisper", `{}`).text())
	mustSucceed(t, u.servers("revoke", "up", "whisper")...)
	p.waitForTools(t, "loud")

	// A tool whose definition changed is withheld until it is approved again.
	writeSpec(t, u.dir, "shout", "return 'LOUDER'", jsonObject{"description": "Another tool."})
	p.waitForTools(t)
	stdout = mustSucceed(t, u.servers("approve", "up", "shout")...)
	assert.Contains(t, stdout, "  before   {")
	assert.Contains(t, stdout, "A test tool.")
	assert.Contains(t, stdout, "Another tool.")
	p.waitForTools(t, "loud")
	assert.Equal(t, "LOUDER", p.callTool(t, "loud", `{}`).text())
	stdout = mustSucceed(t, u.servers("approve", "up", "shout")...)
	assert.Equal(t, "up/shout is approved already\n", stdout)
	mustFail(t, 1, "does not offer it now", u.servers("approve", "up", "missing")...)
	mustFail(t, 1, "choose it in the file of servers", u.servers("approve", "up", "other")...)

	// The audit log of the home contains the call.
	stdout = mustSucceed(t, "audit", "show", "-json", u.home)
	assert.Contains(t, stdout, `"loud"`)
}

// By default the gate asks before tools of other servers run. Calls from a client that
// cannot be asked are refused.
func TestConnectAsksTheGate(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, jsonObject{"approve": true})
	p := startServing(t, "-home", u.home, "-connect", u.file)
	p.waitForTools(t, "up_shout", "up_whisper")
	r := p.callTool(t, "up_shout", `{}`)
	require.True(t, r.IsError)
	assert.Equal(t, "SECURITY", r.Meta.Failure.Kind)

	// The next program needs only the home, which also stores the options of the entry.
	u.write(t, jsonObject{"up": u.entry(t, jsonObject{"approve": true, "hitl": false})})
	mustSucceed(t, u.servers("add", u.file)...)
	stdout := mustSucceed(t, u.servers("-check")...)
	assert.Contains(t, stdout, "they, or the way to the server, are not what was approved: shout, whisper", "its specs are in another folder")
	mustSucceed(t, u.servers("approve", "up")...)
	stdout = mustSucceed(t, u.servers("approve", "up")...)
	assert.Equal(t, "up: nothing to approve\n", stdout)
	p = startServing(t, "-home", u.home, "-servers")
	p.waitForTools(t, "up_shout", "up_whisper")
	assert.Equal(t, "LOUD", p.callTool(t, "up_shout", `{}`).text())
}

// -connect connects only the servers of its file, and no others that the home stores.
func TestConnectOnlyTheServersOfTheFile(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, jsonObject{"approve": true})
	mustSucceed(t, u.servers("add", u.file)...)
	other := testFile(t, t.TempDir(), "other.json", `{"mcpServers":{
		"off":{"command":"never-started","disabled":true},
		"dead":{"command":"/does/not/exist"},
		"keyed":{"url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${MCPSERVER_TEST_NOWHERE}"},"alwaysAllow":[]}}}`)
	p := startServing(t, "-home", u.home, "-connect", other)
	assert.Empty(t, p.tools(t))
	said := p.waitForStderr(t, "other.json: not known here, and without effect: mcpServers.keyed.alwaysAllow", "off: not connected: it is disabled",
		"dead: not connected: ", "keyed: not connected: set MCPSERVER_TEST_NOWHERE in the environment")
	assert.NotContains(t, said, "up:")

	require.NoError(t, os.WriteFile(other, []byte(`{"mcpServers":{}}`), 0o600))
	mustSucceed(t, u.servers("add", other)...)
	stdout := mustSucceed(t, u.servers("-json")...)
	assert.Equal(t, 1, strings.Count(stdout, "\n"), "servers that are no longer in the file are removed from the home: %s", stdout)
	assert.Contains(t, stdout, `"id":"up"`)
}

func TestConnectMistakes(t *testing.T) {
	t.Parallel()
	bad := testFile(t, t.TempDir(), "bad.json", `{"mcpServers":{"a":{"command":1}}}`)
	home := t.TempDir()
	for _, test := range []struct {
		code         int
		args, reason string
	}{
		{1, "-home HOME -connect nowhere.json", "nowhere.json"},
		{1, "-home HOME -connect " + bad, "mcpServers.a.command: it is a number"},
		{1, "-home HOME -servers -connect " + bad, "give one"},
		{2, "servers test -home HOME", "name one server"},
		{1, "servers test -home HOME nobody", `there is no file "nobody" either`},
		{1, "servers add -home HOME nowhere.json", "nowhere.json"},
		{2, "servers add -home HOME", "name one file"},
		{2, "servers approve -home HOME", "name a server"},
		{1, "servers approve -home HOME nobody", "no such server"},
		{1, "servers revoke -home HOME nobody tool", "choose it"},
		{1, "servers remove -home HOME nobody", "no such server"},
		{2, "servers -home HOME what", `unknown command "what"`},
		{2, "servers add -home HOME -what", "-what"},
	} {
		mustFail(t, test.code, test.reason, strings.Fields(strings.ReplaceAll(test.args, "HOME", home))...)
	}
	mustSucceed(t, "servers", "approve", "-help")
}

func TestConnectShares(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := writeServers(t, jsonObject{"peer": jsonObject{"command": peer.Program(t), "args": []string{"-as", "mcpgo"}, "tools": []any{}, "share": true}})
	p := startServing(t, "-home", home, "-connect", file)
	p.waitForStderr(t, "0 of 5 tools served, and 0 resources, templates and prompts; withheld, not approved yet: resource test://one;")
	assert.Empty(t, p.resources(t))

	stdout := mustSucceed(t, "servers", "approve", "-home", home, "-dry-run", "peer")
	assert.Contains(t, stdout, "peer/resource test://one  not approved yet\n  now      {")
	stdout = mustSucceed(t, "servers", "approve", "-home", home, "peer")
	assert.Contains(t, stdout, "peer/resource test://one  approved\n")
	p.waitForResources(t, "test://one")
	assert.Contains(t, string(p.request(t, "resources/read", `{"uri":"test://one"}`).Result), `"text":"one"`)
	stdout = mustSucceed(t, "servers", "-home", home, "-check", "-json")
	assert.Contains(t, stdout, `"sharedCount":1`)
	stdout = mustSucceed(t, "servers", "approve", "-home", home, "peer")
	assert.Equal(t, "peer: nothing to approve\n", stdout)

	stdout = mustSucceed(t, "servers", "revoke", "-home", home, "peer")
	assert.Equal(t, "peer  its resources, templates and prompts are withheld\n", stdout)
	p.waitForResources(t)
	stdout = mustSucceed(t, "servers", "-home", home, "-check")
	assert.Contains(t, stdout, "peer: withheld, not approved yet: resource test://one")
}
