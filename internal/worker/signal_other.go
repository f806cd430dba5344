//go:build !unix

package worker

import "os"

// signalled returns false: on this system an exit code does not show its cause.
func signalled(*os.ProcessState) bool { return false }
