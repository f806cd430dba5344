package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keeper writes a spec that requires approval and appends a line to a file on each run.
func keeper(t *testing.T) (file, workspace string) {
	t.Helper()
	workspace = t.TempDir()
	return writeSpec(t, t.TempDir(), "keep", "safety.fs.appendText('kept.txt', text + '\\n'); return {lines: safety.fs.lineCount('kept.txt')};", jsonObject{
		"params":           []any{jsonObject{"name": "text", "description": "The line to keep, such as \"milk\".", "type": "STRING", "required": true, "testValue": "one"}},
		"sandboxOverrides": jsonObject{"fileRead": true, "fileWrite": true},
		"humanInTheLoop":   jsonObject{"mode": "REQUIRED", "promptTemplate": "May {toolName} keep {args}?"},
		"x-fixtures":       jsonObject{"files": jsonObject{}},
		"x-tests":          []any{jsonObject{"args": jsonObject{"text": "one"}, "want": jsonObject{"lines": 1}}},
	}), workspace
}

func kept(t *testing.T, workspace string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(workspace, "kept.txt"))
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(t, err)
	return string(data)
}

// startElicitable is startServing for a client that can ask its user.
func startElicitable(t *testing.T, args ...string) *process {
	t.Helper()
	p := startProcess(t, args...)
	p.initialize(t, `{"elicitation":{}}`)
	return p
}

// callKeep calls keep and responds to the question that the call causes.
func callKeep(t *testing.T, p *process, text, response string) callResult {
	t.Helper()
	id := p.sendCall(t, "keep", `{"text":"`+text+`"}`)
	question := p.read(t)
	require.Equal(t, "elicitation/create", question.Method)
	assert.Contains(t, string(question.Params), "[risk L")
	assert.Contains(t, string(question.Params), `\"text\":\"`+text+`\"`)
	p.send(t, `{"jsonrpc":"2.0","id":`+string(question.ID)+`,"result":`+response+`}`)
	return p.callResult(t, id)
}

func TestApproveByElicitation(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	home := t.TempDir()
	p := startElicitable(t, "-home", home, "-workspace", workspace, "-specs", file)
	assert.False(t, callKeep(t, p, "milk", `{"action":"accept","content":{}}`).IsError, &p.stderr)
	assert.Equal(t, "milk\n", kept(t, workspace))
	for _, action := range []string{"decline", "cancel", "other"} {
		result := callKeep(t, p, "wine", `{"action":"`+action+`"}`)
		assert.True(t, result.IsError)
		assert.Equal(t, "SECURITY", result.Meta.Failure.Kind)
	}
	assert.Equal(t, "milk\n", kept(t, workspace))

	mute := startServing(t, "-home", home, "-workspace", workspace, "-specs", file)
	result := mute.callTool(t, "keep", `{"text":"wine"}`)
	assert.Equal(t, "approval-unavailable", result.Meta.Failure.Reason)
	assert.Equal(t, "milk\n", kept(t, workspace))
	for _, server := range []*process{p, mute} {
		require.NoError(t, server.stdin.Close())
		require.NoError(t, server.cmd.Wait())
	}
	mustSucceed(t, "audit", "verify", home)
	log := ""
	for _, text := range readFiles(t, filepath.Join(home, "_logs", "audit")) {
		log += text
	}
	for kind, want := range map[string]int{"approval.asked": 5, "approval.decided": 5, "approval.used": 1} {
		assert.Equal(t, want, strings.Count(log, `"approval":{"kind":"`+kind+`"`), kind)
	}
}

func TestApproveDeny(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	p := startElicitable(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-approve", "deny")
	assert.Equal(t, "approval-unavailable", p.callTool(t, "keep", `{"text":"wine"}`).Meta.Failure.Reason)
	assert.Empty(t, kept(t, workspace))
}

var approvalsAt = regexp.MustCompile(`approvals at (http://\S+)(?:; send Authorization: (Bearer \S+))?\n`)

// operator decides approval requests over the HTTP API.
type operator struct{ url, auth string }

func (p *process) operator(t *testing.T) operator {
	t.Helper()
	var found []string
	require.Eventually(t, func() bool {
		found = approvalsAt.FindStringSubmatch(p.stderr.String())
		return found != nil
	}, patience, 5*time.Millisecond, "it does not say where it asks: %s", &p.stderr)
	return operator{found[1], found[2]}
}

func (o operator) do(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, o.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", o.auth)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(data)
}

// pending waits for the only pending approval request and returns its id.
func (o operator) pending(t *testing.T) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		status, body := o.do(t, "GET", "?state=pending", "")
		require.Equal(t, http.StatusOK, status, body)
		var list struct{ Items []struct{ ID string } }
		require.NoError(t, json.Unmarshal([]byte(body), &list))
		if len(list.Items) == 1 {
			return list.Items[0].ID
		}
	}
	require.Fail(t, "nothing was asked")
	return ""
}

