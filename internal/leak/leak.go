// Package leak finds goroutines that outlive the test that started them.
package leak

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Wait names an environment variable that sets how long goroutines may take to end. Tests
// of this package use it to shorten the wait.
const Wait = "LOCALPASS_LEAK_WAIT"

// Check records the running goroutines. When the test ends, it fails the test if new
// goroutines still run after twenty seconds.
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
	// The server of mcp-go, a peer in tests, has a goroutine that waits for the time to
	// live of each task.
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
