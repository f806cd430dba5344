//go:build windows

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const openFlags = 0

// hardLinks returns the number of hard links of a file; ok is false if the system does
// not report it.
func hardLinks(dir *os.Root, name string, _ fs.FileInfo) (n uint64, ok bool) {
	f, err := dir.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return 0, false
	}
	return uint64(info.NumberOfLinks), true
}

func outOfHandles(err error) bool { return errors.Is(err, syscall.EMFILE) }
