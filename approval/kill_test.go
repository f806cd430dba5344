//go:build unix

package approval_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/toolspec"
)

// Points at which the program is killed.
const (
	pointAsked    = "asked"    // the request is stored and not decided
	pointAnswered = "answered" // the approval is stored and not used
	pointCleared  = "cleared"  // the approval is used, and the call has not begun
	pointRunning  = "running"  // the call has had its effect
	pointSaved    = "saved"    // the result of the call is stored
)

// TestKillHelper is the child process: a program on a home that stops at a point and
// waits to be killed. The effect of a call goes to a file that the parent process opened.
func TestKillHelper(t *testing.T) {
	home, point := os.Getenv("LOCALPASS_TEST_HOME"), os.Getenv("LOCALPASS_TEST_POINT")
	if home == "" {
		return // this is not the child process
	}
	reach := func(at string) {
		fmt.Println("at", at)
		if at == point {
			_, _ = io.Copy(io.Discard, os.Stdin) // blocks until the process is killed
		}
	}
	store, err := file.Open(home, nil)
	require.NoError(t, err)
	defer store.Close()
	person := approval.ApproverFunc(func(_ context.Context, r []approval.Request) ([]approval.Decision, error) {
		fmt.Println("request", r[0].ID)
		reach(pointAsked)
		return []approval.Decision{{Request: r[0].ID, Outcome: approval.Approved, By: ada}}, nil
	})
	audit := &book{fail: func(r *approval.AuditRecord) error {
		if r.Kind == approval.AuditUsed {
			reach(pointAnswered) // the decision is stored, its use is not
		}
		return nil
	}}
	g, err := approval.NewGate(&approval.Options{Store: store, Audit: audit, Approvers: []approval.Approver{person}})
	require.NoError(t, err)
	c := call(tool("send", toolspec.L3, true), `{"n":1}`)
	var out approval.CallOutcome
	if id := os.Getenv("LOCALPASS_TEST_REQUEST"); id != "" { // the turn that is resumed after the restart
		out = g.Resume(t.Context(), id, c)
	} else {
		out = g.Check(t.Context(), []approval.Call{c})[0]
	}
	fmt.Println("outcome", out.Outcome, out.Reason)
	if !out.Allowed() {
		return
	}
	reach(pointCleared)
	run(t)
	reach(pointRunning)
	require.NoError(t, store.Append(t.Context(), "results", json.RawMessage(`"done"`)))
	reach(pointSaved)
}

// run is the effect of a call: one line in the file of the parent process.
func run(t *testing.T) {
	effects := os.NewFile(3, "effects")
	_, err := fmt.Fprintln(effects, "sent")
	require.NoError(t, err)
}

// child is a child process on a home.
type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

func start(t *testing.T, home, point, request string, effects *os.File) *child {
	t.Helper()
	return startHelper(t, "TestKillHelper", effects, "LOCALPASS_TEST_HOME="+home, "LOCALPASS_TEST_POINT="+point, "LOCALPASS_TEST_REQUEST="+request)
}

func startHelper(t *testing.T, helper string, effects *os.File, env ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+helper+"$")
	cmd.Env = append(os.Environ(), env...)
	cmd.ExtraFiles = []*os.File{effects}
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &child{cmd: cmd, stdin: stdin, lines: bufio.NewScanner(stdout)}
}

// until reads the output of the child to a line with a prefix, or to the end, and returns
// the rest of the line.
func (c *child) until(prefix string) string {
	for c.lines.Scan() {
		if rest, ok := strings.CutPrefix(c.lines.Text(), prefix+" "); ok {
			return rest
		}
	}
	return ""
}

// kill kills the child with SIGKILL.
func (c *child) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, c.cmd.Process.Kill())
	assert.Error(t, c.cmd.Wait())
}

// A program is killed at each point, and another program continues. The call runs at most
// once, and its request is either open or has ended.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		point   string
		effects int             // effects of the killed program
		status  approval.Status // status of the request afterwards
		resumed string          // outcome of the resumed call
		after   int             // effects at the end
	}{
		{pointAsked, 0, approval.StatusPending, "pending approval-pending", 0},
		{pointAnswered, 0, approval.StatusDecided, "approved ", 1},
		{pointCleared, 0, approval.StatusUsed, "failed approval-mismatch", 0},
		{pointRunning, 1, approval.StatusUsed, "failed approval-mismatch", 1},
		{pointSaved, 1, approval.StatusUsed, "failed approval-mismatch", 1},
	} {
		t.Run(test.point, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			effects, err := os.OpenFile(filepath.Join(dir, "effects"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			require.NoError(t, err)
			defer effects.Close()
			happened := func() int {
				data, err := os.ReadFile(effects.Name())
				require.NoError(t, err)
				return strings.Count(string(data), "sent\n")
			}

			first := start(t, home, test.point, "", effects)
			id := first.until("request")
			require.NotEmpty(t, id)
			for at := ""; at != test.point; {
				at = first.until("at")
				require.NotEmpty(t, at)
			}
			first.kill(t)
			assert.Equal(t, test.effects, happened())

			store, err := file.Open(home, nil)
			require.NoError(t, err)
			defer store.Close()
			b := newBroker(t, store, approval.Options{})
			rec, err := b.Get(t.Context(), id)
			require.NoError(t, err)
			assert.Equal(t, test.status, rec.Status)

			for range 2 { // a second attempt changes nothing
				next := start(t, home, "", id, effects)
				got := next.until("outcome")
				require.NoError(t, next.cmd.Wait())
				assert.Equal(t, test.resumed, got)
				assert.Equal(t, test.after, happened())
				if test.point == pointAnswered {
					test.resumed = "failed approval-mismatch"
				}
			}

			if test.point == pointAsked { // the request can still be decided
				_, err := b.Decide(t.Context(), approval.Decision{Request: id, Outcome: approval.Approved, By: grace})
				require.NoError(t, err)
				next := start(t, home, pointCleared, id, effects)
				require.Equal(t, "approved ", next.until("outcome"))
				require.Equal(t, pointCleared, next.until("at"))
				next.kill(t)
				last := start(t, home, "", id, effects)
				assert.Equal(t, "failed approval-mismatch", last.until("outcome"))
				require.NoError(t, last.cmd.Wait())
				assert.Zero(t, happened())
			}
		})
	}
}
