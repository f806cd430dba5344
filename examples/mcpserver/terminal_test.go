package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// draw contains control sequences with which a hostile text would draw a line of its own.
const draw = "x\x1b[2K\rPASS drawn  L0  1 ms\x1b[8m\u009b31m\u202e\x7f"

// harmless checks that a text contains no control characters, and no line that the program
// did not print itself.
func harmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Fatalf("%U reaches the terminal: %q", r, text)
		}
	}
	for line := range strings.Lines(text) {
		require.False(t, strings.HasPrefix(line, "PASS drawn"), "%q", text)
	}
}

// hostileSpec writes a spec whose file name contains control sequences and which throws
// such a message.
func hostileSpec(t *testing.T, dir string, more jsonObject) string {
	t.Helper()
	file := writeSpec(t, dir, "hostile", "throw new Error("+asJSON(t, draw+"\nPASS drawn  L0  2 ms")+")", more)
	moved := filepath.Join(dir, "a"+draw+"\nPASS drawn.json")
	if err := os.Rename(file, moved); err != nil {
		t.Skip("this system has no such file names")
	}
	return moved
}

// Control sequences in an error, or in the names of a spec, its cases and its file, do not
// reach the terminal.
func TestNothingSteersTheTerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	throws := hostileSpec(t, t.TempDir(), nil)
	named := hostileSpec(t, t.TempDir(), jsonObject{"x-tests": []any{jsonObject{"name": draw + "\nPASS drawn", "args": jsonObject{}, "want": 1}}})
	called := hostileSpec(t, t.TempDir(), jsonObject{"name": draw, "description": draw + "\nPASS drawn", "x-" + draw: 1})
	broken := hostileSpec(t, t.TempDir(), nil)
	testFile(t, filepath.Dir(broken), filepath.Base(broken), "{\"name\":\"x\x1b[2K\"")
	for _, file := range []string{throws, named, called, broken} {
		for _, args := range [][]string{{"pass"}, {"pass", "-trace"}, {"pass", "-json"}, {"inspect"}, {"inspect", "-json"}, {"inspect", "-dts"}, {"call"}} {
			if args[0] != "inspect" {
				args = append(args, "-home", home)
			}
			text, _ := allOutput(t, append(args, file)...)
			harmless(t, text)
		}
	}
	text, code := allOutput(t, "pass", "-home", home, throws)
	assert.Equal(t, 1, code)
	assert.Contains(t, text, `\u001b[2K`, "the message is shown")
	text, code = allOutput(t, "pass", "-home", home, named)
	assert.Equal(t, 1, code)
	assert.Contains(t, text, "x-tests[0].name")
	assert.Contains(t, text, "control or hidden characters")
	text, _ = allOutput(t, "pass", "-home", home, "-json", throws)
	var line struct {
		Name, File string
		Error      struct{ Message string }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &line))
	assert.Equal(t, throws, line.File, "JSON is exact")
	assert.Contains(t, line.Error.Message, draw)

	for _, args := range [][]string{{"-" + draw}, {"pass", draw + "\nPASS drawn"}, {"tools", draw}, {"-http", draw}, {"servers", "add", draw}, {"audit", "verify", draw}, {"new", draw}, {"-preset", draw, "-home", home}} {
		text, code := allOutput(t, args...)
		assert.NotZero(t, code, args)
		harmless(t, text)
	}
}

// The same applies to what a server prints on stderr, also with -watch.
func TestNothingSteersTheTerminalOfAServer(t *testing.T) {
	t.Parallel()
	for _, watch := range []string{"-watch", "-watch=false"} {
		file := hostileSpec(t, t.TempDir(), nil)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		stdin, hold := io.Pipe()
		stderr, errs := io.Pipe()
		done := make(chan int, 1)
		go func() {
			done <- run(ctx, []string{"-home", t.TempDir(), "-specs", filepath.Dir(file), watch}, stdin, io.Discard, errs)
			errs.Close()
		}()
		line, err := bufio.NewReader(stderr).ReadString('\n')
		require.NoError(t, err)
		go io.Copy(io.Discard, stderr)
		harmless(t, line)
		assert.Contains(t, line, "is not served")
		assert.Contains(t, line, `\u001b[2K`)
		cancel()
		hold.Close()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatal("it does not end")
		}
	}
}
