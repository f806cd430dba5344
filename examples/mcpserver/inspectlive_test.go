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

// overHTTP starts the program with -http and returns the URL at which it serves MCP.
func overHTTP(t *testing.T, args ...string) string {
	t.Helper()
	p := startProcess(t, append([]string{"-http", "127.0.0.1:0"}, args...)...)
	t.Cleanup(func() { _ = p.cmd.Process.Signal(os.Interrupt) }) // it serves until then
	return p.listening(t)
}

func TestInspectAServer(t *testing.T) {
	program := peer.Program(t)
	home, dir := t.TempDir(), t.TempDir()
	writeSpec(t, dir, "shout", "return 'LOUD'")
	t.Setenv("MCPSERVER_TEST_TOKEN", "s3cret-token")
	url := overHTTP(t, "-home", t.TempDir(), "-specs", dir, "-token", "${MCPSERVER_TEST_TOKEN}")
	header := "Authorization: Bearer ${MCPSERVER_TEST_TOKEN}"
	file := writeServers(t, jsonObject{
		"peer": jsonObject{"command": program, "args": []string{"-as", "mcpgo"}},
		"web":  jsonObject{"url": url, "headers": map[string]string{"Authorization": "Bearer ${MCPSERVER_TEST_TOKEN}"}}})
	mustSucceed(t, "servers", "add", "-home", home, file)

	stdout := mustSucceed(t, "inspect", "--", program, "-as", "mcpgo")
	for _, want := range []string{"mcpgo 1.0.0  stdio " + program + "\n", "  protocol 2026-07-28 (stateless)\n", "\ntool mirrored\n  description  Repeats an argument in a header.\n", "\nresource test://one\n  name         one\n"} {
		assert.Contains(t, stdout, want)
	}
	stdout = mustSucceed(t, "inspect", "-home", home, "-json", "peer")
	var seen live
	require.NoError(t, json.Unmarshal([]byte(stdout), &seen))
	assert.Len(t, seen.Tools, 5)
	assert.Len(t, seen.Resources, 1)
	assert.Contains(t, string(seen.Capabilities), `"tools"`)

	stdout = mustSucceed(t, "inspect", "-header", header, url)
	assert.Contains(t, stdout, "tool shout\n")
	stdout = mustSucceed(t, "inspect", "-header", header, "-call", "shout", url)
	assert.Contains(t, stdout, `"LOUD"`)
	stdout = mustSucceed(t, "inspect", "-home", home, "-call", "shout", "web")
	assert.Contains(t, stdout, `"LOUD"`)
	_, stderr := mustExit(t, 0, "inspect", "-call", "count", "-args", `{"n":2}`, "--", program, "-as", "hub")
	assert.Equal(t, 2, strings.Count(stderr, "progress "), stderr)
	stdout, _ = mustExit(t, 1, "inspect", "-call", "fail", "--", program, "-as", "hub")
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
		_, stderr := mustExit(t, 1, append([]string{"inspect"}, test.args...)...)
		assert.Contains(t, stderr, test.want, "%v", test.args)
		assert.NotContains(t, stderr, "s3cret", "%v", test.args)
	}
	for _, args := range [][]string{{"--"}, {url, url}, {"-diff", url}, {"-dts", "--", program}, {"-call", "x", dir}, {dir, "--", program}} {
		mustExit(t, 2, append([]string{"inspect"}, args...)...)
	}
}
