//go:build linux || openbsd || dragonfly || solaris

package fileid

import (
	"io/fs"
	"syscall"
)

func system(info fs.FileInfo) (device, inode uint64, changed int64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return uint64(st.Dev), st.Ino, st.Ctim.Nano()
}
