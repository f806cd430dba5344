package mcphub_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/smoke/peer"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

var (
	cycles        = flag.Int("cycles", 200, "how often TestCyclesHTTP connects and leaves")
	programCycles = flag.Int("program-cycles", 0, "how often TestCyclesPrograms starts a program; 0: 3 for 20 of -cycles")
)

const (
	// cyclePoints is how often a run of cycles is measured.
	cyclePoints = 5
	// cycleGrowth is how much more memory may be in use at the end of a run than
	// near its beginning: what pools, tables and the runtime come to. A session
	// that stays takes more than 1 KB, so 2,000 cycles, or 300 with programs, which
	// have buffers of 16 KB, do not fit in when they leave theirs.
	cycleGrowth = 1 << 20
	// cycleFiles and cycleGoroutines are those that may come and go: connections
	// that wait for their next request, on both sides.
	cycleFiles, cycleGoroutines = 8, 10
)

// measured runs do for each number up to n, and holds what is in use at several
// points against the first of them.
func measured(t *testing.T, n int, do func(i int)) {
	t.Helper()
	var bytes, memory int64
	var files, open, running, goroutines, processes int
	began := time.Now()
	for point := range cyclePoints {
		for i := n * point / cyclePoints; i < n*(point+1)/cyclePoints; i++ {
			do(i)
		}
		if point == 0 {
			files, processes = hubtest.OpenFiles(t), hubtest.Children(t)
			bytes, running = settled()
		}
		assert.Eventually(t, func() bool {
			memory, goroutines = settled()
			open = hubtest.OpenFiles(t)
			return open <= files+cycleFiles && goroutines <= running+cycleGoroutines && hubtest.Children(t) == processes && memory-bytes < cycleGrowth
		}, hubtest.Patience, 20*time.Millisecond, "files, goroutines or processes are left, or memory is not flat")
		t.Logf("%d cycles in %v: %d KiB, %d files, %d goroutines, %d processes", n*(point+1)/cyclePoints,
			time.Since(began).Round(time.Millisecond), memory>>10, open, goroutines, hubtest.Children(t))
		require.Less(t, memory-bytes, int64(cycleGrowth))
	}
}

func cycleCount() int {
	if testing.Short() {
		return min(*cycles, 60)
	}
	return *cycles
}

// cycleEra takes turns with the versions, slower than with the ways to leave.
func cycleEra(i, ways int) []string {
	return [][]string{{"2025-11-25"}, {"2026-07-28"}}[i/ways%2]
}

// ownConnections makes Connections to one server, which whoever makes them closes.
func ownConnections(t *testing.T, r servers.Record, opts servers.Options) *servers.Connections {
	conns, err := servers.New(memory.New(), &opts)
	require.NoError(t, err)
	_, err = conns.Save(t.Context(), r)
	require.NoError(t, err)
	return conns
}

