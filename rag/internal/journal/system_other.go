//go:build !windows && (!unix || solaris || aix)

package journal

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// tryLock refuses: without file locks two programs could lose each other's writes.
func tryLock(f *os.File) (bool, error) {
	return false, fmt.Errorf("%w: %s has no file locks that end with their process", errors.ErrUnsupported, runtime.GOOS)
}

func unlockFile(*os.File) {}

func isWriteProtected(error) bool { return false }

func (j *Journal) replace(f *os.File, path string) error {
	if err := os.Rename(path, j.path()); err != nil {
		return err
	}
	if j.file != nil {
		j.file.Close()
	}
	j.file = f
	return nil
}
