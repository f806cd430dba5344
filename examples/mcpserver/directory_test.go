package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/directory"
)

func TestDirectoryList(t *testing.T) {
	t.Parallel()
	stdout := mustSucceed(t, "servers", "directory")
	assert.Equal(t, 57, strings.Count(stdout, "\n"))
	stdout = mustSucceed(t, "servers", "directory", "-category", "DEV", "-json", "pull", "requests")
	assert.True(t, strings.HasPrefix(stdout, `{"id":"github",`), stdout)
	stdout = mustSucceed(t, "servers", "directory", "-tag", "legal")
	assert.True(t, strings.HasPrefix(stdout, "korean-law  DEV  http  "), stdout)
	stdout = mustSucceed(t, "servers", "directory", "brave-search")
	for _, want := range []string{"brave-search  Brave Search\n", `starts  ["npx" "-y" "@brave/brave-search-mcp-server@`, "needs   BRAVE_API_KEY  API key of Brave Search. (secret)\n"} {
		assert.Contains(t, stdout, want)
	}
	mustSucceed(t, "servers", "directory", "-help")
	mustFail(t, 2, "-what", "servers", "directory", "-what")
	mustFail(t, 1, "nowhere.json", "servers", "directory", "-from", "nowhere.json")
	mustFail(t, 1, "give an https address", "servers", "directory", "-from", "http://a.example/server.json")
}

// A server of a server.json is shown, saved without its secret, and connected.
func TestAddFromTheRegistryFormat(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	url := overHTTP(t, "-home", t.TempDir(), "-preset", "dev-essentials")
	file := testFile(t, t.TempDir(), "server.json", asJSON(t, jsonObject{
		"name": "com.example/up", "description": "A test server.",
		"remotes": []jsonObject{{"type": "streamable-http", "url": url, "headers": []jsonObject{
			{"name": "X-API-Key", "description": "A key.", "isRequired": true}, {"name": "X-Region", "description": "A region.", "isRequired": true}}}},
		"packages": []jsonObject{{"registryType": "mcpb", "identifier": "x"}},
	}))
	stdout, stderr := mustExit(t, 0, "servers", "directory", "-from", file, "up")
	assert.Contains(t, stdout, "  needs   COM_EXAMPLE_UP__X_API_KEY  A key. (secret)\n")
	assert.Contains(t, stderr, `left out: packages[0]: packages of the type "mcpb" are not run here`)

	add := func(args ...string) []string {
		return append(append([]string{"servers", "add", "-home", home, "-from", file}, args...), "up")
	}
	mustFail(t, 1, "up needs values for COM_EXAMPLE_UP__X_API_KEY (A key), COM_EXAMPLE_UP__X_REGION (A region)", add("-yes")...)
	given := []string{"-value", "COM_EXAMPLE_UP__X_API_KEY=sk-12345", "-value", "COM_EXAMPLE_UP__X_REGION=eu", "-as", "mine"}
	mustFail(t, 1, "nothing was added: agree at a terminal, or give -yes", add(given...)...)
	assert.Empty(t, mustSucceed(t, "servers", "-home", home, "-json"))

	_, stderr = mustExit(t, 0, add(append(given, "-yes")...)...)
	assert.Contains(t, stderr, "mcpserver: mine is at: "+url)
	assert.Contains(t, stderr, "it gets the values of: COM_EXAMPLE_UP__X_API_KEY\n")
	assert.NotContains(t, stderr, "sk-12345")
	stdout = mustSucceed(t, "servers", "-home", home, "-check")
	assert.Contains(t, stdout, "mine: withheld, not approved yet: ")
	require.NoError(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		assert.NotContains(t, string(data), "sk-12345", path)
		return err
	}))
	mustFail(t, 1, `has no server "other"`, "servers", "add", "-home", home, "-from", file, "other")
}

func TestAddMistakes(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, test := range []struct {
		code         int
		reason, args string
	}{
		{1, "the directory has no server of that name", "nothing"},
		{1, "git needs values for GIT_REPOSITORY", "git"},
		{1, `git starts: ["uvx" "mcp-server-git@`, "-value GIT_REPOSITORY=. git"},
		{1, "git has no such variable", "-value OTHER=. git"},
		{1, "cannot be the id", "-as a/b -value GIT_REPOSITORY=. git"},
		{2, "write NAME=VALUE", "-value GIT_REPOSITORY git"},
		{1, "It visits any address", "puppeteer"},
		{1, "its risk is L1\n", "mcp-everything"},
		{1, "its risk is L2: a fixed key gives access to it\n", "-value EXA_API_KEY=k exa"},
	} {
		mustFail(t, test.code, test.reason, append([]string{"servers", "add", "-home", home}, strings.Fields(test.args)...)...)
	}
	assert.Empty(t, mustSucceed(t, "servers", "-home", home, "-json"))
}

// A person at the terminal gives what is missing, and may decline what is shown.
func TestAddAsks(t *testing.T) {
	t.Parallel()
	d, err := directory.New(nil)
	require.NoError(t, err)
	entry, err := d.Get("kakao-playmcp")
	require.NoError(t, err)
	var stderr output
	fs, common := flags("mcpserver servers add", &stderr)
	require.NoError(t, common.some(fs, []string{"-home", t.TempDir(), "kakao-playmcp"}, 1, ""))
	var asked []string
	a := &adding{entry: entry, values: given{}, stderr: &stderr, confirm: func() bool { return false }}
	a.ask = func(v directory.Variable) (string, error) {
		asked = append(asked, v.Name)
		return "a-secret", nil
	}
	require.ErrorIs(t, a.add(t.Context(), common), errNotConfirmed)
	assert.Equal(t, []string{"KAKAO_PLAYMCP_TOKEN"}, asked)
	assert.Contains(t, stderr.String(), "it gets the values of: KAKAO_PLAYMCP_TOKEN\n")
	assert.NotContains(t, stderr.String(), "a-secret")

	var missing *directory.MissingError
	a.ask = func(directory.Variable) (string, error) { return "", nil }
	require.ErrorAs(t, a.add(t.Context(), common), &missing)
	a.ask = func(directory.Variable) (string, error) { return "", io.EOF }
	require.ErrorIs(t, a.add(t.Context(), common), io.EOF)
}
