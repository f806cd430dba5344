package descriptors

import "golang.org/x/sys/unix"

// Keep marks every descriptor above standard error that is open now, so that a
// program that is started afterwards does not get it. The error says that this
// was not possible: then nothing should be started.
func Keep() error {
	if unix.CloseRange(first, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	return keepListed("/proc/self/fd") // before Linux 5.11
}