// TestCyclesHTTP connects, calls, is cut off, connects again and leaves, many
// times and in each way that there is: to a hub in this process, so that both
// sides are measured, and to a server of mcp-go. When the hub kept sessions, the
// next ones would find no room.
func TestCyclesHTTP(t *testing.T) {
	leak.Check(t)
	const room = 100
	h := hubtest.NewHub(t, &mcphub.Options{MaxSessions: room, SessionIdle: 3 * time.Second})
	require.NoError(t, mcphubtest.AddTools(h))
	server := httptest.NewServer(h.Handler())
	defer server.Close()
	var forgetful atomic.Pointer[mcphubtest.Peer] // a new one each time: it keeps what it has seen
	forgetting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { forgetful.Load().ServeHTTP(w, r) }))
	defer forgetting.Close()
	var ways [2]client.Transport
	for i, url := range []string{server.URL + mcphub.Path, hubtest.OnHTTP(t, "mcpgo") + "/mcp"} {
		var err error
		ways[i], err = client.NewHTTP(client.HTTPConfig{URL: url}, nil)
		require.NoError(t, err)
	}
	const kinds = 8
	measured(t, cycleCount(), func(i int) {
		ctx := t.Context()
		opts := client.DialOptions{Versions: cycleEra(i, kinds)}
		switch i % kinds {
		case 5: // gives up before there is a session
			short, cancel := context.WithTimeout(ctx, time.Duration(i%7)*300*time.Microsecond)
			defer cancel()
			if s, err := ways[0].Dial(short, &opts); err == nil {
				require.NoError(t, s.Close())
			}
			return
		case 6: // by way of Connections: the connection is cut
			conns := ownConnections(t, webRecord("hub", server.URL+mcphub.Path), servers.Options{Dial: opts})
			require.NoError(t, useTool(ctx, conns.Caller("hub"), callEcho))
			server.CloseClientConnections()
			_, err := conns.Call(ctx, "hub", "tools/list", nil, nil)
			require.NoError(t, err)
			require.NoError(t, conns.Close())
			return
		case 7: // the session is forgotten
			peer := hubtest.GoodPeer()
			forgetful.Store(peer)
			conns := ownConnections(t, webRecord("one", forgetting.URL), servers.Options{Dial: opts})
			require.NoError(t, conns.Connect(ctx, "one"))
			peer.EndSessions()
			_, err := conns.Call(ctx, "one", "tools/list", nil, nil)
			require.NoError(t, err)
			require.NoError(t, conns.Close())
			return
		}
		s, err := ways[i/(2*kinds)%2].Dial(ctx, &opts)
		require.NoError(t, err)
		switch i % kinds {
		case 0: // in good order
			require.NoError(t, useTool(ctx, s, callEcho))
		case 1: // takes a call back
			short, cancel := context.WithTimeout(ctx, 2*time.Millisecond)
			_ = useTool(short, s, callWait) // mcp-go's server has no such tool
			cancel()
		case 2: // is cut off
			server.CloseClientConnections()
			_ = useTool(ctx, s, callEcho)
		case 3: // listens
			listening, cancel := context.WithCancel(ctx)
			done := make(chan error, 1)
			go func() { done <- s.Listen(listening, &client.Subscription{Tools: true}) }()
			require.NoError(t, useTool(ctx, s, callEcho))
			cancel()
			require.Error(t, <-done)
		case 4: // leaves within a call
			done := make(chan error, 1)
			go func() { done <- useTool(ctx, s, callWait) }()
			require.NoError(t, useTool(ctx, s, callEcho))
			require.NoError(t, s.Close())
			<-done
		}
		require.NoError(t, s.Close())
	})

	// There is room for as many sessions as ever.
	require.Eventually(t, func() bool {
		var open []client.Session
		for range room {
			s, err := ways[0].Dial(t.Context(), hubtest.Sessions2025)
			if err != nil {
				break
			}
			open = append(open, s)
		}
		for _, s := range open {
			require.NoError(t, s.Close())
		}
		return len(open) == room
	}, hubtest.Patience, 100*time.Millisecond, "sessions are left at the hub")
}

// TestCyclesPrograms starts programs, calls them, kills them, starts them again
// and leaves: the hub's own and mcp-go's, and one that ends by itself.
func TestCyclesPrograms(t *testing.T) {
	leak.Check(t)
	n := *programCycles
	if n == 0 {
		n = max(cycleCount()*3/20, 6)
	}
	var started *exec.Cmd // the last one
	opts := &client.StdioOptions{Prepare: func(cmd *exec.Cmd) error { started = cmd; return nil }}
	hub, mcpgo, crash := hubtest.Program(t, "hub", opts), hubtest.Program(t, "mcpgo", nil), hubtest.Program(t, "crash", nil)
	connection, err := json.Marshal(client.StdioConfig{Command: peer.Program(t), Args: []string{"-as", "hub"}})
	require.NoError(t, err)
	record := servers.Record{ID: "hub", Kind: client.TransportStdio, Connection: connection}
	const kinds = 6
	measured(t, n, func(i int) {
		ctx := t.Context()
		dial := client.DialOptions{Versions: cycleEra(i, kinds)}
		var tr client.Transport
		switch kind := i % kinds; kind {
		case 4: // gives up before there is a session
			short, cancel := context.WithTimeout(ctx, time.Duration(i%9)*time.Millisecond)
			defer cancel()
			if s, err := hub.Dial(short, &dial); err == nil {
				require.NoError(t, s.Close())
			}
			return
		case 5: // by way of Connections: it is killed, and started again
			kinds := client.NewRegistry(&client.RegistryOptions{Prepare: opts.Prepare})
			conns := ownConnections(t, record, servers.Options{Kinds: kinds, Dial: dial})
			require.NoError(t, useTool(ctx, conns.Caller("hub"), callEcho))
			require.NoError(t, started.Process.Kill())
			_, err := conns.Call(ctx, "hub", "tools/list", nil, nil)
			require.NoError(t, err)
			require.NoError(t, conns.Close())
			return
		case 1:
			tr = mcpgo
		case 3:
			tr = crash
		default:
			tr = hub
		}
		s, err := tr.Dial(ctx, &dial)
		require.NoError(t, err)
		switch i % kinds {
		case 2: // it is killed
			require.NoError(t, started.Process.Kill())
			require.ErrorIs(t, useTool(ctx, s, callWait), client.ErrSessionLost)
		case 3: // it ends within a call
			require.ErrorIs(t, useTool(ctx, s, callEcho), client.ErrSessionLost)
		default:
			require.NoError(t, useTool(ctx, s, callEcho))
		}
		require.NoError(t, s.Close())
	})
}
