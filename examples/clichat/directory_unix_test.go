//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// project makes a directory with notes, files that are withheld, and a link that leads out.
func project(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(root, "project")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
	for name, text := range map[string]string{"notes.txt": "the notes", ".env": "CANARY", ".git/config": "CANARY", "../secret.txt": "CANARY"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("../secret.txt", filepath.Join(dir, "out.txt")))
	return dir
}

func TestDirectoryOfTheStart(t *testing.T) {
	t.Parallel()
	home, dir, other := t.TempDir(), project(t), project(t)

	// It is asked about once; reading is not writing.
	p := chatAt(t, dir, "-home", home).ends("[y/N]").sees(`May tools read the files in`).says("y").ready()
	p.sees(`files: tools may read\s+` + dir)
	p.says(`call readTextFile {"path":"notes.txt"}`).sees(`(?s)The tool said: .*the\s+notes`).ready()
	for _, path := range []string{".env", ".git/config", "out.txt", "../secret.txt", "/etc/hostname"} {
		p.blank().says(`call readTextFile {"path":"` + path + `"}`).sees("The tool said: SECURITY").ready()
	}
	p.blank().says("/run listDir {}").sees(`"path": "notes.txt"`).ready()
	assert.NotContains(t, p.all(), ".env")
	p.says("/tool writeTextFile").sees("holds no valid").ready()
	p.says("/workspace write").sees(`and\s+ask\s+to\s+write\s+there`).ready()

	// Each write asks.
	p.says(`call writeTextFile {"path":"sub/new.txt","text":"hello","overwrite":false}`).shows("L4 High").rests().typed("n").sees("✗ writeTextFile: declined").ready()
	assert.NoFileExists(t, filepath.Join(dir, "sub", "new.txt"))
	p.says(`call writeTextFile {"path":"sub/new.txt","text":"hello","overwrite":false}`).shows("└ .y.es once").rests().typed("y").ends("type yes:").says("yes").sees("✓ writeTextFile").ready()
	data, err := os.ReadFile(filepath.Join(dir, "sub", "new.txt"))
	require.NoError(t, err)
	assert.Equal(t, "hello", string(data))
	p.says("/workspace no").sees(`tools may not read\s+` + dir).ready()
	p.says(`/run readTextFile {"path":"notes.txt"}`).sees(`the\s+user\s+does\s+not\s+let\s+tools\s+read`).ready()
	p.says("/workspace read").sees(`tools may read\s+` + dir).ready().leaves()

	// The answer is remembered, for this directory alone.
	p = chatAt(t, dir, "-home", home).ready()
	assert.NotContains(t, p.all(), "[y/N]")
	p.leaves()
	p = chatAt(t, other, "-home", home).ends("[y/N]").says("n").ready()
	p.says(`/run readTextFile {"path":"notes.txt"}`).sees("readTextFile passed and is not").leaves()
	p = chatAt(t, other, "-home", home).ready().sees(`tools may not read\s+` + other)
	p.leaves()
	p = chatAt(t, other, "-home", home, "-read", "-write", "-include", ".env").ready()
	p.says(`/run readTextFile {"path":".env"}`).sees("CANARY").leaves()

	// A conversation keeps its directory: elsewhere it asks.
	p = chatAt(t, other, "-home", home, "-conversation", "last").ends("[n]o files:").says("y").ready()
	p.says(`call readTextFile {"path":"sub/new.txt"}`).sees(`(?s)The tool said: .*hello`).ready()
	p.says("/new").ready().says("/workspace").sees(`tools may not read\s+` + other).leaves()
	p = chatAt(t, other, "-home", home, "-read", "-conversation", "last").ends("[n]o files:").says("n").ready()
	p.says(`call readTextFile {"path":"notes.txt"}`).sees(`the\s+conversation\s+works\s+in`).leaves()
	p = chatAt(t, other, "-home", home, "-read", "-conversation", "last").ends("[n]o files:").says("h").ready()
	p.leaves()
	p = chatAt(t, other, "-home", home, "-read", "-conversation", "last").ready()
	assert.NotContains(t, p.all(), "Go on there")
	p.leaves()
}
