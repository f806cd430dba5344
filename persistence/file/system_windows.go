package file

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// atOnce makes opening a pipe return without waiting for its other end; noFollow makes
// opening a symbolic link fail.
const (
	atOnce   = 0
	noFollow = 0
)

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

// isBadFile reports whether an error means that the path is no file or that the disk
// can't read it.
func isBadFile(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_CRC) || errors.Is(err, windows.ERROR_FILE_CORRUPT)
}
