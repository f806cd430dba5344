//go:build unix

package worker

import (
	"os"
	"syscall"
)

// signalled reports whether a signal from outside ended the process. Its own faults cause
// other signals.
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
