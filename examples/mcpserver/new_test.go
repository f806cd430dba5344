package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The new spec passes unchanged, with -strict and without a warning, and the commands that
// the output suggests work.
func TestNew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "my tools")
	require.NoError(t, os.Mkdir(dir, 0o755))
	stdout := mustSucceed(t, "new", "shortenText", "-in", dir)
	file := filepath.Join(dir, "shortenText.json")
	assert.True(t, strings.HasPrefix(stdout, "wrote "+file+"\n"), stdout)
	for _, next := range []string{"pass '" + file + "'", "call -args ", "-specs '" + file + "'"} {
		assert.Contains(t, stdout, "mcpserver "+next)
	}
	assert.Contains(t, readFile(t, file), "\n  \"name\": \"shortenText\",\n", "one member per line")
	assert.True(t, strings.HasSuffix(readFile(t, file), "}\n"))

	home := t.TempDir()
	stdout = mustSucceed(t, "pass", "-strict", "-home", home, file)
	assert.Regexp(t, `^PASS shortenText  L0  \d+ ms\n$`, stdout, "no warning")
	stdout = mustSucceed(t, "call", "-home", home, "-args", `{"text": "Some words to shorten", "limit": 12}`, file)
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
		assert.Equal(t, want+"\n", mustSucceed(t, "call", "-home", home, "-args", args, file))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := testFile(t, dir, "there.json", "mine")
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
			mustFail(t, tt.code, tt.want, append([]string{"new"}, tt.args...)...)
		})
	}
	assert.Equal(t, "mine", readFile(t, there))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing else was written")
	_, stderr := mustExit(t, 0, "new", "-help")
	assert.Contains(t, stderr, "mcpserver new NAME")
}

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{"a/b.json": "a/b.json", "a b": "'a b'", "it's": `'it'\''s'`, "-x": "'./-x'"} {
		assert.Equal(t, want, quoted(path))
	}
}
