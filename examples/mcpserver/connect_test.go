package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// upstream is another process of this program, which serves the specs of a folder
// as they stand there: an MCP server to connect to.
type upstream struct {
	dir, file, home string
}

// newUpstream writes a file of servers with one entry, "up", that has these
// members besides its command.
func newUpstream(t *testing.T, members map[string]any) *upstream {
	t.Helper()
	u := &upstream{dir: t.TempDir(), file: filepath.Join(t.TempDir(), "servers.json"), home: t.TempDir()}
	toolFile(t, u.dir, "shout", "return 'LOUD'", nil)
	toolFile(t, u.dir, "whisper", "return 'quiet'", nil)
	u.write(t, map[string]any{"up": u.entry(t, members)})
	return u
}

func (u *upstream) entry(t *testing.T, members map[string]any) map[string]any {
	e := map[string]any{"command": os.Args[0], "args": []string{"-home", t.TempDir(), "-specs", u.dir, "-watch"},
		"env": map[string]string{asProgram: "1"}}
	for name, value := range members {
		e[name] = value
	}
	return e
}

func (u *upstream) write(t *testing.T, entries map[string]any) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"mcpServers": entries})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(u.file, data, 0o600))
}

// servers runs a command on the home of the upstream's hub.
func (u *upstream) servers(t *testing.T, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	all := []string{"servers"}
	if name != "" {
		all = append(all, name)
	}
	return output(t, append(append(all, "-home", u.home), args...)...)
}

// eventually asks until the tools are these.
func eventually(t *testing.T, p *program, id *int, want ...string) {
	t.Helper()
	var got []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		*id++
		if got = p.tools(t, strconv.Itoa(*id)); assert.ObjectsAreEqual(want, got) {
			return
		}
		runtime.Gosched()
	}
	require.Equal(t, want, got, p.stderr)
}

func TestConnectServesWhatIsApproved(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, map[string]any{"hitl": false, "tools": []any{
		map[string]any{"tool": "shout", "alias": "loud", "description": "Is loud.", "approve": true}, "whisper", "missing"}})
	p := launch(t, "-home", u.home, "-connect", u.file)
	p.initialize(t)
	id := 10
	eventually(t, p, &id, "loud")
	r := p.call(t, "2", "loud", `{}`)
	require.False(t, r.IsError, r.Content)
	assert.Equal(t, "LOUD", r.Content[0].Text)
	told := p.stderr.String()
	assert.Contains(t, told, "up: connected over stdio (")
	assert.Contains(t, told, "1 of 2 tools served; withheld, not approved yet: whisper; withheld, the server does not offer them: missing")
	assert.Contains(t, told, "say yes with: mcpserver servers approve -home "+u.home+" up")
	assert.Equal(t, 1, strings.Count(told, "\n"), told)

	// The operator says yes in another process, and takes it back.
	stdout, stderr, code := u.servers(t, "approve", "-dry-run", "up")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "up/whisper  not approved yet, as up_whisper\n  now      {\"")
	stdout, stderr, code = u.servers(t, "approve", "up", "whisper")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "up/whisper  approved, as up_whisper")
	eventually(t, p, &id, "loud", "up_whisper")
	assert.Equal(t, "quiet", p.call(t, "3", "up_whisper", `{}`).Content[0].Text)
	_, stderr, code = u.servers(t, "revoke", "up", "whisper")
	require.Equal(t, 0, code, stderr)
	eventually(t, p, &id, "loud")

	// What the server says otherwise is withheld, until it is looked at again.
	toolFile(t, u.dir, "shout", "return 'LOUDER'", map[string]any{"description": "Another tool."})
	eventually(t, p, &id)
	stdout, stderr, code = u.servers(t, "approve", "up", "shout")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "  before   {")
	assert.Contains(t, stdout, "A test tool.")
	assert.Contains(t, stdout, "Another tool.")
	eventually(t, p, &id, "loud")
	assert.Equal(t, "LOUDER", p.call(t, "4", "loud", `{}`).Content[0].Text)
	stdout, _, _ = u.servers(t, "approve", "up", "shout")
	assert.Equal(t, "up/shout is approved already\n", stdout)
	_, stderr, code = u.servers(t, "approve", "up", "missing")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "does not offer it now")
	_, stderr, code = u.servers(t, "approve", "up", "other")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "choose it in the file of servers")

	// The call is in the audit log of the home, as any other is.
	stdout, _, code = output(t, "audit", "show", "-json", u.home)
	require.Equal(t, 0, code)
	assert.Contains(t, stdout, `"loud"`)
}

