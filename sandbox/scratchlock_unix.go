//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// lockFile locks a file until it is closed or the program ends, unless another
// program has it locked.
func lockFile(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
