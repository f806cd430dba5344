package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// TestStdioGroup: what the program started ends with it.
func TestStdioGroup(t *testing.T) {
	leak.Check(t)
	tr := hubtest.Program(t, "parent", &client.StdioOptions{Prepare: func(cmd *exec.Cmd) error {
		assert.NotEmpty(t, cmd.Args)
		return nil
	}})
	s := hubtest.Connect(t, tr, nil)
	require.NoError(t, s.Close())
	// Its standard error is in the error of a session that was lost.
	s = hubtest.Connect(t, tr, nil)
	_, err := s.Call(t.Context(), "no/such", nil, nil)
	require.Error(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Call(ctx, "x", nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	var found []string
	require.Eventually(t, func() bool { // what it says arrives beside its answers
		_, err = s.Call(late, "x", nil, nil)
		found = regexp.MustCompile(`child (\d+)`).FindStringSubmatch(hubtest.Classed(t, err, client.ConnTimeout).Detail)
		return found != nil
	}, hubtest.Patience, time.Millisecond)
	pid, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, 0), "the child lives")
	require.NoError(t, s.Close())
	require.Eventually(t, func() bool { return isGone(pid) }, hubtest.Patience, 5*time.Millisecond, "the child ends with the session")
}

// isGone reports whether a process is gone, or waits for its parent only.
func isGone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}