// By default the gate asks about the tools of others; who cannot be asked is refused.
func TestConnectPastTheGate(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, map[string]any{"approve": true})
	p := launch(t, "-home", u.home, "-connect", u.file)
	p.initialize(t)
	id := 10
	eventually(t, p, &id, "up_shout", "up_whisper")
	r := p.call(t, "2", "up_shout", `{}`)
	require.True(t, r.IsError)
	assert.Equal(t, "SECURITY", r.Meta["localpass/error"].Kind)

	// The home alone is enough for the next one, and for what its entry says.
	u.write(t, map[string]any{"up": u.entry(t, map[string]any{"approve": true, "hitl": false})})
	_, stderr, code := u.servers(t, "add", u.file)
	require.Equal(t, 0, code, stderr)
	stdout, _, _ := u.servers(t, "", "-check")
	assert.Contains(t, stdout, "they, or the way to the server, are not what was approved: shout, whisper", "it has another folder")
	_, stderr, code = u.servers(t, "approve", "up")
	require.Equal(t, 0, code, stderr)
	stdout, _, _ = u.servers(t, "approve", "up")
	assert.Equal(t, "up: nothing to approve\n", stdout)
	p = launch(t, "-home", u.home, "-servers")
	p.initialize(t)
	eventually(t, p, &id, "up_shout", "up_whisper")
	assert.Equal(t, "LOUD", p.call(t, "2", "up_shout", `{}`).Content[0].Text)
}

// Only the servers of the file are connected, whatever else the home keeps.
func TestConnectIsAboutItsFile(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, map[string]any{"approve": true})
	_, stderr, code := u.servers(t, "add", u.file)
	require.Equal(t, 0, code, stderr)
	other := filepath.Join(t.TempDir(), "other.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"mcpServers":{
		"off":{"command":"never-started","disabled":true},
		"dead":{"command":"/does/not/exist"},
		"keyed":{"url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${MCPSERVER_TEST_NOWHERE}"},"alwaysAllow":[]}}}`), 0o600))
	p := launch(t, "-home", u.home, "-connect", other)
	p.initialize(t)
	assert.Empty(t, p.tools(t, "2"))
	told := p.stderr.String()
	assert.Contains(t, told, "other.json: not known here, and without effect: mcpServers.keyed.alwaysAllow")
	assert.Contains(t, told, "off: not connected: it is disabled")
	assert.Contains(t, told, "dead: not connected: ")
	assert.Contains(t, told, "keyed: not connected: set MCPSERVER_TEST_NOWHERE in the environment")
	assert.NotContains(t, told, "up:")

	require.NoError(t, os.WriteFile(other, []byte(`{"mcpServers":{}}`), 0o600))
	_, stderr, code = u.servers(t, "add", other)
	require.Equal(t, 0, code, stderr)
	stdout, _, _ := u.servers(t, "", "-json")
	assert.Equal(t, 1, strings.Count(stdout, "\n"), "what left the file left the home: %s", stdout)
	assert.Contains(t, stdout, `"id":"up"`)
}

func TestConnectMistakes(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"mcpServers":{"a":{"command":1}}}`), 0o600))
	for _, test := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"-connect", "nowhere.json"}, "nowhere.json", 1},
		{[]string{"-connect", bad}, "mcpServers.a.command: it is a number", 1},
		{[]string{"-connect", bad, "-servers"}, "give one", 1},
		{[]string{"servers", "test"}, "name one server", 2},
		{[]string{"servers", "test", "nobody"}, `there is no file "nobody" either`, 1},
		{[]string{"servers", "add", "nowhere.json"}, "nowhere.json", 1},
		{[]string{"servers", "add"}, "name one file", 2},
		{[]string{"servers", "approve"}, "name a server", 2},
		{[]string{"servers", "approve", "nobody"}, "no such server", 1},
		{[]string{"servers", "revoke", "nobody", "tool"}, "choose it", 1},
		{[]string{"servers", "remove", "nobody"}, "no such server", 1},
		{[]string{"servers", "what"}, `unknown command "what"`, 2},
		{[]string{"servers", "add", "-what"}, "-what", 2},
	} {
		args := append([]string{}, test.args...)
		if args[0] == "servers" && len(args) > 1 && strings.Trim(args[1], "abcdefghijklmnopqrstuvwxyz") == "" && args[1] != "what" {
			args = append([]string{args[0], args[1], "-home", t.TempDir()}, args[2:]...)
		} else if args[0] == "servers" {
			args = append([]string{args[0], "-home", t.TempDir()}, args[1:]...)
		} else {
			args = append([]string{"-home", t.TempDir()}, args...)
		}
		_, stderr, code := output(t, args...)
		assert.Equal(t, test.code, code, "%v: %s", test.args, stderr)
		assert.Contains(t, stderr, test.want, "%v", test.args)
	}
	_, _, code := output(t, "servers", "approve", "-help")
	assert.Equal(t, 0, code)
}
