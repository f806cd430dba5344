package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// TestCarryOnHelper is the child process: it serves until it is killed.
func TestCarryOnHelper(t *testing.T) {
	home := os.Getenv("LOCALPASS_TEST_CARRY_ON")
	if home == "" {
		return // not the child
	}
	s, err := server.New(context.Background(), &server.Options{Config: configured(t, home, "-profile", "demo")})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(context.Background(), l) }()
	fmt.Println("at http://" + l.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent closes it
	require.NoError(t, s.Close())
}

// killable starts a playground in another process. kill sends SIGKILL.
func killable(t *testing.T, home string) (w *playground, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCarryOnHelper$")
	// What a killed program leaves in the folder for temporary files is removed with the test.
	cmd.Env = append(os.Environ(), "LOCALPASS_TEST_CARRY_ON="+home, "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	ended := false
	kill = func() {
		if ended {
			return
		}
		ended = true
		require.NoError(t, cmd.Process.Kill())
		assert.Error(t, cmd.Wait())
		_ = stdin.Close()
	}
	t.Cleanup(kill)
	said := bufio.NewScanner(stdout)
	for said.Scan() {
		if url, ok := strings.CutPrefix(said.Text(), "at "); ok {
			return playgroundAt(t, url), kill
		}
	}
	t.Fatal("the playground did not start")
	return nil, nil
}

// A playground is killed while a turn waits for approval of a tool of another server. After
// a restart, an approval over HTTP resumes the turn, and the tool runs once.
func TestTurnResumesAfterAKill(t *testing.T) {
	t.Parallel()
	peer := newPeerServer(t)
	home := t.TempDir()
	child, kill := killable(t, home)
	child.compose(peer)
	conversation, _, asked := child.askUntilApproval("Use the tool painter_paintFence with the colour green.")
	kill()
	require.Zero(t, peer.calls.Load())

	w := serve(t, &server.Options{Config: configured(t, home, "-profile", "demo")})
	w.must(http.StatusOK, "POST", "/api/approvals/"+asked, jsonObject{"decision": "approved", "confirmName": "painter_paintFence"})
	call := onlyCall(t, w.waitForTurn(conversation))
	assert.Equal(t, "COMPLETED", call["state"], "%v", call)
	assert.Contains(t, call["result"], "the fence is")
	assert.EqualValues(t, 1, peer.calls.Load())
	assert.Contains(t, call["because"], "approved by local via http")
	item := w.get("/api/approvals/" + asked)
	assert.Equal(t, call["because"], item["because"])
}
