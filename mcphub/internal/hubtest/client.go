package hubtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/smoke/peer"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

// NetworkKinds are the kinds of transports to a peer that support both eras.
var NetworkKinds = []client.TransportKind{client.TransportHTTP, client.TransportStdio}

// LastSeen returns the last message with a method that arrived: other messages, such as
// the GET of a stream, may have arrived after it.
func LastSeen(t testing.TB, peer *mcphubtest.Peer, method string) mcphubtest.Message {
	t.Helper()
	for _, m := range slices.Backward(peer.Seen()) {
		if m.Method == method {
			return m
		}
	}
	t.Fatalf("no %s came: %v", method, peer.Methods())
	return mcphubtest.Message{}
}

func Answer(_ context.Context, r client.ServerRequest) (json.RawMessage, error) {
	var p struct{ Answer string }
	_ = json.Unmarshal(r.Params, &p)
	switch p.Answer {
	case "private":
		return nil, errors.New("a private reason")
	case "rpc":
		return nil, &client.RPCError{Code: -1, Message: "no", Data: json.RawMessage(`{"a":1}`)}
	case "unsupported":
		return nil, errors.ErrUnsupported
	case "nothing":
		return json.RawMessage("7"), nil
	case "panic":
		panic("oh")
	}
	return json.RawMessage(`{"action":"accept"}`), nil
}

// Sessions2025 are the options of a client from before 2026-07-28.
var Sessions2025 = &client.DialOptions{Versions: []string{"2025-11-25"}}

const CallX = `{"name":"x"}`

func CallTool(s client.Session) (json.RawMessage, error) {
	return s.Call(context.Background(), "tools/call", json.RawMessage(CallX), nil)
}

// ChangingToken holds credentials that expire.
type ChangingToken struct {
	mu    sync.Mutex
	n     int
	Asked []int
	Fail  error
	Stale bool
}

func (c *ChangingToken) Authorize(_ context.Context, header http.Header) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	header.Set("Authorization", "Bearer "+strings.Repeat("t", c.n+1))
	return c.Fail
}

func (c *ChangingToken) Challenged(_ context.Context, refused *client.ConnError) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Asked = append(c.Asked, refused.Status)
	c.n++
	return !c.Stale, nil
}

// OnHTTP starts one of the servers of mcppeer over HTTP and returns its address.
func OnHTTP(t testing.TB, as string) string {
	t.Helper()
	cmd := exec.Command(peer.Program(t), "-as", as, "-http", "127.0.0.1:0")
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

// Program returns a transport that starts one of the servers of mcppeer.
func Program(t testing.TB, as string, opts *client.StdioOptions) client.Transport {
	t.Helper()
	if opts == nil {
		opts = &client.StdioOptions{}
	}
	if opts.CloseGrace == 0 {
		opts.CloseGrace, opts.KillGrace = 300*time.Millisecond, 300*time.Millisecond
	}
	tr, err := client.NewStdio(client.StdioConfig{Command: peer.Program(t), Args: []string{"-as", as}}, opts)
	require.NoError(t, err)
	return tr
}

// Connect dials a session and closes it at the end of the test.
func Connect(t testing.TB, tr client.Transport, opts *client.DialOptions) client.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	s, err := tr.Dial(ctx, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Children counts the child processes of this process.
func Children(t testing.TB) int {
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

// OpenFiles counts the open files of this process, without those of Go's poller, which is
// opened once, when a file or a connection first needs it. It only works on Linux.
func OpenFiles(t testing.TB) int {
	t.Helper()
	const list = "/proc/self/fd"
	entries, err := os.ReadDir(list)
	require.NoError(t, err)
	n := 0
	for _, e := range entries {
		switch target, _ := os.Readlink(filepath.Join(list, e.Name())); target {
		case "anon_inode:[eventpoll]", "anon_inode:[eventfd]":
		default:
			n++
		}
	}
	return n
}

// NothingOpen fails the test if, after its subtests, it has more open files or processes
// than now. Nothing else may run at the same time. It only works on Linux.
func NothingOpen(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	children, files := Children(t), OpenFiles(t)
	t.Cleanup(func() {
		assert.Equal(t, children, Children(t))
		assert.Eventually(t, func() bool { return OpenFiles(t) <= files }, Patience, time.Millisecond, "files %d then %d", files, OpenFiles(t))
	})
}

func Classed(t testing.TB, err error, class client.ConnClass) *client.ConnError {
	t.Helper()
	var e *client.ConnError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, class, e.Class, "%v", err)
	return e
}

// RunTests runs the tests of a package, several of which may wait at the same time, and
// fails if goroutines are left. This program also acts as each of the servers that
// [Program] starts.
func RunTests(m *testing.M) int {
	peer.Main()
	testrun.InMemory()
	testrun.Parallel(8)
	return leak.Main(m)
}
