package server

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page that only listens costs the server less than 60 kB, with what its
// connection needs.
func TestStreamCost(t *testing.T) {
	const streams, limit = 100, 60_000
	f := newFeed()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.NoError(t, f.serve(w, r))
	}))
	defer s.Close()
	defer f.shutdown()
	held := func() uint64 {
		runtime.GC()
		runtime.GC() // what pools keep goes with the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := held()
	buf := make([]byte, 4096)
	for i := range streams {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
		_, err = fmt.Fprintf(c, "GET /api/events?client=page-%d HTTP/1.1\r\nHost: page\r\n\r\n", i)
		require.NoError(t, err)
		_, err = c.Read(buf) // the stream stands
		require.NoError(t, err)
		require.Contains(t, string(buf[:64]), "200 OK")
	}
	f.send("chat", "conversation.changed", struct{}{}) // each has written once
	require.Eventually(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.streams == streams }, time.Minute, time.Millisecond)
	after := held()
	each := (int64(after) - int64(before)) / streams
	t.Logf("%d bytes per stream", each)
	assert.Less(t, each, int64(limit))
}
