//go:build !windows && (!unix || solaris || aix)

package file

// atOnce makes opening a pipe return without waiting for its other end; noFollow makes
// opening a symbolic link fail.
const (
	atOnce   = 0
	noFollow = 0
)

func patiently(call func() error) error { return call() }

func isBadFile(error) bool { return false }
