package file

import (
	"errors"
	"math"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// lockedPlace is the offset of the one locked byte: far beyond the end of the file, since
// others cannot read a locked byte.
func lockedPlace() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}

// atOnce makes opening a pipe return without waiting for its other end; noFollow makes
// opening a symbolic link fail.
const (
	atOnce   = 0
	noFollow = 0
)

// tryLock takes the lock of an open file if it is free. The end of the
// process ends it too.
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

// unlock ends the lock at once; a close alone ends it some time later. It fails only when
// the lock is already gone.
func unlock(f *os.File) {
	windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedPlace())
}

// syncDir does nothing: NTFS keeps renames in its own journal, and a directory can't be
// flushed.
func syncDir(string) error { return nil }

// patiently repeats a call for a short time while it fails because another process has
// the file open: on Windows a file that is being read can be neither replaced nor
// removed, and a file that is being removed can't be opened.
func patiently(call func() error) error {
	const most = 500 * time.Millisecond
	start := time.Now()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := call()
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || time.Since(start) > most {
			return err
		}
		time.Sleep(wait)
	}
}

func isWriteProtected(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// isBadFile reports whether an error means that the path is no file or that the disk
// can't read it.
func isBadFile(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_CRC) || errors.Is(err, windows.ERROR_FILE_CORRUPT)
}
