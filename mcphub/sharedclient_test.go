package mcphub_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kinds are the ways to a peer that carry both eras.
var networkKinds = []mcphub.TransportKind{mcphub.TransportHTTP, mcphub.TransportStdio}

// lastSeen is the last message of a method that came: others, such as the GET of
// a stream, may come behind it.
func lastSeen(t testing.TB, peer *mcphubtest.Peer, method string) mcphubtest.Message {
	t.Helper()
	for _, m := range slices.Backward(peer.Seen()) {
		if m.Method == method {
			return m
		}
	}
	t.Fatalf("no %s came: %v", method, peer.Methods())
	return mcphubtest.Message{}
}

func handle(_ context.Context, r mcphub.ServerRequest) (json.RawMessage, error) {
	var p struct{ Answer string }
	_ = json.Unmarshal(r.Params, &p)
	switch p.Answer {
	case "private":
		return nil, errors.New("a private reason")
	case "rpc":
		return nil, &mcphub.RPCError{Code: -1, Message: "no", Data: json.RawMessage(`{"a":1}`)}
	case "unsupported":
		return nil, errors.ErrUnsupported
	case "nothing":
		return json.RawMessage("7"), nil
	case "panic":
		panic("oh")
	}
	return json.RawMessage(`{"action":"accept"}`), nil
}

// old is a client from before 2026-07-28.
var old = &mcphub.DialOptions{Versions: []string{"2025-11-25"}}

const callX = `{"name":"x"}`

func callTool(s mcphub.Session) (json.RawMessage, error) {
	return s.Call(context.Background(), "tools/call", json.RawMessage(callX), nil)
}

// token is credentials that expire.
type token struct {
	mu    sync.Mutex
	n     int
	asked []int
	fail  error
	stale bool
}

func (c *token) Authorize(_ context.Context, header http.Header) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	header.Set("Authorization", "Bearer "+strings.Repeat("t", c.n+1))
	return c.fail
}

func (c *token) Challenged(_ context.Context, refused *mcphub.ConnError) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, refused.Status)
	c.n++
	return !c.stale, nil
}

// onHTTP starts one of the servers of mcppeer on HTTP and returns its address.
func onHTTP(t testing.TB, as string) string {
	t.Helper()
	cmd := exec.Command(mcppeer(t), "-as", as, "-http", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return "http://" + strings.TrimSpace(line)
}

// peerBinary builds the servers in their own processes, once.
var peerBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mcppeer")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "mcppeer")
	builtPeer.Store(&path)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", path, "github.com/localpass/localpass/internal/smoke/mcppeer").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

var builtPeer atomic.Pointer[string]

func mcppeer(t testing.TB) string {
	t.Helper()
	path, err := peerBinary()
	require.NoError(t, err)
	return path
}

// program is a transport that starts one of the servers of mcppeer.
func program(t testing.TB, as string, opts *mcphub.StdioOptions) mcphub.Transport {
	t.Helper()
	if opts == nil {
		opts = &mcphub.StdioOptions{}
	}
	if opts.CloseGrace == 0 {
		opts.CloseGrace, opts.KillGrace = 300*time.Millisecond, 300*time.Millisecond
	}
	tr, err := mcphub.NewStdio(mcphub.StdioConfig{Command: mcppeer(t), Args: []string{"-as", as}}, opts)
	require.NoError(t, err)
	return tr
}

// connect dials and closes with the test.
func connect(t testing.TB, tr mcphub.Transport, opts *mcphub.DialOptions) mcphub.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := tr.Dial(ctx, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// children counts the processes that this one has.
func children(t testing.TB) int {
	files, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	n := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil {
			n += len(strings.Fields(string(data)))
		}
	}
	return n
}

func openFiles(t testing.TB) int {
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

func classed(t testing.TB, err error, class mcphub.ConnClass) *mcphub.ConnError {
	t.Helper()
	var e *mcphub.ConnError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, class, e.Class, "%v", err)
	return e
}

// runTests runs the tests of a package, and removes what they have built.
func runTests(m *testing.M) int {
	code := m.Run()
	if path := builtPeer.Load(); path != nil {
		_ = os.RemoveAll(filepath.Dir(*path))
	}
	return code
}
