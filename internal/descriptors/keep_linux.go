package descriptors

import "golang.org/x/sys/unix"

// Keep marks every open descriptor above standard error, so that a program started
// afterwards does not inherit it. After an error no program should be started.
func Keep() error {
	if unix.CloseRange(first, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	return keepListed("/proc/self/fd") // before Linux 5.11
}
