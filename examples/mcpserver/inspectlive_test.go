package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/smoke/peer"
)

// overHTTP starts this program with -http and returns where it listens.
func overHTTP(t *testing.T, args ...string) string {
	t.Helper()
	p := launch(t, append([]string{"-http", "127.0.0.1:0"}, args...)...)
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return listening(t, p)
}

func TestInspectAServer(t *testing.T) {
	program := peer.Program(t)
	home, dir := t.TempDir(), t.TempDir()
	toolFile(t, dir, "shout", "return 'LOUD'", nil)
	t.Setenv("MCPSERVER_TEST_TOKEN", "s3cret-token")
	url := overHTTP(t, "-home", t.TempDir(), "-specs", dir, "-token", "${MCPSERVER_TEST_TOKEN}")
	header := "Authorization: Bearer ${MCPSERVER_TEST_TOKEN}"
	file := filepath.Join(t.TempDir(), "s.json")
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"peer": map[string]any{"command": program, "args": []string{"-as", "mcpgo"}},
		"web":  map[string]any{"url": url, "headers": map[string]string{"Authorization": "Bearer ${MCPSERVER_TEST_TOKEN}"}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	_, stderr, code := output(t, "servers", "add", "-home", home, file)
	require.Equal(t, 0, code, stderr)

	stdout, stderr, code := output(t, "inspect", "--", program, "-as", "mcpgo")
	require.Equal(t, 0, code, stderr)
	for _, want := range []string{"mcpgo 1.0.0  stdio " + program + "\n", "  protocol 2026-07-28 (stateless)\n", "\ntool mirrored\n  description  Repeats an argument in a header.\n", "\nresource test://one\n  name         one\n"} {
		assert.Contains(t, stdout, want)
	}
	stdout, stderr, code = output(t, "inspect", "-home", home, "-json", "peer")
	require.Equal(t, 0, code, stderr)
	var seen live
	require.NoError(t, json.Unmarshal([]byte(stdout), &seen))
	assert.Len(t, seen.Tools, 5)
	assert.Len(t, seen.Resources, 1)
	assert.Contains(t, string(seen.Capabilities), `"tools"`)

	stdout, stderr, code = output(t, "inspect", "-header", header, url)
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "tool shout\n")
	stdout, stderr, code = output(t, "inspect", "-header", header, "-call", "shout", url)
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, `"LOUD"`)
	stdout, stderr, code = output(t, "inspect", "-home", home, "-call", "shout", "web")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, `"LOUD"`)
	_, stderr, code = output(t, "inspect", "-call", "count", "-args", `{"n":2}`, "--", program, "-as", "hub")
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, 2, strings.Count(stderr, "progress "), stderr)
	stdout, _, code = output(t, "inspect", "-call", "fail", "--", program, "-as", "hub")
	assert.Equal(t, 1, code, "a call that fails is a failure")
	assert.Contains(t, stdout, "as it should")

	for _, test := range []struct {
		want string
		args []string
	}{
		{"401", []string{url}},
		{"the tool asks a question", []string{"-call", "ask", "--", program, "-as", "mcpgo"}},
		{"is not JSON", []string{"-call", "echo", "-args", "{", "--", program, "-as", "mcpgo"}},
		{"write it as NAME:VALUE", []string{"-header", "x", url}},
		{"write it as NAME=VALUE", []string{"-env", "x", "--", program}},
		{"cannot start: ***", []string{"-env", "SECRET=${MCPSERVER_TEST_TOKEN}", "--", program, "-as", "exit"}},
		{"there is no file \"nobody\"", []string{"-home", home, "nobody"}},
		{"there is no file \"nobody\"", []string{"-home", filepath.Join(home, "none"), "nobody"}},
	} {
		_, stderr, code = output(t, append([]string{"inspect"}, test.args...)...)
		assert.Equal(t, 1, code, "%v", test.args)
		assert.Contains(t, stderr, test.want, "%v", test.args)
		assert.NotContains(t, stderr, "s3cret", "%v", test.args)
	}
	for _, args := range [][]string{{"--"}, {url, url}, {"-diff", url}, {"-dts", "--", program}, {"-call", "x", dir}, {dir, "--", program}} {
		_, stderr, code = output(t, append([]string{"inspect"}, args...)...)
		assert.Equal(t, 2, code, "%v: %s", args, stderr)
	}
}

func TestServersTest(t *testing.T) {
	t.Parallel()
	program, home := peer.Program(t), t.TempDir()
	file := filepath.Join(t.TempDir(), "s.json")
	write := func(second string) {
		require.NoError(t, os.WriteFile(file, []byte(`{"mcpServers":{"good":{"command":"`+program+`","args":["-as","hub"]}`+second+`}}`), 0o600))
	}
	write(`,"bad":{"command":"` + program + `","args":["-as","exit"]},"asleep":{"command":"/none","disabled":true}`)
	stdout, _, code := output(t, "servers", "test", "-home", home, file)
	assert.Equal(t, 1, code)
	assert.Regexp(t, `(?m)^ok    good  \d+ tools  \d+ ms  .*, 20\d\d-\d\d-\d\d$`, stdout)
	assert.Regexp(t, `(?m)^FAIL  bad  .*exit status 3`, stdout)
	listed, _, _ := output(t, "servers", "-home", home)
	assert.Contains(t, listed, "no servers", "a test keeps nothing")

	_, stderr, code := output(t, "servers", "add", "-home", home, file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "bad: ")
	stdout, stderr, code = output(t, "servers", "-check", "-home", home)
	assert.Equal(t, 1, code, stderr)
	assert.Regexp(t, `(?m)^good +connected +stdio `, stdout)
	assert.Regexp(t, `(?m)^bad +(error|circuit-open) +stdio `, stdout)
	assert.Regexp(t, `(?m)^asleep +disabled +stdio `, stdout)
	assert.Contains(t, stdout, "good: withheld, not approved yet: ")

	stdout, stderr, code = output(t, "servers", "test", "-json", "-home", home, "good")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, `{"id":"good","ok":true,"toolCount":`)
	stdout, stderr, code = output(t, "servers", "remove", "-home", home, "bad", "asleep")
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "bad removed\nasleep removed\n", stdout)
	stdout, _, code = output(t, "servers", "-check", "-json", "-home", home)
	assert.Equal(t, 0, code)
	assert.Equal(t, 1, strings.Count(stdout, "\n"), stdout)
	assert.Contains(t, stdout, `"state":"CONNECTED"`)
}