// A call waits until the operator has decided, also if its client cannot ask its user.
func TestApproveOverHTTP(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	p := startServing(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-approve", "http")
	o := p.operator(t)
	require.NotEmpty(t, o.auth, "the program made a token, because none was given")
	call := p.sendCall(t, "keep", `{"text":"milk"}`)
	id := o.pending(t)
	for _, auth := range []string{"", "Bearer", "Bearer nonsense"} {
		status, _ := operator{o.url, auth}.do(t, "POST", "/"+id, `{"decision":"approved"}`)
		assert.Equal(t, http.StatusUnauthorized, status)
	}
	assert.Empty(t, kept(t, workspace))
	status, body := o.do(t, "POST", "/"+id, `{"decision":"approved","arguments":{"text":"oat milk"}}`)
	require.Equal(t, http.StatusOK, status, body)
	result := p.callResult(t, call)
	assert.False(t, result.IsError)
	assert.Contains(t, fmt.Sprint(result.Content), "oat milk", "the result shows the arguments that were used")
	assert.Equal(t, "oat milk\n", kept(t, workspace))

	call = p.sendCall(t, "keep", `{"text":"wine"}`)
	status, body = o.do(t, "POST", "/"+o.pending(t), `{"decision":"declined","note":"no wine"}`)
	require.Equal(t, http.StatusOK, status, body)
	result = p.callResult(t, call)
	assert.True(t, result.IsError)
	assert.Contains(t, result.text(), "no wine")
	assert.Equal(t, "oat milk\n", kept(t, workspace))

	status, body = o.do(t, "POST", "/explain", `{"toolName":"keep","side":"server"}`)
	assert.Equal(t, http.StatusOK, status, body)
}

// With -http the approval API uses the same listener, or its own with -approve-addr.
func TestApproveBesideHTTP(t *testing.T) {
	file, workspace := keeper(t)
	for name, more := range map[string][]string{"same": nil, "own": {"-approve-addr", "127.0.0.1:0"}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("APPROVE", "sesame")
			p := startProcess(t, append([]string{"-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-http", "127.0.0.1:0", "-approve", "elicit,http", "-approve-token", "${APPROVE}"}, more...)...)
			url := p.listening(t)
			o := p.operator(t)
			assert.Empty(t, o.auth, "the token of the command line is not printed")
			assert.NotContains(t, p.stderr.String(), "sesame")
			o.auth = "Bearer sesame"
			assert.Equal(t, name == "same", strings.TrimSuffix(url, "/mcp") == strings.TrimSuffix(o.url, "/api/approvals"))

			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"keep","arguments":{"text":"tea"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`
			req, err := http.NewRequest("POST", url, strings.NewReader(body))
			require.NoError(t, err)
			for header, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28",
				"Mcp-Method": "tools/call", "Mcp-Name": "keep"} {
				req.Header.Set(header, value)
			}
			before := kept(t, workspace)
			answered := make(chan string, 1)
			go func() {
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					answered <- err.Error()
					return
				}
				defer resp.Body.Close()
				data, _ := io.ReadAll(resp.Body)
				answered <- string(data)
			}()
			status, said := o.do(t, "POST", "/"+o.pending(t), `{"decision":"approved"}`)
			require.Equal(t, http.StatusOK, status, said)
			assert.NotContains(t, <-answered, "isError")
			assert.Equal(t, before+"tea\n", kept(t, workspace))
			require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
			assert.NoError(t, p.cmd.Wait(), &p.stderr)
		})
	}
}

// A policy file decides before anybody is asked.
func TestApprovePolicyFile(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	policy := func(text string) string { return testFile(t, t.TempDir(), "policy.json", text) }
	deny := startElicitable(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-policy", policy(`{"version":1,"policies":[{"serverId":"","toolName":"keep","policy":"ALWAYS_DENY"}]}`))
	assert.Equal(t, "policy-denied", deny.callTool(t, "keep", `{"text":"wine"}`).Meta.Failure.Reason)
	assert.Empty(t, kept(t, workspace))

	allow := startProcess(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-policy", policy(
		`{"version":1,"policies":[{"serverId":"","toolName":"keep","side":"server","policy":"ALWAYS_ALLOW","overridesRequired":true,`+
			`"rules":[{"pointer":"/text","operator":"equals","value":"wine","effect":"deny","reason":"no wine"}]}]}`))
	allow.initialize(t, `{}`)
	assert.False(t, allow.callTool(t, "keep", `{"text":"milk"}`).IsError, &allow.stderr)
	assert.True(t, allow.callTool(t, "keep", `{"text":"wine"}`).IsError)
	assert.Equal(t, "milk\n", kept(t, workspace))

	mustFail(t, 1, "policy file", "-home", t.TempDir(), "-specs", file, "-policy", policy(`{"version":1,"policies":[{"tool":"keep"}]}`))
}

func TestApproveWrongFlags(t *testing.T) {
	t.Parallel()
	file, _ := keeper(t)
	for want, args := range map[string][]string{
		`-approve "maybe"`:        {"-approve", "maybe"},
		"give it alone":           {"-approve", "deny,elicit"},
		"-approve-timeout":        {"-approve-timeout", "0s"},
		"no such file":            {"-policy", filepath.Join(t.TempDir(), "none.json")},
		"-approve-token":          {"-approve", "http", "-approve-token", "${NO_SUCH_NAME_AT_ALL}"},
		"needs a server":          {"call", "-approve", "http", file},
		"-approve-addr: cannot":   {"-approve", "http", "-approve-addr", "nowhere"},
		"approved the call, and ": {"call", "-home", t.TempDir(), "-args", `{"text":"x"}`, file},
	} {
		if args[0] != "call" {
			args = append(args, "-home", t.TempDir())
		}
		code := 1
		if want == "-approve-timeout" {
			code = 2
		}
		mustFail(t, code, want, args...)
	}
}
