//go:build unix

package worker

import (
	"os"
	"syscall"
)

// signalled reports a process that a signal ended which comes from outside: its
// own faults have others.
func signalled(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	switch status.Signal() {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
		return true
	}
	return false
}
