//go:build !windows && (!unix || solaris || aix)

package filelock

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Try refuses: without file locks two programs could lose each other's writes.
func Try(f *os.File) (bool, error) {
	return false, fmt.Errorf("%w: %s has no file locks that end with their process, so %s can only be read",
		errors.ErrUnsupported, runtime.GOOS, f.Name())
}

// Release does nothing.
func Release(*os.File) {}

// SyncDir does nothing.
func SyncDir(string) error { return nil }

// WriteProtected returns false.
func WriteProtected(error) bool { return false }
