//go:build unix

package sandbox

import "syscall"

// openFlags open a file without waiting for a pipe that took its name.
const openFlags = syscall.O_NONBLOCK
