//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The servers that the program started end with it, also if it ends by a signal.
func TestConnectEndsItsChildren(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*process){
		"signal": func(p *process) { require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM)) },
		"input":  func(p *process) { p.stdin.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, nil)
			pid := filepath.Join(t.TempDir(), "pid")
			e := u.entry(t, nil)
			args := append([]string{"-c", `echo $$ >"$0"; exec "$@"`, pid, os.Args[0]}, e["args"].([]string)...)
			e["command"], e["args"] = "sh", args
			u.write(t, jsonObject{"up": e})
			p := startServing(t, "-home", u.home, "-connect", u.file)
			p.waitForStderr(t, "up: connected over stdio")
			child, err := strconv.Atoi(strings.TrimSpace(readFile(t, pid)))
			require.NoError(t, err)
			require.NoError(t, syscall.Kill(child, 0))
			end(p)
			_ = p.cmd.Wait() // fails after a signal
			assert.True(t, p.cmd.ProcessState.Exited(), &p.stderr)
			assert.ErrorIs(t, syscall.Kill(child, 0), syscall.ESRCH)
		})
	}
}
