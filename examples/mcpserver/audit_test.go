package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/audit"
)

// calledHome returns the home of a server that has run some calls.
func calledHome(t *testing.T) string {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	file := writeSpec(t, dir, "double", "if (n > 9) throw new Error('too large'); return {n: n * 2}", jsonObject{
		"params": []jsonObject{{"name": "n", "description": "What to double, such as 2.", "required": true, "type": "INTEGER", "testValue": "2"}}})
	other := writeSpec(t, dir, "other", "return 1")
	p := startServing(t, "-home", home, "-specs", file, "-specs", other)
	for _, args := range []string{`{"n":1}`, `{"n":2,"m":3}`, `{"n":10}`} {
		p.callTool(t, "double", args)
	}
	p.callTool(t, "other", `{}`)
	p.end(t)
	return home
}

func TestAuditVerify(t *testing.T) {
	t.Parallel()
	home := calledHome(t)
	stdout := mustSucceed(t, "audit", "verify", home)
	assert.Contains(t, stdout, "whole: 4 calls in 1 segment, 1 chain\n")
	_, anchor, ok := strings.Cut(stdout, "anchor   ")
	require.True(t, ok)
	anchor = strings.TrimSpace(anchor)
	require.Len(t, anchor, 64)

	// On another machine, only the files exist.
	files, err := filepath.Glob(filepath.Join(home, "_logs", "audit", "*.log"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	away := t.TempDir()
	copied := filepath.Join(away, filepath.Base(files[0]))
	require.NoError(t, os.WriteFile(copied, content, 0o400))
	for _, path := range []string{away, copied} {
		stdout = mustSucceed(t, "audit", "verify", "-json", "-anchor", anchor, path)
		var report struct {
			Whole  bool
			Calls  int
			First  time.Time
			Last   time.Time
			Anchor string
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &report))
		assert.True(t, report.Whole)
		assert.Equal(t, 4, report.Calls)
		assert.Equal(t, anchor, report.Anchor)
		assert.True(t, report.Last.After(report.First))
	}

	require.NoError(t, os.Chmod(copied, 0o600))
	lines := bytes.SplitAfter(content, []byte("\n"))
	change := func(text []byte) { require.NoError(t, os.WriteFile(copied, text, 0o600)) }
	change(bytes.Replace(content, []byte(`"ok":true`), []byte(`"ok":null`), 1))
	stdout, _ = mustExit(t, 1, "audit", "verify", away)
	assert.Contains(t, stdout, "damaged: "+copied+":2: this line was changed or damaged")
	assert.Contains(t, stdout, "NOT WHOLE")

	change(bytes.Join(lines[:len(lines)-2], nil)) // without the seal, like the log of a program that is still running
	stdout, _ = mustExit(t, 1, "audit", "verify", away)
	assert.Contains(t, stdout, "open: "+copied+":5: ")
	stdout = mustSucceed(t, "audit", "verify", "-open", away)
	assert.Contains(t, stdout, "open     chain")
	stdout, _ = mustExit(t, 1, "audit", "verify", "-json", "-open", "-anchor", anchor, away)
	assert.Contains(t, stdout, `"whole":false`)
	assert.Contains(t, stdout, `"reason":"anchor"`)

	for _, args := range [][]string{{"audit"}, {"audit", "burn"}, {"audit", "verify"}, {"audit", "show"}, {"audit", "verify", "-x", away}, {"audit", "show", "-since", "soon", away}} {
		mustFail(t, 2, "usage:", args...)
	}
	for _, args := range [][]string{{"audit", "verify", t.TempDir()}, {"audit", "show", filepath.Join(away, "nothing")}} {
		mustFail(t, 1, "audit log", args...)
	}
	_, stderr := mustExit(t, 0, "audit", "-help")
	assert.Contains(t, stderr, "audit show")
}

func TestAuditShow(t *testing.T) {
	t.Parallel()
	home := calledHome(t)
	stdout := mustSucceed(t, "audit", "show", home)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 4)
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT[\d:.]+Z  double  L0  ok  \S+  local via stdio$`, lines[0])
	assert.Contains(t, lines[1], "ignored 1 argument")
	assert.Contains(t, lines[2], "  JS_ERROR ")

	stdout = mustSucceed(t, "audit", "show", "-tool", "other", "-json", home)
	var r audit.Record
	require.NoError(t, json.Unmarshal([]byte(stdout), &r), stdout)
	assert.Equal(t, "other", r.Tool.Name)
	assert.Len(t, r.Tool.ContentHash, 64)
	assert.Equal(t, 30*time.Second, r.Limits.Timeout)
	assert.Positive(t, r.Usage.Duration)
	for since, want := range map[string]int{"1h": 4, "2000-01-01": 4, time.Now().Add(time.Hour).UTC().Format(time.RFC3339): 0, "0s": 0} {
		stdout = mustSucceed(t, "audit", "show", "-since", since, home)
		assert.Equal(t, want, strings.Count(stdout, "\n"), since)
	}
}

func TestAuditPrintsNothingThatSteersATerminal(t *testing.T) {
	line := callLine(&audit.Record{Tool: audit.Tool{Name: "a\x1b[2Jb\u202e"}})
	assert.Contains(t, line, `a\u001b[2Jb\u202e`)
}

// A tool writes its secrets and the caller's arguments wherever it can. The home contains
// none of them.
func TestAuditHoldsNoSecret(t *testing.T) {
	const key, said = "Hunter2/Secret+Key9", "ArgumentSaid7"
	t.Setenv("AUDIT_TEST_KEY", key)
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("X-Back", r.Header.Get("X-Key"))
		w.WriteHeader(201)
		fmt.Fprint(w, r.URL.String(), r.Header.Get("X-Key"))
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	home, workspace := t.TempDir(), t.TempDir()
	file := writeSpec(t, t.TempDir(), "leaky", `
		const flat = key.replace(/\W/g, '_');
		const reply = await fetch('`+server.URL+`/' + encodeURIComponent(key) + '/x?key=' + encodeURIComponent(key) + '&said=' + (said || ''), {method: 'POST', headers: {'X-Key': key, Authorization: 'Bearer ' + key}, body: key});
		for (const bad of ['http://' + flat + '.example.com/' + key, 'http://ada:' + key + '@`+address+`/', 'http://`+address+`:99999/' + key])
			try { await fetch(bad) } catch (e) { console.error(bad, String(e)) }
		try { await fetch('`+server.URL+`', {method: 'X' + flat}) } catch (e) { console.warn(String(e)) }
		safety.fs.writeText('dir-' + key + '/of ' + key + '.txt', key + (said || ''));
		try { safety.fs.readText('../' + key) } catch (e) { console.info(String(e)) }
		console.log(key, btoa(key), reply.text(), JSON.stringify({key}), said);
		if (said) throw new Error('it failed with ' + key + ' ' + said + ' ' + reply.text());
		return {key, status: reply.status};`, jsonObject{
		"params":           []jsonObject{{"name": "said", "description": "What the caller says.", "required": false, "type": "STRING"}},
		"staticVariables":  []map[string]string{{"key": "${AUDIT_TEST_KEY}"}},
		"sandboxOverrides": jsonObject{"networkMode": "allowlist", "hostsAllow": []string{address}, "fileRead": true, "fileWrite": true},
	})
	p := startServing(t, "-home", home, "-workspace", workspace, "-allow-host", address, "-specs", file)
	good := p.callTool(t, "leaky", `{}`)
	require.False(t, good.IsError, "%v %s", good, &p.stderr)
	bad := p.callTool(t, "leaky", `{"said":"`+said+`","`+said+`":"`+key+`"}`)
	require.True(t, bad.IsError)
	p.end(t)
	require.Positive(t, requests)

	forms := []string{key, said, strings.ToLower(key), strings.ToLower(said), url.QueryEscape(key), url.PathEscape(key), base64.StdEncoding.EncodeToString([]byte(key)),
		"Hunter2", "hunter2", "HUNTER2", "SecretKey", "Secret+Key"}
	files := 0
	require.NoError(t, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		for _, form := range forms {
			assert.NotContains(t, path, form)
			assert.NotContains(t, string(content), form, path)
		}
		return err
	}))
	assert.Positive(t, files)

	stdout := mustSucceed(t, "audit", "show", "-json", home)
	records := jsonLines[audit.Record](t, stdout)
	require.Len(t, records, 2)
	var reached []string
	for _, a := range records[0].Accesses {
		reached = append(reached, fmt.Sprint(a.Component, " ", a.Op, " ", a.Target, " ", a.Status))
	}
	assert.Contains(t, reached, "fetch POST http://"+address+" 201")
	assert.Contains(t, reached, "fs writeText dir-***/of ***.txt 0")
	assert.NotEmpty(t, records[0].Denials)
	assert.Equal(t, 1, records[1].Undeclared)
	mustSucceed(t, "audit", "verify", home)
}
