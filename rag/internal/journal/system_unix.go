//go:build unix && !solaris && !aix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of an open file if it is free. The lock ends when the file is
// closed or the process ends.
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

// unlockFile does nothing: the close that follows ends the lock.
func unlockFile(*os.File) {}

func isWriteProtected(err error) bool { return errors.Is(err, syscall.EROFS) }

// replace renames the new file to the journal's, which it is from then on.
func (j *Journal) replace(f *os.File, path string) error {
	if err := os.Rename(path, j.path()); err != nil {
		return err
	}
	if j.file != nil {
		j.file.Close()
	}
	j.file = f
	dir, err := os.Open(j.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
