package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDeadlineWithoutPipes: where the ends of a worker know no deadlines, the
// process is killed at the deadline instead.
func TestDeadlineWithoutPipes(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "plain"))
	require.NoError(t, err)
	defer file.Close()
	require.Error(t, file.SetReadDeadline(time.Now()), "a plain file has no deadlines")

	start := func() *Process {
		p := &Process{cmd: exec.Command("sleep", "60"), r: file, w: file, done: make(chan struct{})}
		if err := p.cmd.Start(); err != nil {
			t.Skip("no program to wait for: ", err)
		}
		go p.reap()
		return p
	}
	p := start()
	p.SetDeadline(time.Now().Add(time.Hour))
	p.SetDeadline(time.Now().Add(10 * time.Millisecond))
	<-p.Done()
	assert.Equal(t, -1, p.Exit().Code)

	p = start()
	p.SetDeadline(time.Now().Add(time.Hour))
	p.SetDeadline(time.Time{})
	p.mu.Lock()
	assert.Nil(t, p.timer, "lifted")
	p.mu.Unlock()
	p.Kill()
	<-p.Done()
}
