// Package leak finds goroutines that outlive the test that started them, even while other
// tests run, and, with goleak, goroutines that outlive all tests of a package. goleak
// cannot distinguish the goroutines of one test from those of another.
package leak

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Wait is the name of the environment variable that sets how long goroutines may take to
// end. Tests of this package use it to shorten the wait.
const Wait = "LOCALPASS_LEAK_WAIT"

// label marks the goroutines of a check. A goroutine inherits the labels of the goroutine
// that starts it.
const label = "localpass-leak-check"

var checks atomic.Int64

// Check fails the test if goroutines that it starts from now on, directly or indirectly,
// have not ended twenty seconds after the test. It must be called first in a test or
// subtest. It does not see goroutines that were started earlier, goroutines started by
// those, or functions run by timers of the time package: [Main] finds them.
func Check(t testing.TB) {
	t.Helper()
	patience, err := wait()
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprint(checks.Add(1))
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(label, id)))
	t.Cleanup(func() {
		pprof.SetGoroutineLabels(context.Background()) // this goroutine does not belong to the check
		deadline := time.Now().Add(patience)
		for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
			left, err := labelled(id)
			if err != nil {
				t.Error(err)
				return
			}
			if len(left) == 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Errorf("goroutines of this test have not ended:\n%s", strings.Join(left, "\n\n"))
				return
			}
			time.Sleep(pause)
		}
	})
}

// Main runs the tests and then fails if any goroutine is left, whatever started it. It
// returns the exit code.
func Main(m *testing.M) int {
	patience, err := wait()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if code != 0 {
		return code
	}
	http.DefaultClient.CloseIdleConnections()
	for deadline := time.Now().Add(patience); ; {
		err := goleak.Find(goleak.IgnoreAnyFunction(taskCleanup))
		if err == nil {
			return 0
		}
		if time.Now().After(deadline) {
			fmt.Fprintln(os.Stderr, "after all tests:", err)
			return 1
		}
	}
}

func wait() (time.Duration, error) {
	if text := os.Getenv(Wait); text != "" {
		return time.ParseDuration(text)
	}
	return 20 * time.Second, nil
}

// taskCleanup is the function in which a goroutine of mcp-go's server, a peer in tests,
// waits until the time to live of a task is over.
const taskCleanup = "github.com/mark3labs/mcp-go/server.(*MCPServer).scheduleTaskCleanup"

// labelled returns the stacks of the goroutines of a check. Each begins with the number of
// goroutines that have it.
func labelled(id string) (stacks []string, err error) {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return nil, err
	}
	mark := fmt.Sprintf("%q:%q", label, id)
	for stack := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(stack, mark) && !lasting(stack) {
			stacks = append(stacks, strings.TrimSpace(stack))
		}
	}
	return stacks, nil
}

// lasting reports whether a goroutine runs for the life of the program, or ends at a time
// that a test cannot control.
func lasting(stack string) bool {
	return strings.Contains(stack, "os/signal.") || strings.Contains(stack, taskCleanup)
}
