//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFlags prevents open from blocking on the other end of a pipe.
const openFlags = syscall.O_NONBLOCK

// hardLinks returns the number of hard links of a file; ok is false if the system does
// not report it.
func hardLinks(_ *os.Root, _ string, info fs.FileInfo) (n uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Nlink), true //nolint:unconvert // the type differs between systems
}

func outOfHandles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
