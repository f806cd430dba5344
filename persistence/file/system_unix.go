//go:build unix && !solaris && !aix

package file

import (
	"errors"
	"os"
	"syscall"
)

// atOnce makes opening a pipe return without waiting for its other end; noFollow makes
// opening a symbolic link fail.
const (
	atOnce   = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)

// tryLock takes the lock of an open file if it is free. The lock belongs to the open
// file, not to the process, and ends when the file is closed or the process ends.
func tryLock(f *os.File) (bool, error) {
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

// unlock does nothing: the close that follows ends the lock.
func unlock(*os.File) {}

// syncDir flushes a directory, so that its file names survive a power failure. An error
// that says that the file system cannot flush directories is ignored: nothing better can
// be done there.
func syncDir(dir string) error {
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

// patiently runs a call. Only Windows needs to repeat it.
func patiently(call func() error) error { return call() }

func isWriteProtected(err error) bool { return errors.Is(err, syscall.EROFS) }

// isBadFile reports whether an error means that the path is no file or that the disk
// can't read it.
func isBadFile(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ELOOP)
}
