package bench

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData flushes the content of a file.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
