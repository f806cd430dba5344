//go:build unix && !solaris && !aix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes the lock of an open file if it is free. The lock belongs to the open
// file, not to the process, and ends when the file is closed or the process ends.
func Try(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// Release does nothing: the close that follows ends the lock.
func Release(*os.File) {}

// SyncDir flushes a directory, so that its file names survive a power failure. An error
// that says that the file system cannot flush directories is ignored: nothing better can
// be done there.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// WriteProtected reports whether an error means that the file system is read-only.
func WriteProtected(err error) bool { return errors.Is(err, syscall.EROFS) }
