// Package leak finds goroutines that outlive what started them.
package leak

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Wait names a variable of the environment: how long goroutines have to end, for a
// test which proves that leaked ones are found.
const Wait = "LOCALPASS_LEAK_WAIT"

// Check notes the goroutines that run now and, when the test ends, fails it for
// those that are new and do not go away within twenty seconds.
func Check(t testing.TB) {
	t.Helper()
	patience := 20 * time.Second
	if text := os.Getenv(Wait); text != "" {
		var err error
		if patience, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	before := goleak.IgnoreCurrent()
	// The server of mcp-go, a peer in tests, waits for the end of life of each task.
	peer := goleak.IgnoreAnyFunction("github.com/mark3labs/mcp-go/server.(*MCPServer).scheduleTaskCleanup")
	t.Cleanup(func() {
		deadline := time.Now().Add(patience)
		for {
			err := goleak.Find(before, peer)
			if err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Error(err)
				return
			}
		}
	})
}
