package filelock

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lockedPlace is the offset of the one locked byte: far beyond the end of the file, since
// others cannot read a locked byte.
func lockedPlace() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}

// Try takes the lock of an open file if it is free. The end of the
// process ends it too.
func Try(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockedPlace())
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, os.NewSyscallError("LockFileEx", err)
}

// Release ends the lock at once; a close alone ends it some time later. It fails only when
// the lock is already gone.
func Release(f *os.File) {
	windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedPlace())
}

// SyncDir does nothing: NTFS keeps renames in its own journal, and a directory can't be
// flushed.
func SyncDir(string) error { return nil }

// WriteProtected reports whether an error means that the disk is read-only.
func WriteProtected(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
