package main

import (
	"bufio"
	"bytes"
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

// draw is what a hostile text would draw a line of its own with.
const draw = "x\x1b[2K\rPASS drawn  L0  1 ms\x1b[8m\u009b31m\u202e\x7f"

// harmless checks that a terminal takes all of a text as text, and that no line
// of it is one that the program did not print.
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

// here runs the program in this process: stdout and stderr are looked at
// together.
func here(t *testing.T, args ...string) (text string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(""), &out, &errs)
	return out.String() + errs.String(), code
}

// hostileSpec throws a message, and has a name of a case and of a file, that
// draw.
func hostileSpec(t *testing.T, dir string, more map[string]any) string {
	t.Helper()
	file := toolFile(t, dir, "hostile", "throw new Error("+js(t, draw+"\nPASS drawn  L0  2 ms")+")", more)
	moved := filepath.Join(dir, "a"+draw+"\nPASS drawn.json")
	if err := os.Rename(file, moved); err != nil {
		t.Skip("this system has no such file names")
	}
	return moved
}

func js(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	require.NoError(t, err)
	return string(data)
}

// What a spec throws, and how it, its cases and its file are called, reaches the
// terminal as text alone.
func TestNothingSteersTheTerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	throws := hostileSpec(t, t.TempDir(), nil)
	named := hostileSpec(t, t.TempDir(), map[string]any{"x-tests": []any{map[string]any{"name": draw + "\nPASS drawn", "args": map[string]any{}, "want": 1}}})
	called := hostileSpec(t, t.TempDir(), map[string]any{"name": draw, "description": draw + "\nPASS drawn", "x-" + draw: 1})
	broken := hostileSpec(t, t.TempDir(), nil)
	require.NoError(t, os.WriteFile(broken, []byte("{\"name\":\"x\x1b[2K\""), 0o644))
	for _, file := range []string{throws, named, called, broken} {
		for _, args := range [][]string{{"pass"}, {"pass", "-trace"}, {"pass", "-json"}, {"inspect"}, {"inspect", "-json"}, {"inspect", "-dts"}, {"call"}} {
			if args[0] != "inspect" {
				args = append(args, "-home", home)
			}
			text, _ := here(t, append(args, file)...)
			harmless(t, text)
		}
	}
	text, code := here(t, "pass", "-home", home, throws)
	assert.Equal(t, 1, code)
	assert.Contains(t, text, `\u001b[2K`, "it is shown what was thrown")
	text, code = here(t, "pass", "-home", home, named)
	assert.Equal(t, 1, code)
	assert.Contains(t, text, "x-tests[0].name")
	assert.Contains(t, text, "control or hidden characters")
	text, _ = here(t, "pass", "-home", home, "-json", throws)
	var line struct {
		Name, File string
		Error      struct{ Message string }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &line))
	assert.Equal(t, throws, line.File, "JSON is exact")
	assert.Contains(t, line.Error.Message, draw)

	for _, args := range [][]string{{"-" + draw}, {"pass", draw + "\nPASS drawn"}, {"tools", draw}, {"-http", draw}, {"servers", "add", draw}, {"audit", "verify", draw}, {"new", draw}, {"-preset", draw, "-home", home}} {
		text, code := here(t, args...)
		assert.NotZero(t, code, args)
		harmless(t, text)
	}
}

// A server says on stderr what it does not serve, also while it follows files.
func TestNothingSteersTheTerminalOfAServer(t *testing.T) {
	t.Parallel()
	for _, watch := range []string{"-watch", "-watch=false"} {
		file := hostileSpec(t, t.TempDir(), nil)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		stdin, hold := io.Pipe()
		told, errs := io.Pipe()
		done := make(chan int, 1)
		go func() {
			done <- run(ctx, []string{"-home", t.TempDir(), "-specs", filepath.Dir(file), watch}, stdin, io.Discard, errs)
			errs.Close()
		}()
		line, err := bufio.NewReader(told).ReadString('\n')
		require.NoError(t, err)
		go io.Copy(io.Discard, told)
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
