//go:build unix

package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMorning is a morning's work, in real terminals. What stands on them is golden text.
func TestMorning(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), project(t)
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chart.png"), picture.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, "localpass.json"), []byte(`{"profiles": {"other": {"provider": "demo"}}}`), 0o600))
	start := func(args ...string) *pane {
		t.Helper()
		return terminalIn(t, dir, 160, nil, append([]string{os.Args[0], "-home", home}, args...)...)
	}
	screen := func(p *pane, name string) {
		t.Helper()
		golden(t, filepath.Join("testdata", "morning", name+".txt"), stable(p.ready().all(), dir, home))
	}

	// A model is chosen once, and tools may read here.
	p := start().ends("[y/N]").says("y").ready()
	p.says("/model other").sees("the next answer is by other/rules").ready()
	p.says("yesterday's question about giraffes").sees("You said: yesterday").ready()
	screen(p, "1-choose")
	p.leaves()

	// The next start finds both. A file is read, and changed after a yes.
	p = start().ready()
	p.says(`call readTextFile {"path":"notes.txt"}`).sees("The tool said: .*the notes").ready()
	p.says("/workspace write").sees("ask to write there").ready()
	screen(p, "2-read")
	p.blank().says(`call editTextFile {"path":"notes.txt","oldText":"the notes","newText":"my notes"}`)
	p.shows("└ .y.es once").rests().typed("y").ends("type yes:").says("yes").sees("The tool said: .*notes.txt").ready()
	data, err := os.ReadFile(filepath.Join(dir, "notes.txt"))
	require.NoError(t, err)
	assert.Equal(t, "my notes", string(data))
	screen(p, "3-edit")

	// An image, the file as it is now, and what was said yesterday.
	p.blank().says("look at @chart.png and @notes.txt").sees("(?s)You said: look at @chart.png.*my notes").ready()
	p.says("/search GIRAFFES").sees("/open ID goes on").ready()
	screen(p, "4-attach-search")

	// The program is killed in an answer. The next one asks before it goes on.
	p.blank().says("stream").sees("word40 ")
	require.NoError(t, exec.Command("kill", "-9", p.pid()).Run())
	p.exits()
	p = start("-conversation", "last").sees("the last turn was interrupted").ends("[y/N]").says("n").sees("/resume goes on with it").ready()
	p.says("/resume").sees("You said: .*Go on from where it stopped").ready()

	// On a branch, and to a file.
	p.blank().says("/branch 3").sees("in a copy").ready().says("history").sees(`messages: \d+`).ready()
	p.says("/export " + filepath.Join(dir, "talk.md")).sees("written to").ready()
	screen(p, "5-branch-export")
	p.leaves()
	data, err = os.ReadFile(filepath.Join(dir, "talk.md"))
	require.NoError(t, err)
	assert.Contains(t, string(data), "look at @chart.png")
	assert.NotContains(t, string(data), "word40")
}

// stable replaces what differs from run to run.
func stable(screen, dir, home string) string {
	screen = strings.NewReplacer(dir, "DIR", home, "HOME").Replace(screen)
	for pattern, with := range map[string]string{
		`c_[0-9a-z]{26}`:            "c_ID",
		`\d{4}-\d\d-\d\d \d\d:\d\d`: "DATE TIME",
		`\b\d+(\.\d+)? m?s\b`:       "N ms",
		`"modified":"[^"]*"`:        `"modified":"DATE"`,
		`expires in \d:\d\d`:        "expires in M:SS",
		`[ \t]+\n`:                  "\n",
	} {
		screen = regexp.MustCompile(pattern).ReplaceAllString(screen, with)
	}
	// Clearing the screen may leave a copy of the line that is typed next.
	lines := slices.Compact(strings.Split(strings.TrimRight(screen, " \n"), "\n"))
	if lines[0] == "you ›" {
		lines = lines[1:]
	}
	return strings.Join(lines, "\n") + "\n"
}

// golden compares a text with a file; -update writes the file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "go test -update writes it")
	assert.Equal(t, string(want), text, name)
}
