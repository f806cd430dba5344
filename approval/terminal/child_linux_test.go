package terminal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/approval/terminal"
	"github.com/localpass/localpass/toolspec"
)

// TestTerminalHelper is the child process of the tests below: it asks at its controlling
// terminal and writes the outcome to its standard output.
func TestTerminalHelper(t *testing.T) {
	switch os.Getenv("LOCALPASS_TEST_TERMINAL") {
	case "wait": // hold the terminal until the pipe ends
		fmt.Println("waiting")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "background": // another process group has the terminal
		other := exec.Command(os.Args[0], "-test.run=^TestTerminalHelper$") //nolint:gosec // this program
		other.Env = append(os.Environ(), "LOCALPASS_TEST_TERMINAL=wait")
		other.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: 3}
		in, err := other.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, other.Start())
		ask()
		_ = in.Close()
		_ = other.Wait()
	case "ask":
		ask()
	}
}

func ask() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	d, err := terminal.New(&terminal.Options{Arm: time.Millisecond}).Ask(ctx, []approval.Request{approvaltest.Request("r1", toolspec.L3)})
	rest, _ := io.ReadAll(os.Stdin)
	out, _ := json.Marshal(map[string]any{"decisions": d, "failed": err != nil, "unavailable": errors.Is(err, approval.ErrUnavailable), "error": fmt.Sprint(err), "stdin": string(rest)})
	fmt.Printf("result %s\n", out)
}

type helperResult struct {
	Decisions           []approval.Decision
	Failed, Unavailable bool
	Error, Stdin        string
}

// helper runs the child process with a pipe that contains "yes" as standard input, and
// with the terminal, if any, as file 3.
func helper(t *testing.T, mode string, s *screen, during func()) helperResult {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTerminalHelper$") //nolint:gosec // this program
	cmd.Env = append(os.Environ(), "LOCALPASS_TEST_TERMINAL="+mode)
	cmd.Stdin = strings.NewReader("y\ny\n")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s != nil {
		cmd.ExtraFiles = []*os.File{s.slave}
		cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, 3
	}
	require.NoError(t, cmd.Start())
	if during != nil {
		during()
	}
	require.NoError(t, cmd.Wait())
	var result helperResult
	for line := range strings.SplitSeq(out.String(), "\n") {
		if text, ok := strings.CutPrefix(line, "result "); ok {
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			return result
		}
		assert.NotContains(t, line, "Approval needed")
	}
	t.Fatalf("no result in %q", out.String())
	return result
}

func TestTerminalIsTheControllingOne(t *testing.T) {
	s := newScreen(t).watch()
	got := helper(t, "ask", s, func() { s.answer("t the pipe is not asked\r") })
	assert.False(t, got.Failed, got.Error)
	require.Len(t, got.Decisions, 1)
	assert.Equal(t, approval.Declined, got.Decisions[0].Outcome)
	assert.Equal(t, "the pipe is not asked", got.Decisions[0].Reason)
	assert.Equal(t, "y\ny\n", got.Stdin, "standard input was read")
}

func TestTerminalWithoutOne(t *testing.T) {
	got := helper(t, "ask", nil, nil)
	assert.True(t, got.Unavailable, got.Error)
	assert.Empty(t, got.Decisions)
	assert.Equal(t, "y\ny\n", got.Stdin)
}

func TestTerminalInTheBackground(t *testing.T) {
	s := newScreen(t).watch()
	got := helper(t, "background", s, nil)
	assert.True(t, got.Unavailable, got.Error)
	assert.Contains(t, got.Error, "background")
	assert.NotContains(t, s.all(), "Approval needed")
}
