//go:build unix

package descriptors

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// probed is up to which number descriptors are tried if they cannot be listed.
const probed = 1 << 16

// keepListed marks the descriptors that a directory lists.
func keepListed(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || !complete(dir) {
		for fd := first; fd < probed; fd++ {
			unix.CloseOnExec(fd) // harmless if it is not open
		}
		return nil
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			return fmt.Errorf("descriptors: %s lists %q", dir, e.Name())
		}
		if fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// complete reports whether the directory lists all open files: on some systems /dev/fd
// has only the three standard ones.
func complete(dir string) bool {
	return dir != "/dev/fd" || runtime.GOOS == "darwin" || runtime.GOOS == "ios"
}
