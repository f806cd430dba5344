package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specdiff"
)

// What is written passes as it is, strictly and without a warning, and what is
// said to do next can be done.
func TestNew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "my tools")
	require.NoError(t, os.Mkdir(dir, 0o755))
	stdout, stderr, code := output(t, "new", "shortenText", "-in", dir)
	require.Equal(t, 0, code, stderr)
	file := filepath.Join(dir, "shortenText.json")
	assert.True(t, strings.HasPrefix(stdout, "wrote "+file+"\n"), stdout)
	for _, next := range []string{"pass '" + file + "'", "call -args ", "-specs '" + file + "'"} {
		assert.Contains(t, stdout, "mcpserver "+next)
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(data), "\n  \"name\": \"shortenText\",\n", "one member a line")
	assert.True(t, strings.HasSuffix(string(data), "}\n"))

	home := t.TempDir()
	stdout, stderr, code = output(t, "pass", "-strict", "-home", home, file)
	require.Equal(t, 0, code, stderr)
	assert.Regexp(t, `^PASS shortenText  L0  \d+ ms\n$`, stdout, "no warning")
	stdout, stderr, code = output(t, "call", "-home", home, "-args", `{"text": "Some words to shorten", "limit": 12}`, file)
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, `{"text":"Some words…","shortened":true}`+"\n", stdout)
	for args, want := range map[string]string{
		`{"text":" short "}`:                       `{"text":"short","shortened":false}`,
		`{"text":"one two three","limit":8}`:       `{"text":"one two…","shortened":true}`,
		`{"text":"uninterrupted","limit":5}`:       `{"text":"unin…","shortened":true}`,
		`{"text":"👍👍👍👍","limit":3}`:                `{"text":"👍👍…","shortened":true}`,
		`{"text":"one","limit":1}`:                 `{"text":"…","shortened":true}`,
		`{"text":"a b","limit":2.0}`:               `{"text":"a…","shortened":true}`,
		`{"text":"one two three four","limit":99}`: `{"text":"one two three four","shortened":false}`,
	} {
		stdout, stderr, _ = output(t, "call", "-home", home, "-args", args, file)
		assert.Equal(t, want+"\n", stdout, stderr)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "there.json")
	require.NoError(t, os.WriteFile(there, []byte("mine"), 0o644))
	for name, tt := range map[string]struct {
		args []string
		want string
		code int
	}{
		"a file that is there":    {[]string{"there", "-in", dir}, there + " is there already", 1},
		"no such folder":          {[]string{"-in", filepath.Join(dir, "none"), "x"}, "make it first", 1},
		"a folder that is a file": {[]string{"-in", there, "x"}, "choose another folder with -in", 1},
		"a bad name":              {[]string{"../my tool!", "-in", dir}, `such as "myTool"`, 1},
		"a bundled name":          {[]string{"hash", "-in", dir}, "such as myHash", 1},
		"no name":                 {[]string{"-in", dir}, "one NAME", 2},
		"two names":               {[]string{"a", "b"}, "one NAME", 2},
		"an unknown flag":         {[]string{"a", "-out", "x"}, "-out", 2},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := output(t, append([]string{"new"}, tt.args...)...)
			assert.Equal(t, tt.code, code)
			assert.Contains(t, stderr, tt.want)
		})
	}
	data, err := os.ReadFile(there)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(data))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing else was written")
	_, stderr, code := output(t, "new", "-help")
	assert.Equal(t, 0, code)
	assert.Contains(t, stderr, "mcpserver new NAME")
}

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{"a/b.json": "a/b.json", "a b": "'a b'", "it's": `'it'\''s'`, "-x": "'./-x'"} {
		assert.Equal(t, want, quoted(path))
	}
}

func TestInspectDiff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := filepath.Join(dir, "old.json")
	next := filepath.Join(dir, "new.json")
	require.NoError(t, os.WriteFile(old, []byte(`{"name":"rates","description":"Gives a rate.","codeType":"Javascript","code":"// \u001b[31mold\nreturn 1;\n","staticVariables":[{"key":"s3cret-value"}],"humanInTheLoop":{"mode":"REQUIRED"}}`), 0o644))
	require.NoError(t, os.WriteFile(next, []byte(`{"name":"rates","description":"Gives the rate of a currency.","codeType":"Javascript","code":"\treturn fetch('https://api.example.com');\n","staticVariables":[{"key":"s3cret-too"}],
		"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["api.example.com"]}}`), 0o644))
	stdout, stderr, code := output(t, "inspect", "-diff", old, next)
	require.Equal(t, 0, code, stderr)
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

	stdout, _, code = output(t, "inspect", "-diff", "-json", next, old)
	require.Equal(t, 0, code)
	var diff specdiff.Difference
	require.NoError(t, json.Unmarshal([]byte(stdout), &diff))
	assert.False(t, diff.Wider)
	assert.Equal(t, toolspec.L0, diff.To.Level)
	assert.NotContains(t, stdout, "s3cret")

	stdout, _, code = output(t, "inspect", "-diff", old, old)
	assert.Equal(t, 0, code)
	assert.Equal(t, "rates  no difference\n", stdout)

	list := filepath.Join(dir, "list.json")
	require.NoError(t, os.WriteFile(list, []byte(`[{"name":"rates","description":"Gives a rate.","codeType":"Javascript","code":"return 1;"},{"name":"added","codeType":"Javascript","code":"return 2;"}]`), 0o644))
	stdout, _, code = output(t, "inspect", "-diff", next, list)
	assert.Equal(t, 0, code)
	assert.Contains(t, stdout, "added  not wider\n  changed  level           It is a new tool of level L0")
	assert.Contains(t, stdout, "rates  not wider\n  narrower level")
	stdout, _, _ = output(t, "inspect", "-diff", list, next)
	assert.Contains(t, stdout, `added  not wider`+"\n"+`  narrower level           A tool of level L0 goes away.`)

	broken := filepath.Join(dir, "broken.json")
	require.NoError(t, os.WriteFile(broken, []byte(`{"name":"x"}`), 0o644))
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o755))
	for want, args := range map[string][]string{
		broken:                      {old, broken},
		"no spec found":             {empty, old},
		"/no/such/file.json":        {"/no/such/file.json", old},
		"the one before":            {old},
		"-dts takes no other flags": {"-dts", old, next},
	} {
		_, stderr, code := output(t, append([]string{"inspect", "-diff"}, args...)...)
		assert.NotEqual(t, 0, code)
		assert.Contains(t, stderr, want)
	}
}

func TestInspectTypes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := toolFile(t, dir, "greet", "return {who}", map[string]any{"params": []any{map[string]any{"name": "who", "type": "STRING", "required": true, "testValue": "Ann"}}})
	stdout, stderr, code := output(t, "inspect", "-dts", file)
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "/** A test tool. */\ndeclare function greet(args: {\n  who: string;\n}): Promise<unknown>;\n", stdout)
	stdout, _, code = output(t, "inspect", "-dts", "../../toolspec/catalog/specs")
	assert.Equal(t, 0, code)
	assert.Greater(t, strings.Count(stdout, "declare function "), 100)

	broken := filepath.Join(dir, "broken.json")
	require.NoError(t, os.WriteFile(broken, []byte(`{"name":"x"}`), 0o644))
	stdout, stderr, code = output(t, "inspect", "-dts", dir)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "declare function greet(", "the others are declared")
	assert.Contains(t, stderr, broken)
	_, _, code = output(t, "inspect", "-dts", "-json", file)
	assert.Equal(t, 2, code)
}
