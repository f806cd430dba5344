//go:build !linux

package client

import "os/exec"

// waitGroup waits until the program exits. Processes that it left behind are not killed:
// once the program is reaped, the id of its group may be reused.
func waitGroup(cmd *exec.Cmd) {
	_ = cmd.Wait() // the exit status is in the state
}
