//go:build !windows && (!unix || solaris || aix)

package file

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// atOnce makes opening a pipe return without waiting for its other end; noFollow makes
// opening a symbolic link fail.
const (
	atOnce   = 0
	noFollow = 0
)

// tryLock refuses: without file locks two programs could lose each other's
// writes.
func tryLock(f *os.File) (bool, error) {
	return false, fmt.Errorf("%w: %s has no file locks that end with their process, so %s can only be read",
		errors.ErrUnsupported, runtime.GOOS, f.Name())
}

func unlock(*os.File) {}

func syncDir(string) error { return nil }

func patiently(call func() error) error { return call() }

func isWriteProtected(error) bool { return false }

func isBadFile(error) bool { return false }
