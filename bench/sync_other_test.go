//go:build !linux

package bench

import "os"

// syncData flushes a file.
func syncData(f *os.File) error { return f.Sync() }
