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

// The programs behind the servers end with this one, however it ends.
func TestConnectEndsItsChildren(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*program){
		"signal": func(p *program) { require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM)) },
		"input":  func(p *program) { p.stdin.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, nil)
			pid := filepath.Join(t.TempDir(), "pid")
			e := u.entry(t, nil)
			args := append([]string{"-c", `echo $$ >"$0"; exec "$@"`, pid, os.Args[0]}, e["args"].([]string)...)
			e["command"], e["args"] = "sh", args
			u.write(t, map[string]any{"up": e})
			p := launch(t, "-home", u.home, "-connect", u.file)
			p.initialize(t)
			id := 10
			eventually(t, p, &id)
			data, err := os.ReadFile(pid)
			require.NoError(t, err)
			child, err := strconv.Atoi(strings.TrimSpace(string(data)))
			require.NoError(t, err)
			require.NoError(t, syscall.Kill(child, 0))
			end(p)
			_ = p.cmd.Wait() // a signal is no success
			assert.True(t, p.cmd.ProcessState.Exited(), p.stderr)
			assert.ErrorIs(t, syscall.Kill(child, 0), syscall.ESRCH)
		})
	}
}
