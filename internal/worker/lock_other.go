//go:build !linux

package worker

// lock only sets the Go runtime's own bounds, since this system has nothing else. Memory
// is then bounded by the watchdog alone, which one large allocation can outrun, and the
// process keeps the rights of its user.
func lock(lim Limits) ([]string, error) { return tune(lim), nil }
