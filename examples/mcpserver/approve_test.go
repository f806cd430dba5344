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

// keeper is a spec that wants approval and leaves a line for each run.
func keeper(t *testing.T) (file, workspace string) {
	t.Helper()
	workspace = t.TempDir()
	return toolFile(t, t.TempDir(), "keep", "safety.fs.appendText('kept.txt', text + '\\n'); return {lines: safety.fs.lineCount('kept.txt')};", map[string]any{
		"params":           []any{map[string]any{"name": "text", "description": "The line to keep, such as \"milk\".", "type": "STRING", "required": true, "testValue": "one"}},
		"sandboxOverrides": map[string]any{"fileRead": true, "fileWrite": true},
		"humanInTheLoop":   map[string]any{"mode": "REQUIRED", "promptTemplate": "May {toolName} keep {args}?"},
		"x-fixtures":       map[string]any{"files": map[string]any{}},
		"x-tests":          []any{map[string]any{"args": map[string]any{"text": "one"}, "want": map[string]any{"lines": 1}}},
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

func (p *program) initializeAble(t *testing.T) {
	t.Helper()
	p.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	p.answer(t, "1")
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// asked calls keep and answers the question that comes of it.
func (p *program) asked(t *testing.T, id, text, action string) callResult {
	t.Helper()
	p.send(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"keep","arguments":{"text":"`+text+`"}}}`)
	line, err := p.stdout.ReadString('\n')
	require.NoError(t, err, p.stderr)
	var q message
	require.NoError(t, json.Unmarshal([]byte(line), &q))
	require.Equal(t, "elicitation/create", q.Method, line)
	assert.Contains(t, line, "[risk L")
	assert.Contains(t, line, `\"text\":\"`+text+`\"`)
	p.send(t, `{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+action+`}`)
	var result callResult
	require.NoError(t, json.Unmarshal(p.answer(t, id).Result, &result))
	return result
}

func TestApproveByElicitation(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	home := t.TempDir()
	p := launch(t, "-home", home, "-workspace", workspace, "-specs", file)
	p.initializeAble(t)
	assert.False(t, p.asked(t, "2", "milk", `{"action":"accept","content":{}}`).IsError, p.stderr)
	assert.Equal(t, "milk\n", kept(t, workspace))
	for id, action := range map[string]string{"3": "decline", "4": "cancel", "5": "other"} {
		result := p.asked(t, id, "wine", `{"action":"`+action+`"}`)
		assert.True(t, result.IsError)
		assert.Equal(t, "SECURITY", result.Meta["localpass/error"].Kind)
	}
	assert.Equal(t, "milk\n", kept(t, workspace))

	mute := launch(t, "-home", home, "-workspace", workspace, "-specs", file)
	mute.initialize(t)
	result := mute.call(t, "2", "keep", `{"text":"wine"}`)
	assert.Equal(t, "approval-unavailable", result.Meta["localpass/error"].Reason)
	assert.Equal(t, "milk\n", kept(t, workspace))
	for _, server := range []*program{p, mute} {
		require.NoError(t, server.stdin.Close())
		require.NoError(t, server.cmd.Wait())
	}
	stdout, stderr, code := output(t, "audit", "verify", home)
	assert.Equal(t, 0, code, stdout+stderr)
	log, err := filepath.Glob(filepath.Join(home, "_logs", "audit", "*"))
	require.NoError(t, err)
	all := ""
	for _, name := range log {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		all += string(data)
	}
	for kind, want := range map[string]int{"approval.asked": 5, "approval.decided": 5, "approval.used": 1} {
		assert.Equal(t, want, strings.Count(all, `"approval":{"kind":"`+kind+`"`), kind)
	}
}

func TestApproveDeny(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	p := launch(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-approve", "deny")
	p.initializeAble(t)
	assert.Equal(t, "approval-unavailable", p.call(t, "2", "keep", `{"text":"wine"}`).Meta["localpass/error"].Reason)
	assert.Empty(t, kept(t, workspace))
}

var approvalsAt = regexp.MustCompile(`approvals at (http://\S+)(?:; send Authorization: (Bearer \S+))?\n`)

// operator decides over the API.
type operator struct{ url, auth string }

func (p *program) operator(t *testing.T) operator {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		if m := approvalsAt.FindStringSubmatch(p.stderr.String()); m != nil {
			return operator{m[1], m[2]}
		}
	}
	require.Fail(t, "it says nothing of approvals", p.stderr)
	return operator{}
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

// pending waits for the one open question.
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

// A call is held until the operator has decided, whatever its client can do.
func TestApproveOverHTTP(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	p := launch(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-approve", "http")
	p.initialize(t)
	o := p.operator(t)
	require.NotEmpty(t, o.auth, "a token of its own, since none was given")
	send := func(id, text string) {
		p.send(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"keep","arguments":{"text":"`+text+`"}}}`)
	}
	send("2", "milk")
	id := o.pending(t)
	for _, auth := range []string{"", "Bearer", "Bearer nonsense"} {
		status, _ := operator{o.url, auth}.do(t, "POST", "/"+id, `{"decision":"approved"}`)
		assert.Equal(t, http.StatusUnauthorized, status)
	}
	assert.Empty(t, kept(t, workspace))
	status, body := o.do(t, "POST", "/"+id, `{"decision":"approved","arguments":{"text":"oat milk"}}`)
	require.Equal(t, http.StatusOK, status, body)
	var result callResult
	require.NoError(t, json.Unmarshal(p.answer(t, "2").Result, &result))
	assert.False(t, result.IsError)
	assert.Contains(t, fmt.Sprint(result.Content), "oat milk", "the model is told what ran")
	assert.Equal(t, "oat milk\n", kept(t, workspace))

	send("3", "wine")
	status, body = o.do(t, "POST", "/"+o.pending(t), `{"decision":"declined","note":"no wine"}`)
	require.Equal(t, http.StatusOK, status, body)
	require.NoError(t, json.Unmarshal(p.answer(t, "3").Result, &result))
	assert.True(t, result.IsError)
	assert.Contains(t, result.Content[0].Text, "no wine")
	assert.Equal(t, "oat milk\n", kept(t, workspace))

	status, body = o.do(t, "POST", "/explain", `{"toolName":"keep","side":"server"}`)
	assert.Equal(t, http.StatusOK, status, body)
}

// Beside -http the API stands on the same listener, or on one of its own.
func TestApproveBesideHTTP(t *testing.T) {
	file, workspace := keeper(t)
	for name, more := range map[string][]string{"same": nil, "own": {"-approve-addr", "127.0.0.1:0"}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("APPROVE", "sesame")
			p := launch(t, append([]string{"-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-http", "127.0.0.1:0", "-approve", "elicit,http", "-approve-token", "${APPROVE}"}, more...)...)
			url := listening(t, p)
			o := p.operator(t)
			assert.Empty(t, o.auth, "a token that was given is not printed")
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
			assert.NoError(t, p.cmd.Wait(), p.stderr)
		})
	}
}

// A policy file decides first.
func TestApprovePolicyFile(t *testing.T) {
	t.Parallel()
	file, workspace := keeper(t)
	policy := func(text string) string {
		name := filepath.Join(t.TempDir(), "policy.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	deny := launch(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-policy", policy(`{"version":1,"policies":[{"serverId":"","toolName":"keep","policy":"ALWAYS_DENY"}]}`))
	deny.initializeAble(t)
	assert.Equal(t, "policy-denied", deny.call(t, "2", "keep", `{"text":"wine"}`).Meta["localpass/error"].Reason)
	assert.Empty(t, kept(t, workspace))

	allow := launch(t, "-home", t.TempDir(), "-workspace", workspace, "-specs", file, "-policy", policy(
		`{"version":1,"policies":[{"serverId":"","toolName":"keep","side":"server","policy":"ALWAYS_ALLOW","overridesRequired":true,`+
			`"rules":[{"pointer":"/text","operator":"equals","value":"wine","effect":"deny","reason":"no wine"}]}]}`))
	allow.initialize(t)
	assert.False(t, allow.call(t, "2", "keep", `{"text":"milk"}`).IsError, allow.stderr)
	assert.True(t, allow.call(t, "3", "keep", `{"text":"wine"}`).IsError)
	assert.Equal(t, "milk\n", kept(t, workspace))

	_, stderr, code := output(t, "-home", t.TempDir(), "-specs", file, "-policy", policy(`{"version":1,"policies":[{"tool":"keep"}]}`))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "policy file")
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
		_, stderr, code := output(t, append(args, map[bool][]string{false: {"-home", t.TempDir()}}[args[0] == "call"]...)...)
		assert.Equal(t, map[bool]int{false: 1, true: 2}[want == "-approve-timeout"], code, want)
		assert.Contains(t, stderr, want)
	}
}
