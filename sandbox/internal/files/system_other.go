//go:build !unix && !windows

package files

import (
	"io/fs"
	"os"
)

const openFlags = 0

// hardLinks is used on systems that do not report the number of hard links.
func hardLinks(*os.Root, string, fs.FileInfo) (n uint64, ok bool) { return 0, false }

func outOfHandles(error) bool { return false }
