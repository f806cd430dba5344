// Package testrun says how the tests of a package run. TestMain calls it before the
// tests.
package testrun

import (
	"flag"
	"os"
	"strconv"
)

// Parallel lets n tests that call t.Parallel run at a time, where the command line says
// nothing else. Without it there are as many as processors, which idle where tests wait
// for other programs, for timers and for each other.
func Parallel(n int) {
	if f := flag.Lookup("test.parallel"); f != nil {
		_ = f.Value.Set(strconv.Itoa(n)) // a number always can be
	}
}

// Sample is how many of n random cases a test tries: all with LOCALPASS_FULL, else a
// fifth of them.
func Sample(n int) int {
	if os.Getenv("LOCALPASS_FULL") != "" {
		return n
	}
	return max(1, n/5)
}

// InMemory keeps what tests write in memory, where the system has a file system for
// that with room enough and TMPDIR names no place: a disk takes its time for each of
// the many flushes. Programs cannot always be started from there.
func InMemory() {
	const dir, room = "/dev/shm", 2 << 30 // bytes
	if os.Getenv("TMPDIR") == "" && free(dir) >= room {
		_ = os.Setenv("TMPDIR", dir) // else they are on the disk
	}
}
