package file

import (
	"errors"
	"math"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// lockedPlace is where the one byte is that is locked: far behind the end of the
// file, since others may not read what is locked.
func lockedPlace() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}

// atOnce is the flag by which a pipe is opened without a process at its other end,
// noFollow that by which a link is not opened.
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

// unlock ends the lock at once; a close alone ends it some time later. It can
// only fail when the lock is gone.
func unlock(f *os.File) {
	windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedPlace())
}

// syncDir has nothing to do: NTFS keeps renames in its own journal, and a
// directory can't be flushed.
func syncDir(string) error { return nil }

// patiently runs a call again for a moment while it is refused because another process
// has the file open: here a file that is read can be neither replaced nor
// removed, and one that is being removed can't be opened.
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

// isBadFile tells the errors of a file that is no file or that the disk can't
// read.
func isBadFile(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_CRC) || errors.Is(err, windows.ERROR_FILE_CORRUPT)
}
