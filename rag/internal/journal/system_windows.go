package journal

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lockedPlace is the offset of the one locked byte: far beyond the end of the file.
func lockedPlace() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}

// tryLock takes the lock of an open file if it is free. The end of the process ends it
// too.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockedPlace())
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, os.NewSyscallError("LockFileEx", err)
}

func unlockFile(f *os.File) {
	windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedPlace())
}

func isWriteProtected(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// replace renames the new file to the journal's. An open file cannot be replaced here, so
// both are closed first; that fails while another process reads the old one.
func (j *Journal) replace(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
	renamed := os.Rename(path, j.path())
	opened, err := os.OpenFile(j.path(), os.O_RDWR, 0)
	if err != nil {
		return errors.Join(renamed, err)
	}
	j.file = opened
	return renamed
}
