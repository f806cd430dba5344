package testrun

import "golang.org/x/sys/unix"

// free returns the free space, in bytes, of an in-memory file system; 0: dir is not on
// such a file system, or is not writable.
func free(dir string) uint64 {
	var at unix.Statfs_t
	if unix.Statfs(dir, &at) != nil || at.Type != unix.TMPFS_MAGIC || unix.Access(dir, unix.W_OK) != nil {
		return 0
	}
	return at.Bavail * uint64(at.Bsize)
}
