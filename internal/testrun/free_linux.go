package testrun

import "golang.org/x/sys/unix"

// free is how many bytes fit into a file system in memory; 0: it is none, or no one may
// write there.
func free(dir string) uint64 {
	var at unix.Statfs_t
	if unix.Statfs(dir, &at) != nil || at.Type != unix.TMPFS_MAGIC || unix.Access(dir, unix.W_OK) != nil {
		return 0
	}
	return at.Bavail * uint64(at.Bsize)
}
