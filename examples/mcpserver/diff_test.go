package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specdiff"
)

func TestInspectDiff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := testFile(t, dir, "old.json", `{"name":"rates","description":"Gives a rate.","codeType":"Javascript","code":"// \u001b[31mold\nreturn 1;\n","staticVariables":[{"key":"s3cret-value"}],"humanInTheLoop":{"mode":"REQUIRED"}}`)
	next := testFile(t, dir, "new.json", `{"name":"rates","description":"Gives the rate of a currency.","codeType":"Javascript","code":"\treturn fetch('https://api.example.com');\n","staticVariables":[{"key":"s3cret-too"}],
		"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["api.example.com"]}}`)
	stdout := mustSucceed(t, "inspect", "-diff", old, next)
	assert.Equal(t, `rates  WIDER
  wider    level           The risk level rises from L0 to L3: networkMode allowlist: can reach api.example.com (L3).
  wider    network         It may reach the hosts that it lists; before it could reach nothing.
  wider    hosts           It may now reach api.example.com.
  changed  staticVariables The static variable "key" has another value.
  wider    approval        No person is asked any more before a call.
  changed  description     What a model reads about it changes.
                           - Gives a rate.
                           + Gives the rate of a currency.
  changed  code            The code changes: +1 −2 lines.
  @@ -1,2 +1 @@
  -// \u001b[31mold
  -return 1;
  +    return fetch('https://api.example.com');
`, stdout)

	stdout = mustSucceed(t, "inspect", "-diff", "-json", next, old)
	var diff specdiff.Difference
	require.NoError(t, json.Unmarshal([]byte(stdout), &diff))
	assert.False(t, diff.Wider)
	assert.Equal(t, toolspec.L0, diff.To.Level)
	assert.NotContains(t, stdout, "s3cret")

	stdout = mustSucceed(t, "inspect", "-diff", old, old)
	assert.Equal(t, "rates  no difference\n", stdout)

	list := testFile(t, dir, "list.json", `[{"name":"rates","description":"Gives a rate.","codeType":"Javascript","code":"return 1;"},{"name":"added","codeType":"Javascript","code":"return 2;"}]`)
	stdout = mustSucceed(t, "inspect", "-diff", next, list)
	assert.Contains(t, stdout, "added  not wider\n  changed  level           It is a new tool of level L0")
	assert.Contains(t, stdout, "rates  not wider\n  narrower level")
	stdout = mustSucceed(t, "inspect", "-diff", list, next)
	assert.Contains(t, stdout, `added  not wider`+"\n"+`  narrower level           A tool of level L0 goes away.`)

	broken := testFile(t, dir, "broken.json", `{"name":"x"}`)
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o755))
	for want, args := range map[string][]string{
		broken:                      {old, broken},
		"no spec found":             {empty, old},
		"/no/such/file.json":        {"/no/such/file.json", old},
		"the one before":            {old},
		"-dts takes no other flags": {"-dts", old, next},
	} {
		_, stderr, code := runProgram(t, append([]string{"inspect", "-diff"}, args...)...)
		assert.NotEqual(t, 0, code)
		assert.Contains(t, stderr, want)
	}
}

// Two specs that differ only in how JSON is escaped are equal.
func TestDiffReadsEscapes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	for name, want := range map[string]string{"a.json": `"\u0061/é"`, "b.json": `"a\/\u00e9"`} {
		files = append(files, testFile(t, dir, name, `{"name":"same","description":"A test.","codeType":"Javascript","code":"return 1","params":[],"x-tests":[{"args":{},"want":`+want+`}]}`))
	}
	assert.Equal(t, "same  no difference\n", mustSucceed(t, "inspect", "-diff", files[0], files[1]))
}
