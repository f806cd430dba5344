package mcphub_test

import (
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// Bounds of a session in which nothing happens. It takes less than 2 KB: the
// bound leaves room for another compiler, and none for a buffer or a goroutine,
// whose stack alone has 2 KB.
const (
	idleSessions = 5_000
	idleBytes    = 4 << 10
)

// TestIdleSessionCost opens many sessions and measures what they keep.
func TestIdleSessionCost(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, &mcphub.Options{MaxSessions: idleSessions + 100}, hubtest.EchoTool(t, "echo"))
	c := serve(t, h)
	c.open("2025-11-25", `{}`).post(call("1", "echo", `{"text":"warm"}`))
	bytes, goroutines := settled()
	sessions := make([]string, 0, idleSessions)
	for range idleSessions { // each of them did something, as real ones do
		s := c.open("2025-11-25", `{"elicitation":{},"sampling":{},"roots":{}}`)
		require.Equal(t, http.StatusOK, s.post(call("1", "echo", `{"text":"hello"}`)).status)
		sessions = append(sessions, s.session)
	}
	after, running := settled()
	each := float64(after-bytes) / idleSessions
	t.Logf("%.0f bytes a session, goroutines %d then %d", each, goroutines, running)
	assert.Less(t, each, float64(idleBytes))
	assert.LessOrEqual(t, running, goroutines+4, "those of net/http for a connection more")

	for _, id := range sessions {
		other := *c
		other.session = id
		require.Equal(t, http.StatusNoContent, other.do(other.request(http.MethodDelete, "")).status)
	}
	left, _ := settled()
	assert.Less(t, float64(left-bytes)/idleSessions, 512.0, "the table keeps its buckets, and no session")
}

// TestIdleClientSessionCost is the same from the other side: sessions with a
// server, that of the hub in this process included.
func TestIdleClientSessionCost(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			leak.Check(t)
			const n = 800
			c := serve(t, hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo")))
			tr, err := client.NewHTTP(client.HTTPConfig{URL: c.url}, nil)
			require.NoError(t, err)
			dial := func() client.Session {
				s, err := tr.Dial(t.Context(), &client.DialOptions{Versions: []string{version}})
				require.NoError(t, err)
				require.NoError(t, useTool(t.Context(), s, callEcho))
				return s
			}
			open := []client.Session{dial()}
			bytes, goroutines := settled()
			for range n {
				open = append(open, dial())
			}
			after, running := settled()
			t.Logf("%d bytes a session, goroutines %d then %d", (after-bytes)/n, goroutines, running)
			assert.Less(t, (after-bytes)/n, int64(10<<10))
			assert.LessOrEqual(t, running, goroutines+4)
			for _, s := range open {
				require.NoError(t, s.Close())
			}
		})
	}
}

// settled is the memory in use and the goroutines, when what is garbage is gone.
func settled() (bytes int64, goroutines int) {
	var m runtime.MemStats
	for range 3 { // what has a finalizer or is pooled takes another round
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()
}
