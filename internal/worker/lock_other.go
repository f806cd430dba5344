//go:build !linux

package worker

// lock gives up what this system lets a process give up: the Go runtime's own
// bounds. Memory is then bounded by the watchdog alone, which one large request
// can outrun, and the process keeps the rights of its user.
func lock(lim Limits) ([]string, error) { return tune(lim), nil }
