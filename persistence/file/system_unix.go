//go:build unix && !solaris && !aix

package file

import (
	"errors"
	"os"
	"syscall"
)

// atOnce is the flag by which a pipe is opened without a process at its other end,
// noFollow that by which a link is not opened.
const (
	atOnce   = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)

// tryLock takes the lock of an open file if it is free. The lock is
// that of the open file, not of the process, and ends when it is closed, also
// by the end of the process.
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

// unlock has nothing to do: the close that follows ends the lock.
func unlock(*os.File) {}

// syncDir makes the names in a directory last. Some file systems can't flush a
// directory and say so; there is nothing better to do on them.
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

// patiently runs a call that another system would have to try again.
func patiently(call func() error) error { return call() }

func isWriteProtected(err error) bool { return errors.Is(err, syscall.EROFS) }

// isBadFile tells the errors of a file that is no file or that the disk can't
// read.
func isBadFile(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ELOOP)
}
