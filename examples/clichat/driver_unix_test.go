//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program in docs/clichat-json.md has at most thirty lines, and does what it says.
func TestTheDriverOfTheDocs(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "python3 must be there in CI")
		t.Skip("python3 is not installed")
	}
	page, err := os.ReadFile("../../docs/clichat-json.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, found)
	script := string(found[1])
	assert.LessOrEqual(t, strings.Count(script, "\n"), 30)
	specs, workspace := workshop(t)
	path := t.TempDir()
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(path, "clichat")))
	run := func(question, answers string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), python, "-c", strings.Replace(script, "calculate 12*34", question, 1),
			"-home", t.TempDir(), "-specs", specs, "-workspace", workspace, "-read", "-write")
		cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+path+":"+os.Getenv("PATH"), "PYTHONIOENCODING=utf-8")
		cmd.Stdin = strings.NewReader(answers)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		code := cmd.ProcessState.ExitCode()
		require.GreaterOrEqual(t, code, 0, "%v", err)
		return strings.ReplaceAll(out.String(), workspace, "DIR") + "|" + errs.String() + "|" + string(rune('0'+code))
	}
	assert.Equal(t, "rules works in DIR\nYou said: hello||0", run("hello", ""))
	assert.Equal(t, "rules works in DIR\nkeep {'text': 'hi'}: approve? [y/N] The tool said: hi!||0", run(`call keep {\"text\":\"hi\"}`, "y\n"))
	assert.Equal(t, "hi\n", kept(t, workspace))
	refused := run(`call keep {\"text\":\"no\"}`, "n\n")
	assert.Contains(t, refused, "Reason given: not now")
	assert.True(t, strings.HasSuffix(refused, "|3"), refused)
	assert.Equal(t, "rules works in DIR\n|provider_auth the key is wrong\n|1", run("fail", ""))
}
