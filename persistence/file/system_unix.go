//go:build unix && !solaris && !aix

package file

import (
	"errors"
	"syscall"
)

// atOnce makes opening a pipe return without waiting for its other end; noFollow makes
// opening a symbolic link fail.
const (
	atOnce   = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)

// patiently runs a call. Only Windows needs to repeat it.
func patiently(call func() error) error { return call() }

// isBadFile reports whether an error means that the path is no file or that the disk
// can't read it.
func isBadFile(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ELOOP)
}
