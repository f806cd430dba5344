package mcphub_test

import (
	"context"
	"flag"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

var cycles = flag.Int("cycles", 20, "how often TestCycles connects to a program; ten times as often over HTTP")

// TestCycles connects, calls and leaves many times, in good order and not, and
// looks for what stays behind.
func TestCycles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts files and processes in /proc")
	}
	leak.Check(t)
	server := httptest.NewServer(mcphubtest.NewHub(t).Handler())
	defer server.Close()
	web, err := mcphub.NewHTTP(mcphub.HTTPConfig{URL: server.URL + mcphub.Path}, nil)
	require.NoError(t, err)
	hub, crash := program(t, "hub", nil), program(t, "crash", nil)
	run := func(n int) {
		for i := range 10 * n {
			opts := []*mcphub.DialOptions{nil, old}[i%2]
			s, err := web.Dial(t.Context(), opts)
			require.NoError(t, err)
			switch i % 3 {
			case 0:
				_, err = s.Call(t.Context(), "tools/list", nil, nil)
				require.NoError(t, err)
			case 1:
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				_, err = s.Call(ctx, "tools/call", []byte(`{"name":"wait","arguments":{}}`), nil)
				cancel()
				require.Error(t, err)
			case 2:
				server.CloseClientConnections()
			}
			require.NoError(t, s.Close())
		}
		for i := range n {
			s, err := []mcphub.Transport{hub, crash}[i%2].Dial(t.Context(), nil)
			require.NoError(t, err)
			_, _ = s.Call(t.Context(), "tools/call", []byte(`{"name":"echo","arguments":{"text":"x"}}`), nil)
			require.NoError(t, s.Close())
		}
	}
	run(2)
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	run(*cycles)
	assert.Zero(t, children(t))
	assert.Eventually(t, func() bool { return openFiles(t) <= files+4 && runtime.NumGoroutine() <= goroutines+8 }, patience, 10*time.Millisecond,
		"files %d then %d, goroutines %d then %d", files, openFiles(t), goroutines, runtime.NumGoroutine())
}
