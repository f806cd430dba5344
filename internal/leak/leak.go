// Package leak finds goroutines that outlive what started them.
package leak

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Wait names a variable of the environment: how long goroutines have to go away, for a
// test that proves that those which do not are found.
const Wait = "LOCALPASS_LEAK_WAIT"

// Check notes the goroutines that run now and, when the test ends, fails it for
// those of this module that are new and do not go away within twenty seconds.
func Check(t testing.TB) {
	t.Helper()
	patience := 20 * time.Second
	if text := os.Getenv(Wait); text != "" {
		var err error
		if patience, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	before := ids(stacks())
	t.Cleanup(func() {
		var left []string
		for deadline := time.Now().Add(patience); ; {
			left = left[:0]
			for _, s := range stacks() {
				if !before[id(s)] && strings.Contains(s, "github.com/localpass/localpass") && !strings.Contains(s, "internal/leak.stacks") {
					left = append(left, s)
				}
			}
			if len(left) == 0 || time.Now().After(deadline) {
				break
			}
			runtime.Gosched()
			<-time.After(5 * time.Millisecond)
		}
		for _, s := range left {
			t.Errorf("goroutine still runs after the test:\n%s", s)
		}
	})
}

func stacks() []string {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return strings.Split(strings.TrimSpace(string(buf[:n])), "\n\n")
		}
	}
}

func id(stack string) string {
	head, _, _ := strings.Cut(stack, " [")
	return head
}

func ids(stacks []string) map[string]bool {
	m := make(map[string]bool, len(stacks))
	for _, s := range stacks {
		m[id(s)] = true
	}
	return m
}
