//go:build unix

package sandbox

import "syscall"

// openFlags makes opening a file return at once even if a pipe has replaced it.
const openFlags = syscall.O_NONBLOCK
